"""What the schema of a graph lets come next: a protocol, and the schema of its facts.

The members that a set may have are followed through its starts, hops and classes, as arrays.
Conditions are left out, since they only remove members. Where none are left, all that is at the end
of the last relation, or in the class, counts: a query may come to nothing, and is still legal.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Literal, Protocol, TypeAlias

import numpy as np

from ..errors import QuestionError, ShortageError
from ..kg.stores.sparql.store import End
from ..kg.terms import Term, is_literal
from .binding import Mention, bind
from .comparison import operand_of
from .execute import SECONDS
from .facts import Facts, Ids, distinct
from .normal import MentionValue
from .schema_tables import (
    FEW,
    MANY,
    NO_ONE,
    GraphTables,
    ValueType,
    evenly_sampled,
    measures_of_ends,
)
from .tree import (
    ANYTHING,
    AnyOf,
    Domain,
    EarlierSet,
    Entity,
    Filter,
    Last,
    OfClass,
    Part,
    Query,
    Start,
    Step,
)

Reading: TypeAlias = Literal["thing", "number", "date"]
"""What a mention can be: a thing that a set may begin at, or a value that has an order."""


class Schema(Protocol):
    """What a query about some mentions may say.

    A set is passed as the query so far. What may come next follows from what its members are, never
    from whether there are any.
    """

    @property
    def mentions(self) -> Sequence[frozenset[Reading]]:
        """What each mention can be; any of them can be a text."""
        ...

    @property
    def earlier(self) -> frozenset[EarlierSet]:
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

    def measures(self, members: Query) -> frozenset[ValueType]:
        """What the members are if they are values that have an order; nothing if they are not."""
        ...


class GraphSchema:
    """The schema of a graph, about some mentions.

    Its methods raise ServiceError and ShortageError as `Facts` does, and QuestionError for names
    that are not known.
    """

    def __init__(
        self,
        facts: Facts | GraphTables,
        mentions: Sequence[Mention | str] = (),
        *,
        values: Mapping[int, MentionValue] | None = None,
        earlier: Mapping[EarlierSet, Sequence[Term]] | None = None,
        parts: Sequence[Sequence[Term]] = (),
    ) -> None:
        """`values` are those of mentions; `earlier` and `parts` the terms that such sets begin at.

        With tables instead of facts, what they know of the graph already is not read again.
        """
        self._tables = GraphTables(facts) if isinstance(facts, Facts) else facts
        self._facts = self._tables.facts
        self._kg = self._tables.kg
        self._earlier = earlier or {}
        self._parts = parts
        self._things: list[Term | None] = []
        self.mentions: list[frozenset[Reading]] = []
        """What each mention can be."""
        self.earlier: frozenset[EarlierSet] = frozenset(self._earlier)
        """The sets of the conversation that there are."""
        self.parts = len(parts)
        """How many plain questions there are."""
        for number, mention in enumerate(mentions):
            mention = Mention(mention) if isinstance(mention, str) else mention
            value = (values or {}).get(number, MentionValue())
            thing, compared = self._term_of(mention), self._compared(mention)
            self._things.append(thing)
            self.mentions.append(_readings(value, mention.text, thing, compared))
        self._tables.look_ahead([thing for thing in self._things if thing is not None])
        self._sets: dict[Query, _Set] = {}

    def relations(self) -> Sequence[str]:
        """Every relation, the most used first."""
        return self._tables.relations

    def classes(self, members: Query | None) -> Sequence[str]:
        """The classes that members have; with None every class."""
        if members is None:
            return self._tables.every_class()
        of = self._set(members)
        if of.classes is None:
            self._facts.limit(SECONDS)
            of.classes = self._classes_of(of.shape)
        return of.classes

    def _classes_of(self, shape: Query) -> Sequence[str]:
        if ends := self._far_ends(shape):
            return self._tables.classes_of_ends(ends)
        ids = self._members(shape)
        if ids is None:
            return self._tables.every_class()
        return self._tables.named_above(self._tables.classes_of(evenly_sampled(ids, MANY)))

    def hops(self, members: Query) -> Sequence[tuple[str, bool]]:
        """The relations at members, and those that others of their classes have."""
        members_ = self._set(members)
        if members_.hops is None:
            self._facts.limit(SECONDS)
            hops = self._tables.hops_of_ends(
                self._far_ends(members_.shape), members_.shape.steps[-1:]
            )
            members_.hops = hops or self._tables.hops(self._members(members_.shape))
        return members_.hops

    def _far_ends(self, query: Query) -> Sequence[End]:
        """Of a set at an endpoint that is no topic nor next to one: its classes, or datatypes.

        Nothing where they are not known: then members are followed.
        """
        remote, start = self._tables.remote, query.start
        is_class = isinstance(start, OfClass)
        if remote is None or query.group or (len(query.steps) < 2 and not is_class):
            return ()
        if query.of_class or query.class_id:
            class_ = self._tables.class_of(query.of_class, query.class_id)
            return [End(class_, False)] if class_ else ()
        if not query.steps:
            class_ = self._tables.class_of(start.name, start.id) if is_class else None
            return [End(class_, False)] if class_ else ()
        before, last = query.steps[:-1], query.steps[-1]
        inner = query.model_copy(update={"steps": before})
        if is_class or len(before) > 1:
            ends = self._far_ends(inner)
        else:
            ids = self._members(inner)
            classes = () if ids is None else self._tables.named(self._tables.classes_of(ids))
            ends = [End(term, False) for term in classes]
        return remote.ends(ends, self._tables.relation(last), last.inverse)

    def measures(self, members: Query) -> frozenset[ValueType]:
        """What all members are; after a hop, what most are that the relation leads to."""
        of = self._set(members)
        if of.measures is None:
            self._facts.limit(SECONDS)
            of.measures = self._measured(of.shape)
        return of.measures

    def _measured(self, shape: Query) -> frozenset[ValueType]:
        step = _last_hop(shape)
        if step is not None and self._kg.pinned:
            return self._tables.measures_at(self._tables.relation(step), step.inverse)
        ends = self._far_ends(shape)
        if ends and (measures := measures_of_ends(ends)) is not None:
            return measures
        ids = self._members(shape)
        return frozenset() if ids is None else self._tables.measured(ids, least=1.0)

    # Mentions

    def _term_of(self, mention: Mention) -> Term | None:
        """The term that a set begins at."""
        try:
            return bind(self._kg, Query(start=(0,)), [mention]).mentioned(0).term
        except QuestionError:
            return None

    def _compared(self, mention: Mention) -> Term | None:
        """The term that values are compared with."""
        query = Query(start=OfClass(name=ANYTHING), filters=(Filter(op="=", mention=0),))
        return bind(self._kg, query, [mention]).mentioned(0).term

    # Sets

    def _members(self, query: Query) -> Ids | None:
        """What may be in a set; None where that is anything."""
        of = self._set(query)
        if not of.is_followed:
            of.members, of.is_followed = self._ids_reached(of.shape), True
        return of.members

    def _set(self, query: Query) -> "_Set":
        known = self._sets.get(query)
        if known is None:
            shape = _shape(query)
            known = self._sets[query] = self._sets.setdefault(shape, _Set(shape))
        return known

    def _ids_reached(self, query: Query) -> Ids | None:
        if query.group:
            before = query.model_copy(update={"group": query.group[:-1]})
            return self._along(self._members(before), query.group[-1])
        if query.of_class or query.class_id:
            before = query.model_copy(update={"of_class": "", "class_id": ""})
            return self._in_class(self._members(before), query)
        if query.steps:
            before = query.model_copy(update={"steps": query.steps[:-1]})
            return self._along(self._members(before), query.steps[-1])
        return self._started(query.start)

    def _started(self, start: Start) -> Ids | None:
        match start:
            case tuple():
                return self._ids_of([self._things[number] for number in start])
            case Entity():
                bound = bind(self._kg, Query(start=start))
                return self._ids_of(list(bound.entities.values()))
            case OfClass(name=name, id=term):
                class_ = self._tables.class_of(name, term)
                return None if class_ is None else self._tables.members(class_)
            case Domain() as domain:
                return (
                    self._tables.end(self._tables.relation(domain), True)[0]
                    if self._tables.is_whole
                    else None
                )
            case AnyOf(any=queries):
                sets = [ids for inner in queries if (ids := self._members(inner)) is not None]
                return reduce(np.union1d, sets) if len(sets) == len(queries) else None
            case Last(last=what):
                return self._ids_of(self._earlier.get(what, ()))
            case Part(part=number):
                return self._ids_of(self._parts[number])
            case Query():
                return self._members(start)

    def _ids_of(self, terms: Sequence[Term | None]) -> Ids:
        wanted = [term for term in terms if term is not None]
        stands_for = self._kg.representatives(wanted)
        return self._facts.ids(stands_for[term] for term in wanted)

    def _along(self, ids: Ids | None, step: Step) -> Ids | None:
        relation = self._tables.relation(step)
        if not self._tables.is_whole:
            near = NO_ONE if ids is None else evenly_sampled(ids, FEW)
            targets = self._facts.step(near, relation, step.inverse).targets
            return distinct(targets) if len(targets) else None
        all_targets, _ = self._tables.end(relation, step.inverse)
        if ids is None:
            return all_targets
        try:
            targets = self._facts.step(ids, relation, step.inverse).targets
        except ShortageError:
            return all_targets
        return distinct(targets) if len(targets) else all_targets

    def _in_class(self, ids: Ids | None, query: Query) -> Ids | None:
        class_ = self._tables.class_of(query.of_class, query.class_id)
        if class_ is None:
            return ids
        members = self._tables.members(class_)
        common = members if ids is None else np.intersect1d(ids, members, assume_unique=True)
        return common if len(common) else members


@dataclass
class _Set:
    """What is known of the sets of one shape; None for what was not asked yet."""

    shape: Query
    members: Ids | None = None
    """None too where they may be anything."""
    is_followed: bool = False
    """Whether the members are known."""
    classes: Sequence[str] | None = None
    hops: Sequence[tuple[str, bool]] | None = None
    measures: frozenset[ValueType] | None = None


def _readings(
    value: MentionValue, text: str, entity: Term | None, compared: Term | None
) -> frozenset[Reading]:
    """What a mention can be: a thing by its term; a value by its text, unless that is a thing."""
    readings: set[Reading] = set()
    if entity is not None:
        readings.add("thing")
    if all(term is None or is_literal(term) for term in (entity, compared)):
        operand = operand_of(text if value.value is None else value.value, value.unit)
        readings |= {"number"} if operand.number is not None else set()
        readings |= {"date"} if operand.date is not None else set()
    return frozenset(readings)


def _shape(query: Query) -> Query:
    """The hops and classes of a set, without its conditions and its answer."""
    start = query.start
    if isinstance(start, Query):
        start = _shape(start)
    elif isinstance(start, AnyOf):
        start = AnyOf(any=tuple(map(_shape, start.any)))
    fields = ("steps", "of_class", "class_id", "group")
    return _BARE.model_copy(update={"start": start} | {f: getattr(query, f) for f in fields})


_BARE = Query(start=(0,))


def _last_hop(query: Query) -> Step | None:
    """The hop that leads to the members, where they were not narrowed to a class since."""
    if query.group:
        return query.group[-1]
    if query.of_class or query.class_id:
        return None
    if query.steps:
        return query.steps[-1]
    return _last_hop(query.start) if isinstance(query.start, Query) else None
