"""What ours is measured against: the published way, the same repaired, and no constraint at all.

`Published` (R) does per question what the published code does: it enumerates all paths depth
first, tokenises each of them, puts them into a marisa trie and gives Hugging Face's beam search a
function that looks up the prefix of every beam at every token. `repaired` (R') is given paths and
tokens for nothing; the trie, the function and the loop remain.
"""

from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any, cast

import torch
from transformers import PreTrainedModel

from ...agent.decoding.plan import BeamPlan
from ...agent.decoding.units import Tokens
from ...agent.decoding.wire import PATH, SEPARATOR, escape, spell_relation
from ...agent.kg import KnowledgeGraph
from .decoding_scenes import Case, Scene

Edges = list[tuple[str, str]]

_SURROGATES, _SURROGATES_END = 0xD800, 0xE000


class PathTrie:
    """Token sequences in a marisa trie, a character for a token."""

    def __init__(self, words: Sequence[Sequence[int]]) -> None:
        # The first two steps are the same for all words, and kept apart, as published.
        self._first = sorted({word[0] for word in words})
        self._second = sorted({word[1] for word in words})
        marisa: Any = import_module("marisa_trie")
        self._trie: Any = marisa.Trie(map(_text, words))

    def followers(self, prefix: Sequence[int]) -> list[int]:
        """The tokens that may follow: every word under the prefix is listed, as published."""
        if len(prefix) < 2:
            return self._second if prefix else self._first
        length = len(prefix)
        keys: list[str] = self._trie.keys(_text(prefix))
        return sorted({_token(key[length]) for key in keys if len(key) > length})


class Published:
    """R over one graph, which is a dictionary of names that is made once."""

    def __init__(self, kg: KnowledgeGraph) -> None:
        facts = sorted(kg.store.facts())
        terms = sorted({term for fact in facts for term in fact})
        names = dict(zip(terms, map(escape, kg.labels.names(terms)), strict=True))
        self._edges = dict[str, Edges]()
        for head, relation, tail in facts:
            for source, target, inverse in ((head, tail, False), (tail, head, True)):
                edge = (spell_relation(names[relation], inverse), names[target])
                self._edges.setdefault(names[source], []).append(edge)

    def decode(self, scene: Scene, case: Case, hops: int, plan: BeamPlan) -> list[Tokens]:
        """The best words, best first."""
        tokenizer: Any = scene.local.tokenizer
        texts = self.path_texts(list(case.topics.values()), hops)
        words: list[list[int]] = tokenizer(texts, add_special_tokens=False)["input_ids"]
        return repaired(scene, case, words, plan)

    def path_texts(self, topics: Sequence[str], hops: int) -> list[str]:
        """Every path as text. As published, the walk stops one hop after what is kept."""
        texts = list[str]()

        def visit(name: str, walked: Edges) -> None:
            if len(walked) > hops:
                return
            if walked:
                names = [topic, *(part for edge in walked for part in edge)]
                texts.append(PATH.open + SEPARATOR.join(names) + PATH.close)
            for edge in self._edges.get(name, []):
                if edge[1] not in topics:
                    visit(edge[1], [*walked, edge])

        for topic in topics:
            visit(topic, [])
        return texts


def repaired(
    scene: Scene, case: Case, words: Sequence[Sequence[int]], plan: BeamPlan
) -> list[Tokens]:
    """R': the best of the given words, best first."""
    start, close = len(case.prompt), scene.tags[1]
    trie = PathTrie(words)

    def allowed(_: int, ids: torch.Tensor) -> list[int]:
        # A beam without any legal word left has the score -inf; it may only end.
        return trie.followers(ids[start:].tolist()) or [close]

    rows = _generate(
        scene.local.model,
        case.prompt,
        plan,
        eos_token_id=close,
        max_new_tokens=max(map(len, words)) + 1,
        prefix_allowed_tokens_fn=allowed,
    )
    legal = {tuple(word) for word in words}
    ended = [tuple(row[: row.index(close) + 1]) for row in rows if close in row]
    return [word for word in dict.fromkeys(ended) if word in legal]


def unconstrained(scene: Scene, case: Case, tokens: int, plan: BeamPlan) -> None:
    """Hugging Face's beam search without a constraint, over exactly this number of tokens."""
    _generate(
        scene.local.model,
        case.prompt,
        plan,
        eos_token_id=scene.tags[1],
        min_new_tokens=tokens,
        max_new_tokens=tokens,
    )


def _generate(
    model: PreTrainedModel, prompt: Sequence[int], plan: BeamPlan, **options: Any
) -> list[list[int]]:
    generate = cast("Callable[..., torch.Tensor]", model.generate)
    rows = generate(
        input_ids=torch.tensor([prompt]),
        attention_mask=torch.ones(1, len(prompt), dtype=torch.long),
        num_beams=plan.beams,
        num_return_sequences=plan.beams,
        length_penalty=0.0,
        renormalize_logits=plan.scores == "allowed",
        pad_token_id=0,
        do_sample=False,
        use_cache=True,
        **options,
    )
    return rows[:, len(prompt) :].tolist()


def _text(tokens: Sequence[int]) -> str:
    gap = _SURROGATES_END - _SURROGATES
    return "".join(chr(token if token < _SURROGATES else token + gap) for token in tokens)


def _token(character: str) -> int:
    code = ord(character)
    return code if code < _SURROGATES else code - (_SURROGATES_END - _SURROGATES)
