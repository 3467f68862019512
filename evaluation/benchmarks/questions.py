"""What is decoded: questions with their prompts and topics, and the paths that leave the topics."""

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import numpy as np

from ...agent.decoding.index import TokenIndex, build_index
from ...agent.decoding.strings import Array
from ...agent.decoding.units import Tokens, unit_tokens, wire_tokens
from ...agent.decoding.wire import PATH, escape
from ...agent.errors import InputError
from ...agent.kg import KnowledgeGraph, Term, open_kg
from ...agent.linking import LabelLinker
from ...agent.llm.local import LocalModel
from ...agent.llm.prompt import Mention, path_prompt, path_tokens, shared_tokens
from ..readers import read_metaqa, read_world
from ..samples import Sample, of_part

DATA = "GROUNDWALK_DATA"
"""The variable that names the folder with MetaQA in it."""
MOST_PATHS = 55_000
"""Questions with more paths are left to ours alone: enumerating them takes minutes each."""


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
            found = [mention for mention in linker.link(sample.question) if mention.candidates]
            best = [mention.candidates[0] for mention in found]
            known = {c.term: escape(c.name) for c in best if c.term in self.index.entities}
            if known:
                mentions = [
                    Mention(m.start, m.end, c.label, c.kind)
                    for m, c in zip(found, best, strict=True)
                ]
                yield self._case(sample.question, mentions, known)

    def _case(self, question: str, mentions: Sequence[Mention], topics: dict[Term, str]) -> Case:
        tokenizer, settings = self.local.tokenizer, self.local.settings
        masked, instruct = settings.masked, settings.instruct
        prompt = path_tokens(
            tokenizer, path_prompt(question, mentions, masked=masked, instruct=instruct)
        )
        shared = shared_tokens(tokenizer, prompt, masked=masked, instruct=instruct)
        return Case(question, tuple(prompt), topics, shared)

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
        found = list[Tokens]()

        def walk(node: int, prefix: Tokens, left: int) -> None:
            for run in range(int(index.node_runs[node]), int(index.node_runs[node + 1])):
                relation = index.relation_units[int(index.run_relation[run])]
                for edge in range(int(index.run_edges[run]), int(index.run_edges[run + 1])):
                    target = int(index.edge_target[edge])
                    if target not in units:
                        arrow = index.style.arrow
                        name = index.entity_unit(target)
                        longer = (*prefix, *arrow, *relation, *arrow, *name)
                        found.append((*longer, end))
                        if left > 1:
                            walk(target, longer, left - 1)

        for node, unit in units.items():
            walk(node, (tag, *unit), hops)
        return found


def data_folder() -> Path:
    """The folder with MetaQA. Raises InputError where the variable does not name it."""
    folder = Path(os.environ.get(DATA) or "")
    if not (folder / "metaqa" / "kb.txt").is_file():
        raise InputError(
            f"{DATA} does not name a folder with metaqa/kb.txt in it",
            "set it to the folder that holds MetaQA",
        )
    return folder


def metaqa_graph() -> KnowledgeGraph:
    """MetaQA's graph. Raises InputError where the data folder is not named."""
    return open_kg(str(data_folder() / "metaqa" / "kb.txt"))


def scene(kg: KnowledgeGraph, local: LocalModel) -> Scene:
    """A graph indexed for a model's tokenizer, in memory."""
    return Scene(kg, local, build_index(kg, local.tokenizer))


def metaqa_samples(hops: int) -> tuple[Sample, ...]:
    """The reporting part of MetaQA's development questions."""
    return of_part(read_metaqa(data_folder() / "metaqa", f"{hops}-hop/dev"), "report")


def world_samples() -> tuple[Sample, ...]:
    """The questions over the bundled graph."""
    return read_world()


def hub_samples(scene: Scene, count: int, *, least: int = 10_000) -> list[Sample]:
    """Questions about entities with `least` to MOST_PATHS paths of two hops, few and many.

    They are made up, since data sets ask about few hubs.
    """
    edges = scene.index.edge_target
    degrees = np.bincount(scene.sources, minlength=len(scene.index.entities))
    paths = np.bincount(scene.sources, degrees[edges], len(degrees))
    hubs = np.flatnonzero((paths >= least) & (paths <= MOST_PATHS))
    if not len(hubs):
        return []
    sizes = np.linspace(paths[hubs].min(), paths[hubs].max(), count)
    chosen = hubs[np.unique(np.abs(paths[hubs] - sizes[:, None]).argmin(1))]
    names = scene.kg.labels.names([scene.index.entities[node] for node in chosen.tolist()])
    return [
        Sample(f"hub-{i}", f"which films have to do with [{name}]")
        for i, name in enumerate(names, 1)
    ]


def fitting(scene: Scene, samples: Iterable[Sample], hops: int, limit: int) -> list[Case]:
    """The first questions with up to MOST_PATHS paths, no topic twice; fewest paths first."""
    seen = set[frozenset[Term]]()
    found = list[tuple[int, Case]]()
    for case in scene.cases(samples):
        topics = frozenset(case.topics)
        if topics not in seen and 0 < (paths := scene.count(case, hops)) <= MOST_PATHS:
            found.append((paths, case))
            if len(found) == limit:
                break
        seen.add(topics)
    found.sort(key=lambda pair: pair[0])
    return [case for _, case in found]


def spread(size: int, count: int) -> list[int]:
    """The middles of `count` equal parts of `size` places, or all places if there are fewer."""
    if count >= size:
        return list(range(size))
    return [(2 * part + 1) * size // (2 * count) for part in range(count)]
