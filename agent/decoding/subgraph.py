"""DoG's query-centric subgraph (section 2.3): the triples that a well-formed chain may go on with.

It is never built. What it holds of one entity is found by array operations when a beam gets there,
so a hub costs a few of them, not a step for each of its triples.
"""

from collections.abc import Collection
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ..kg.terms import Term, Triple
from .index import TokenIndex
from .strings import Array


class Place(NamedTuple):
    """A triple in the index: its head, and the run and the edge that walk it forwards."""

    head: int
    run: int
    edge: int


Chain = tuple[Place, ...]


@dataclass(frozen=True)
class ChainLimits:
    """What counts as a legal triple, beside being well-formed."""

    repeats: bool = False
    """Whether a triple may come again in its chain."""
    excluded: frozenset[Term] = frozenset()
    """Relations that no triple may have."""


class Tails(NamedTuple):
    """The legal triples of one head: edges in token order, grouped by run."""

    edges: Array
    runs: Array
    starts: Array


class QueryGraph:
    """The subgraphs of all chains that start at the same topics; what was found out is kept."""

    def __init__(
        self, index: TokenIndex, ranks: Array, topics: Collection[Term], limits: ChainLimits
    ) -> None:
        """Look at `index` from `topics`; `ranks` are the places of entities in order as heads."""
        self._index = index
        self._ranks = ranks
        self._repeats = limits.repeats
        self._permitted = np.ones(len(index.relations), bool)
        for term in limits.excluded:
            if (relation := index.relations.find(term)) is not None:
                self._permitted[relation] = False
        self._topics = frozenset(
            node for term in topics if (node := index.entities.find(term)) is not None
        )
        self._touching: dict[int, Array] = {}
        self._heads: dict[Chain, Array] = {}
        self._tails: dict[tuple[Chain, int], Tails] = {}

    def visited(self, chain: Chain) -> frozenset[int]:
        """The topics and both ends of every triple of a chain (Eq. 1)."""
        targets = self._index.edge_target
        return self._topics.union(*((head, int(targets[edge])) for head, _, edge in chain))

    def heads(self, chain: Chain) -> Array:
        """The heads of the triples that may follow a chain, in token order."""
        heads = self._heads.get(chain)
        if heads is None:
            touching = [self._heads_touching(node) for node in sorted(self.visited(chain))]
            heads = np.unique(np.concatenate(touching)) if touching else np.empty(0, np.int64)
            if not self._repeats:
                used_up = [head for head, _, _ in chain if not len(self.tails(chain, head).edges)]
                heads = heads[~np.isin(heads, used_up)]
            heads = heads[np.argsort(self._ranks[heads])]
            self._heads[chain] = heads
        return heads

    def tails(self, chain: Chain, head: int) -> Tails:
        """The triples with this head that may follow a chain."""
        tails = self._tails.get((chain, head))
        if tails is None:
            index, visited = self._index, self.visited(chain)
            runs = self._runs(head)
            edges = index.edges(runs[index.run_relation[runs] % 2 == 0])
            if head not in visited:
                edges = edges[np.isin(index.edge_target[edges], sorted(visited))]
            if not self._repeats:
                edges = edges[~np.isin(edges, [edge for _, _, edge in chain])]
            owners = np.searchsorted(index.run_edges, edges, side="right") - 1
            runs, starts = np.unique(owners, return_index=True)
            tails = Tails(edges, runs, np.append(starts, len(edges)))
            self._tails[chain, head] = tails
        return tails

    def triple(self, place: Place) -> Triple:
        """A triple in RDF terms."""
        index = self._index
        return Triple(
            index.entities[place.head],
            index.relations[int(index.run_relation[place.run]) // 2],
            index.entities[int(index.edge_target[place.edge])],
        )

    def find(self, triple: Triple, chain: Chain) -> Place | None:
        """The place of a triple that may follow a chain; None for any other."""
        index = self._index
        head, tail = index.entities.find(triple.head), index.entities.find(triple.tail)
        relation = index.relations.find(triple.relation)
        if head is None or tail is None or relation is None:
            return None
        edges = self.tails(chain, head).edges
        for edge in edges[index.edge_target[edges] == tail].tolist():
            run = int(np.searchsorted(index.run_edges, edge, side="right")) - 1
            if index.run_relation[run] == 2 * relation:
                return Place(head, run, edge)
        return None

    def _heads_touching(self, node: int) -> Array:
        """The heads of all triples that have `node` at one end."""
        heads = self._touching.get(node)
        if heads is None:
            index = self._index
            runs = self._runs(node)
            inverse = index.run_relation[runs] % 2 == 1
            heads = index.edge_target[index.edges(runs[inverse])]
            heads = np.unique(heads if inverse.all() else np.append(heads, node))
            self._touching[node] = heads
        return heads

    def _runs(self, node: int) -> Array:
        """The runs of a node by permitted relations, in both directions."""
        runs = self._index.runs(np.array([node]))
        return runs[self._permitted[self._index.run_relation[runs] // 2]]
