"""DoG's query-centric subgraph (section 2.3): the triples that a well-formed chain may go on with.

It is never built. What it holds of one entity is found by array operations when a beam gets there,
so a hub costs a few of them, not a step for each of its triples. Only visited entities are looked
up: the triples of any other head are among those that reach them.
"""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from ..errors import ConstraintError
from ..kg.terms import Term, Triple
from .graph_index import GraphIndex, OrderedUnits
from .permitted import Permitted
from .strings import Array

Spelling = Literal["kg", "walk"]
"""How triples are spelled: `kg` as the KG holds them, head first; `walk` from an entity that was
visited, with a caret before a relation that is walked from tail to head."""


class Place(NamedTuple):
    """A triple in the index, as it is spelled: head and tail are those of the KG where its relation
    is walked from head to tail, and the other way round where it is walked back.
    """

    head: int
    relation: int
    tail: int


Chain = tuple[Place, ...]


@dataclass(frozen=True)
class ChainLimits:
    """What counts as a legal triple, beside being well-formed, and how it is spelled."""

    repeats: bool = False
    """Whether a triple may come again in its chain."""
    excluded: frozenset[Term] = frozenset()
    """Relations that no triple may have."""
    inverse: bool = True
    """Whether a triple may touch what was visited with its tail alone."""
    spelling: Spelling = "kg"
    onward: bool = False
    """Whether each triple goes on from where the one before it ended, so that chains are walks."""

    def __post_init__(self) -> None:
        if self.onward and self.spelling != "walk":
            raise ConstraintError("triples that are not spelled as walks do not go on from a place")


class QueryGraph:
    """The subgraphs of all chains that start at the same topics; what was found out is kept.

    It speaks of triples as they are spelled: `head` is the entity that is spelled first, and a
    relation is one of the index, walked from there in either direction.
    """

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
        self._walks, self._onward = limits.spelling == "walk", limits.onward
        self._permitted = Permitted(index, limits.excluded, inverse=limits.inverse)
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
                used = {relation for relation, _ in self._used(chain, head)}
                gone = [r for r in used if not len(self.tails(chain, head, r, ordered=False))]
                relations = relations[~np.isin(relations, gone)]
            else:
                relations = self._reaching(chain, head)[:, 0]
                relations = relations[np.diff(relations, prepend=-1) != 0]
            self._relations[chain, head] = relations
        return relations

    def tails(self, chain: Chain, head: int, relation: int, *, ordered: bool = True) -> Array:
        """The other ends of the triples from a head over a relation that may follow a chain.

        In token order, if `ordered`.
        """
        if head not in self.visited(chain):
            reaching = self._reaching(chain, head)
            return reaching[reaching[:, 0] == relation, 1]
        run = self.run(head, relation)
        if ordered:
            self._index.order(run)
        tails = self._targets(run)
        used = [tail for walked, tail in self._used(chain, head) if walked == relation]
        return tails[~np.isin(tails, used)] if used else tails

    def run(self, head: int, relation: int) -> Array:
        """The run of a visited head over a relation, which `tails` puts in order; one or none."""
        runs = self._runs(head)
        return runs[self._index.run_relation[runs] == relation]

    def triple(self, place: Place) -> Triple:
        """A triple in RDF terms, as the KG holds it."""
        entities, relation = self._index.entities, self._index.relations[place.relation // 2]
        head, tail = entities[place.head], entities[place.tail]
        return Triple(tail, relation, head) if place.relation % 2 else Triple(head, relation, tail)

    def find(self, triple: Triple, chain: Chain, *, inverse: bool) -> Place | None:
        """The place of a triple that may follow a chain; None for any other.

        One that may be walked from either end is walked from its head, unless `inverse`.
        """
        entities = self._index.entities
        head, tail = entities.find(triple.head), entities.find(triple.tail)
        number = self._index.relations.find(triple.relation)
        if head is None or tail is None or number is None:
            return None
        ways = [Place(head, 2 * number, tail), Place(tail, 2 * number + 1, head)]
        for place in reversed(ways) if inverse else ways:
            if place.head in self._sources(chain):
                tails = self.tails(chain, place.head, place.relation, ordered=False)
                if np.any(tails == place.tail):
                    return place if self._walks else ways[0]
        return None

    def _sources(self, chain: Chain) -> frozenset[int]:
        """The entities that the next triple may be walked from."""
        return frozenset((chain[-1].tail,)) if self._onward and chain else self.visited(chain)

    def _used(self, chain: Chain, head: int) -> set[tuple[int, int]]:
        """Relation and other end of the triples from a head that may not come again."""
        if self._repeats:
            return set()
        forwards = {(relation, tail) for source, relation, tail in chain if source == head}
        return forwards | {(relation ^ 1, source) for source, relation, end in chain if end == head}

    def _runs(self, node: int, way: int | None = None) -> Array:
        """The permitted runs of a node; with a way, 0 forwards or 1 backwards, only those."""
        runs = self._index.runs(np.array([node]))
        relations = self._index.run_relation[runs]
        permitted = self._permitted.mask[relations]
        return runs[permitted if way is None else permitted & (relations % 2 == way)]

    def _targets(self, runs: Array) -> Array:
        return self._index.edge_target[self._index.edges(runs)]

    def _reaching(self, chain: Chain, head: int) -> Array:
        """The steps, relation and target, from a head that is not visited to visited entities."""
        reached = self._reached.get((chain, head))
        if reached is None:
            index, arrow, found = self._index, self._index.style.arrow, list[tuple[int, int]]()
            for node in self.visited(chain):
                runs = self._runs(node, 1)
                sizes = index.run_edges[runs + 1] - index.run_edges[runs]
                walked = np.repeat(index.run_relation[runs], sizes)[self._targets(runs) == head]
                found += [(relation - 1, node) for relation in walked.tolist()]
            found.sort(
                key=lambda step: (
                    index.relation_table.unit(step[0]) + arrow,
                    index.entity_table.unit(step[1]) + arrow,
                )
            )
            reached = self._reached[chain, head] = np.array(found, np.int64).reshape(-1, 2)
        return reached
