"""What may come next at each point of a query: the choices that the grammar is made of."""

from collections.abc import Mapping, Sequence

from .actions import Kind
from .choices import (
    Choice,
    Choices,
    Needs,
    hop,
    hops_to,
    is_any,
    leads,
    mark,
    named,
    only,
    pointer,
)
from .normal import ANYTHING, follows, is_bare, of_class
from .places import MOST_OPEN, Place
from .schema import Schema
from .tree import Agg, Domain, Op, Query, Start

ORDERS: Mapping[str, Op] = {
    "equal": "=",
    "unequal": "!=",
    "less": "<",
    "greater": ">",
    "atmost": "<=",
    "atleast": ">=",
}
WORDINGS: Mapping[str, Op] = {"starts": "starts", "ends": "ends", "contains": "contains"}
PRESENCE: Mapping[str, Op] = {"exists": "exists", "missing": "not exists"}
AGGREGATES: tuple[Agg, ...] = ("count", "sum", "avg", "min", "max")

ORDER_KINDS: tuple[Kind, ...] = ("equal", "unequal", "less", "greater", "atmost", "atleast")
_WORDINGS: tuple[Kind, ...] = ("starts", "ends", "contains")
_EXTREMES: tuple[Kind, ...] = ("most", "least")
OPERAND = 4
"""Actions of an operand that is always to be had: the number of another set."""


def operations(query: Query, place: Place) -> Choices:
    """What may come after a set that is whole as it is."""
    least, is_inner = place.close + 1, place.open < MOST_OPEN
    choices = list[Choice]()
    if is_bare(query) and isinstance(query.start, tuple):
        choices.append(_mention(place, query.start))
    if place.has_room(query, "steps"):
        choices += _steps(query, place)
    if place.has_room(query, "of_class"):
        choices.append(named("class", least, lambda schema: _classes(schema, query, place)))
    if place.has_room(query, "filters"):
        choices += [hop("where", least + 1, query), _mark_itself(query, place)]
    if is_inner and place.has_room(query, "also"):
        choices.append(mark("and", least + 2))
    if is_inner and place.has_room(query, "without"):
        choices.append(mark("not", least + 2))
    if place.has_room(query, "group"):
        choices.append(hop("group", least, query, place.suiting))
    if follows(query, "having"):
        choices.append(mark("having", least + 3, _numbered))
    return (*choices, *_extremes(query, place), *_forms(query, place), *_closers(query, place))


def _classes(schema: Schema, query: Query, place: Place) -> list[str]:
    """The classes whose members are what is needed, or can become so."""
    if place.is_free(schema):
        return list(schema.classes(query))
    node = query if follows(query, "of_class") else Query(start=query)
    kept = {name: node.model_copy(update={"of_class": name}) for name in schema.classes(query)}
    return [name for name, members in kept.items() if place.suits(schema, members)]


def _steps(query: Query, place: Place) -> Choices:
    if place.needs is None:
        return (hop("step", place.close + 1, query),)
    return hops_to("step", place.ending, query, place.is_fit, place.suits)


def _closers(query: Query, place: Place) -> Choices:
    least = {"end": place.rest + 1, "or": place.rest + 3}
    return tuple(
        mark(kind, least[kind], lambda schema: place.is_fit(schema, query))
        for kind in place.closers
    )


def starts(place: Place) -> Choices:
    """What a set may begin with."""
    least = place.close + 1

    def classes(schema: Schema) -> Sequence[str]:
        names = schema.classes(None)
        if place.is_free(schema):
            return names
        return [own for own in names if suits(schema, of_class(own))]

    def relations(schema: Schema) -> Sequence[str]:
        names = schema.relations()
        if place.is_free(schema):
            return names
        return [own for own in names if suits(schema, Domain(domain=own))]

    def suits(schema: Schema, start: Start) -> bool:
        return place.suits(schema, Query(start=start))

    choices = [
        _mention(place),
        named("class", least, classes),
        mark("class", least, lambda schema: suits(schema, of_class(ANYTHING))),
        named("has", least, relations),
    ]
    free = [
        mark("answers", least, lambda schema: "answers" in schema.earlier),
        mark("topics", least, lambda schema: "topics" in schema.earlier),
        mark("part", least + 1, lambda schema: schema.parts),
    ]
    if place.open < MOST_OPEN:
        free.append(mark("any", least + 4))
    return (*choices, *only(free, place.is_free))


def _mention(place: Place, before: tuple[int, ...] = ()) -> Choice:
    """A pointer to a thing, after those that the set already begins at."""

    def allowed(schema: Schema, own: int) -> bool:
        is_thing = "thing" in schema.mentions[own]
        return is_thing and place.suits(schema, Query(start=(*before, own)))

    return pointer(place.close + 1, allowed, before[-1] + 1 if before else 0)


def _mark_itself(query: Query, place: Place) -> Choice:
    """That the members themselves are compared."""
    least = place.close + 3 + OPERAND
    return mark("where", least, lambda schema: _has_operand(schema, place))


def comparisons(values: Query, place: Place, *, year: bool = False) -> Choices:
    """How values may be compared with something."""
    needs = a_date if year else measures_of(values)
    orders = orderings(place, needs)
    if year:
        return orders

    def is_dated(schema: Schema) -> bool:
        return "date" in schema.measures(values) and _has_operand(schema, place, a_date)

    return (
        mark("year", place.close + 2 + OPERAND, is_dated),
        *orders,
        *(mark(kind, place.close + 2, lambda schema: schema.mentions) for kind in _WORDINGS),
    )


