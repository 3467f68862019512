"""The constraint of DoG: well-formed chains, one triple of the KG at a time (section 2.2).

Each triple touches a visited entity with its head or its tail; then both its ends count as visited
(Eq. 1). The visited set starts with the topics. A triple is spelled as the KG holds it, head first,
or from a visited entity on; what is spelled first is the head here, whatever it is in the KG. A
state is a range of heads, of a head's relations or of their tails, and a depth in their names.
"""

from collections.abc import Collection, Sequence
from copy import copy
from typing import Literal, NamedTuple

import numpy as np

from ..errors import ConstraintError, NoPathError
from ..kg.terms import Step, Term, Triple
from .automaton import Automaton, Needs
from .graph_index import GraphIndex, OrderedUnits
from .strings import Array
from .subgraph import Chain, ChainLimits, Place, QueryGraph


class ChainState(NamedTuple):
    """A place in the automaton: `lo:hi` are heads, relations or tails that share `depth` tokens.

    `chain` are the triples before this one, `trail` is what is read of it: head, relation, tail.
    """

    phase: Literal["open", "head", "relation", "tail", "done"]
    lo: int
    hi: int
    depth: int
    chain: Chain
    trail: tuple[int, ...]


class ChainTriples(Automaton[ChainState]):
    """The automaton over the words `<TRIPLE>h -> r -> t</TRIPLE>`; a `RelationConstraint`.

    A word is one triple that a well-formed chain may go on with. Spelled as a walk, one that is
    walked from its tail is `<TRIPLE>t -> ^r -> h</TRIPLE>`, and one whose ends are both visited has
    a word from either. `after` makes the automaton of the next triple; it asks the graph for more,
    which `prepare` can do before it for many finished states at once. Raises NoPathError when no
    triple is legal.
    """

    def __init__(
        self,
        index: GraphIndex,
        openings: OrderedUnits,
        topics: Collection[Term],
        tags: tuple[int, int],
        limits: ChainLimits,
    ) -> None:
        """Begin a chain at `topics`; `openings` are how the entities are spelled as heads."""
        super().__init__(index)
        self._openings = openings
        self._open, self._close = tags
        self._arrow = index.style.arrow
        self._walks = limits.spelling == "walk"
        self._graph = QueryGraph(index, openings, topics, limits)
        self._chain: Chain = ()
        if not len(self._graph.heads(())):
            raise NoPathError(
                "no triple touches the topic entities", "allow more relations or other topics"
            )

    # Chains.

    def after(self, triple: Triple, *, inverse: bool = False) -> "ChainTriples":
        """The automaton of the triple that follows this one in the chain (Eq. 1).

        A triple that may be walked from either end is walked from its tail if `inverse`. What
        follows shares what was found out, and either can advance the states of both. Raises
        ConstraintError where `triple` is not legal here, and NoPathError where none may follow it.
        """
        place = self._graph.find(triple, self._chain, inverse=inverse)
        if place is None:
            raise ConstraintError(f"{' '.join(triple)} cannot be the next triple of this chain")
        longer = copy(self)
        longer._chain = (*self._chain, place)
        if not len(self._graph.heads(longer._chain)):
            raise NoPathError(
                f"no new triple touches the {len(longer.visited)} entities of the chain",
                "end the chain here, or allow repeated triples",
            )
        return longer

    @property
    def chain(self) -> tuple[Triple, ...]:
        """The triples so far."""
        return tuple(self._graph.triple(place) for place in self._chain)

    @property
    def visited(self) -> frozenset[Term]:
        """The topic entities that the KG holds, and both ends of every triple so far."""
        return frozenset(self._index.entities[node] for node in self._graph.visited(self._chain))

    # The protocol.

    def start(self) -> ChainState:
        """The state before the opening tag of the next triple."""
        return ChainState("open", 0, len(self._graph.heads(self._chain)), 0, self._chain, ())

    def triple(self, state: ChainState) -> Triple:
        """The triple, in RDF terms, that a finished state stands for."""
        return self._graph.triple(Place(*state.trail))

    def step(self, state: ChainState) -> Step:
        """That triple as it is walked from an entity that was visited before it."""
        head, walked, _ = state.trail
        backwards = walked % 2 if self._walks else head not in self._graph.visited(state.chain)
        return Step(self.triple(state), bool(backwards))

    def relation_tokens(self, state: ChainState) -> Sequence[bool]:
        """For each token: whether it opens the triple or spells its relation."""
        head, relation, tail = state.trail
        arrow = [False] * len(self._arrow)
        flags = [True, *[False] * len(self._openings.units.unit(head)), *arrow]
        flags += [True] * len(self._index.relation_table.unit(relation))
        flags += [*arrow, *[False] * len(self._index.entity_table.unit(tail))]
        return [*flags, False]

    # The automaton.

    def _expand(self, state: ChainState) -> dict[int, ChainState]:
        match state.phase:
            case "open":
                return {self._open: state._replace(phase="head")}
            case "head":
                return self._expand_head(state)
            case "relation":
                return self._expand_relation(state)
            case "tail":
                return self._expand_tail(state)
            case "done":
                return {}

    def _needs(self, state: ChainState) -> Needs:
        match state.phase:
            case "tail":
                return Needs(runs=self._run(state))
            case "done":
                return Needs(np.array([state.trail[0], state.trail[-1]]))
            case _:
                return Needs()

    def _run(self, state: ChainState) -> Array:
        """What has to be in order for the tails of a state to be."""
        head, relation = state.trail
        visited = head in self._graph.visited(state.chain)
        return self._graph.run(head, relation) if visited else np.empty(0, np.int64)

    def _expand_head(self, state: ChainState) -> dict[int, ChainState]:
        heads = self._graph.heads(state.chain)[state.lo : state.hi]
        branches, _ = self._openings.units.fork(heads, state.depth, self._arrow, lambda _: True)
        children: dict[int, ChainState] = {}
        for token, lo, hi, whole in branches:
            if whole:
                head = int(heads[lo])
                relations = self._graph.relations(state.chain, head)
                children[token] = _entered(state, "relation", relations, (head,))
            else:
                children[token] = _narrowed(state, lo, hi)
        return children

    def _expand_relation(self, state: ChainState) -> dict[int, ChainState]:
        (head,) = state.trail
        relations = self._graph.relations(state.chain, head)[state.lo : state.hi]
        branches, _ = self._index.relation_table.fork(
            relations, state.depth, self._arrow, lambda _: True
        )
        children: dict[int, ChainState] = {}
        for token, lo, hi, whole in branches:
            if whole:
                relation = int(relations[lo])
                tails = self._graph.tails(state.chain, head, relation, ordered=False)
                children[token] = _entered(state, "tail", tails, (head, relation))
            else:
                children[token] = _narrowed(state, lo, hi)
        return children

    def _expand_tail(self, state: ChainState) -> dict[int, ChainState]:
        tails = self._graph.tails(state.chain, *state.trail)[state.lo : state.hi]
        branches, end = self._index.entity_table.fork(
            tails, state.depth, self._arrow, lambda _: False
        )
        children = {token: _narrowed(state, lo, hi) for token, lo, hi, _ in branches}
        if end is not None:
            trail = (*state.trail, int(tails[end]))
            children[self._close] = ChainState("done", 0, 0, 0, state.chain, trail)
        return children


def _entered(
    state: ChainState, phase: Literal["relation", "tail"], names: Array, trail: tuple[int, ...]
) -> ChainState:
    return ChainState(phase, 0, len(names), 0, state.chain, trail)


def _narrowed(state: ChainState, lo: int, hi: int) -> ChainState:
    return ChainState(
        state.phase, state.lo + lo, state.lo + hi, state.depth + 1, state.chain, state.trail
    )
