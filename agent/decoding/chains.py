"""The constraint of DoG: well-formed chains, one triple of the KG at a time (section 2.2).

Each triple touches a visited entity with its head or its tail; then both its ends count as visited
(Eq. 1). The visited set starts with the topics. A triple is spelled as the KG holds it, head first,
or from a visited entity on; what is spelled first is the head here, whatever it is in the KG. A
state is a range of heads, of a head's relations or of their tails, and a depth in their names.
"""

from collections.abc import Collection, Sequence
from copy import copy
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from ..errors import ConstraintError, NoPathError
from ..kg.terms import Step, Term, Triple
from .arrays import EMPTY, Array
from .constraint import Automaton, Needs
from .graph_index import GraphIndex, Units

Spelling = Literal["kg", "walk"]
"""How triples are spelled: `kg` as the KG holds them, head first; `walk` from an entity that was
visited, with a caret before a relation that is walked from tail to head."""


class IndexTriple(NamedTuple):
    """A triple in the index, as it is spelled: head and tail are those of the KG where its relation
    is walked from head to tail, and the other way round where it is walked back.
    """

    head: int
    relation: int
    tail: int


Chain = tuple[IndexTriple, ...]


@dataclass(frozen=True)
class ChainLimits:
    """What counts as a legal triple, beside being well-formed, and how it is spelled."""

    inverse: bool = True
    """Whether a triple may touch what was visited with its tail alone."""
    spelling: Spelling = "kg"
    onward: bool = False
    """Whether each triple goes on from where the one before it ended, so that chains are walks."""

    def __post_init__(self) -> None:
        if self.onward and self.spelling != "walk":
            raise ConstraintError("triples that are not spelled as walks do not go on from a place")


