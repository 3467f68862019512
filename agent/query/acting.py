"""The actions that say a query."""

from collections.abc import Iterator

from ..decoding.wire import POINTERS
from ..errors import QuestionError
from .actions import Action, Kind
from .automaton import query_of
from .normal import ANYTHING, normal, values_of
from .operations import ORDERS, PRESENCE, WORDINGS
from .tree import (
    AnyOf,
    Column,
    Domain,
    Entity,
    Extreme,
    Filter,
    Having,
    Last,
    Measure,
    OfClass,
    Part,
    Query,
    Start,
    Step,
)

_COMPARISONS: dict[str, Kind] = {
    op: kind
    for kinds in (ORDERS, WORDINGS, PRESENCE)
    for kind, op in kinds.items()  # pyright: ignore[reportAssignmentType]
}
_HINT = "put it into the question, as a mention"


def actions_of(query: Query) -> tuple[Action, ...]:
    """The actions of a query, up to its normal form; `values_of` gives the values beside mentions.

    Raises QuestionError for what they cannot say: things and values that no mention names, and what
    is larger or deeper than a sequence of actions may be.
    """
    wanted = normal(query)
    actions = (*_set(wanted), *_form(wanted), Action("end"))
    if query_of(actions, values_of(wanted)) != wanted:
        raise QuestionError("actions cannot say this query", "say it in a simpler way")
    return actions


def _set(query: Query) -> Iterator[Action]:
    yield from _start(query.start)
    yield from _hops("step", query.steps, then="step")
    if query.of_class:
        yield Action("class", query.of_class)
    for condition in query.filters:
        yield from _filter(condition)
    for other in query.also:
        yield from _inner("and", other)
    for other in query.without:
        yield from _inner("not", other)
    if query.group:
        yield from _hops("group", query.group)
    for condition in query.having:
        yield Action("having")
        yield from _aggregate(condition)
        yield Action(_COMPARISONS[condition.op])
        yield _mention(condition)
    if query.extreme is not None:
        yield from _extreme(query.extreme)


def _start(start: Start) -> Iterator[Action]:
    match start:
        case tuple():
            yield from map(_pointer, start)
        case OfClass(name=name):
            yield Action("class", "" if name == ANYTHING else name)
        case Domain(domain=name):
            yield Action("has", name)
        case AnyOf(any=several):
            yield Action("any")
            for place, own in enumerate(several):
                yield from (Action("or"),) if place else ()
                yield from _set(own)
            yield Action("end")
        case Last(last=what):
            yield Action(what)
        case Part(part=number):
            yield Action("part")
            yield _pointer(number)
        case Query():
            yield from _set(start)
        case Entity(entity=name):
            raise QuestionError(f"the query begins at {name!r}, which it does not mention", _HINT)


def _filter(own: Filter) -> Iterator[Action]:
    yield from _measure("where", own)
    if own.of:
        yield Action("year")
    yield Action(_COMPARISONS[own.op])
    if isinstance(own.value, Query):
        yield Action("value")
        yield from _set(own.value)
        yield from _form(own.value)
        yield Action("end")
    elif own.op not in PRESENCE.values():
        yield _mention(own)


def _extreme(own: Extreme) -> Iterator[Action]:
    kind: Kind = "most" if own.most else "least"
    if own.agg:
        yield Action(kind)
        yield from _aggregate(own)
    else:
        yield from _measure(kind, own)
    if own.place is not None:
        yield from (Action("place"), _pointer(own.place))
    elif own.n > 1:
        yield from (Action("first"), _pointer(own.n))


def _measure(kind: Kind, own: Measure) -> Iterator[Action]:
    if own.steps:
        yield from _hops(kind, own.steps)
    else:
        yield from (Action(kind), Action("self"))
    if own.among is not None:
        yield from _inner("among", own.among)
    if own.count:
        yield Action("many")


def _aggregate(own: Having | Extreme | Column) -> Iterator[Action]:
    assert own.agg is not None
    yield from _hops(own.agg, own.of) if own.of else (Action(own.agg),)


def _form(query: Query) -> Iterator[Action]:
    if query.to is not None:
        yield from _inner("to", query.to)
    elif query.answer != "list":
        yield Action(query.answer)  # pyright: ignore[reportArgumentType]
    for other in query.every:
        yield from _inner("all", other)
    for column in query.columns:
        if column.agg:
            yield Action("column")
            yield from _aggregate(column)
        else:
            yield from _hops("column", column.steps)


def _inner(kind: Kind, query: Query) -> Iterator[Action]:
    yield Action(kind)
    yield from _set(query)
    yield Action("end")


def _hops(kind: Kind, steps: tuple[Step, ...], then: Kind = "then") -> Iterator[Action]:
    for place, own in enumerate(steps):
        yield Action(then if place else kind, own.relation, own.inverse)


def _mention(own: Filter | Having) -> Action:
    if own.mention is None:
        raise QuestionError(f"the value {own.value!r} is no mention", _HINT)
    return _pointer(own.mention)


def _pointer(number: int) -> Action:
    if number >= len(POINTERS):
        raise QuestionError(
            f"{number} is too large: pointers go to {len(POINTERS) - 1}", "ask for less"
        )
    return Action("pointer", number=number)
