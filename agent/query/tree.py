"""A query as a tree of small frozen nodes, and as JSON.

A node is a set of things. It is read in the order of its fields: it begins at `start`, follows
`steps`, keeps those of a `class` and those that pass every filter, then what it has in `and` with
other sets and not in any of `not`; then the members with an `extreme` value, or the keys of a
`group`. `columns`, `to` and `answer` say what of the set the answer is, in the topmost node only.

Names are display names of the graph, or terms in N-Triples syntax; `id` is the term where it is
known beside the name. Mentions are numbers of a list that comes with the tree.
"""

import json
from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Literal, TypeAlias, cast, get_args

from pydantic import (
    BaseModel,
    ConfigDict,
    Discriminator,
    Field,
    Tag,
    ValidationError,
    model_validator,
)

from ..errors import QuestionError

ANYTHING = "anything"
"""The class of everything."""
ANY_CLASS = frozenset({ANYTHING, "row"})
"""Names of a class that say nothing of it."""

MOST_NODES = 200
"""Parts that a tree may have: sets, steps, filters and the like."""
DEEPEST = 40
"""Objects and lists of JSON that may stand in one another."""

FORM = "docs/queries.md has the form of a query"
"""The hint on a malformed query."""
_LARGEST = 1.7e308
_LAST_RANK = 1_000_000_000

Op: TypeAlias = Literal[
    "=", "!=", "<", ">", "<=", ">=", "starts", "ends", "contains", "exists", "not exists"
]
"""How a value is compared. `exists` and `not exists` compare nothing: whether there is a value."""
OfValues: TypeAlias = Literal["sum", "avg", "min", "max"]
"""A number made of values."""
Agg: TypeAlias = Literal["count", OfValues]
Answer: TypeAlias = Literal["list", Agg, "yesno", "connection"]
OF_VALUES: frozenset[str] = frozenset(get_args(OfValues))
AGGREGATES: tuple[Agg, ...] = get_args(Agg)


class _Node(BaseModel):
    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        strict=True,
        validate_by_name=True,
        validate_by_alias=True,
        serialize_by_alias=True,
    )


class Step(_Node):
    """A hop along a relation; `inverse` goes from tail to head."""

    relation: str
    inverse: bool = False
    id: str = ""


class OfClass(_Node):
    """Every member of a class."""

    name: str = Field(validation_alias="class", serialization_alias="class")
    id: str = ""


class Entity(_Node):
    """A thing that the question does not name."""

    entity: str
    id: str = ""


class Domain(_Node):
    """Everything that has some relation."""

    domain: str
    id: str = ""


class AnyOf(_Node):
    """What is in any of several sets."""

    any: tuple["Query", ...] = Field(min_length=1)


EarlierSet: TypeAlias = Literal["answers", "topics"]


class Last(_Node):
    """The last answers, or the last topic entities, of the conversation."""

    last: EarlierSet


class Part(_Node):
    """What a method answered to one of the plain questions that come with the tree, by number."""

    part: int = Field(ge=0)


class Measure(_Node):
    """A value of each member: of a relation after the hops of `via`, or of the thing itself.

    With `count` it is how many values there are, with `among` of these only.
    """

    relation: str = ""
    inverse: bool = False
    id: str = ""
    via: tuple[Step, ...] = ()
    count: bool = False
    among: "Query | None" = None

    @property
    def steps(self) -> tuple[Step, ...]:
        """The hops from a member to its values; none where it is the thing itself."""
        last = Step(relation=self.relation, inverse=self.inverse, id=self.id)
        return (*self.via, last) if self.relation or self.id else self.via


class Filter(Measure):
    """A condition on each member: one of its values compares so with the value.

    The value is a text, a number (with its `unit`), a mention, or the one value of another query.
    With `of` only the year of a date is compared.
    """

    op: Op
    value: "str | int | float | bool | Query | None" = None
    unit: str = ""
    mention: int | None = Field(default=None, ge=0)
    of: Literal["", "year"] = ""

    @model_validator(mode="after")
    def _compares(self) -> "Filter":
        _check_number(self.value)
        has_operand = self.value is not None or self.mention is not None
        if self.op in ("exists", "not exists"):
            if has_operand or self.count or not self.steps:
                raise ValueError(f"`{self.op}` takes a relation, and no value")
        elif not has_operand:
            raise ValueError(f"`{self.op}` needs a value or a mention to compare with")
        elif self.op in ("starts", "ends", "contains") and (
            self.count or isinstance(self.value, Query)
        ):
            raise ValueError(f"`{self.op}` compares texts with a text")
        return self


class Extreme(Measure):
    """The members with the largest or smallest value; equal values share a rank.

    The first `n`, or only those of the rank `place`. After a `group` the value is an `agg` over the
    members of each key.
    """

    most: bool
    n: int = Field(default=1, ge=1, le=_LAST_RANK)
    place: int | None = Field(default=None, ge=1, le=_LAST_RANK)
    agg: Agg | None = None
    of: tuple[Step, ...] = ()

    @model_validator(mode="after")
    def _says_one_thing(self) -> "Extreme":
        if self.of and not self.agg:
            raise ValueError("`of` goes with `agg`")
        if self.agg and (self.steps or self.count or self.among):
            raise ValueError("an `agg` is of what `of` leads to")
        if self.place is not None and self.n > 1:
            raise ValueError("`n` places or one `place` are kept, not both")
        return self


