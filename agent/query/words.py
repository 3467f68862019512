"""A query in words, made of the labels of its graph: fit to be shown under every answer."""

from collections.abc import Mapping

from ..kg.terms import Term
from .binding import Bound
from .tree import (
    ANY_CLASS,
    AnyOf,
    Column,
    Domain,
    Entity,
    Extreme,
    Filter,
    Last,
    Measure,
    OfClass,
    Part,
    Query,
    Step,
)

_OPS = {
    "starts": "starting with",
    "ends": "ending in",
    "contains": "containing",
    "exists": "in the graph",
    "not exists": "not in the graph",
}
_ANSWERS = {
    "count": "how many: ",
    "sum": "sum of ",
    "avg": "average of ",
    "min": "smallest of ",
    "max": "largest of ",
    "yesno": "is there any: ",
    "connection": "shortest connection: ",
}
_AGGS = {"count": "number", "sum": "sum", "avg": "average", "min": "smallest", "max": "largest"}


def reading(
    bound: Bound,
    names: Mapping[Term, str] | None = None,
    heads: Mapping[Term, str] | None = None,
) -> str:
    """What a query asks, in one line.

    `names` are display names of terms, where they are known, and `heads` the class of all that have
    a relation, where it is one.
    """
    words = _Words(bound, names or {}, heads or {})
    query = bound.query
    text = _ANSWERS.get(query.answer, "") + words.set(query)
    if query.every:
        text += "; and of each: " + "; ".join(map(words.set, query.every))
    if query.to is not None:
        text += f" to {words.set(query.to)}"
    if query.columns:
        text += "; each with " + ", ".join(map(words.column, query.columns))
    return text


class _Words:
    def __init__(self, bound: Bound, names: Mapping[Term, str], heads: Mapping[Term, str]) -> None:
        self._bound = bound
        self._names = names
        self._heads = heads

    def set(self, query: Query) -> str:
        """A set in words: from its end to its start, then what is kept of it."""
        text = self._walk(query)
        conditions = list(map(self._filter, query.filters))
        conditions += [f"also among {self._inner(other)}" for other in query.also]
        conditions += [f"not among {self._inner(other)}" for other in query.without]
        if conditions:
            text += ", " + ", ".join(conditions)
        if query.group:
            text = f"{self._hops(query.group)} of {text}"
            text += "".join(
                f", with {_AGGS[c.agg]}{self._of(c.of)} {_OPS.get(c.op, c.op)} "
                f"{c.value if c.mention is None else self._mention(c.mention)}"
                for c in query.having
            )
        if query.extreme is not None:
            text += "; " + self._extreme(query.extreme)
        return text

    def column(self, column: Column) -> str:
        """What a column shows."""
        if column.agg:
            return f"{_AGGS[column.agg]}{self._of(column.of)}"
        return self._hops(column.steps)

    def _walk(self, query: Query) -> str:
        text, kind = self._start(query), "" if query.of_class in ANY_CLASS else query.of_class
        for step in query.steps:
            name = self._names.get(step.id, step.relation)
            last = step is query.steps[-1]
            head = self._heads.get(self._bound.relations.get(step.id or step.relation, ""))
            thing = kind if last and kind else head or "thing"
            text = f"every {thing} whose {name} is {text}" if step.inverse else f"{name} of {text}"
        if kind and not (query.steps and query.steps[-1].inverse):
            return f"every {kind} among {text}"
        return text

    def _start(self, query: Query) -> str:
        match query.start:
            case tuple() as numbers:
                return " or ".join(self._mention(number) for number in numbers)
            case OfClass(name=name):
                return "anything" if name in ANY_CLASS else f"every {name}"
            case Entity(entity=name, id=term):
                return self._names.get(term, name)
            case Domain(domain=name, id=term):
                return f"everything with {self._names.get(term, name)}"
            case AnyOf(any=queries):
                return " or ".join(map(self._inner, queries))
            case Last(last=what):
                return "the last answers" if what == "answers" else "the last topics"
            case Part(part=number):
                questions = self._bound.questions
                known = number < len(questions)
                asked = f'"{questions[number]}"' if known else f"question {number + 1}"
                return f"the answers to {asked}"
            case Query() as inner:
                return self._inner(inner)

    def _inner(self, query: Query) -> str:
        text = self.set(query)
        plain = not (query.filters or query.also or query.without or query.extreme or query.group)
        return text if plain else f"({text})"

    def _mention(self, number: int) -> str:
        mention = self._bound.mentioned(number)
        return self._names.get(mention.term or "", mention.text)

    def _hops(self, steps: tuple[Step, ...]) -> str:
        return " of ".join(self._hop(step) for step in reversed(steps))

    def _hop(self, step: Step) -> str:
        name = self._names.get(step.id, step.relation)
        return f"^{name}" if step.inverse else name

    def _of(self, steps: tuple[Step, ...]) -> str:
        return f" of {self._hops(steps)}" if steps else ""

    def _measure(self, measure: Measure) -> str:
        name = self._hops(measure.steps) or "itself"
        counted = f" among {self._inner(measure.among)}" if measure.among else ""
        return f"number of {name}{counted}" if measure.count else name

    def _filter(self, condition: Filter) -> str:
        value, op = condition.value, condition.op
        if op in ("exists", "not exists"):
            return f"{self._measure(condition)} {_OPS[op]}"
        if isinstance(value, Query):
            text = self._inner(value)
        elif condition.mention is not None:
            text = self._mention(condition.mention)
        else:
            text = str(value).lower() if isinstance(value, bool) else str(value)
        year = "year of " if condition.of else ""
        unit = f" {condition.unit}" if condition.unit else ""
        return f"{year}{self._measure(condition)} {_OPS.get(op, op)} {text}{unit}"

    def _extreme(self, extreme: Extreme) -> str:
        rank = "largest" if extreme.most else "smallest"
        if extreme.place is not None:
            rank = f"number {extreme.place} by {rank}"
        elif extreme.n > 1:
            rank = f"the {extreme.n} with the {rank}"
        else:
            rank = f"the one with the {rank}"
        if extreme.agg:
            return f"{rank} {_AGGS[extreme.agg]}{self._of(extreme.of)}"
        return f"{rank} {self._measure(extreme)}"
