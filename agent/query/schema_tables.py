"""The relations and classes of a graph, and the members and classes at the ends of relations."""

from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import chain, islice
from typing import Literal, TypeAlias

import numpy as np

from ..caching import Recent
from ..kg.graph import MOST_WHOLE, KnowledgeGraph
from ..kg.store import class_labels
from ..kg.stores.sparql.store import End, SparqlStore
from ..kg.terms import Step as Walked
from ..kg.terms import Term, is_iri, is_literal
from .binding import bind, relation_name
from .endpoint_hops import EndpointHops
from .facts import DATE, NO_ONE, NUMBER, PLAIN_NUMBERS, Facts, Ids, distinct
from .tree import Domain, OfClass, Query, Step

ValueType: TypeAlias = Literal["number", "date"]
Hops: TypeAlias = tuple[tuple[Term, bool], ...]

MANY = 10_000
"""Members whose classes are looked at; of a larger set every n-th."""
_SAMPLE = 1_000
"""Values at the end of a relation that are read as numbers or dates."""
FEW = 50
"""Members of a set that are followed, where the graph is not read whole."""
_STATEMENTS = 200
"""Of each relation of a larger graph so many are read for that."""
_FEW_CLASSES = 5


class GraphTables:
    """The relations and classes of a graph, and what is at the ends of them.

    Everything is read once. Of an endpoint, which cannot be read whole, a few members are read, and
    of a large graph those and a few facts of each relation. The `hidden_relations` are left out, as
    if the graph lacked them. Not safe to share between threads; its methods raise as those of
    `Facts` do.
    """

    def __init__(self, facts: Facts, hidden_relations: frozenset[Term] = frozenset()) -> None:
        self.facts = facts
        self.kg = facts.kg
        self.relations = [term for term in self.kg.walk_relations if term not in hidden_relations]
        self.is_whole = self.kg.pinned and self.kg.counts.facts <= MOST_WHOLE
        """Whether what is not in the tables is not in the graph either."""
        self.remote = _asked_at(self.kg)
        """What an endpoint tells of classes and things; None where another source is read."""
        self._hidden_relations = hidden_relations
        self._classes: Sequence[str] | None = None
        self._terms: dict[tuple[str, str], Term] = {}
        self._ends: dict[tuple[Term, bool], tuple[Ids, Ids]] = {}
        self._measures: dict[tuple[Term, bool], frozenset[ValueType]] = {}
        self._members: dict[Term, Ids] = {}
        self._used: dict[tuple[Term, bool], Sequence[Term]] = {}
        self._at: Recent[tuple[Term, bool], Sequence[Term]] = Recent(MANY)
        self._hops: dict[bytes, Hops] = {}
        self._every: Hops = tuple((r, inverse) for inverse in (False, True) for r in self.relations)

    # Names

    def relation(self, step: Step | Domain) -> Term:
        """The relation of a hop or a start."""
        name = relation_name(step)
        if ("relation", name) not in self._terms:
            bound = bind(self.kg, Query(start=Domain(domain=name)))
            self._terms["relation", name] = bound.relations[name]
        return self._terms["relation", name]

    def class_of(self, name: str, term: str) -> Term | None:
        """The class of a name; None where any thing is meant."""
        if ("class", term or name) not in self._terms:
            class_ = bind(self.kg, Query(start=OfClass(name=name, id=term))).class_of(name, term)
            if class_ is None:
                return None
            self._terms["class", term or name] = class_
        return self._terms["class", term or name]

    # Classes

    def every_class(self) -> Sequence[str]:
        """The classes that a query can name."""
        if self._classes is None:
            self._classes = self._read_classes()
        return self._classes

    def named(self, classes: Ids) -> list[str]:
        """Those of some classes that a query can name."""
        return sorted(filter(is_iri, self.facts.terms(classes)))

    def named_above(self, classes: Ids) -> list[str]:
        """The same, with the classes above them that have a name of their own."""
        above = self.kg.membership.above(self.facts.terms(classes))
        return sorted({*self.named(classes), *(above & self._named_classes if above else ())})

    def members(self, class_: Term) -> Ids:
        """The members of a class; a few, where the graph is not read whole."""
        if class_ not in self._members:
            if self.is_whole:
                self._members[class_] = self.facts.members(class_)
            else:
                store, kinds = self.kg.store, self.kg.profile.types
                classes = [class_, *islice(self.kg.membership.below(class_), FEW)]
                each = (store.follow(classes, kind, True, limit=FEW) for kind in kinds)
                steps = chain.from_iterable(chain.from_iterable(each))
                self._members[class_] = self.facts.ids(step.target for step in steps)
        return self._members[class_]

    def classes_of(self, ids: Ids) -> Ids:
        """The classes that any of a set has."""
        return self._classified(ids)[0]

    # Relations

    def end(self, relation: Term, inverse: bool) -> tuple[Ids, Ids]:
        """What a hop leads to, and the classes of that; some of both for a large graph."""
        hop = (relation, inverse)
        if hop not in self._ends:
            things = self._read_end(relation, inverse)
            self._ends[hop] = (things, self.classes_of(things))
        return self._ends[hop]

    def _read_end(self, relation: Term, inverse: bool) -> Ids:
        if self.is_whole:
            return self.facts.having(relation) if inverse else self.facts.reached(relation)
        steps = (Walked(fact, inverse) for fact in islice(self.kg.stated(relation), _STATEMENTS))
        return self.facts.ids(step.target for step in steps)

    def measures_at(self, relation: Term, inverse: bool) -> frozenset[ValueType]:
        """What most are that a hop leads to, if they are values that have an order."""
        hop = (relation, inverse)
        if hop not in self._measures:
            self._measures[hop] = self.measured(self.end(*hop)[0])
        return self._measures[hop]

    def measured(self, ids: Ids, least: float = 0.5) -> frozenset[ValueType]:
        """What as large a share of a set is as `least`."""
        kinds = self.facts.measured(evenly_sampled(ids, _SAMPLE)).kinds
        measures: tuple[tuple[ValueType, int], ...] = (("number", NUMBER), ("date", DATE))
        return frozenset(
            name for name, kind in measures if len(kinds) and (kinds == kind).mean() >= least
        )

    def hops(self, ids: Ids | None) -> Hops:
        """The relations at members, and those that others of their classes have."""
        if ids is None or not len(ids):
            return self._every
        if not self.is_whole:
            sample = evenly_sampled(ids, FEW)
            at_members = self._hops_at(sample)
            if not self.kg.pinned:
                return tuple(at_members)
            # What few members of a class have may be missed there, and is seen at the relation.
            return tuple(
                dict.fromkeys([*at_members, *self._hops_from(sample, self.classes_of(sample))])
            )
        sample = evenly_sampled(ids, MANY)
        classes, all_have = self._classified(sample)
        if not all_have:
            return tuple(self._hops_from(sample, classes))
        # What has a class is at the end of a relation only where that class is.
        key = classes.tobytes()
        if key not in self._hops:
            self._hops[key] = tuple(self._hops_from(NO_ONE, classes))
        return self._hops[key]

    def _hops_from(self, things: Ids, classes: Ids) -> Iterator[tuple[Term, bool]]:
        for relation, inverse in self._every:
            ends, their_classes = self.end(relation, not inverse)
            if _overlap(ends, things) or _overlap(their_classes, classes):
                yield relation, inverse

    def look_ahead(self, topics: Sequence[Term]) -> None:
        """Read at once what an endpoint will be asked of topics, and of classes that are few."""
        if self.remote is not None and topics:
            classes = self.every_class()
            self.remote.look_ahead(topics, classes if len(classes) <= FEW else ())

    def hops_of_ends(self, ends: Sequence[End], last: Sequence[Step]) -> Hops:
        """The relations of members of classes at an endpoint; from values back along the last."""
        if self.remote is None or not ends:
            return ()
        classes = [end.term for end in ends if not end.is_value][:_FEW_CLASSES]
        hops = self.remote.relations_of(classes)
        if len(classes) < len(ends):
            hops += [(self.relation(step), not step.inverse) for step in last]
        return tuple((r, way) for r, way in dict.fromkeys(hops) if r not in self._hidden_relations)

    def classes_of_ends(self, ends: Sequence[End]) -> list[str]:
        """The classes of things at an endpoint, and those that members of these have too."""
        classes = [end.term for end in ends if not end.is_value][:_FEW_CLASSES]
        others = (self.remote.classes_of_members(class_) for class_ in classes if self.remote)
        return sorted({*classes, *chain.from_iterable(others)})

    def _hops_at(self, sample: Ids) -> Iterator[tuple[Term, bool]]:
        classes = self.named(self.classes_of(sample))[:_FEW_CLASSES]
        for inverse in (False, True):
            around = self._relations_around(sample, classes, inverse)
            relations = dict.fromkeys(chain.from_iterable(around))
            yield from ((r, inverse) for r in relations if r not in self._hidden_relations)

    def _relations_around(
        self, sample: Ids, classes: Sequence[Term], inverse: bool
    ) -> Sequence[Sequence[Term]]:
        """The relations of members, and of others of their classes."""
        if self.remote is not None:
            return self.remote.around(self.facts.terms(sample), classes, inverse)
        return [self._relations_at(sample, inverse), *(self._used_by(c, inverse) for c in classes)]

    def _used_by(self, class_: Term, inverse: bool) -> Sequence[Term]:
        """The relations of some members of a class."""
        key = (class_, inverse)
        if key not in self._used:
            self._used[key] = self._relations_at(evenly_sampled(self.members(class_), FEW), inverse)
        return self._used[key]

    def _relations_at(self, ids: Ids, inverse: bool) -> Sequence[Term]:
        terms = [term for term in self.facts.terms(ids) if inverse or not is_literal(term)]
        if new := [term for term in terms if self._at.get((term, inverse)) is None]:
            around = self.kg.walks.relations_at(new, inverse)
            self._at.put({(t, inverse): at for t, at in zip(new, around, strict=True)})
        at_terms = (self._at.get((term, inverse)) or () for term in terms)
        return [*dict.fromkeys(chain.from_iterable(at_terms))]

    def _classified(self, ids: Ids) -> tuple[Ids, bool]:
        """The classes that any of a set has, and whether all have one; of a large graph some."""
        if self.kg.pinned and not self.is_whole:
            ids = evenly_sampled(ids, _STATEMENTS)
        steps = [self.facts.step(ids, kind, False) for kind in self.kg.profile.types]
        classes = distinct(np.concatenate([NO_ONE, *(pairs.targets for pairs in steps)]))
        having = distinct(np.concatenate([NO_ONE, *(pairs.sources for pairs in steps)]))
        return classes, len(having) == len(ids)

    @cached_property
    def _named_classes(self) -> frozenset[Term]:
        return frozenset(word.term for word in class_labels(self.kg.labels))

    def _read_classes(self) -> Sequence[str]:
        if not self.is_whole:
            return list(dict.fromkeys(word.term for word in class_labels(self.kg.labels)))
        classes = [self.facts.reached(kind) for kind in self.kg.profile.types]
        return self.named_above(distinct(np.concatenate([NO_ONE, *classes])))


def _asked_at(kg: KnowledgeGraph) -> EndpointHops | None:
    store = kg.store
    if isinstance(store, SparqlStore) and kg.reading.plain:
        return EndpointHops(kg, store, FEW)
    return None


def measures_of_ends(ends: Sequence[End]) -> frozenset[ValueType] | None:
    """What values of datatypes all are; None where the datatypes do not tell."""
    datatypes = {end.term for end in ends if end.is_value}
    if not datatypes:
        return frozenset()
    if len(datatypes) == len(ends) and datatypes <= PLAIN_NUMBERS:
        return frozenset({"number"})
    return None


def evenly_sampled(ids: Ids, most: int) -> Ids:
    """At most so many of a set, evenly spread over it."""
    return ids if len(ids) <= most else ids[:: -(-len(ids) // most)]


def _overlap(ids: Ids, other: Ids) -> bool:
    """Whether two sets share anything."""
    few, many = (ids, other) if len(ids) <= len(other) else (other, ids)
    if not len(few):
        return False
    indices = np.minimum(np.searchsorted(many, few), len(many) - 1)
    return bool((many[indices] == few).any())
