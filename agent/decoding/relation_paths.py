"""The constraint of RoG's plans: relation paths of 1..L relations that lead somewhere in the KG.

RoG lets the model write any relation path and finds out afterwards whether it can be executed
(section 4.3); here every prefix is one that leads from a topic entity to some entity. A state is a
relation sequence, a range of the relations that may follow it and a depth in their units. The nodes
that a sequence reaches are found by array operations, only where a beam goes on from them.
"""

from collections.abc import Collection, Sequence
from typing import Literal, NamedTuple

import numpy as np

from ..errors import ConstraintError, NoPathError
from ..kg.terms import RelationPath, Term
from .arrays import Array, distinct, positions
from .constraint import Automaton, Needs
from .graph_index import GraphIndex, Units
from .paths import PathLimits


class PlanState(NamedTuple):
    """A state of the automaton: `lo:hi` are next relations that share `depth` tokens.

    `trail` are the relations before them, walked as in the index.
    """

    phase: Literal["open", "relation", "done"]
    lo: int
    hi: int
    depth: int
    trail: tuple[int, ...]


class _Front(NamedTuple):
    """What may follow a relation sequence: relations in token order, each with its legal runs."""

    relations: Array
    runs: Array
    starts: Array


class RelationPaths(Automaton[PlanState]):
    """The automaton over the words `<PLAN>r1 -> ^r2 ...</PLAN>`; a `Constraint`.

    A word is legal if at least one topic entity has a legal walk along it, and each of its
    prefixes. Raises NoPathError when no relation leaves the topics, and ConstraintError for
    `simple` revisits.
    """

    def __init__(
        self,
        index: GraphIndex,
        openings: Units,
        topics: Collection[Term],
        tags: tuple[int, int],
        limits: PathLimits,
    ) -> None:
        """Walk `index` from `topics`; `openings` are how the first relation is spelled."""
        if limits.revisits == "simple":
            raise ConstraintError(
                "relation paths cannot be kept from visiting an entity twice: they are decoded "
                "over sets of reached entities, which do not tell how each was reached",
                "use the revisits `no-topic` or `walk`",
            )
        super().__init__(index)
        self._openings = openings
        self._open, self._close = tags
        self._hops = limits.hops
        self._arrow = index.style.arrow
        self._fronts: dict[tuple[int, ...], _Front] = {}
        self._inverse = limits.inverse
        nodes = {node for node in index.find([*topics]) if node is not None}
        self._topics = np.array(sorted(nodes), np.int64)
        self._banned = self._topics if limits.revisits == "no-topic" else self._topics[:0]
        if not self._goes_on(()):
            raise NoPathError(
                f"no relation path of up to {limits.hops} hops leaves the topic entities",
                "allow more hops or both directions",
            )

    # The protocol.

    def start(self) -> PlanState:
        """The state before the opening tag."""
        return PlanState("open", 0, len(self._front_of(()).relations), 0, ())

    def relations(self, state: PlanState) -> RelationPath:
        """The relation path, in RDF terms, that a finished state stands for."""
        return tuple((self._index.relations[w // 2], bool(w % 2)) for w in state.trail)

    def relation_tokens(self, state: PlanState) -> Sequence[bool]:
        """For each token: whether it opens the path, spells a relation, or goes on or stops."""
        first, *later = state.trail
        flags = [True] * (1 + len(self._openings.unit(first)))
        for walked in later:
            flags += [True, *[False] * (len(self._arrow) - 1)]
            flags += [True] * len(self._index.relation_table.unit(walked))
        return [*flags, True]

    # The automaton.

    def _expand(self, state: PlanState) -> dict[int, PlanState]:
        match state.phase:
            case "open":
                return {self._open: state._replace(phase="relation")}
            case "relation":
                return self._expand_relation(state)
            case "done":
                return {}

    def _needs(self, state: PlanState) -> Needs:
        if state.phase != "relation" or len(state.trail) + 1 == self._hops:
            return Needs()
        relations = self._front_of(state.trail).relations[state.lo : state.hi]
        read = relations[self._units(state.trail).read(relations, state.depth)]
        reached = [self._reached_nodes((*state.trail, relation)) for relation in read.tolist()]
        return Needs(np.concatenate([self._topics[:0], *reached]))

    def _expand_relation(self, state: PlanState) -> dict[int, PlanState]:
        lo, depth, trail = state.lo, state.depth, state.trail
        relations = self._front_of(trail).relations[lo : state.hi]

        def after(i: int) -> tuple[int, ...]:
            return (*trail, int(relations[i]))

        branches, end = self._units(trail).fork(relations, depth, lambda i: self._goes_on(after(i)))
        children: dict[int, PlanState] = {}
        if end is not None:
            children[self._close] = PlanState("done", 0, 0, 0, after(end))
        for token, first, last, whole in branches:
            if whole:
                walked = after(first)
                onward = len(self._front_of(walked).relations)
                children[token] = PlanState("relation", 0, onward, 0, walked)
            else:
                children[token] = PlanState("relation", lo + first, lo + last, depth + 1, trail)
        return children

    def _units(self, trail: tuple[int, ...]) -> Units:
        return self._index.relation_table if trail else self._openings

    # What is legal.

    def _goes_on(self, trail: tuple[int, ...]) -> bool:
        """Whether another relation may follow these."""
        return len(trail) < self._hops and len(self._front_of(trail).relations) > 0

    def _front_of(self, trail: tuple[int, ...]) -> _Front:
        front = self._fronts.get(trail)
        if front is None:
            runs = self._legal_runs(self._reached_nodes(trail))
            walked = self._index.run_relation[runs]
            relations = self._units(trail).ordered(distinct(walked))
            ranks = positions(walked, relations)
            order = np.argsort(ranks, kind="stable")
            starts = np.searchsorted(ranks[order], np.arange(len(relations) + 1))
            front = _Front(relations, runs[order], starts)
            self._fronts[trail] = front
        return front

    def _reached_nodes(self, trail: tuple[int, ...]) -> Array:
        """The nodes to which legal walks along these relations lead."""
        if not trail:
            return self._topics
        front = self._front_of(trail[:-1])
        last = int(np.flatnonzero(front.relations == trail[-1])[0])
        runs = front.runs[front.starts[last] : front.starts[last + 1]]
        nodes = np.unique(self._index.edge_target[self._index.edges(runs)])
        return nodes[~np.isin(nodes, self._banned)]

    def _legal_runs(self, nodes: Array) -> Array:
        """The runs of these nodes that reach something legal in a permitted direction."""
        index = self._index
        runs = index.runs(nodes)
        if not self._inverse:
            runs = runs[index.run_relation[runs] % 2 == 0]
        sizes = index.run_edges[runs + 1] - index.run_edges[runs]
        legal = sizes > len(self._banned)
        short = np.flatnonzero(~legal)
        if len(short):
            targets = index.edge_target[index.edges(runs[short])]
            firsts = np.cumsum(sizes[short]) - sizes[short]
            legal[short] = np.logical_or.reduceat(~np.isin(targets, self._banned), firsts)
        return runs[legal]
