"""What the rules read as queries: of plain parts, of the last answers, of what is said of two."""

from collections.abc import Sequence

from ..query.tree import AnyOf, Extreme, Filter, Last, Part, Query, Step
from ..state import Over

LAST = Query(start=Last(last="answers"))
"""The last answers."""
_NAMED = Query(start=(0,))
"""What the condition of an operation names."""


def part(number: int) -> Query:
    """What a plain part came to."""
    return Query(start=Part(part=number))


def of_parts(over: Over, parts: int, left_out: int = 0) -> Query:
    """The set that some parts make; of the mentions so many are left out."""
    first, *others = several = tuple(map(part, range(parts)))
    match over:
        case "both":
            return Query(start=first.start, also=tuple(others))
        case "either" | "each":
            return Query(start=AnyOf(any=several))
        case "except":
            names = [Query(start=(number,)) for number in range(left_out)]
            return Query(start=first.start, without=(*others, *names))
        case _:
            return first


def touching(steps: Sequence[Step]) -> Query:
    """Those of the last answers that any of the steps connects with the first mention."""
    conditions = [
        Filter(relation=step.relation, id=step.id, inverse=step.inverse, op="=", value=_NAMED)
        for step in steps
    ]
    sets = [Query(start=LAST.start, filters=(condition,)) for condition in conditions]
    return sets[0] if len(sets) == 1 else Query(start=AnyOf(any=tuple(sets)))


def some_of_last(condition: Query, *, negated: bool) -> Query:
    """The last answers that are in a set, or that are not."""
    if negated:
        return Query(start=LAST.start, without=(condition,))
    return Query(start=LAST.start, also=(condition,))


def with_extreme(query: Query, relation: Step, *, most: bool) -> Query:
    """The members of a set with the largest or smallest value of a relation."""
    own = Extreme(relation=relation.relation, id=relation.id, most=most)
    return query.model_copy(update={"extreme": own})


def counted(query: Query) -> Query:
    """How many members a set has."""
    return query.model_copy(update={"answer": "count"})


def statement(steps: Sequence[Step]) -> Query:
    """Whether any of the steps leads from the first mention to the second."""
    sets = [Query(start=(0,), steps=(step,)) for step in steps]
    other = (Query(start=(1,)),)
    if len(sets) == 1:
        return sets[0].model_copy(update={"also": other, "answer": "yesno"})
    return Query(start=AnyOf(any=tuple(sets)), also=other, answer="yesno")
