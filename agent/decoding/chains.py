"""The constraint of DoG: well-formed chains, one triple of the KG at a time (section 2.2).

Each triple is spelled as the KG holds it, head first, and touches a visited entity with its head or
its tail; then both its ends count as visited (Eq. 1). The visited set starts with the topics. A
state is a range of heads, of a head's relations or of their tails, and a depth in their names.
"""

from collections.abc import Collection, Sequence
from copy import copy
from typing import Literal, NamedTuple

import numpy as np

from ..errors import ConstraintError, NoPathError
from ..kg.terms import Term, Triple
from .automaton import Automaton, Needs
from .graph_index import GraphIndex, OrderedUnits
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

    A word is one triple that a well-formed chain may go on with; `after` makes the automaton of the
    next. It asks the graph for more, which `prepare` can do before it for many finished states at
    once. Raises NoPathError when no triple is legal.
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
        self._graph = QueryGraph(index, openings, topics, limits)
        self._chain: Chain = ()
        if not len(self._graph.heads(())):
            raise NoPathError(
                "no triple touches the topic entities", "allow more relations or other topics"
            )

    # Chains.

    def after(self, triple: Triple) -> "ChainTriples":
        """The automaton of the triple that follows this one in the chain (Eq. 1).

        It shares what was found out, and either can advance the states of both. Raises
        ConstraintError where `triple` is not legal here, and NoPathError where none may follow it.
        """
        place = self._graph.find(triple, self._chain)
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
            case "head":
                heads = self._graph.heads(state.chain)[state.lo : state.hi]
                read = heads[self._openings.units.read(heads, state.depth)]
                return Needs(runs=self._graph.runs(state.chain, read.tolist()))
            case "done":
                return Needs(np.array([state.trail[0], state.trail[-1]]))
            case _:
                return Needs()

    def _expand_head(self, state: ChainState) -> dict[int, ChainState]:
        heads = self._graph.heads(state.chain)[state.lo : state.hi]
        branches, _ = self._openings.units.fork(heads, state.depth, self._arrow, lambda _: True)
        children: dict[int, ChainState] = {}
        for token, lo, hi, whole in branches:
            if whole:
                head = int(heads[lo])
                relations = len(self._graph.tails(state.chain, head).starts) - 1
                children[token] = ChainState("relation", 0, relations, 0, state.chain, (head,))
            else:
                children[token] = _narrowed(state, lo, hi)
        return children

    def _expand_relation(self, state: ChainState) -> dict[int, ChainState]:
        (head,) = state.trail
        tails = self._graph.tails(state.chain, head)
        relations = tails.relations[tails.starts[state.lo : state.hi]]
        branches, _ = self._index.relation_table.fork(
            relations, state.depth, self._arrow, lambda _: True
        )
        children: dict[int, ChainState] = {}
        for token, lo, hi, whole in branches:
            if whole:
                first, last = tails.starts[state.lo + lo : state.lo + hi + 1].tolist()
                trail = (head, int(relations[lo]))
                children[token] = ChainState("tail", first, last, 0, state.chain, trail)
            else:
                children[token] = _narrowed(state, lo, hi)
        return children

    def _expand_tail(self, state: ChainState) -> dict[int, ChainState]:
        tails = self._graph.tails(state.chain, state.trail[0]).tails[state.lo : state.hi]
        branches, end = self._index.entity_table.fork(
            tails, state.depth, self._arrow, lambda _: False
        )
        children = {token: _narrowed(state, lo, hi) for token, lo, hi, _ in branches}
        if end is not None:
            trail = (*state.trail, int(tails[end]))
            children[self._close] = ChainState("done", 0, 0, 0, state.chain, trail)
        return children


def _narrowed(state: ChainState, lo: int, hi: int) -> ChainState:
    return ChainState(
        state.phase, state.lo + lo, state.lo + hi, state.depth + 1, state.chain, state.trail
    )
