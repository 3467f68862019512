"""Which choices there are at each point of a query: of them the grammar is made."""

from collections.abc import Callable, Mapping, Sequence

from .actions import (
    MOST_OPEN,
    Choice,
    Choices,
    Kind,
    Needs,
    SetContext,
    class_action,
    hop,
    hops_to,
    is_any,
    leads,
    mark,
    pointer,
    under_condition,
)
from .normal import follows, is_bare
from .schema import Schema
from .tree import AGGREGATES, ANYTHING, Domain, OfClass, Op, Query, Start

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

ORDER_KINDS: tuple[Kind, ...] = ("equal", "unequal", "less", "greater", "atmost", "atleast")
_WORDINGS: tuple[Kind, ...] = ("starts", "ends", "contains")
_EXTREMES: tuple[Kind, ...] = ("most", "least")
OPERAND = 4
"""Actions of the operand that is always available: the number of another set."""


def operations(query: Query, context: SetContext) -> Choices:
    """What may come after a set that could end here."""
    least, is_inner = context.close + 1, context.open < MOST_OPEN
    choices = list[Choice]()
    if is_bare(query) and isinstance(query.start, tuple):
        choices.append(_mention(context, query.start))
    if context.has_room(query, "steps"):
        choices += _steps(query, context)
    if context.has_room(query, "of_class"):
        choices.append(
            class_action("class", least, lambda schema: _classes(schema, query, context))
        )
    if context.has_room(query, "filters"):
        choices += [hop("where", least + 1, query), _mark_itself(context)]
    if is_inner and context.has_room(query, "also"):
        choices.append(mark("and", least + 2))
    if is_inner and context.has_room(query, "without"):
        choices.append(mark("not", least + 2))
    if context.has_room(query, "group"):
        choices.append(hop("group", least, query, context.suiting))
    if follows(query, "having"):
        choices.append(mark("having", least + 3, _numbered))
    return (
        *choices,
        *_extremes(query, context),
        *_forms(query, context),
        *_closers(query, context),
    )


def _classes(schema: Schema, query: Query, context: SetContext) -> list[str]:
    """The classes whose members are what is needed, or can become so."""
    if context.is_free(schema):
        return list(schema.classes(query))
    node = query if follows(query, "of_class") else Query(start=query)
    members = {name: node.model_copy(update={"of_class": name}) for name in schema.classes(query)}
    return [name for name, of_class in members.items() if context.suits(schema, of_class)]


def _steps(query: Query, context: SetContext) -> Choices:
    if context.needs is None:
        return (hop("step", context.close + 1, query),)
    return hops_to("step", context.ending, query, context.is_fit, context.suits)


def _closers(query: Query, context: SetContext) -> Choices:
    least = {"end": context.actions_after + 1, "or": context.actions_after + 3}
    return tuple(
        mark(kind, least[kind], lambda schema: context.is_fit(schema, query))
        for kind in context.closers
    )


def starts(context: SetContext) -> Choices:
    """What a set may begin with."""
    least = context.close + 1

    def suitable(
        schema: Schema, names: Sequence[str], start: Callable[[str], Start]
    ) -> Sequence[str]:
        if context.is_free(schema):
            return names
        return [name for name in names if context.suits(schema, Query(start=start(name)))]

    def classes(schema: Schema) -> Sequence[str]:
        return suitable(schema, schema.classes(None), lambda name: OfClass(name=name))

    def relations(schema: Schema) -> Sequence[str]:
        return suitable(schema, schema.relations(), lambda name: Domain(domain=name))

    everything = Query(start=OfClass(name=ANYTHING))
    choices = [
        _mention(context),
        class_action("class", least, classes),
        mark("class", least, lambda schema: context.suits(schema, everything)),
        class_action("has", least, relations),
    ]
    free = [
        mark("answers", least, lambda schema: "answers" in schema.earlier),
        mark("topics", least, lambda schema: "topics" in schema.earlier),
        mark("part", least + 1, lambda schema: schema.parts),
    ]
    if context.open < MOST_OPEN:
        free.append(mark("any", least + 4))
    return (*choices, *under_condition(free, context.is_free))


def _mention(context: SetContext, before: tuple[int, ...] = ()) -> Choice:
    """A pointer to a thing, after those that the set already begins at."""

    def allowed(schema: Schema, mention: int) -> bool:
        is_thing = "thing" in schema.mentions[mention]
        return is_thing and context.suits(schema, Query(start=(*before, mention)))

    return pointer(context.close + 1, allowed, before[-1] + 1 if before else 0)


def _mark_itself(context: SetContext) -> Choice:
    """The comparison of the members themselves."""
    least = context.close + 3 + OPERAND
    return mark("where", least, lambda schema: _has_operand(schema, context))


def comparisons(values: Query, context: SetContext, *, year: bool = False) -> Choices:
    """How values may be compared with something."""
    needs = a_year if year else measures_of(values)
    orders = orderings(context, needs)
    if year:
        return orders

    def is_dated(schema: Schema) -> bool:
        return "date" in schema.measures(values) and _has_operand(schema, context, a_year)

    return (
        mark("year", context.close + 2 + OPERAND, is_dated),
        *orders,
        *(mark(kind, context.close + 2, lambda schema: schema.mentions) for kind in _WORDINGS),
    )