class Having(_Node):
    """A condition on the members of each key of a group."""

    agg: Agg
    of: tuple[Step, ...] = ()
    op: Literal["=", "!=", "<", ">", "<=", ">="]
    value: str | int | float | None = None
    mention: int | None = Field(default=None, ge=0)

    @model_validator(mode="after")
    def _compares(self) -> "Having":
        _check_number(self.value)
        if self.value is None and self.mention is None:
            raise ValueError("`having` needs a value or a mention to compare with")
        return self


_COUNTED = ("count", False)
"""The aggregate of a column that needs no group, with whether it is of the members themselves."""


class Column(_Node):
    """What is shown of each member: where steps lead, or how many things `of` leads to.

    For each key of a group it is an aggregate over its members.
    """

    steps: tuple[Step, ...] = ()
    agg: Agg | None = None
    of: tuple[Step, ...] = ()


def _check_number(value: object) -> None:
    if isinstance(value, (int, float)) and not abs(value) <= _LARGEST:
        raise ValueError("a number has at most 308 digits")


def _kind_of_start(value: object) -> str:
    if isinstance(value, (list, tuple)):
        return "mentions"
    if isinstance(value, Mapping):
        return next((key for key in _STARTS if key in value and "start" not in value), "query")
    return next((key for key, start in _STARTS.items() if isinstance(value, start)), "query")


_STARTS = {
    "class": OfClass, "entity": Entity, "domain": Domain, "any": AnyOf, "last": Last, "part": Part
}  # fmt: skip

Start: TypeAlias = Annotated[
    Annotated[tuple[Annotated[int, Field(ge=0)], ...], Field(min_length=1), Tag("mentions")]
    | Annotated[OfClass, Tag("class")]
    | Annotated[Entity, Tag("entity")]
    | Annotated[Domain, Tag("domain")]
    | Annotated[AnyOf, Tag("any")]
    | Annotated[Last, Tag("last")]
    | Annotated[Part, Tag("part")]
    | Annotated["Query", Tag("query")],
    Discriminator(_kind_of_start),
]


class Query(_Node):
    """A set of things, and at the top what of it the answer is."""

    start: Start
    steps: tuple[Step, ...] = ()
    of_class: str = Field(default="", validation_alias="class", serialization_alias="class")
    class_id: str = ""
    filters: tuple[Filter, ...] = ()
    also: tuple["Query", ...] = Field(default=(), validation_alias="and", serialization_alias="and")
    without: tuple["Query", ...] = Field(
        default=(), validation_alias="not", serialization_alias="not"
    )
    group: tuple[Step, ...] = ()
    having: tuple[Having, ...] = ()
    extreme: Extreme | None = None
    every: tuple["Query", ...] = Field(
        default=(), validation_alias="all", serialization_alias="all"
    )
    columns: tuple[Column, ...] = ()
    to: "Query | None" = None
    answer: Answer = "list"

    @model_validator(mode="after")
    def _fits_together(self) -> "Query":
        sums = self.answer in OF_VALUES
        extreme_agg = self.extreme.agg if self.extreme is not None else None
        aggregates = [extreme_agg, *(c.agg for c in self.columns if (c.agg, not c.of) != _COUNTED)]
        faults = {
            "`to` and the answer `connection` go together": (self.answer == "connection")
            != (self.to is not None),
            "`all` goes with the answer `yesno`": self.every and self.answer != "yesno",
            "`columns` go with the answer `list`": self.columns and self.answer != "list",
            f"`{self.answer}` is of the values that the last of `steps` leads to": sums
            and not self.steps,
            f"`{self.answer}` of a group is an `agg` of `columns`": sums and self.group,
            "`having` goes with `group`": self.having and not self.group,
            "`agg` goes with `group`; only a column may count what `of` leads to": any(aggregates)
            and not self.group,
            "after `group` an `extreme` is of an `agg`": self.extreme is not None
            and bool(self.group) != bool(extreme_agg),
            "a column has `steps` or an `agg`": any(
                bool(column.agg) == bool(column.steps) for column in self.columns
            ),
        }
        for message, is_fault in faults.items():
            if is_fault:
                raise ValueError(message)
        return self


for _model in (AnyOf, Measure, Filter, Extreme, Query):
    _model.model_rebuild()