class QueryGraph:
    """DoG's query-centric subgraphs (section 2.3): the triples that a chain may go on with.

    One serves all chains that start at the same topics. A subgraph is never built: what it holds of
    one entity is computed by array operations when a beam gets there, so a hub costs a few of them,
    not a step for each of its triples. Only visited entities are looked up: the triples of any
    other head are among those that reach them.

    It speaks of triples as they are spelled: `head` is the entity that is spelled first, and a
    relation is one of the index, walked from there in either direction.
    """

    def __init__(
        self,
        index: GraphIndex,
        openings: Units,
        topics: Collection[Term],
        limits: ChainLimits,
    ) -> None:
        """Look at `index` from `topics`; `openings` put entities in order as heads."""
        self._index = index
        self._openings = openings
        self._walks, self._onward = limits.spelling == "walk", limits.onward
        self._inverse = limits.inverse
        self._topics = frozenset(node for node in index.find([*topics]) if node is not None)
        self._heads: dict[Chain, Array] = {}
        self._relations: dict[tuple[Chain, int], Array] = {}
        self._reached: dict[tuple[Chain, int], Array] = {}

    def visited(self, chain: Chain) -> frozenset[int]:
        """The topics and both ends of every triple of a chain (Eq. 1)."""
        return self._topics.union(*((head, tail) for head, _, tail in chain))

    def heads(self, chain: Chain) -> Array:
        """What the triples that may follow a chain are spelled from, in token order."""
        heads = self._heads.get(chain)
        if heads is None:
            sources = np.array(sorted(self._sources(chain)), np.int64)
            heads = sources[[len(self.relations(chain, node)) > 0 for node in sources.tolist()]]
            if not self._walks:
                back = [self._targets(self._runs(node, 1)) for node in sources.tolist()]
                others = np.unique(np.concatenate([sources[:0], *back]))
                heads = np.append(heads, others[~np.isin(others, sources)])
            heads = self._heads[chain] = self._openings.ordered(heads)
        return heads

    def relations(self, chain: Chain, head: int) -> Array:
        """The relations of the triples from a head that may follow a chain, in token order."""
        relations = self._relations.get((chain, head))
        if relations is None:
            if head in self.visited(chain):
                runs = self._runs(head) if self._walks else self._runs(head, 0)
                relations = self._index.run_relation[runs]
                used = {relation for relation, _ in self._used_ends(chain, head)}
                gone = [r for r in used if not len(self.tails(chain, head, r, ordered=False))]
                relations = relations[~np.isin(relations, gone)]
            else:
                relations = self._steps_to_visited(chain, head)[:, 0]
                relations = relations[np.diff(relations, prepend=-1) != 0]
            self._relations[chain, head] = relations
        return relations

    def tails(self, chain: Chain, head: int, relation: int, *, ordered: bool = True) -> Array:
        """The other ends of the triples from a head over a relation that may follow a chain.

        In token order, if `ordered`.
        """
        if head not in self.visited(chain):
            reaching = self._steps_to_visited(chain, head)
            return reaching[reaching[:, 0] == relation, 1]
        run = self.run(head, relation)
        if ordered:
            self._index.fetch(runs=run)
        tails = self._targets(run)
        used = [tail for walked, tail in self._used_ends(chain, head) if walked == relation]
        return tails[~np.isin(tails, used)] if used else tails

    def run(self, head: int, relation: int) -> Array:
        """The run of a visited head over a relation, which `tails` puts in order; one or none."""
        runs = self._runs(head)
        return runs[self._index.run_relation[runs] == relation]

    def triple(self, spelled: IndexTriple) -> Triple:
        """A triple in RDF terms, as the KG holds it."""
        relation = self._index.relations[spelled.relation // 2]
        head, tail = self._index.entities[spelled.head], self._index.entities[spelled.tail]
        if spelled.relation % 2:
            return Triple(tail, relation, head)
        return Triple(head, relation, tail)

    def find(self, triple: Triple, chain: Chain, *, inverse: bool) -> IndexTriple | None:
        """How a triple that may follow a chain is spelled; None for any other.

        One that may be walked from either end is walked from its head, unless `inverse`.
        """
        entities = self._index.entities
        head, tail = entities.find(triple.head), entities.find(triple.tail)
        number = self._index.relations.find(triple.relation)
        if head is None or tail is None or number is None:
            return None
        ways = [IndexTriple(head, 2 * number, tail), IndexTriple(tail, 2 * number + 1, head)]
        for way in reversed(ways) if inverse else ways:
            if way.head in self._sources(chain):
                tails = self.tails(chain, way.head, way.relation, ordered=False)
                if np.any(tails == way.tail):
                    return way if self._walks else ways[0]
        return None

    def _sources(self, chain: Chain) -> frozenset[int]:
        """The entities that the next triple may be walked from."""
        return frozenset((chain[-1].tail,)) if self._onward and chain else self.visited(chain)

    def _used_ends(self, chain: Chain, head: int) -> set[tuple[int, int]]:
        """Relation and other end of the triples from a head that a chain has."""
        forwards = {(relation, tail) for source, relation, tail in chain if source == head}
        return forwards | {(relation ^ 1, source) for source, relation, end in chain if end == head}

    def _runs(self, node: int, way: int | None = None) -> Array:
        """The permitted runs of a node; with a way, 0 forwards or 1 backwards, only those."""
        runs = self._index.runs(np.array([node]))
        ways = self._index.run_relation[runs] % 2
        permitted = (
            (ways <= self._inverse) if way is None else (ways == way) & (way <= self._inverse)
        )
        return runs[permitted]

    def _targets(self, runs: Array) -> Array:
        return self._index.edge_target[self._index.edges(runs)]

    def _steps_to_visited(self, chain: Chain, head: int) -> Array:
        """The steps, relation and target, from a head that is not visited to visited entities."""
        visited_steps = self._reached.get((chain, head))
        if visited_steps is None:
            index, arrow, steps = self._index, self._index.style.arrow, list[tuple[int, int]]()
            for node in self.visited(chain):
                runs = self._runs(node, 1)
                sizes = index.run_edges[runs + 1] - index.run_edges[runs]
                walked = np.repeat(index.run_relation[runs], sizes)[self._targets(runs) == head]
                steps += [(relation - 1, node) for relation in walked.tolist()]
            steps.sort(
                key=lambda step: (
                    index.relation_table.unit(step[0]) + arrow,
                    index.entity_table.unit(step[1]) + arrow,
                )
            )
            visited_steps = self._reached[chain, head] = np.array(steps, np.int64).reshape(-1, 2)
        return visited_steps


class ChainState(NamedTuple):
    """A state of the automaton: `lo:hi` are heads, relations or tails that share `depth` tokens.

    `chain` are the triples before this one, `trail` is what is read of it: head, relation, tail.
    """

    phase: Literal["open", "head", "relation", "tail", "done"]
    lo: int
    hi: int
    depth: int
    chain: Chain
    trail: tuple[int, ...]


class ChainTriples(Automaton[ChainState]):
    """The automaton over the words `<TRIPLE>h -> r -> t</TRIPLE>`; a `Constraint`.

    A word is one triple that a well-formed chain may go on with. Spelled as a walk, one that is
    walked from its tail is `<TRIPLE>t -> ^r -> h</TRIPLE>`, and one whose ends are both visited has
    a word from either. `after` makes the automaton of the next triple; it asks the graph for more,
    which `prepare` can do before it for many finished states at once. Raises NoPathError when no
    triple is legal.
    """

    def __init__(
        self,
        index: GraphIndex,
        openings: Units,
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
        follows shares what was expanded, and either can advance the states of both. Raises
        ConstraintError where `triple` is not legal here, and NoPathError where none may follow it.
        """
        spelled = self._graph.find(triple, self._chain, inverse=inverse)
        if spelled is None:
            raise ConstraintError(f"{' '.join(triple)} cannot be the next triple of this chain")
        longer = copy(self)
        longer._chain = (*self._chain, spelled)
        if not len(self._graph.heads(longer._chain)):
            raise NoPathError(
                f"no new triple touches the {len(longer.visited)} entities of the chain",
                "end the chain here",
            )
        return longer

    @property
    def chain(self) -> tuple[Triple, ...]:
        """The triples so far."""
        return tuple(self._graph.triple(spelled) for spelled in self._chain)

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
        return self._graph.triple(IndexTriple(*state.trail))

    def step(self, state: ChainState) -> Step:
        """That triple as it is walked from an entity that was visited before it."""
        head, walked, _ = state.trail
        backwards = walked % 2 if self._walks else head not in self._graph.visited(state.chain)
        return Step(self.triple(state), bool(backwards))

    def relation_tokens(self, state: ChainState) -> Sequence[bool]:
        """For each token: whether it opens the triple or spells its relation."""
        head, relation, tail = state.trail
        arrow = [False] * len(self._arrow)
        flags = [True, *[False] * len(self._openings.unit(head)), *arrow]
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
        return self._graph.run(head, relation) if visited else EMPTY

    def _expand_head(self, state: ChainState) -> dict[int, ChainState]:
        heads = self._graph.heads(state.chain)[state.lo : state.hi]
        branches, _ = self._openings.fork(heads, state.depth)
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
        branches, _ = self._index.relation_table.fork(relations, state.depth)
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
        branches, end = self._index.entity_table.fork(tails, state.depth, lambda _: False)
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
