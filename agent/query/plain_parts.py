"""Taking a query apart: the plain questions in it, and the query that is left over their answers.

A plain question is one walk from one thing, as far as it goes. In what is left, `{"part": n}`
stands in its place.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeVar

from .tree import AnyOf, Extreme, Filter, Last, Part, Query, Start, Step

_M = TypeVar("_M", Filter, Extreme)


@dataclass(frozen=True)
class PlainParts:
    """The walks of a query, each from one mention, and what is left of the query over them."""

    walks: tuple[Query, ...]
    rest: Query

    @property
    def is_walk(self) -> bool:
        """Whether the query is one walk and nothing else, but perhaps its class."""
        without_class = self.rest.model_copy(update={"of_class": "", "class_id": ""})
        return without_class == Query(start=Part(part=0))


def plain_parts(
    query: Query,
    things: frozenset[int],
    last: Mapping[Literal["answers", "topics"], tuple[int, ...]],
) -> PlainParts:
    """Take a query apart, the same walk once.

    `things` are the numbers of mentions that are entities, and `last` those of mentions that are
    the same as the last answers or topics. A class at the end of a walk is in both, so that what is
    left keeps only such members.
    """
    taking = _Taking(things, last)
    rest = taking.rest(query)
    return PlainParts(tuple(taking.walks), rest)


class _Taking:
    def __init__(
        self,
        things: frozenset[int],
        last: Mapping[Literal["answers", "topics"], tuple[int, ...]],
    ) -> None:
        self._things = things
        self._last = last
        self.walks: dict[Query, int] = {}

    def rest(self, query: Query) -> Query:
        """The query with a part in the place of every walk, its start's before those inside."""
        if isinstance(query.start, Last) and (numbers := self._last.get(query.start.last)):
            query = query.model_copy(update={"start": numbers})
        query = self._without_walk(query)
        return query.model_copy(
            update={
                "start": self._start(query.start),
                "filters": tuple(map(self._measure, query.filters)),
                "extreme": None if query.extreme is None else self._measure(query.extreme),
                "also": tuple(map(self.rest, query.also)),
                "without": tuple(map(self.rest, query.without)),
                "every": tuple(map(self.rest, query.every)),
                "to": None if query.to is None else self.rest(query.to),
            }
        )

    def _without_walk(self, query: Query) -> Query:
        """The query over what its walk leads to, where it begins at things and goes on."""
        steps, left = _steps_of_walk(query)
        numbers = query.start
        if (
            not isinstance(numbers, tuple)
            or not steps
            or not all(n in self._things for n in numbers)
        ):
            return query
        ends = {} if left else {"of_class": query.of_class, "class_id": query.class_id}
        walks = [Query(start=(number,), steps=steps).model_copy(update=ends) for number in numbers]
        numbered = (self.walks.setdefault(walk, len(self.walks)) for walk in walks)
        parts = tuple(Query(start=Part(part=number)) for number in numbered)
        start = parts[0].start if len(parts) == 1 else AnyOf(any=parts)
        return query.model_copy(update={"start": start, "steps": left})

    def _start(self, start: Start) -> Start:
        match start:
            case Query():
                return self.rest(start)
            case AnyOf(any=queries):
                return AnyOf(any=tuple(map(self.rest, queries)))
            case _:
                return start

    def _measure(self, measure: _M) -> _M:
        changes: dict[str, Query] = {}
        if measure.among is not None:
            changes["among"] = self.rest(measure.among)
        if isinstance(measure, Filter) and isinstance(measure.value, Query):
            changes["value"] = self.rest(measure.value)
        return measure.model_copy(update=changes)


def _steps_of_walk(query: Query) -> tuple[tuple[Step, ...], tuple[Step, ...]]:
    """The steps of a walk, and those that are left; a sum and the like are of the last step."""
    if query.answer in ("sum", "avg", "min", "max"):
        return query.steps[:-1], query.steps[-1:]
    return query.steps, ()
