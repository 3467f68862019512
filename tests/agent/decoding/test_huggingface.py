"""The search gives what Hugging Face's own beam search gives under the enumerated mask.

In float64 the paths are the same and in the same order, up to ties: Hugging Face keeps its running
scores in float32.
"""

from typing import Any

import pytest
import torch
from groundwalk.agent.decoding.paths import PathLimits
from groundwalk.agent.decoding.plan import BeamPlan, Question
from groundwalk.agent.decoding.search import beam_search
from groundwalk.agent.decoding.units import wire_tokens
from groundwalk.agent.decoding.wire import PATH
from hypothesis import strategies as st

from ...properties import holds_for
from . import oracle, worlds
from .test_search import MODELS, PROMPT, TOKENIZERS, facts, limits, opened

TIE = 1e-4

Ranked = list[tuple[tuple[int, ...], float]]


def generate(model: Any, legal: oracle.Words, close: int, plan: BeamPlan, pad: int) -> Ranked:
    """`generate` with `prefix_allowed_tokens_fn` over the trie of all legal words."""
    trie: dict[tuple[int, ...], list[int]] = {}
    for word in legal:
        for i in range(len(word)):
            followers = trie.setdefault(word[:i], [])
            if word[i] not in followers:
                followers.append(word[i])
    start = len(PROMPT)

    def allowed(_: int, ids: torch.Tensor) -> list[int]:
        return trie.get(tuple(ids[start:].tolist()), [pad])

    output = model.generate(
        input_ids=torch.tensor([PROMPT]),
        attention_mask=torch.ones(1, start, dtype=torch.long),
        num_beams=plan.beams,
        num_return_sequences=plan.beams,
        eos_token_id=close,
        pad_token_id=pad,
        length_penalty=0.0,
        early_stopping=False,
        renormalize_logits=plan.scores == "allowed",
        max_new_tokens=max(len(word) for word in legal) + 1,
        prefix_allowed_tokens_fn=allowed,
        return_dict_in_generate=True,
        output_scores=True,
        do_sample=False,
        use_cache=True,
    )
    ranked: Ranked = []
    for row, score in zip(output.sequences, output.sequences_scores, strict=True):
        tokens = tuple(row[start:].tolist())
        word = tokens[: tokens.index(close) + 1] if close in tokens else tokens
        if word in legal and word not in [w for w, _ in ranked]:
            ranked.append((word, float(score)))
    return ranked


def assert_equal_up_to_ties(ours: Ranked, theirs: Ranked) -> None:
    assert len(ours) == len(theirs)
    assert [s for _, s in ours] == pytest.approx([s for _, s in theirs], abs=TIE)
    for word, score in ours:
        tied = [w for w, s in theirs if abs(s - score) < 2 * TIE]
        assert word in tied or abs(score - theirs[-1][1]) < 2 * TIE


@holds_for(
    facts=facts,
    limits=limits,
    family=st.sampled_from(sorted(TOKENIZERS)),
    plan=st.builds(
        BeamPlan,
        beams=st.sampled_from([2, 5, 10]),
        scores=st.sampled_from(["allowed", "full"]),
    ),
    data=st.data(),
    quick=25,
    slow=60,
)
def test_same_paths_and_scores(
    facts: set[worlds.Fact], limits: PathLimits, family: str, plan: BeamPlan, data: st.DataObject
) -> None:
    tokenizer, model = TOKENIZERS[family], MODELS[family]
    nodes = sorted({t for _, _, t in facts} | {h for h, _, _ in facts})
    topics = [worlds.entity(data.draw(st.sampled_from(nodes)))]
    legal, constraint = opened(facts, topics, limits, family)
    if constraint is None or len(legal) > 1_000:
        return
    (found,) = beam_search(model, [Question(PROMPT, constraint)], plan)
    ours = [(h.tokens, h.score) for h in found.hypotheses]
    pad = tokenizer.convert_tokens_to_ids("<pad>")
    assert isinstance(pad, int)
    theirs = generate(model, legal, wire_tokens(tokenizer, PATH)[1], plan, pad)
    assert_equal_up_to_ties(ours, theirs)
