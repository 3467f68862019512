"""The normal form of a query: one tree for those that differ only in nesting and defaults."""

from collections.abc import Iterator
from typing import Any, Literal, NamedTuple, TypeAlias

from ..errors import QuestionError
from .tree import (
    AnyOf,
    Column,
    Domain,
    Entity,
    Extreme,
    Filter,
    Having,
    OfClass,
    Query,
    Start,
    Step,
    nested,
)

Field: TypeAlias = Literal[
    "start", "steps", "of_class", "filters", "also", "without", "group", "having", "extreme"
]

READING: tuple[Field, ...] = (
    "start", "steps", "of_class", "filters", "also", "without", "group", "having", "extreme",
)  # fmt: skip
"""The fields that make the set of a node, in the order in which they are read."""
_REPEATED = frozenset({"steps", "filters", "also", "without", "having"})
ANYTHING = "anything"
_NOTHING_SAID = frozenset({ANYTHING, "row"})
_COMPARING = frozenset({"=", "!=", "<", ">", "<=", ">="})


class Value(NamedTuple):
    """What a mention is as a value of a filter, where that is not its text."""

    value: str | int | float | bool | None = None
    unit: str = ""


def normal(query: Query) -> Query:
    """The normal form: it comes to the same, and the names of its graph are the only ones.

    A term takes the place of the name beside it. What has no effect is left out: the class
    `anything`, `of` where no dates are compared, the form of an inner set. A node that begins at
    another node is one with it where its parts come later in the reading order.
    """
    return _normal(query, form=True)


def values_of(query: Query) -> dict[int, Value]:
    """The values and units beside the mentions of a query.

    Raises QuestionError where a mention stands for several.
    """
    values: dict[int, Value] = {}
    for node in (query, *nested(query)):
        for own in (*node.filters, *node.having):
            if own.mention is None or isinstance(own.value, Query):
                continue
            value = Value(own.value, own.unit if isinstance(own, Filter) else "")
            if values.setdefault(own.mention, value) != value:
                raise QuestionError(
                    f"mention {own.mention} stands for two values", "give each a mention"
                )
    return {number: value for number, value in values.items() if value != Value()}


def follows(query: Query, field: Field, *, aggregate: bool = False) -> bool:
    """Whether a part can be added to a node as it is, without a new one around it.

    `aggregate` says that an extreme is of the members of each key of a group.
    """
    if field == "extreme" and bool(query.group) != aggregate:
        return False
    if field == "having" and not query.group:
        return False
    last, place = _last(query), READING.index(field)
    return place > last or (place == last and field in _REPEATED)


def is_bare(query: Query) -> bool:
    """Whether a node is nothing but its start."""
    return _last(query) == 0


def of_class(name: str, term: str = "") -> OfClass:
    """Every member of a class."""
    return OfClass.model_validate({"class": name, "id": term})


def _last(query: Query) -> int:
    return next(n for n in range(len(READING) - 1, -1, -1) if getattr(query, READING[n]))


def _normal(query: Query, *, form: bool = False) -> Query:
    class_ = query.class_id or query.of_class
    fields: dict[str, Any] = {
        "start": _start(query.start),
        "steps": _steps(query.steps),
        "of_class": "" if not query.class_id and class_ in _NOTHING_SAID else class_,
        "filters": tuple(map(_filter, query.filters)),
        "also": tuple(map(_normal, query.also)),
        "without": tuple(map(_normal, query.without)),
        "group": _steps(query.group),
        "having": tuple(map(_having, query.having)),
        "extreme": None if query.extreme is None else _extreme(query.extreme),
    }
    if form:
        fields |= {
            "every": tuple(map(_normal, query.every)),
            "columns": tuple(map(_column, query.columns)),
            "to": None if query.to is None else _normal(query.to),
            "answer": query.answer,
        }
    node = Query(**fields)
    return _joined(node.start, node) if isinstance(node.start, Query) else node


def _joined(inner: Query, outer: Query) -> Query:
    """The node that begins at another one, as one with it where that is the same."""
    first: Field | None = next((own for own in READING[1:] if getattr(outer, own)), None)
    if first is not None and not follows(inner, first):
        return outer
    both = {
        field: getattr(inner, field) + getattr(outer, field)
        for field in READING[1:-1]
        if getattr(inner, field)
    }
    extreme = outer.extreme or inner.extreme
    return outer.model_copy(update={**both, "start": inner.start, "extreme": extreme})


def _start(start: Start) -> Start:
    match start:
        case tuple():
            return tuple(sorted(set(start)))
        case OfClass(name=name, id=term):
            return of_class(ANYTHING if not term and name in _NOTHING_SAID else term or name)
        case Entity(entity=name, id=term):
            return Entity(entity=term or name)
        case Domain(domain=name, id=term):
            return Domain(domain=term or name)
        case AnyOf(any=several):
            return _any(tuple(own for one in several for own in _branches(_normal(one))))
        case Query():
            return _normal(start)
        case _:
            return start


def _branches(query: Query) -> Iterator[Query]:
    if isinstance(query.start, AnyOf) and is_bare(query):
        yield from query.start.any
    else:
        yield query


def _any(several: tuple[Query, ...]) -> Start:
    if len(several) == 1:
        return several[0]
    mentions = [own.start for own in several if is_bare(own) and isinstance(own.start, tuple)]
    if len(mentions) == len(several):
        return tuple(sorted({number for own in mentions for number in own}))
    return AnyOf(any=several)


def _steps(steps: tuple[Step, ...]) -> tuple[Step, ...]:
    return tuple(Step(relation=own.id or own.relation, inverse=own.inverse) for own in steps)


def _filter(own: Filter) -> Filter:
    hops, value = _steps(own.steps), own.value
    if isinstance(value, Query):
        value = _normal(value, form=True)
    given = own.op not in ("exists", "not exists") and not isinstance(value, Query)
    by_year = own.op in _COMPARING and not own.count
    return Filter(
        **measured(hops),
        count=own.count,
        among=None if own.among is None else _normal(own.among),
        op=own.op,
        value=value,
        unit=own.unit if given else "",
        mention=own.mention if given else None,
        of=own.of if by_year else "",
    )


def measured(hops: tuple[Step, ...]) -> dict[str, Any]:
    """The fields of a measure that takes these hops."""
    if not hops:
        return {}
    *via, last = hops
    return {"relation": last.relation, "inverse": last.inverse, "via": tuple(via)}


def _extreme(own: Extreme) -> Extreme:
    n = own.n if own.place is None else 1
    rank: dict[str, Any] = {
        "most": own.most,
        "n": n,
        "place": None if own.place == 1 else own.place,
    }
    if own.agg:
        return Extreme(**rank, agg=own.agg, of=_steps(own.of))
    among = None if own.among is None else _normal(own.among)
    return Extreme(**measured(_steps(own.steps)), count=own.count, among=among, **rank)


def _having(own: Having) -> Having:
    return Having(
        agg=own.agg,
        of=_steps(own.of),
        op=own.op,
        value=own.value,
        mention=own.mention,
    )


def _column(own: Column) -> Column:
    return Column(steps=_steps(own.steps), agg=own.agg, of=_steps(own.of) if own.agg else ())
