"""Neighbourhoods that a growing index may be made over, and what it is compared with."""

from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

import pytest
from groundwalk.agent.decoding.chains import ChainLimits, ChainTriples
from groundwalk.agent.decoding.graph_index import GraphIndex
from groundwalk.agent.decoding.growing import GrowingIndex, NameTokens, Neighbourhood
from groundwalk.agent.decoding.index import entity_openings, relation_openings
from groundwalk.agent.decoding.paths import PathLimits, ReasoningPaths
from groundwalk.agent.decoding.plan import BeamPlan, Question
from groundwalk.agent.decoding.relation_paths import RelationPaths
from groundwalk.agent.decoding.search import beam_search
from groundwalk.agent.decoding.units import unit_tokens, wire_tokens
from groundwalk.agent.decoding.wire import PLAN, TRIPLE, Wire, escape
from groundwalk.agent.errors import NoPathError
from groundwalk.agent.kg import KnowledgeGraph, Step, Term, Triple
from groundwalk.agent.kg.walking.view import GraphView, ViewLimits
from transformers import PreTrainedTokenizerFast

from . import worlds
from .language import TOKENIZERS, Graph, opened

Make = Callable[[GraphIndex, Any, tuple[int, int]], Any]
"""Makes an automaton over an index, openings (None for paths) and tags."""


def stored(kg: KnowledgeGraph) -> Neighbourhood:
    """All of a KG, without limits."""
    return GraphView(kg.store, kg.labels, ViewLimits(None, None), "")


@dataclass
class Remote:
    """A neighbourhood that remembers what it was asked, and answers out of order and twice."""

    inner: Neighbourhood
    asked: list[list[Term]] = field(default_factory=list[list[Term]])
    named: list[list[Term]] = field(default_factory=list[list[Term]])

    def neighbours(self, nodes: Sequence[Term]) -> list[list[Step]]:
        self.asked.append([*nodes])
        return [[*reversed(own), *own] for own in self.inner.neighbours(nodes)]

    def names(self, terms: Sequence[Term]) -> list[str]:
        self.named.append([*terms])
        return self.inner.names(terms)


@dataclass
class Listed:
    """The neighbourhood of a list of triples; terms are called as `spell` says."""

    triples: Sequence[Triple]
    spell: Callable[[Term], str] = lambda term: term[1:-1]

    def __post_init__(self) -> None:
        self.steps: dict[Term, list[Step]] = {}
        for triple in self.triples:
            for step in (Step(triple), Step(triple, True)):
                self.steps.setdefault(step.source, []).append(step)

    def neighbours(self, nodes: Sequence[Term]) -> list[list[Step]]:
        return [self.steps.get(node, []) for node in nodes]

    def names(self, terms: Sequence[Term]) -> list[str]:
        return [self.spell(term) for term in terms]


@dataclass(frozen=True)
class Pair:
    """The same graph twice: known as a whole, and growing."""

    graph: Graph
    tokenizer: PreTrainedTokenizerFast
    remote: Remote
    growing: GrowingIndex

    def of(self, wire: Wire, make: Make) -> Any:
        """An automaton over each of the two, or NoPathError from both."""
        openings: dict[Wire, Any] = {
            TRIPLE: (entity_openings, self.growing.entity_openings),
            PLAN: (relation_openings, self.growing.relation_openings),
        }
        whole = ours = None
        if wire in openings:
            build, ours = openings[wire]
            whole = build(self.graph.kg, self.tokenizer, self.graph.index)
        tags = wire_tokens(self.tokenizer, wire)
        try:
            expected = make(self.graph.index, whole, tags)
        except NoPathError:
            with pytest.raises(NoPathError):
                make(self.growing, ours, tags)
            return None
        return expected, make(self.growing, ours, tags)


@contextmanager
def pair(facts: set[worlds.Fact], family: str, few: int = 100) -> Generator[Pair]:
    tokenizer = TOKENIZERS[family]
    with opened(facts, tokenizer) as graph:
        remote = Remote(stored(graph.kg))
        growing = GrowingIndex(remote, NameTokens(tokenizer, graph.index.style), small_run=few)
        yield Pair(graph, tokenizer, remote, growing)


TOKENIZER = TOKENIZERS["byte-level"]
MODEL = worlds.random_model(len(TOKENIZER))
TOKENS = NameTokens(TOKENIZER)
PROMPT = [5, 9, 30]


def walks(topics: Sequence[Term], limits: PathLimits) -> Make:
    names = [escape(term[1:-1]) for term in topics]
    units = unit_tokens(TOKENIZER, replace(TOKENS.style, lead=""), names)
    return lambda index, _, tags: ReasoningPaths(
        index, dict(zip(topics, units, strict=True)), tags, limits
    )


def plans(topics: Sequence[Term], limits: PathLimits) -> Make:
    return lambda index, openings, tags: RelationPaths(index, openings, topics, tags, limits)


def chains(topics: Sequence[Term], limits: ChainLimits) -> Make:
    return lambda index, openings, tags: ChainTriples(index, openings, topics, tags, limits)


def grown(inner: Any, wire: Wire, make: Make, few: int = 100) -> tuple[Any, GrowingIndex, Remote]:
    """An automaton over a graph of which nothing is known yet."""
    remote = Remote(inner)
    index = GrowingIndex(remote, TOKENS, small_run=few)
    openings = {PLAN: index.relation_openings, TRIPLE: index.entity_openings}.get(wire)
    return make(index, openings, wire_tokens(TOKENIZER, wire)), index, remote


def search(constraint: Any, beams: int) -> Any:
    (found,) = beam_search(MODEL, [Question(PROMPT, constraint)], BeamPlan(beams))
    return found.hypotheses


def layers(width: int, hops: int) -> list[Triple]:
    """From a topic over full layers, so that there are width ** hops paths and more."""

    def layer(depth: int) -> list[Term]:
        return [f"<e{depth} {i + 10}>" for i in range(width)] if depth else ["<topic>"]

    return [
        Triple(head, f"<r{(i + j) % 3}>", tail)
        for depth in range(hops)
        for i, head in enumerate(layer(depth))
        for j, tail in enumerate(layer(depth + 1))
    ]
