"""DoG's query-centric subgraph (section 2.3): the triples that a well-formed chain may go on with.

It is never built. What it holds of one entity is found by array operations when a beam gets there,
so a hub costs a few of them, not a step for each of its triples. Only visited entities are looked
up: the triples of any other head are among those that reach them.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ..kg.terms import Term, Triple
from .graph_index import GraphIndex, OrderedUnits
from .permitted import Permitted
from .strings import Array


class Place(NamedTuple):
    """A triple in the index: its relation is one that is walked from head to tail."""

    head: int
    relation: int
    tail: int


Chain = tuple[Place, ...]


@dataclass(frozen=True)
class ChainLimits:
    """What counts as a legal triple, beside being well-formed."""

    repeats: bool = False
    """Whether a triple may come again in its chain."""
    excluded: frozenset[Term] = frozenset()
    """Relations that no triple may have."""


class Tails(NamedTuple):
    """The legal triples of one head in token order, and where each relation begins and ends."""

    relations: Array
    tails: Array
    starts: Array


class _Steps(NamedTuple):
    """The permitted steps that leave one node in one direction; forwards in token order."""

    relations: Array
    targets: Array


class QueryGraph:
    """The subgraphs of all chains that start at the same topics; what was found out is kept."""

    def __init__(
        self,
        index: GraphIndex,
        openings: OrderedUnits,
        topics: Collection[Term],
        limits: ChainLimits,
    ) -> None:
        """Look at `index` from `topics`; `openings` put entities in order as heads."""
        self._index = index
        self._openings = openings
        self._repeats = limits.repeats
        self._permitted = Permitted(index, limits.excluded)
        self._topics = frozenset(node for node in index.find([*topics]) if node is not None)
        self._steps: dict[tuple[int, bool], _Steps] = {}
        self._heads: dict[Chain, Array] = {}
        self._tails: dict[tuple[Chain, int], Tails] = {}

    def visited(self, chain: Chain) -> frozenset[int]:
        """The topics and both ends of every triple of a chain (Eq. 1)."""
        return self._topics.union(*((head, tail) for head, _, tail in chain))

    def heads(self, chain: Chain) -> Array:
        """The heads of the triples that may follow a chain, in token order."""
        heads = self._heads.get(chain)
        if heads is None:
            visited = np.array(sorted(self.visited(chain)), np.int64)
            own = visited[[len(self._runs(node, inverse=False)) > 0 for node in visited.tolist()]]
            if not self._repeats:
                used_up = [head for head, _, _ in chain if not len(self.tails(chain, head).tails)]
                own = own[~np.isin(own, used_up)]
            back = [self._leaving(node, inverse=True).targets for node in visited.tolist()]
            others = np.unique(np.concatenate([visited[:0], *back]))
            heads = np.append(own, others[~np.isin(others, visited)])
            heads = self._heads[chain] = self._openings.ordered(heads)
        return heads

    def runs(self, chain: Chain, heads: Sequence[int]) -> Array:
        """The runs that `tails` reads for these heads."""
        visited = self.visited(chain)
        runs = [self._runs(head, inverse=False) for head in heads if head in visited]
        return np.concatenate([np.empty(0, np.int64), *runs])

    def tails(self, chain: Chain, head: int) -> Tails:
        """The triples with this head that may follow a chain."""
        tails = self._tails.get((chain, head))
        if tails is None:
            visited = self.visited(chain)
            if head in visited:
                relations, targets = self._leaving(head, inverse=False)
            else:
                relations, targets = self._reaching(visited, head)
            if not self._repeats:
                for place in chain:
                    if place.head == head:
                        new = (relations != place.relation) | (targets != place.tail)
                        relations, targets = relations[new], targets[new]
            starts = np.flatnonzero(np.diff(relations, prepend=-1, append=-1))
            tails = self._tails[chain, head] = Tails(relations, targets, starts)
        return tails

    def triple(self, place: Place) -> Triple:
        """A triple in RDF terms."""
        entities, relation = self._index.entities, self._index.relations[place.relation // 2]
        return Triple(entities[place.head], relation, entities[place.tail])

    def find(self, triple: Triple, chain: Chain) -> Place | None:
        """The place of a triple that may follow a chain; None for any other."""
        entities = self._index.entities
        head, tail = entities.find(triple.head), entities.find(triple.tail)
        relation = self._index.relations.find(triple.relation)
        if head is None or tail is None or relation is None:
            return None
        legal = self.tails(chain, head)
        if not np.any((legal.relations == 2 * relation) & (legal.tails == tail)):
            return None
        return Place(head, 2 * relation, tail)

    def _runs(self, node: int, *, inverse: bool) -> Array:
        """The permitted runs of a node in one direction."""
        runs = self._index.runs(np.array([node]))
        relations = self._index.run_relation[runs]
        return runs[self._permitted.mask[relations] & (relations % 2 == inverse)]

    def _leaving(self, node: int, *, inverse: bool) -> _Steps:
        steps = self._steps.get((node, inverse))
        if steps is None:
            index, runs = self._index, self._runs(node, inverse=inverse)
            if not inverse:
                index.order(runs)
            sizes = index.run_edges[runs + 1] - index.run_edges[runs]
            relations = np.repeat(index.run_relation[runs], sizes)
            steps = _Steps(relations, index.edge_target[index.edges(runs)])
            self._steps[node, inverse] = steps
        return steps

    def _reaching(self, visited: frozenset[int], head: int) -> _Steps:
        """The steps from a head that is not visited to visited entities."""
        index, arrow, found = self._index, self._index.style.arrow, list[tuple[int, int]]()
        for node in visited:
            relations, heads = self._leaving(node, inverse=True)
            found += [(relation - 1, node) for relation in relations[heads == head].tolist()]
        found.sort(
            key=lambda step: (
                index.relation_table.unit(step[0]) + arrow,
                index.entity_table.unit(step[1]) + arrow,
            )
        )
        return _Steps(*np.array(found, np.int64).reshape(-1, 2).T)
