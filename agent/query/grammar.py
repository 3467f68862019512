"""The grammar of a query, as `agent/decoding/wire.py` writes it down, read one action at a time.

Its rules are generators. Each yields the choices that there are, or a function that makes them, is
sent the action that was taken, and returns the part of the tree that it read. So the same rules
read a whole query and continue a partial one. Whatever may come next can still be ended.
"""

from collections.abc import Callable, Generator
from functools import partial
from typing import Any, TypeAlias, TypeVar, cast

from .actions import (
    Action,
    Choice,
    Choices,
    Closer,
    SetContext,
    Suits,
    along,
    hop,
    hops_to,
    mark,
    number,
    pointer,
    under_condition,
)
from .choices import (
    OPERAND,
    ORDER_KINDS,
    ORDERS,
    PRESENCE,
    WORDINGS,
    a_count,
    a_year,
    aggregates,
    among_those,
    any_mention,
    are_numbers,
    column_aggregates,
    column_starts,
    comparisons,
    measures_of,
    near_numbers,
    needed,
    operands,
    operations,
    orderings,
    presence,
    ranks,
    starts,
    ungrouped,
    value_count,
)
from .normal import follows, measured
from .tree import (
    ANYTHING,
    Agg,
    AnyOf,
    Column,
    Domain,
    Extreme,
    Filter,
    Having,
    Last,
    OfClass,
    Part,
    Query,
    Start,
    Step,
)

T = TypeVar("T")
Offered: TypeAlias = Choices | Callable[[], Choices]
"""Choices, or what makes them: only those after the last action are ever looked at."""
Moves: TypeAlias = Generator[Offered, Action, T]
Walk: TypeAlias = tuple[Step, ...]


def whole_query() -> Moves[Query]:
    """A whole query, its end included."""
    query, _ = yield from _set(SetContext("whole", ("end",), actions_after=0))
    return query


# Sets


def _set(context: SetContext) -> Moves[tuple[Query, Closer]]:
    """A set up to what closes it, and that."""
    query = yield from _start(context)
    action = yield partial(operations, query, context)
    while True:
        match action.kind:
            case "end" | "or":
                return query, action.kind
            case "pointer":
                numbers = (*cast("tuple[int, ...]", query.start), _number(action))
                query = query.model_copy(update={"start": numbers})
            case "step":
                query = context.added(query, "steps", _hop(action))
            case "class":
                node = context.opened(query, "of_class")
                query = node.model_copy(update={"of_class": action.name})
            case "where":
                condition = yield from _condition(query, action, context)
                query = context.added(query, "filters", condition)
            case "and" | "not":
                inner, _ = yield from _set(context.within(context.close))
                query = context.added(query, "also" if action.kind == "and" else "without", inner)
            case "having":
                condition = yield from _having(query, context)
                query = context.added(query, "having", condition)
            case "group":
                query, action = yield from _group(query, action, context)
                continue
            case "most" | "least":
                query, action = yield from _extreme(query, action, context)
                continue
            case "column":
                return (yield from _columns(query, action, context)), "end"
            case "yesno":
                return (yield from _truth(query, context)), "end"
            case "to":
                inner, _ = yield from _set(context.within(context.ending))
                yield (mark("end", context.ending),)
                return query.model_copy(update={"to": inner, "answer": "connection"}), "end"
            case _:
                yield (mark("end", context.ending),)
                return query.model_copy(update={"answer": action.kind}), "end"
        action = yield partial(operations, query, context)


def _start(context: SetContext) -> Moves[Query]:
    action = yield partial(starts, context)
    match action.kind:
        case "pointer":
            start: Start = (_number(action),)
        case "class":
            start = OfClass(name=action.name or ANYTHING)
        case "has":
            start = Domain(domain=action.name)
        case "any":
            start = AnyOf(any=(yield from _alternatives(context)))
        case "part":
            action = yield (number(context.close + 1, 0, lambda schema: schema.parts),)
            start = Part(part=_number(action))
        case kind:
            start = Last(last="answers" if kind == "answers" else "topics")
    return Query(start=start)


