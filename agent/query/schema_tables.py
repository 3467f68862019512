"""The relations and classes of a graph, and the members and classes at the ends of relations."""

from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Literal, TypeAlias

import numpy as np

from ..kg.terms import Term, is_iri, is_literal
from .binding import bind
from .facts import DATE, NO_ONE, NUMBER, Facts, Ids, distinct
from .tree import Domain, OfClass, Query, Step

Measure: TypeAlias = Literal["number", "date"]
Hops: TypeAlias = tuple[tuple[Term, bool], ...]

MANY = 10_000
"""Members whose classes are looked at; of a larger set every n-th."""
_SAMPLE = 1_000
"""Values at the end of a relation that are read as numbers or dates."""
FEW = 50
"""Members of a set on an endpoint that are followed."""
_FEW_CLASSES = 5


class GraphTables:
    """The relations and classes of a graph, and what is at the ends of them.

    Everything is read once. Of an endpoint, which cannot be read whole, a few members are read.
    Relations in `without` are left out, as if the graph lacked them. Not safe to share between
    threads; its methods raise as those of `Facts` do.
    """

    def __init__(self, facts: Facts, without: frozenset[Term] = frozenset()) -> None:
        self.facts = facts
        self.kg = facts.kg
        terms = (relation.term for relation in self.kg.walk_labels.relations())
        self.relations = [term for term in terms if term not in without]
        self._without = without
        self._classes: Sequence[str] | None = None
        self._terms: dict[tuple[str, str], Term] = {}
        self._ends: dict[tuple[Term, bool], tuple[Ids, Ids]] = {}
        self._measures: dict[tuple[Term, bool], frozenset[Measure]] = {}
        self._members: dict[Term, Ids] = {}
        self._hops: dict[bytes, Hops] = {}
        self._every: Hops = tuple((r, inverse) for inverse in (False, True) for r in self.relations)

    # Names

    def relation(self, step: Step | Domain) -> Term:
        """The relation of a hop or a start."""
        name = step.id or (step.domain if isinstance(step, Domain) else step.relation)
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

    def members(self, class_: Term) -> Ids:
        """The members of a class; of an endpoint a few."""
        if class_ not in self._members:
            if self.kg.pinned:
                self._members[class_] = self.facts.members(class_)
            else:
                store, kinds = self.kg.store, self.kg.profile.types
                steps = (store.follow([class_], kind, True, limit=FEW)[0] for kind in kinds)
                targets = (step.target for step in chain.from_iterable(steps))
                self._members[class_] = self.facts.ids(targets)
        return self._members[class_]

    def classes_of(self, ids: Ids) -> Ids:
        """The classes that any of a set has."""
        return self._classified(ids)[0]

    # Relations

    def end(self, relation: Term, inverse: bool) -> tuple[Ids, Ids]:
        """What a hop leads to, and the classes of that."""
        hop = (relation, inverse)
        if hop not in self._ends:
            facts = self.facts
            things = facts.having(relation) if inverse else facts.reached(relation)
            self._ends[hop] = (things, self.classes_of(things))
        return self._ends[hop]

    def measures_at(self, relation: Term, inverse: bool) -> frozenset[Measure]:
        """What most are that a hop leads to, if they are values that have an order."""
        hop = (relation, inverse)
        if hop not in self._measures:
            self._measures[hop] = self.measured(self.end(*hop)[0])
        return self._measures[hop]

    def measured(self, ids: Ids, least: float = 0.5) -> frozenset[Measure]:
        """What as large a share of a set is as `least`."""
        kinds = self.facts.measured(some(ids, _SAMPLE)).kinds
        measures: tuple[tuple[Measure, int], ...] = (("number", NUMBER), ("date", DATE))
        return frozenset(
            name for name, kind in measures if len(kinds) and (kinds == kind).mean() >= least
        )

    def hops(self, ids: Ids | None) -> Hops:
        """The relations at members, and those that others of their classes have."""
        if ids is None or not len(ids):
            return self._every
        if not self.kg.pinned:
            return tuple(self._hops_on_endpoint(some(ids, FEW)))
        few = some(ids, MANY)
        classes, all_have = self._classified(few)
        if not all_have:
            return tuple(self._hops_from(few, classes))
        # What has a class is at the end of a relation only where that class is.
        key = classes.tobytes()
        if key not in self._hops:
            self._hops[key] = tuple(self._hops_from(NO_ONE, classes))
        return self._hops[key]

    def _hops_from(self, things: Ids, classes: Ids) -> Iterator[tuple[Term, bool]]:
        for relation, inverse in self._every:
            ends, their_classes = self.end(relation, not inverse)
            if _meet(ends, things) or _meet(their_classes, classes):
                yield relation, inverse

    def _hops_on_endpoint(self, few: Ids) -> Iterator[tuple[Term, bool]]:
        classes = self.named(self.classes_of(few))
        others = [some(self.members(class_), FEW) for class_ in classes[:_FEW_CLASSES]]
        terms = self.facts.terms(distinct(np.concatenate([few, *others])))
        for inverse in (False, True):
            subjects = [term for term in terms if inverse or not is_literal(term)]
            around = self.kg.walks.relations_at(subjects, inverse)
            relations = dict.fromkeys(chain.from_iterable(around))
            yield from ((r, inverse) for r in relations if r not in self._without)

    def _classified(self, ids: Ids) -> tuple[Ids, bool]:
        """The classes that any of a set has, and whether all have one."""
        steps = [self.facts.step(ids, kind, False) for kind in self.kg.profile.types]
        classes = distinct(np.concatenate([NO_ONE, *(pairs.targets for pairs in steps)]))
        having = distinct(np.concatenate([NO_ONE, *(pairs.sources for pairs in steps)]))
        return classes, len(having) == len(ids)

    def _read_classes(self) -> Sequence[str]:
        if not self.kg.pinned:
            words = self.kg.labels.vocabulary()
            return list(dict.fromkeys(word.term for word in words if not word.relation))
        classes = [self.facts.reached(kind) for kind in self.kg.profile.types]
        return self.named(distinct(np.concatenate([NO_ONE, *classes])))


def some(ids: Ids, most: int) -> Ids:
    """At most so many of a set, evenly spread over it."""
    return ids if len(ids) <= most else ids[:: -(-len(ids) // most)]


def _meet(one: Ids, other: Ids) -> bool:
    """Whether two sets share anything."""
    few, many = (one, other) if len(one) <= len(other) else (other, one)
    if not len(few):
        return False
    indices = np.minimum(np.searchsorted(many, few), len(many) - 1)
    return bool((many[indices] == few).any())
