"""The normal form of a query: one tree for those that differ only in nesting and defaults."""

from collections.abc import Iterator
from typing import Any, Literal, NamedTuple, TypeAlias, TypeVar, get_args

from ..errors import QuestionError
from .tree import (
    ANY_CLASS,
    ANYTHING,
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
READING: tuple[Field, ...] = get_args(Field)
"""The fields that make the set of a node, in the order in which they are read."""
_REPEATED = frozenset({"steps", "filters", "also", "without", "having"})
_COMPARING = frozenset({"=", "!=", "<", ">", "<=", ">="})


class MentionValue(NamedTuple):
    """A mention as a value of a filter, where that is not its text."""

    value: str | int | float | bool | None = None
    unit: str = ""


def normal(query: Query) -> Query:
    """The normal form, which has the same denotation.

    A term takes the place of the name beside it. What has no effect is left out: the class
    `anything`, `of` where no dates are compared, the form of an inner set. A node that begins at
    another node is joined with it where its parts come later in the reading order.
    """
    return _normal(query, form=True)


def values_of(query: Query) -> dict[int, MentionValue]:
    """The values and units beside the mentions of a query.

    Raises QuestionError where a mention stands for several.
    """
    values: dict[int, MentionValue] = {}
    for node in (query, *nested(query)):
        for condition in (*node.filters, *node.having):
            mention, value = condition.mention, condition.value
            if mention is None or isinstance(value, Query):
                continue
            unit = condition.unit if isinstance(condition, Filter) else ""
            value = MentionValue(value, unit)
            if values.setdefault(mention, value) != value:
                raise QuestionError(
                    f"mention {mention} stands for two values", "give each a mention"
                )
    return {number: value for number, value in values.items() if value != MentionValue()}


def follows(query: Query, field: Field, *, aggregate: bool = False) -> bool:
    """Whether a part can be added to a node as it is, without a new one around it.

    `aggregate` says that an extreme is of the members of each key of a group.
    """
    if field == "extreme" and bool(query.group) != aggregate:
        return False
    if field == "having" and not query.group:
        return False
    last, index = _last_operation(query), READING.index(field)
    return index > last or (index == last and field in _REPEATED)


def is_bare(query: Query) -> bool:
    """Whether a node is nothing but its start."""
    return _last_operation(query) == 0


def _last_operation(query: Query) -> int:
    return next(n for n in range(len(READING) - 1, -1, -1) if getattr(query, READING[n]))


def _normal(query: Query, *, form: bool = False) -> Query:
    class_ = query.class_id or query.of_class
    fields: dict[str, Any] = {
        "start": _start(query.start),
        "steps": _steps(query.steps),
        "of_class": "" if not query.class_id and class_ in ANY_CLASS else class_,
        "filters": tuple(map(_filter, query.filters)),
        "also": tuple(map(_normal, query.also)),
        "without": tuple(map(_normal, query.without)),
        "group": _steps(query.group),
        "having": tuple(map(_with_terms, query.having)),
        "extreme": None if query.extreme is None else _extreme(query.extreme),
    }
    if form:
        fields |= {
            "every": tuple(map(_normal, query.every)),
            "columns": tuple(map(_with_terms, query.columns)),
            "to": None if query.to is None else _normal(query.to),
            "answer": query.answer,
        }
    node = Query(**fields)
    return _joined(node.start, node) if isinstance(node.start, Query) else node


def _joined(inner: Query, outer: Query) -> Query:
    """The node that begins at another one, as one with it where that is the same."""
    first: Field | None = next((field for field in READING[1:] if getattr(outer, field)), None)
    if first is not None and not follows(inner, first):
        return outer
    if inner.group and any(column.agg for column in outer.columns):
        return outer  # of a group they would be aggregates over the members of its keys
    merged = {
        field: getattr(inner, field) + getattr(outer, field)
        for field in READING[1:-1]
        if getattr(inner, field)
    }
    extreme = outer.extreme or inner.extreme
    return outer.model_copy(update={**merged, "start": inner.start, "extreme": extreme})


def _start(start: Start) -> Start:
    match start:
        case tuple():
            return tuple(sorted(set(start)))
        case OfClass(name=name, id=term):
            return OfClass(name=ANYTHING if not term and name in ANY_CLASS else term or name)
        case Entity(entity=name, id=term):
            return Entity(entity=term or name)
        case Domain(domain=name, id=term):
            return Domain(domain=term or name)
        case AnyOf(any=sets):
            return _any_of(tuple(branch for set_ in sets for branch in _branches(_normal(set_))))
        case Query():
            return _normal(start)
        case _:
            return start


def _branches(query: Query) -> Iterator[Query]:
    if isinstance(query.start, AnyOf) and is_bare(query):
        yield from query.start.any
    else:
        yield query


def _any_of(sets: tuple[Query, ...]) -> Start:
    if len(sets) == 1:
        return sets[0]
    mentions = [set_.start for set_ in sets if is_bare(set_) and isinstance(set_.start, tuple)]
    if len(mentions) == len(sets):
        return tuple(sorted({number for numbers in mentions for number in numbers}))
    return AnyOf(any=sets)


def _steps(steps: tuple[Step, ...]) -> tuple[Step, ...]:
    return tuple(Step(relation=step.id or step.relation, inverse=step.inverse) for step in steps)


def _filter(condition: Filter) -> Filter:
    value, op = condition.value, condition.op
    is_written = op not in ("exists", "not exists") and not isinstance(value, Query)
    may_be_of_year = op in _COMPARING and not condition.count
    return Filter(
        **measured(_steps(condition.steps)),
        count=condition.count,
        among=None if condition.among is None else _normal(condition.among),
        op=op,
        value=_normal(value, form=True) if isinstance(value, Query) else value,
        unit=condition.unit if is_written else "",
        mention=condition.mention if is_written else None,
        of=condition.of if may_be_of_year else "",
    )


def measured(hops: tuple[Step, ...]) -> dict[str, Any]:
    """The fields of a measure that takes these hops."""
    if not hops:
        return {}
    *via, last = hops
    return {"relation": last.relation, "inverse": last.inverse, "via": tuple(via)}


def _extreme(extreme: Extreme) -> Extreme:
    place = None if extreme.place == 1 else extreme.place
    fields: dict[str, Any] = {"most": extreme.most, "n": extreme.n, "place": place}
    if extreme.agg:
        return Extreme(**fields, agg=extreme.agg, of=_steps(extreme.of))
    fields["among"] = None if extreme.among is None else _normal(extreme.among)
    return Extreme(**fields, **measured(_steps(extreme.steps)), count=extreme.count)


_Aggregated = TypeVar("_Aggregated", Having, Column)


def _with_terms(aggregated: _Aggregated) -> _Aggregated:
    changes = {"of": _steps(aggregated.of) if aggregated.agg else ()}
    if isinstance(aggregated, Column):
        changes["steps"] = _steps(aggregated.steps)
    return aggregated.model_copy(update=changes)
