"""The constraint of GCR: reasoning paths of 1..L hops that exist in the KG.

The automaton is the product of the KG's adjacency and the tokens of its labels. A state is a range
of runs or edges of the token index and a depth in their units; nothing is enumerated, and the work
at a state follows the number of edges in its range.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from ..errors import NoPathError
from ..kg.terms import Path, Step, Term, Triple
from .constraint import Automaton, Needs
from .graph_index import GraphIndex
from .units import Tokens, UnitTable

Revisits = Literal["walk", "no-topic", "simple"]
Phase = Literal["open", "topic", "relation", "entity", "done"]


@dataclass(frozen=True)
class PathLimits:
    """What counts as a legal path."""

    hops: int = 2
    inverse: bool = True
    """Whether triples may be walked from tail to head."""
    revisits: Revisits = "no-topic"
    """`walk`: any entity again; `no-topic`: never back to a topic entity; `simple`: never twice."""
    others: frozenset[Term] = frozenset()
    """Topic entities that no path starts from: `no-topic` keeps off them too."""


class PathState(NamedTuple):
    """A state of the automaton: `lo:hi` are topics, runs or edges that share `depth` tokens.

    `trail` is how the walk came here: the topic, then run and edge of each hop.
    """

    phase: Phase
    lo: int
    hi: int
    depth: int
    trail: tuple[int, ...]


class ReasoningPaths(Automaton[PathState]):
    """The automaton over the words `<PATH>e0 -> r1 -> e1 ...</PATH>`; a `Constraint`.

    Raises NoPathError when the graph holds no legal walk from any of the topics.
    """

    def __init__(
        self,
        index: GraphIndex,
        topics: dict[Term, Tokens],
        tags: tuple[int, int],
        limits: PathLimits,
    ) -> None:
        """Walk `index` from `topics`, each with the tokens of its name right after the tag."""
        super().__init__(index)
        self._open, self._close = tags
        self._limits = limits
        self._arrow = index.style.arrow
        nodes = index.find(list(topics))
        topic_nodes = [
            (unit, node)
            for unit, node in zip(topics.values(), nodes, strict=True)
            if node is not None
        ]
        others = (node for node in index.find(sorted(limits.others)) if node is not None)
        self._topic_set = frozenset((*(node for _, node in topic_nodes), *others))
        walkable = sorted(
            (
                (unit, node)
                for unit, node in topic_nodes
                if self._leaves(node, self._banned((), node), 0)
            ),
            key=lambda topic: topic[0] + self._arrow,
        )
        if not walkable:
            raise NoPathError(
                f"no path of up to {limits.hops} hops leaves the topic entities",
                "allow more hops or both directions",
            )
        self._topic_units = UnitTable.of([unit for unit, _ in walkable], self._arrow)
        self._topic_nodes = [node for _, node in walkable]

    # The protocol.

    def start(self) -> PathState:
        """The state before the opening tag."""
        return PathState("open", 0, len(self._topic_units), 0, ())

    def path(self, state: PathState) -> Path:
        """The path, in RDF terms, that a finished state stands for."""
        topic, *hops = state.trail
        return path_of(self._index, self._topic_nodes[topic], hops)

    def relation_tokens(self, state: PathState) -> Sequence[bool]:
        """For each token: whether it opens the path, spells a relation, or goes on or stops."""
        arrow = len(self._arrow)
        flags = [True, *[False] * (len(self._topic_units.unit(state.trail[0])) + arrow)]
        hops = list(zip(state.trail[1::2], state.trail[2::2], strict=True))
        for hop, (run, edge) in enumerate(hops):
            unit = self._index.relation_table.unit(int(self._index.run_relation[run]))
            flags += [True] * len(unit) + [False] * arrow
            target = int(self._index.edge_target[edge])
            flags += [False] * len(self._index.entity_table.unit(target))
            flags += [True] if hop == len(hops) - 1 else [True, *[False] * (arrow - 1)]
        return flags

    # The automaton.

    def _expand(self, state: PathState) -> dict[int, PathState]:
        match state.phase:
            case "open":
                return {self._open: state._replace(phase="topic")}
            case "topic":
                return self._expand_topic(state)
            case "relation":
                return self._expand_relation(state)
            case "entity":
                return self._expand_entity(state)
            case "done":
                return {}

    def _needs(self, state: PathState) -> Needs:
        if state.phase != "entity":
            return Needs()
        run = np.array(state.trail[-1:])
        if len(self._index.disordered(run)):
            return Needs(runs=run)
        if self._hops(state) == self._limits.hops:
            return Needs()
        targets = self._index.edge_target[state.lo : state.hi]
        return Needs(targets[self._index.entity_table.read(targets, state.depth)])

    def _expand_topic(self, state: PathState) -> dict[int, PathState]:
        topics = np.arange(state.lo, state.hi)
        branches, _ = self._topic_units.fork(topics, state.depth)
        return {
            token: self._state_at(self._topic_nodes[state.lo + lo], (state.lo + lo,))
            if whole
            else _narrowed(state, state.lo + lo, state.lo + hi)
            for token, lo, hi, whole in branches
        }

    def _state_at(self, node: int, trail: tuple[int, ...]) -> PathState:
        return PathState("relation", *self._index.leaving(node), 0, trail)

    def _expand_relation(self, state: PathState) -> dict[int, PathState]:
        index, banned = self._index, self._banned(state.trail)
        runs = [run for run in range(state.lo, state.hi) if self._walkable(run, banned)]
        branches, _ = index.relation_table.fork(index.run_relation[runs], state.depth)
        children: dict[int, PathState] = {}
        for token, lo, hi, whole in branches:
            run = runs[lo]
            if whole:
                edges = int(index.run_edges[run]), int(index.run_edges[run + 1])
                children[token] = PathState("entity", *edges, 0, (*state.trail, run))
            else:
                children[token] = _narrowed(state, run, runs[hi - 1] + 1)
        return children

    def _expand_entity(self, state: PathState) -> dict[int, PathState]:
        self._index.fetch(runs=np.array(state.trail[-1:]))
        banned = self._banned(state.trail)
        edges = np.arange(state.lo, state.hi)
        targets = self._index.edge_target[state.lo : state.hi]
        if len(edges) > 1 and banned:  # an edge alone was found legal before
            legal = np.ones(len(edges), bool)
            for node in banned:
                legal &= targets != node
            edges, targets = edges[legal], targets[legal]

        def leaves(i: int) -> bool:
            target = int(targets[i])
            return self._leaves(target, self._banned(state.trail, target), self._hops(state))

        branches, end = self._index.entity_table.fork(targets, state.depth, leaves)
        children: dict[int, PathState] = {}
        for token, lo, hi, whole in branches:
            first, last = int(edges[lo]), int(edges[hi - 1])
            if whole:
                children[token] = self._state_at(int(targets[lo]), (*state.trail, first))
            else:
                children[token] = _narrowed(state, first, last + 1)
        if end is not None:
            edge = int(edges[end])
            children[self._close] = PathState("done", edge, edge + 1, 0, (*state.trail, edge))
        return children

    # What is legal.

    def _hops(self, state: PathState) -> int:
        """The hops walked when the entity that is being read has been read."""
        return (len(state.trail) + 1) // 2

    def _banned(self, trail: tuple[int, ...], *more: int) -> frozenset[int]:
        """The nodes that no hop may reach after a trail, and after the nodes that follow it."""
        match self._limits.revisits:
            case "walk":
                return frozenset()
            case "no-topic":
                return self._topic_set
            case "simple":
                visited = (int(self._index.edge_target[edge]) for edge in trail[2::2])
                return frozenset((*more, *visited, *(self._topic_nodes[i] for i in trail[:1])))

    def _walkable(self, run: int, banned: frozenset[int]) -> bool:
        if not self._limits.inverse and self._index.run_relation.item(run) % 2:
            return False
        lo, hi = int(self._index.run_edges[run]), int(self._index.run_edges[run + 1])
        if hi - lo > len(banned):
            return True
        return any(int(target) not in banned for target in self._index.edge_target[lo:hi])

    def _leaves(self, node: int, banned: frozenset[int], hops: int) -> bool:
        """Whether another hop may leave `node` after `hops` hops."""
        if hops >= self._limits.hops:
            return False
        return any(self._walkable(run, banned) for run in range(*self._index.leaving(node)))


def _narrowed(state: PathState, lo: int, hi: int) -> PathState:
    return PathState(state.phase, lo, hi, state.depth + 1, state.trail)


def path_of(index: GraphIndex, topic: int, hops: Sequence[int]) -> Path:
    """The path, in RDF terms, from the node of a topic along the run and the edge of each hop."""
    start = index.entities[topic]
    source, steps = start, list[Step]()
    for run, edge in zip(hops[::2], hops[1::2], strict=True):
        walked = int(index.run_relation[run])
        relation, target = (
            index.relations[walked // 2],
            index.entities[int(index.edge_target[edge])],
        )
        if walked % 2:
            steps.append(Step(Triple(target, relation, source), inverse=True))
        else:
            steps.append(Step(Triple(source, relation, target)))
        source = target
    return Path(start, tuple(steps))
