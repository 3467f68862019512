"""What is decoded, and by which models.

A scene is a graph as the tokenizer of a model sees it. Its cases are questions with their prompts
and topics, and the paths that leave the topics. The models are the bundled one, and fresh ones of
known shapes: what a model costs depends on its shape alone, so random weights time it as well.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import torch
from transformers import PreTrainedTokenizerBase, Qwen2Config, Qwen2ForCausalLM

from ...agent.decoding.arrays import Array
from ...agent.decoding.index import TokenIndex, build_index
from ...agent.decoding.units import Tokens, unit_tokens, wire_tokens
from ...agent.decoding.wire import PATH, SEPARATOR, escape
from ...agent.errors import ModelError
from ...agent.kg import KnowledgeGraph, Term
from ...agent.linking import LabelLinker
from ...agent.llm.local import LocalModel, load_model
from ...agent.llm.model_folder import ModelSettings
from ...agent.llm.prompt import Mention, wire_prompt
from ...training.recipe import Size
from ...training.trainer.scratch import new_model, train_tokenizer
from ..datasets import read_samples
from ..samples import Sample, of_part
from .harness import data_folder

MOST_PATHS = 55_000
"""Questions with more paths are left to ours alone: enumerating them takes minutes each."""

LEAST_PATHS = 10_000
"""What is a hub has so many, at the least."""

QWEN_VOCABULARY = 151_936


@dataclass(frozen=True)
class Case:
    """A question as the decoders get it: prompt tokens, and topics with their opening tokens."""

    question: str
    prompt: tuple[int, ...]
    topics: dict[Term, str]
    shared: int
    """How many tokens of the prompt are an instruction that all questions have."""


@dataclass(frozen=True)
class Scene:
    """A graph as a tokenizer sees it, and the questions that are asked over it."""

    kg: KnowledgeGraph
    local: LocalModel
    index: TokenIndex

    @cached_property
    def tags(self) -> tuple[int, int]:
        """The tokens that open and close a path."""
        return wire_tokens(self.local.tokenizer, PATH)

    @cached_property
    def sources(self) -> Array:
        """The node that each edge of the index leaves."""
        starts = self.index.run_edges[self.index.node_runs]
        return np.repeat(np.arange(len(self.index.entities)), np.diff(starts))

    def with_model(self, local: LocalModel) -> "Scene":
        """The same graph and tokens, decoded by another model."""
        return replace(self, local=local)

    def units(self, case: Case) -> dict[Term, Tokens]:
        """The tokens of the topics' names right after the opening tag."""
        style = replace(self.index.style, lead="")
        units = unit_tokens(self.local.tokenizer, style, list(case.topics.values()))
        return dict(zip(case.topics, units, strict=True))

    def cases(self, samples: Iterable[Sample]) -> Iterator[Case]:
        """The questions in which the linker finds a topic, in their order."""
        linker = LabelLinker(self.kg.labels)
        for sample in samples:
            linked = [mention for mention in linker.link(sample.question) if mention.candidates]
            best = [mention.candidates[0] for mention in linked]
            known = {c.term: escape(c.name) for c in best if c.term in self.index.entities}
            if known:
                mentions = [
                    Mention(m.start, m.end, c.label, c.kind)
                    for m, c in zip(linked, best, strict=True)
                ]
                prompt, shared = wire_prompt(self.local, sample.question, mentions)
                yield Case(sample.question, tuple(prompt), known, shared)

    def count(self, case: Case, hops: int) -> int:
        """How many paths of 1 to `hops` hops leave the topics and never come back to one."""
        nodes = [n for term in case.topics if (n := self.index.entities.find(term)) is not None]
        reached = np.zeros(len(self.index.entities))
        reached[nodes] = 1
        total = 0
        for _ in range(hops):
            reached = np.bincount(
                self.index.edge_target, reached[self.sources], len(self.index.entities)
            )
            reached[nodes] = 0
            total += int(reached.sum())
        return total

    def words(self, case: Case, hops: int) -> list[Tokens]:
        """The tokens of all these paths, spelled from the same units that the index holds."""
        index, (tag, end) = self.index, self.tags
        units = {
            n: unit
            for term, unit in self.units(case).items()
            if (n := index.entities.find(term)) is not None
        }
        paths = list[Tokens]()

        def walk(node: int, prefix: Tokens, left: int) -> None:
            for run in range(int(index.node_runs[node]), int(index.node_runs[node + 1])):
                relation = index.relation_table.unit(int(index.run_relation[run]))
                for edge in range(int(index.run_edges[run]), int(index.run_edges[run + 1])):
                    target = int(index.edge_target[edge])
                    if target not in units:
                        arrow = index.style.arrow
                        name = index.entity_table.unit(target)
                        longer = (*prefix, *arrow, *relation, *arrow, *name)
                        paths.append((*longer, end))
                        if left > 1:
                            walk(target, longer, left - 1)

        for node, unit in units.items():
            walk(node, (tag, *unit), hops)
        return paths


