"""The constraint of DoG: well-formed chains, one triple of the KG at a time (section 2.2).

Each triple is spelled as the KG holds it, head first, and touches a visited entity with its head or
its tail; then both its ends count as visited (Eq. 1). The visited set starts with the topics. A
state is a range of heads, of a head's relations or of their tails, and a depth in their names.
"""

from collections.abc import Collection, Sequence
from copy import copy
from typing import Literal, NamedTuple

from ..errors import ConstraintError, NoPathError
from ..kg.terms import Term, Triple
from .index import TokenIndex
from .openings import Openings
from .subgraph import Chain, ChainLimits, Place, QueryGraph


class ChainState(NamedTuple):
    """A place in the automaton: `lo:hi` are heads, relations or tails that share `depth` tokens.

    `chain` are the triples before this one, `trail` is what is read of it: head, run, edge.
    """

    phase: Literal["open", "head", "relation", "tail", "done"]
    lo: int
    hi: int
    depth: int
    chain: Chain
    trail: tuple[int, ...]


class ChainTriples:
    """The automaton over the words `<TRIPLE>h -> r -> t</TRIPLE>`; a `RelationConstraint`.

    A word is one triple that a well-formed chain may go on with; `after` makes the automaton of the
    next. Raises NoPathError when no triple is legal.
    """

    def __init__(
        self,
        index: TokenIndex,
        openings: Openings,
        topics: Collection[Term],
        tags: tuple[int, int],
        limits: ChainLimits,
    ) -> None:
        """Begin a chain at `topics`; `openings` are how the entities are spelled as heads."""
        self._index = index
        self._openings = openings
        self._open, self._close = tags
        self._arrow = index.style.arrow
        self._graph = QueryGraph(index, openings.ranks, topics, limits)
        self._chain: Chain = ()
        self._children: dict[ChainState, dict[int, ChainState]] = {}
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

    def prepare(self, states: Sequence[ChainState]) -> None:
        """Fetch, in one look-up, what expanding these states will ask of the graph."""

    def allowed(self, state: ChainState) -> Sequence[int]:
        """The legal next tokens, ascending."""
        return sorted(self._expand(state))

    def advance(self, state: ChainState, token: int) -> ChainState:
        """The state after a legal token."""
        after = self._expand(state).get(token)
        if after is None:
            raise ConstraintError(f"token {token} is not legal here")
        return after

    def done(self, state: ChainState) -> bool:
        """Whether the closing tag has been read."""
        return state.phase == "done"

    def triple(self, state: ChainState) -> Triple:
        """The triple, in RDF terms, that a finished state stands for."""
        return self._graph.triple(Place(*state.trail))

    def relation_tokens(self, state: ChainState) -> Sequence[bool]:
        """For each token: whether it opens the triple or spells its relation."""
        index, (head, run, edge) = self._index, Place(*state.trail)
        arrow = [False] * len(self._arrow)
        flags = [True, *[False] * len(self._openings.units.unit(head)), *arrow]
        flags += [True] * len(index.relation_units[int(index.run_relation[run])])
        flags += [*arrow, *[False] * len(index.entity_unit(int(index.edge_target[edge])))]
        return [*flags, False]

    # The automaton.

    def _expand(self, state: ChainState) -> dict[int, ChainState]:
        children = self._children.get(state)
        if children is None:
            match state.phase:
                case "open":
                    children = {self._open: state._replace(phase="head")}
                case "head":
                    children = self._expand_head(state)
                case "relation":
                    children = self._expand_relation(state)
                case "tail":
                    children = self._expand_tail(state)
                case "done":
                    children = {}
            self._children[state] = children
        return children

    def _expand_head(self, state: ChainState) -> dict[int, ChainState]:
        heads = self._graph.heads(state.chain)[state.lo : state.hi]
        branches, _ = self._openings.units.fork(heads, state.depth, self._arrow, lambda _: True)
        children: dict[int, ChainState] = {}
        for token, lo, hi, whole in branches:
            if whole:
                head = int(heads[lo])
                runs = len(self._graph.tails(state.chain, head).runs)
                children[token] = ChainState("relation", 0, runs, 0, state.chain, (head,))
            else:
                children[token] = _narrowed(state, lo, hi)
        return children

    def _expand_relation(self, state: ChainState) -> dict[int, ChainState]:
        (head,) = state.trail
        tails = self._graph.tails(state.chain, head)
        runs = tails.runs[state.lo : state.hi]
        branches, _ = self._index.relation_table.fork(
            self._index.run_relation[runs], state.depth, self._arrow, lambda _: True
        )
        children: dict[int, ChainState] = {}
        for token, lo, hi, whole in branches:
            if whole:
                first, last = tails.starts[state.lo + lo : state.lo + hi + 1].tolist()
                trail = (head, int(runs[lo]))
                children[token] = ChainState("tail", first, last, 0, state.chain, trail)
            else:
                children[token] = _narrowed(state, lo, hi)
        return children

    def _expand_tail(self, state: ChainState) -> dict[int, ChainState]:
        edges = self._graph.tails(state.chain, state.trail[0]).edges[state.lo : state.hi]
        branches, end = self._index.entity_table.fork(
            self._index.edge_target[edges], state.depth, self._arrow, lambda _: False
        )
        children = {token: _narrowed(state, lo, hi) for token, lo, hi, _ in branches}
        if end is not None:
            trail = (*state.trail, int(edges[end]))
            children[self._close] = ChainState("done", 0, 0, 0, state.chain, trail)
        return children


def _narrowed(state: ChainState, lo: int, hi: int) -> ChainState:
    return ChainState(
        state.phase, state.lo + lo, state.lo + hi, state.depth + 1, state.chain, state.trail
    )