def orderings(place: Place, needs: Needs, *, strict: bool = False) -> Choices:
    """The comparisons for which there is something to compare with.

    With `strict` what is equal is needed too; else anything can be equal.
    """

    def order(kind: Kind) -> Choice:
        wanted = needs if strict else needed(ORDERS[kind], needs)
        return mark(
            kind, place.close + 1 + OPERAND, lambda schema: _has_operand(schema, place, wanted)
        )

    return tuple(map(order, ORDER_KINDS))


def needed(op: Op, needs: Needs) -> Needs | None:
    """What something has to be so that values are compared so: anything can be equal."""
    return None if op in ("=", "!=") else needs


def operands(place: Place, needs: Needs | None = None) -> Choices:
    """What values are compared with: a mention, or what another set comes to."""

    def allowed(schema: Schema, own: int) -> bool:
        if needs is None:
            return True
        readings, wanted = schema.mentions[own], needs(schema)
        return bool(readings & wanted) or ("count" in wanted and "number" in readings)

    def is_begun(schema: Schema) -> bool:
        inner = place.within(place.close, "value", needs=needs)
        return inner.is_free(schema) or is_any(starts(inner), schema)

    mention = pointer(place.close + 1, allowed)
    if place.open == MOST_OPEN:
        return (mention,)
    return (mention, mark("value", place.close + OPERAND, is_begun))


def _has_operand(schema: Schema, place: Place, needs: Needs | None = None) -> bool:
    is_wanted = needs is None or bool(needs(schema))
    return is_wanted and is_any(operands(place, needs), schema)


def any_mention(place: Place) -> Choice:
    """A pointer to any mention, as a text."""
    return pointer(place.close + 1, lambda schema, own: True)


def among_those(place: Place) -> Choices:
    """That only values of some set are taken."""
    return (mark("among", place.close + 4),) if place.open < MOST_OPEN else ()


def many(place: Place) -> Choices:
    """That it is counted how many values there are."""
    least = place.close + 2 + OPERAND
    return (mark("many", least, lambda schema: _has_operand(schema, place, a_count)),)


def presence(place: Place) -> Choices:
    """Whether there is a value."""
    return (mark("exists", place.close + 1), mark("missing", place.close + 1))


def a_count(_: Schema) -> frozenset[str]:
    """That a number is needed, whatever the graph holds."""
    return frozenset({"count"})


def a_date(_: Schema) -> frozenset[str]:
    """That a date is needed."""
    return frozenset({"date"})


def measures_of(values: Query) -> Needs:
    """That what some values are is needed."""
    return lambda schema: schema.measures(values)


def _numbered(schema: Schema) -> bool:
    return any("number" in readings for readings in schema.mentions)


def _extremes(query: Query, place: Place) -> Choices:
    is_plain = place.has_room(query, "extreme")
    is_grouped = follows(query, "extreme", aggregate=True)

    def is_sized(schema: Schema) -> bool:
        return is_grouped or bool(schema.measures(query))

    choices = list[Choice]()
    for kind in _EXTREMES:
        if is_plain:
            choices.append(hop(kind, place.close + 2, query))
        if is_plain or is_grouped:
            choices.append(mark(kind, place.close + 2, is_sized))
    return tuple(choices)


def ranks(close: int) -> Choices:
    """Which of the members are kept, where that is not the first place."""
    return (mark("first", close + 2), mark("place", close + 2))


def ungrouped(query: Query) -> Query:
    """The members of the keys of a group."""
    return query.model_copy(update={"group": (), "having": (), "extreme": None})


def aggregates(members: Query, least: int) -> Choices:
    """The aggregates that there may be over members, or over what they lead to."""
    choices = list[Choice]()
    for agg in AGGREGATES:
        if agg == "count":
            choices += [mark(agg, least + 1), hop(agg, least + 1, members)]
        else:
            choices.append(mark(agg, least + 1, lambda schema: are_numbers(schema, members)))
            choices += hops_to(agg, least, members, are_numbers, near_numbers)
    return tuple(choices)


def are_numbers(schema: Schema, values: Query) -> bool:
    """Whether values are numbers."""
    return "number" in schema.measures(values)


def near_numbers(schema: Schema, values: Query) -> bool:
    """Whether values are numbers, or lead to some."""
    return leads(schema, values, frozenset({"number"}))


def _forms(query: Query, place: Place) -> Choices:
    """What may be told of a set."""
    if place.form == "part":
        return ()

    def is_counted(schema: Schema) -> bool:
        return place.is_free(schema)

    def is_summed(schema: Schema) -> bool:
        fits = place.needs is None or "number" in place.needs(schema)
        return fits and are_numbers(schema, query)

    ending = place.ending
    choices = [mark("count", ending + 1, is_counted)]
    if query.steps and not query.group:
        choices += [mark(agg, ending + 1, is_summed) for agg in AGGREGATES if agg != "count"]
    if place.form == "whole":
        choices += [mark("yesno", ending + 1), mark("to", ending + 3), *column_starts(query, place)]
    return tuple(choices)


def column_starts(query: Query, place: Place) -> Choices:
    """What may be shown of each member."""
    least = place.ending + 2
    if query.group:
        return hop("column", place.ending + 1, query), mark("column", least)
    counted = mark("column", least, lambda schema: schema.hops(query))
    return hop("column", place.ending + 1, query), counted


def column_aggregates(query: Query, place: Place) -> Choices:
    """What may be computed of each member: of a key of a group over what is in it."""
    if query.group:
        return aggregates(ungrouped(query), place.ending)
    return (hop("count", place.ending + 1, query),)
