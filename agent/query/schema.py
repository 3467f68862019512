"""What the schema of a graph lets come next: a protocol, and the schema of its facts.

What a set may be is followed through its starts, hops and classes, as arrays. Conditions on it are
left out, since they only take members away. Where nothing is left, it may be what is at the end of
the last relation, or of the class: a query may come to nothing, and still be said to its end.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import reduce
from itertools import chain
from typing import Literal, Protocol, TypeAlias

import numpy as np

from ..errors import QuestionError, ShortageError
from ..kg.terms import Term, is_iri, is_literal
from .binding import Mention, bind
from .execute import SECONDS
from .facts import DATE, NUMBER, Facts, Ids, distinct
from .measures import operand_of
from .normal import ANYTHING, Value, of_class
from .tree import AnyOf, Domain, Entity, Filter, Last, OfClass, Part, Query, Start, Step

Reading: TypeAlias = Literal["thing", "number", "date"]
"""What a mention can be: a thing that a set may begin at, or a value that has an order."""
Measure: TypeAlias = Literal["number", "date"]
Earlier: TypeAlias = Literal["answers", "topics"]


class Schema(Protocol):
    """What of a graph may be said in a query about some mentions.

    A set is given as the query that it is so far. What may come next follows from what its members
    are, never from whether there are any.
    """

    @property
    def mentions(self) -> Sequence[frozenset[Reading]]:
        """What each mention can be; any of them can be a text."""
        ...

    @property
    def earlier(self) -> frozenset[Earlier]:
        """What of the conversation a set may begin at."""
        ...

    @property
    def parts(self) -> int:
        """How many plain questions come with the query."""
        ...

    def relations(self) -> Sequence[str]:
        """Every relation."""
        ...

    def classes(self, members: Query | None) -> Sequence[str]:
        """The classes that members have; with None every class."""
        ...

    def hops(self, members: Query) -> Sequence[tuple[str, bool]]:
        """The relations that members can be followed along, each with whether it is inverse."""
        ...

    def measures(self, members: Query) -> frozenset[Measure]:
        """What the members are if they are values that have an order; nothing if they are not."""
        ...


_MANY = 10_000
"""Members whose classes are looked at; of a larger set every n-th."""
_SEVERAL = 1_000
"""Values at the end of a relation that are read as numbers or dates."""
_FEW = 50
"""Members of a set on an endpoint that are followed."""
_FEW_CLASSES = 5
_NO_ONE: Ids = np.zeros(0, np.int64)


class GraphSchema:
    """The schema of a graph, about some mentions.

    What is at the ends of each relation, and its classes, is read once and kept as long as this. Of
    an endpoint, which cannot be read whole, a few members are looked at instead. Its methods raise
    ServiceError and ShortageError as `Facts` does, and QuestionError for names that are not known.
    """

    def __init__(
        self,
        facts: Facts,
        mentions: Sequence[Mention | str] = (),
        *,
        values: Mapping[int, Value] | None = None,
        earlier: Mapping[Earlier, Sequence[Term]] | None = None,
        parts: Sequence[Sequence[Term]] = (),
    ) -> None:
        """`values` are those of mentions; `earlier` and `parts` the terms of such starts."""
        self._facts = facts
        self._kg = facts.kg
        self._earlier = earlier or {}
        self._parts = parts
        given = [Mention(own) if isinstance(own, str) else own for own in mentions]
        self._things = [self._thing(own) for own in given]
        self._readings = [
            _readings((values or {}).get(number, Value()), own.text, thing, self._compared(own))
            for number, (own, thing) in enumerate(zip(given, self._things, strict=True))
        ]
        self._relations = [own.term for own in self._kg.walk_labels.relations()]
        self._classes: Sequence[str] | None = None
        self._terms: dict[tuple[str, str], Term] = {}
        self._sets: dict[Query, Ids | None] = {}
        self._ends: dict[tuple[Term, bool], tuple[Ids, Ids]] = {}
        self._measures: dict[tuple[Term, bool], frozenset[Measure]] = {}
        self._hops: dict[Query, Sequence[tuple[str, bool]]] = {}

    @property
    def mentions(self) -> Sequence[frozenset[Reading]]:
        """What each mention can be."""
        return self._readings

    @property
    def earlier(self) -> frozenset[Earlier]:
        """What of the conversation there is."""
        return frozenset(self._earlier)

    @property
    def parts(self) -> int:
        """How many plain questions there are."""
        return len(self._parts)

    def relations(self) -> Sequence[str]:
        """Every relation, the most used first."""
        return self._relations

    def classes(self, members: Query | None) -> Sequence[str]:
        """The classes that members have; with None every class."""
        self._facts.limit(SECONDS)
        ids = None if members is None else self._members(members)
        if ids is not None:
            return self._named(self._classes_of(_some(ids, _MANY)))
        if self._classes is None:
            self._classes = self._every_class()
        return self._classes

    def hops(self, members: Query) -> Sequence[tuple[str, bool]]:
        """The relations at members, and those that others of their classes have."""
        self._facts.limit(SECONDS)
        key = _shape(members)
        if key not in self._hops:
            self._hops[key] = list(self._hops_from(self._members(key)))
        return self._hops[key]

    def measures(self, members: Query) -> frozenset[Measure]:
        """What all members are; after a hop, what most are that the relation leads to."""
        self._facts.limit(SECONDS)
        step = _last_hop(members)
        if step is not None and self._kg.pinned:
            hop = (self._relation(step), step.inverse)
            if hop not in self._measures:
                self._measures[hop] = self._measured(self._end(*hop)[0])
            return self._measures[hop]
        ids = self._members(members)
        return frozenset() if ids is None else self._measured(ids, least=1.0)

    # Mentions

    def _thing(self, mention: Mention) -> Term | None:
        """The term that a set begins at."""
        try:
            return bind(self._kg, Query(start=(0,)), [mention]).mentioned(0).term
        except QuestionError:
            return None

    def _compared(self, mention: Mention) -> Term | None:
        """The term that values are compared with."""
        query = Query(start=of_class(ANYTHING), filters=(Filter(op="=", mention=0),))
        return bind(self._kg, query, [mention]).mentioned(0).term

    # Sets

    def _members(self, query: Query) -> Ids | None:
        """What may be in a set; None where that is anything."""
        key = _shape(query)
        if key not in self._sets:
            self._sets[key] = self._reached(key)
        return self._sets[key]

    def _reached(self, query: Query) -> Ids | None:
        if query.group:
            before = query.model_copy(update={"group": query.group[:-1]})
            return self._along(self._members(before), query.group[-1])
        if query.of_class or query.class_id:
            before = query.model_copy(update={"of_class": "", "class_id": ""})
            return self._of_class(self._members(before), query)
        if query.steps:
            before = query.model_copy(update={"steps": query.steps[:-1]})
            return self._along(self._members(before), query.steps[-1])
        return self._started(query.start)

    def _started(self, start: Start) -> Ids | None:
        match start:
            case tuple():
                return self._of_terms([self._things[own] for own in start])
            case Entity():
                bound = bind(self._kg, Query(start=start))
                return self._of_terms(list(bound.entities.values()))
            case OfClass(name=name, id=term):
                class_ = self._class(name, term)
                return None if class_ is None else self._of(class_)
            case Domain() as domain:
                return self._end(self._relation(domain), True)[0] if self._kg.pinned else None
            case AnyOf(any=several):
                sets = [own for one in several if (own := self._members(one)) is not None]
                return reduce(np.union1d, sets) if len(sets) == len(several) else None
            case Last(last=what):
                return self._of_terms(self._earlier.get(what, ()))
            case Part(part=number):
                return self._of_terms(self._parts[number])
            case Query():
                return self._members(start)

    def _of_terms(self, terms: Sequence[Term | None]) -> Ids:
        wanted = [term for term in terms if term is not None]
        stands_for = self._kg.representatives(wanted)
        return self._facts.ids(stands_for[term] for term in wanted)

    def _along(self, ids: Ids | None, step: Step) -> Ids | None:
        relation = self._relation(step)
        if not self._kg.pinned:
            near = _NO_ONE if ids is None else _some(ids, _FEW)
            targets = self._facts.step(near, relation, step.inverse).targets
            return distinct(targets) if len(targets) else None
        every, _ = self._end(relation, step.inverse)
        if ids is None:
            return every
        try:
            targets = self._facts.step(ids, relation, step.inverse).targets
        except ShortageError:
            return every
        return distinct(targets) if len(targets) else every

    def _of_class(self, ids: Ids | None, query: Query) -> Ids | None:
        class_ = self._class(query.of_class, query.class_id)
        if class_ is None:
            return ids
        members = self._of(class_)
        kept = members if ids is None else np.intersect1d(ids, members, assume_unique=True)
        return kept if len(kept) else members

    def _of(self, class_: Term) -> Ids:
        if self._kg.pinned:
            return self._facts.members(class_)
        around = [
            self._kg.store.follow([class_], kind, True, limit=_FEW)[0]
            for kind in self._kg.profile.types
        ]
        return self._facts.ids(step.target for steps in around for step in steps)

    # Relations and classes

    def _hops_from(self, ids: Ids | None) -> Iterator[tuple[Term, bool]]:
        if ids is None or not len(ids):
            yield from ((own, inverse) for inverse in (False, True) for own in self.relations())
        elif self._kg.pinned:
            some = _some(ids, _MANY)
            classes = self._classes_of(some)
            for inverse in (False, True):
                for own in self.relations():
                    things, has = self._end(own, not inverse)
                    if _meet(things, some) or _meet(has, classes):
                        yield own, inverse
        else:
            yield from self._hops_on_endpoint(_some(ids, _FEW))

    def _hops_on_endpoint(self, some: Ids) -> Iterator[tuple[Term, bool]]:
        classes = self._named(self._classes_of(some))
        others = [_some(self._of(own), _FEW) for own in classes[:_FEW_CLASSES]]
        terms = self._facts.terms(distinct(np.concatenate([some, *others])))
        for inverse in (False, True):
            subjects = [own for own in terms if inverse or not is_literal(own)]
            around = self._kg.walks.relations_at(subjects, inverse)
            yield from ((own, inverse) for own in dict.fromkeys(chain.from_iterable(around)))

    def _end(self, relation: Term, inverse: bool) -> tuple[Ids, Ids]:
        """What a hop leads to, and the classes of that."""
        hop = (relation, inverse)
        if hop not in self._ends:
            facts = self._facts
            things = facts.having(relation) if inverse else facts.reached(relation)
            self._ends[hop] = (things, self._classes_of(things))
        return self._ends[hop]

    def _classes_of(self, ids: Ids) -> Ids:
        found = [self._facts.step(ids, kind, False).targets for kind in self._kg.profile.types]
        return distinct(np.concatenate([ids[:0], *found]))

    def _every_class(self) -> Sequence[str]:
        if not self._kg.pinned:
            words = self._kg.labels.vocabulary()
            return list(dict.fromkeys(own.term for own in words if not own.relation))
        found = [self._facts.reached(kind) for kind in self._kg.profile.types]
        return self._named(distinct(np.concatenate([_NO_ONE, *found])))

    def _named(self, classes: Ids) -> list[str]:
        """The classes that a query can name."""
        return sorted(own for own in self._facts.terms(classes) if is_iri(own))

    def _measured(self, ids: Ids, least: float = 0.5) -> frozenset[Measure]:
        kinds = self._facts.measured(_some(ids, _SEVERAL)).kinds
        measures: tuple[tuple[Measure, int], ...] = (("number", NUMBER), ("date", DATE))
        return frozenset(
            name for name, kind in measures if len(kinds) and (kinds == kind).mean() >= least
        )

    # Names

    def _relation(self, step: Step | Domain) -> Term:
        name = step.id or (step.domain if isinstance(step, Domain) else step.relation)
        if ("relation", name) not in self._terms:
            bound = bind(self._kg, Query(start=Domain(domain=name)))
            self._terms["relation", name] = bound.relations[name]
        return self._terms["relation", name]

    def _class(self, name: str, term: str) -> Term | None:
        if ("class", term or name) not in self._terms:
            class_ = bind(self._kg, Query(start=of_class(name, term))).class_of(name, term)
            if class_ is None:
                return None
            self._terms["class", term or name] = class_
        return self._terms["class", term or name]


def _readings(
    value: Value, text: str, thing: Term | None, compared: Term | None
) -> frozenset[Reading]:
    """What a mention can be: a thing by its term, a value by its text where that is not a thing."""
    readings: set[Reading] = set()
    if thing is not None:
        readings.add("thing")
    if all(term is None or is_literal(term) for term in (thing, compared)):
        operand = operand_of(text if value.value is None else value.value, value.unit, _NO_ONE)
        sizes: tuple[tuple[Reading, float | None], ...] = (
            ("number", operand.number),
            ("date", operand.date),
        )
        readings |= {reading for reading, size in sizes if size is not None}
    return frozenset(readings)


def _shape(query: Query) -> Query:
    """What a set is made of, without the conditions on it and what is told of it."""
    start = query.start
    if isinstance(start, Query):
        start = _shape(start)
    elif isinstance(start, AnyOf):
        start = AnyOf(any=tuple(map(_shape, start.any)))
    fields = ("steps", "of_class", "class_id", "group")
    return Query(start=start).model_copy(update={name: getattr(query, name) for name in fields})


def _last_hop(query: Query) -> Step | None:
    """The hop that leads to the members, where they were not narrowed to a class since."""
    if query.group:
        return query.group[-1]
    if query.of_class or query.class_id:
        return None
    if query.steps:
        return query.steps[-1]
    return _last_hop(query.start) if isinstance(query.start, Query) else None


def _some(ids: Ids, most: int) -> Ids:
    """At most so many of a set, evenly spread over it."""
    return ids if len(ids) <= most else ids[:: -(-len(ids) // most)]


def _meet(one: Ids, other: Ids) -> bool:
    """Whether two sets share anything."""
    few, many = (one, other) if len(one) <= len(other) else (other, one)
    if not len(few):
        return False
    places = np.minimum(np.searchsorted(many, few), len(many) - 1)
    return bool((many[places] == few).any())