def read_query(record: object) -> Query:
    """The tree of a JSON value. Raises QuestionError with a line that says what is wrong."""
    try:
        text = json.dumps(record, ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise QuestionError(f"a query is plain JSON: {error}", FORM) from error
    _check_size(record)
    try:
        query = Query.model_validate_json(text)
    except ValidationError as error:
        raise QuestionError(f"the query is malformed: {_first_fault(error)}", FORM) from error
    for node in nested(query):
        if node.answer != "list" and node.answer not in AGGREGATES:
            raise QuestionError(f"`{node.answer}` is for the topmost node of a query", FORM)
        if node.columns:
            raise QuestionError("`columns` are for the topmost node of a query", FORM)
    return query


def write_query(query: Query) -> dict[str, Any]:
    """The tree as plain JSON; what has its default is left out."""
    return query.model_dump(mode="json", exclude_defaults=True)


def asks_of_each(query: Query) -> bool:
    """Whether a yes or no with `all` asks if each member is in every one of those sets.

    It does where the set is more than a claim about what is named, as *borders of Peru* is. What
    only holds a value or a thing to be among the members is such a claim, and so are the others.
    """
    return bool(query.every) and not _is_claim(query)


def subject(query: Query) -> Query:
    """The set of which `asks_of_each` speaks."""
    return query.model_copy(update={"answer": "list", "every": ()})


def those_in_every(query: Query) -> Query:
    """The members of the subject that are in every one of the sets."""
    return Query(start=subject(query), also=query.every)


def exceptions(query: Query) -> Query:
    """The members of the subject that are not in every one of the sets."""
    first, *others = query.every
    shared = Query(start=first, also=tuple(others)) if others else first
    return Query(start=subject(query), without=(shared,))


def _is_claim(query: Query) -> bool:
    """Whether a set is only what is named, or a test of it by a value or by what is named."""
    tests_value = any(not (condition.steps or condition.count) for condition in query.filters)
    if tests_value or any(names_only_things(other) for other in query.also):
        return True
    if query.steps or query.group:
        return False
    match query.start:
        case Query() as inner:
            return _is_claim(inner)
        case AnyOf(any=queries):
            return all(map(_is_claim, queries))
        case start:
            return names_only_things(Query(start=start))


def names_only_things(query: Query) -> bool:
    """Whether a set is that of some things which the query names, and nothing else."""
    is_start = isinstance(query.start, (tuple, Entity, Last))
    return is_start and query == Query(start=query.start)


def nested(query: Query) -> Iterator[Query]:
    """Every query inside another one, at any depth."""
    for child in _children(query):
        yield child
        yield from nested(child)


def starting_mentions(query: Query) -> frozenset[int]:
    """The mentions at which a query, or one inside it, starts."""
    starts = (node.start for node in (query, *nested(query)))
    return frozenset(number for start in starts if isinstance(start, tuple) for number in start)


def compared_mentions(query: Query) -> frozenset[int]:
    """The mentions with which a condition of a query, or of one inside it, compares."""
    nodes = (query, *nested(query))
    conditions = (one for node in nodes for one in (*node.filters, *node.having))
    return frozenset(one.mention for one in conditions if one.mention is not None)


def refers_back(query: Query) -> bool:
    """Whether a query, or one inside it, starts at what the conversation was about before."""
    return any(isinstance(node.start, Last) for node in (query, *nested(query)))


def _children(query: Query) -> Iterator[Query]:
    if isinstance(query.start, Query):
        yield query.start
    elif isinstance(query.start, AnyOf):
        yield from query.start.any
    for condition in query.filters:
        yield from (c for c in (condition.value, condition.among) if isinstance(c, Query))
    if query.extreme is not None and query.extreme.among is not None:
        yield query.extreme.among
    yield from (*query.also, *query.without, *query.every)
    if query.to is not None:
        yield query.to


def _check_size(record: object) -> None:
    """Refuse what is too deep or too large before it is read."""
    level, count = [record], 0
    for _ in range(DEEPEST):
        level = [child for parent in level for child in _inside(parent)]
        count += len(level)
    if level:
        raise QuestionError(f"the query is nested deeper than {DEEPEST} levels", "ask for less")
    if count > MOST_NODES:
        raise QuestionError(f"the query has more than {MOST_NODES} parts", "ask for less")


def _inside(record: object) -> list[object]:
    """The objects and lists right inside a value of JSON."""
    if isinstance(record, dict):
        values = list(cast("dict[str, object]", record).values())
    else:
        values = cast("list[object]", record) if isinstance(record, list) else []
    return [value for value in values if isinstance(value, (dict, list))]


def written_nodes(tree: object) -> Iterator[dict[str, Any]]:
    """Every object in the JSON of a query, each after those inside it; it may be changed."""
    for child in _inside(tree):
        yield from written_nodes(child)
    if isinstance(tree, dict):
        yield cast("dict[str, Any]", tree)


def _first_fault(error: ValidationError) -> str:
    """The first fault in one line: where it is, and what is wrong."""
    fault = error.errors(include_url=False)[0]
    keys = map(str, fault["loc"])
    path = ".".join(k if k.isidentifier() or k.isdigit() else f"{k[:40]!r}" for k in keys)
    message = fault["msg"].removeprefix("Value error, ")
    return f"{path}: {message}" if path else message