def _alternatives(context: SetContext) -> Moves[tuple[Query, ...]]:
    query, _ = yield from _set(context.within(context.close, closers=("or",)))
    queries, closer = [query], "or"
    while closer == "or":
        query, closer = yield from _set(context.within(context.close, closers=("end", "or")))
        queries.append(query)
    return tuple(queries)


# Conditions


def _condition(query: Query, action: Action, context: SetContext) -> Moves[Filter]:
    hops: Walk = ()
    among: Query | None = None
    if not action.name:
        yield (mark("self", context.close + 2 + OPERAND),)
        action = yield partial(comparisons, query, context)
    else:

        def compared(walk: Walk) -> Choices:
            values = along(query, *walk)
            return (*value_count(context), *presence(context), *comparisons(values, context))

        hops, action = yield from _walk(
            query, action, context.close + 1, lambda walk: (*among_those(context), *compared(walk))
        )
        if action.kind == "among":
            among, _ = yield from _set(context.within(context.close + 1))
            action = yield partial(compared, hops)
    values, special = along(query, *hops), action.kind
    if special == "many":
        action = yield partial(orderings, context, a_count, strict=True)
    elif special == "year":
        action = yield partial(comparisons, values, context, year=True)
    is_many, date_part = special == "many", "year" if special == "year" else ""
    fields: dict[str, Any] = {**measured(hops), "among": among, "count": is_many, "of": date_part}
    if action.kind in PRESENCE:
        return Filter(**fields, op=PRESENCE[action.kind])
    if action.kind in WORDINGS:
        op = WORDINGS[action.kind]
        action = yield (any_mention(context),)
        return Filter(**fields, op=op, mention=_number(action))
    op = ORDERS[action.kind]
    needs = a_count if is_many else needed(op, a_year if date_part else measures_of(values))
    action = yield partial(operands, context, needs)
    if action.kind == "pointer":
        return Filter(**fields, op=op, mention=_number(action))
    value, _ = yield from _set(context.within(context.close, "value", needs=needs))
    return Filter(**fields, op=op, value=value)


# Groups and extremes


def _group(query: Query, action: Action, context: SetContext) -> Moves[tuple[Query, Action]]:
    """The keys of a group, and the action after it."""
    node = context.opened(query, "group")

    def onward(walk: Walk) -> Choices:
        return operations(node.model_copy(update={"group": walk}), context)

    walk, action = yield from _walk(node, action, context.close, onward, suits=context.suiting)
    return node.model_copy(update={"group": walk}), action


def _having(query: Query, context: SetContext) -> Moves[Having]:
    members = ungrouped(query)
    orders = tuple(mark(kind, context.close + 2) for kind in ORDER_KINDS)
    action = yield partial(aggregates, members, context.close + 2)
    agg, of, action = yield from _aggregate(members, action, context.close + 2, lambda _: orders)
    op = cast("Any", ORDERS[action.kind])
    action = yield (pointer(context.close + 1, lambda schema, n: "number" in schema.mentions[n]),)
    return Having(agg=agg, of=of, op=op, mention=_number(action))


def _extreme(query: Query, action: Action, context: SetContext) -> Moves[tuple[Query, Action]]:
    """The set with an extreme, and the action after it."""
    most, close = action.kind == "most", context.close
    if action.name:
        node = context.opened(query, "extreme")
        fields, action = yield from _sized(node, action, context, most)
    else:
        members = ungrouped(query)
        action = yield partial(_extreme_of, query, context)
        is_itself = action.kind == "self"
        node = context.opened(query, "extreme", aggregate=not is_itself)
        fields: dict[str, Any] = {} if is_itself else {"agg": action.kind}

        def onward(_: Walk) -> Choices:
            return _ranked(node, context, most, fields)

        if is_itself:
            action = yield partial(onward, ())
        else:
            _, of, action = yield from _aggregate(members, action, close, onward)
            fields["of"] = of
    if action.kind in ("first", "place"):
        rank = yield (number(close + 1, 2),)
        fields["n" if action.kind == "first" else "place"] = _number(rank)
        action = yield partial(operations, _with(node, most, fields), context)
    return _with(node, most, fields), action