def orderings(context: SetContext, needs: Needs, *, strict: bool = False) -> Choices:
    """The comparisons for which there is something to compare with.

    With `strict` what is equal is needed too; else anything can be equal.
    """

    def order(kind: Kind) -> Choice:
        wanted = needs if strict else needed(ORDERS[kind], needs)
        return mark(
            kind, context.close + 1 + OPERAND, lambda schema: _has_operand(schema, context, wanted)
        )

    return tuple(map(order, ORDER_KINDS))


def needed(op: Op, needs: Needs) -> Needs | None:
    """What an operand has to be for a comparison; None for equality, which anything has.

    But a year is equal to a date only. One with its month is later compared whole, by
    `with_whole_dates`.
    """
    return None if op in ("=", "!=") and needs is not a_year else needs


def operands(context: SetContext, needs: Needs | None = None) -> Choices:
    """What values are compared with: a mention, or what another set comes to."""

    def allowed(schema: Schema, mention: int) -> bool:
        if needs is None:
            return True
        readings, wanted = schema.mentions[mention], needs(schema)
        if needs is a_year:
            return "date" in readings
        return bool(readings & wanted) or ("count" in wanted and "number" in readings)

    def is_begun(schema: Schema) -> bool:
        inner = context.within(context.close, "value", needs=needs)
        return inner.is_free(schema) or is_any(starts(inner), schema)

    mention = pointer(context.close + 1, allowed)
    if context.open == MOST_OPEN:
        return (mention,)
    return (mention, mark("value", context.close + OPERAND, is_begun))


def _has_operand(schema: Schema, context: SetContext, needs: Needs | None = None) -> bool:
    is_wanted = needs is None or bool(needs(schema))
    return is_wanted and is_any(operands(context, needs), schema)


def any_mention(context: SetContext) -> Choice:
    """A pointer to any mention, as a text."""
    return pointer(context.close + 1, lambda _, __: True)


def among_those(context: SetContext) -> Choices:
    """The restriction of values to some set."""
    return (mark("among", context.close + 4),) if context.open < MOST_OPEN else ()


def value_count(context: SetContext) -> Choices:
    """The comparison of the number of values."""
    least = context.close + 2 + OPERAND
    return (mark("many", least, lambda schema: _has_operand(schema, context, a_count)),)


def presence(context: SetContext) -> Choices:
    """The conditions that there is a value, or none."""
    return (mark("exists", context.close + 1), mark("missing", context.close + 1))


def a_count(_: Schema) -> frozenset[str]:
    """The need of a number, independent of the graph."""
    return frozenset({"count"})


def a_year(_: Schema) -> frozenset[str]:
    """The need of a year: a date, or dates of a set, of which the year counts."""
    return frozenset({"date"})


def measures_of(values: Query) -> Needs:
    """The need of the same measure as some values have."""
    return lambda schema: schema.measures(values)


def _numbered(schema: Schema) -> bool:
    return any("number" in readings for readings in schema.mentions)


def _extremes(query: Query, context: SetContext) -> Choices:
    is_plain = context.has_room(query, "extreme")
    is_grouped = follows(query, "extreme", aggregate=True)

    def is_sized(schema: Schema) -> bool:
        return is_grouped or bool(schema.measures(query))

    choices = list[Choice]()
    for kind in _EXTREMES:
        if is_plain:
            choices.append(hop(kind, context.close + 2, query))
        if is_plain or is_grouped:
            choices.append(mark(kind, context.close + 2, is_sized))
    return tuple(choices)


def ranks(close: int) -> Choices:
    """Which of the members are kept, where that is not the first context."""
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


def _forms(query: Query, context: SetContext) -> Choices:
    """The answers that a set may have."""
    if context.form == "part":
        return ()

    def is_counted(schema: Schema) -> bool:
        return context.is_free(schema)

    def is_summed(schema: Schema) -> bool:
        fits = context.needs is None or "number" in context.needs(schema)
        return fits and are_numbers(schema, query)

    ending = context.ending
    choices = [mark("count", ending + 1, is_counted)]
    if query.steps and not query.group:
        choices += [mark(agg, ending + 1, is_summed) for agg in AGGREGATES if agg != "count"]
    if context.form == "whole":
        choices += [
            mark("yesno", ending + 1),
            mark("to", ending + 3),
            *column_starts(query, context),
        ]
    return tuple(choices)


def column_starts(query: Query, context: SetContext) -> Choices:
    """What may be shown of each member."""
    least = context.ending + 2
    if query.group:
        return hop("column", context.ending + 1, query), mark("column", least)
    counted = mark("column", least, lambda schema: schema.hops(query))
    return hop("column", context.ending + 1, query), counted


def column_aggregates(query: Query, context: SetContext) -> Choices:
    """What may be computed of each member: of a key of a group over what is in it."""
    if query.group:
        return aggregates(ungrouped(query), context.ending)
    return (hop("count", context.ending + 1, query),)