def scene_of(kg: KnowledgeGraph, local: LocalModel) -> Scene:
    """A graph indexed for a model's tokenizer, in memory."""
    return Scene(kg, local, build_index(kg, local.tokenizer))


def metaqa_samples(hops: int) -> tuple[Sample, ...]:
    """The reporting part of MetaQA's development questions."""
    return of_part(read_samples("metaqa", data_folder() / "metaqa", f"{hops}-hop/dev"), "report")


def hub_samples(scene_of: Scene, count: int) -> list[Sample]:
    """Questions about entities with LEAST_PATHS to MOST_PATHS paths of two hops, few and many.

    They are made up, since data sets ask about few hubs.
    """
    edges = scene_of.index.edge_target
    degrees = np.bincount(scene_of.sources, minlength=len(scene_of.index.entities))
    paths = np.bincount(scene_of.sources, degrees[edges], len(degrees))
    hubs = np.flatnonzero((paths >= LEAST_PATHS) & (paths <= MOST_PATHS))
    if not len(hubs):
        return []
    sizes = np.linspace(paths[hubs].min(), paths[hubs].max(), count)
    chosen = hubs[np.unique(np.abs(paths[hubs] - sizes[:, None]).argmin(1))]
    names = scene_of.kg.labels.names([scene_of.index.entities[node] for node in chosen.tolist()])
    return [
        Sample(f"hub-{i}", f"which films have to do with [{name}]")
        for i, name in enumerate(names, 1)
    ]


def fitting(scene_of: Scene, samples: Iterable[Sample], hops: int, limit: int) -> list[Case]:
    """The first questions with up to MOST_PATHS paths, no topic twice; fewest paths first."""
    seen = set[frozenset[Term]]()
    sized = list[tuple[int, Case]]()
    for case in scene_of.cases(samples):
        topics = frozenset(case.topics)
        if topics not in seen and 0 < (paths := scene_of.count(case, hops)) <= MOST_PATHS:
            sized.append((paths, case))
            if len(sized) == limit:
                break
        seen.add(topics)
    return [case for _, case in sorted(sized, key=lambda pair: pair[0])]


def spread(size: int, count: int) -> list[int]:
    """The middles of `count` equal parts of `size` places, or all places if there are fewer."""
    if count >= size:
        return list(range(size))
    return [(2 * part + 1) * size // (2 * count) for part in range(count)]


def graph_tokenizer(
    graphs: Iterable[KnowledgeGraph], vocabulary: int = 8_000
) -> PreTrainedTokenizerBase:
    """A byte-level BPE tokenizer that is trained on the names of some graphs."""
    texts = list[str]()
    for kg in graphs:
        facts = sorted(kg.store.facts())
        terms = sorted({term for fact in facts for term in fact})
        names = dict(zip(terms, kg.labels.names(terms), strict=True))
        texts.extend(SEPARATOR.join(names[term] for term in fact) for fact in facts)
    return train_tokenizer(texts, vocabulary=vocabulary)


def small_llama(tokenizer: Any) -> LocalModel:
    """Four layers of 256: about the size of the bundled model, with any tokenizer."""
    eos, pad = tokenizer.eos_token_id, tokenizer.pad_token_id
    model = new_model(len(tokenizer), Size(width=256, layers=4, heads=4), 0, eos=eos, pad=pad)
    return LocalModel("small", model.eval(), tokenizer, ModelSettings())


def qwen_25m(tokenizer: PreTrainedTokenizerBase) -> LocalModel:
    """25 million parameters under a vocabulary of 150k tokens."""
    return _qwen("25M", tokenizer, width=160, layers=4, heads=4, inner=640)


def qwen_half_b(tokenizer: PreTrainedTokenizerBase) -> LocalModel:
    """The shape of Qwen2's model of half a billion parameters."""
    return _qwen("0.5B", tokenizer, width=896, layers=24, heads=14, inner=4864)


def _qwen(
    name: str,
    tokenizer: PreTrainedTokenizerBase,
    *,
    width: int,
    layers: int,
    heads: int,
    inner: int,
) -> LocalModel:
    """A model of Qwen2's shape; the tokenizer uses only the first tokens of its vocabulary."""
    config = Qwen2Config(
        vocab_size=QWEN_VOCABULARY,
        hidden_size=width,
        intermediate_size=inner,
        num_hidden_layers=layers,
        num_attention_heads=heads,
        num_key_value_heads=2,
        tie_word_embeddings=True,
    )
    torch.manual_seed(0)
    return LocalModel(name, Qwen2ForCausalLM(config).eval(), tokenizer, ModelSettings())


def bundled() -> LocalModel | None:
    """The model that comes with the package, where it is there."""
    try:
        return load_model()
    except ModelError:
        return None