def _extreme_of(query: Query, context: SetContext) -> Choices:
    """What members, or keys, may be ranked by, where that is no walk of theirs."""
    choices = list[Choice]()
    if context.has_room(query, "extreme"):
        choices.append(mark("self", context.close + 1, measures_of(query)))
    if follows(query, "extreme", aggregate=True):
        choices += aggregates(ungrouped(query), context.close)
    return tuple(choices)


def _sized(
    node: Query, action: Action, context: SetContext, most: bool
) -> Moves[tuple[dict[str, Any], Action]]:
    """What the members are ranked by, and the action after it."""
    close = context.close

    def sized(walk: Walk) -> Choices:
        onward = under_condition(
            _ranked(node, context, most, measured(walk)), measures_of(along(node, *walk))
        )
        return (mark("many", close + 1), *onward)

    walk, action = yield from _walk(
        node, action, close + 1, lambda walk: (*among_those(context), *sized(walk))
    )
    fields = measured(walk)
    if action.kind == "among":
        fields["among"], _ = yield from _set(context.within(close + 1))
        action = yield partial(sized, walk)
    if action.kind == "many":
        fields["count"] = True
        action = yield partial(_ranked, node, context, most, fields)
    return fields, action


def _ranked(node: Query, context: SetContext, most: bool, fields: dict[str, Any]) -> Choices:
    """What may come after the value of an extreme."""
    return (*ranks(context.close), *operations(_with(node, most, fields), context))


def _with(query: Query, most: bool, fields: dict[str, Any]) -> Query:
    return query.model_copy(update={"extreme": Extreme(most=most, **fields)})


def _aggregate(
    members: Query, action: Action, least: int, onward: Callable[[Walk], Choices]
) -> Moves[tuple[Agg, Walk, Action]]:
    """An aggregate that was begun, and the action after it."""
    agg = cast("Agg", action.kind)
    if not action.name:
        return agg, (), (yield partial(onward, ()))
    if agg == "count":
        walk, action = yield from _walk(members, action, least, onward)
        return agg, walk, action

    def summed(walk: Walk) -> Choices:
        values = along(members, *walk)
        return under_condition(onward(walk), lambda schema: are_numbers(schema, values))

    walk, action = yield from _walk(members, action, least, summed, ends_in_numbers=True)
    return agg, walk, action


# Answers


def _truth(query: Query, context: SetContext) -> Moves[Query]:
    further_sets = list[Query]()
    while True:
        action = yield (mark("all", context.ending + 3), mark("end", context.ending))
        if action.kind == "end":
            return query.model_copy(update={"every": tuple(further_sets), "answer": "yesno"})
        inner, _ = yield from _set(context.within(context.ending))
        further_sets.append(inner)


def _columns(query: Query, action: Action, context: SetContext) -> Moves[Query]:
    columns, onward = list[Column](), (*column_starts(query, context), mark("end", context.ending))
    while action.kind == "column":
        if action.name:
            walk, action = yield from _walk(query, action, context.ending, lambda _: onward)
            columns.append(Column(steps=walk))
        else:
            action = yield partial(column_aggregates, query, context)
            members = ungrouped(query)
            agg, of, action = yield from _aggregate(
                members, action, context.ending, lambda _: onward
            )
            columns.append(Column(agg=agg, of=of))
    return query.model_copy(update={"columns": tuple(columns)})


# Hops


def _walk(
    members: Query,
    action: Action,
    least: int,
    onward: Callable[[Walk], Choices],
    *,
    suits: Suits | None = None,
    ends_in_numbers: bool = False,
) -> Moves[tuple[Walk, Action]]:
    """The hops that begin with an action, and the action after them.

    `least` actions have to come at least after a hop. With `suits` each leads to a set that does.
    """

    def further(walk: Walk) -> Choices:
        values = along(members, *walk)
        hops: Choices = (hop("then", least + 1, values, suits),)
        if ends_in_numbers:
            hops = hops_to("then", least, values, are_numbers, near_numbers)
        return (*hops, *onward(walk))

    walk: Walk = (_hop(action),)
    while True:
        action = yield partial(further, walk)
        if action.kind != "then":
            return walk, action
        walk = (*walk, _hop(action))


def _hop(action: Action) -> Step:
    return Step(relation=action.name, inverse=action.inverse)


def _number(action: Action) -> int:
    assert action.number is not None
    return action.number
