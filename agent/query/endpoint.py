"""Executing a query where the facts are behind an endpoint: one SELECT, computed there."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from math import isfinite

from ..errors import ServiceError
from ..kg.stores.sparql.queries import Query as Select
from ..kg.stores.sparql.store import SparqlStore
from ..kg.terms import Term
from .binding import Bound
from .comparison import are_in_currency
from .execute import execute, prove
from .facts import Facts
from .members import MOST_EXAMPLES, MOST_MEMBERS, Cell, Form, Outcome, lacking, not_checked
from .sets import EarlierAnswers
from .sparql import ANSWER, Compiled, compile_query
from .sparql_patterns import InexpressibleError
from .tree import (
    OF_VALUES,
    Extreme,
    Filter,
    Query,
    Step,
    asks_of_each,
    exceptions,
    subject,
    those_in_every,
)
from .values import value_of

MOST_PROVED = 200
"""Members that an endpoint is asked to prove; those are listed."""
_ALL = 1_000_000_000
"""Ranks enough for every member that has a value."""
_LARGEST = 1.7e308


def execute_anywhere(
    facts: Facts, bound: Bound, *, earlier: EarlierAnswers | None = None
) -> Outcome:
    """What a query comes to, computed where the facts are.

    An endpoint that is read as it stands gets one SELECT for the denotation. Then the members that
    are listed are proved, by what is around them. What SPARQL cannot say is executed here, step by
    step. Raises as `execute` does.
    """
    store = facts.kg.store
    if not isinstance(store, SparqlStore) or not facts.kg.reading.plain:
        return execute(facts, bound, earlier=earlier)
    try:
        known, profile = replace(bound, earlier={}), facts.kg.profile
        compiled = compile_query(
            known,
            profile,
            store.graphs,
            must_read=facts.must_read,
            priced=partial(are_in_currency, facts),
        )
    except InexpressibleError:
        return execute(facts, bound, earlier=earlier)
    return _Remote(store, facts, bound, compiled).outcome()


class _Remote:
    def __init__(self, store: SparqlStore, facts: Facts, bound: Bound, compiled: Compiled) -> None:
        self._store = store
        self._facts = facts
        self._bound = bound
        self._compiled = compiled

    def outcome(self) -> Outcome:
        """The denotation of the query, and the proofs of the members that are listed."""
        match self._compiled.form:
            case "truth" if asks_of_each(self._bound.query):
                return self._truth_of_each()
            case "truth":
                truth = bool(self._rows(self._compiled, 1))
                return replace(self._examples("truth"), value=truth)
            case "number":
                rows = self._rows(self._compiled, 1)
                value = _number(rows[0][0]) if rows else None
                examples = self._examples("number")
                if self._bound.query.answer == "count":
                    size, missing = int(value or 0), list[str]()
                else:
                    size, missing = self._missing_numbers()
                beyond = not_checked(len(examples.members), size)
                notes = (*missing, *examples.notes, *beyond)
                return replace(examples, value=value, size=size, notes=notes)
            case _:
                return self._listed()

    def _truth_of_each(self) -> Outcome:
        """Whether each member of a set is in every one of some others, with examples of either."""
        query = self._bound.query
        tested, others = self._count(subject(query)), self._count(exceptions(query))
        asked = exceptions(query) if others else those_in_every(query)
        rows = self._rows(self._compile(asked), MOST_EXAMPLES) if tested else []
        proved = self._proved(replace(self._bound, query=asked), _first_cells(rows))
        truth, size = bool(tested) and not others, others or tested
        notes = (*proved.notes, *not_checked(len(proved.members), size))
        result = replace(proved, form="truth", value=truth, size=size, tested=tested, notes=notes)
        if truth or not tested:
            return result
        return replace(result, members=(), instead=result.members)

    def _listed(self) -> Outcome:
        query, rows = self._bound.query, self._rows(self._compiled, MOST_MEMBERS + 1)
        members = list(dict.fromkeys(_first_cells(rows)))
        proved = self._proved(self._bound, members[:MOST_PROVED])
        size, notes = len(members), list(proved.notes)
        if len(rows) > MOST_MEMBERS:
            size = self._count(query)
        if (extreme := query.extreme) and extreme.steps and not extreme.count:
            notes = [*self._missing_ranks(extreme), *notes]
        if size > len(proved.members):
            notes.append(f"only {len(proved.members):,} of {size:,} are listed")
        shown_rows = list[tuple[Cell, ...]]()
        listed, columns = set(proved.members), [None, *query.columns]
        for row in rows if self._compiled.form == "rows" else ():
            if row[0] in listed:
                cells = zip(row, columns, strict=True)
                shown_rows.append(tuple(_number(c) if col and col.agg else c for c, col in cells))
        return replace(proved, size=size, rows=tuple(shown_rows), units=(), notes=tuple(notes))

    def _examples(self, form: Form) -> Outcome:
        """Some members beside a number or a yes, with their proofs."""
        query, bound = self._bound.query, self._bound
        members = query.model_copy(update={"answer": "list", "every": ()})
        if query.answer in OF_VALUES:
            members = self._valued()
        else:
            bound = replace(bound, query=members)
        most = MOST_PROVED if form == "number" else MOST_EXAMPLES
        rows = self._rows(self._compile(members), most)
        return replace(self._proved(bound, _first_cells(rows)), form=form)

    def _proved(self, bound: Bound, members: Sequence[Term]) -> Outcome:
        return prove(self._facts, bound, members, self._members)

    def _members(self, query: Query) -> list[Term]:
        """The members of a set inside the query."""
        return _first_cells(self._rows(self._compile(query), MOST_MEMBERS, query))

    def _compile(self, query: Query) -> Compiled:
        bound = replace(self._bound, query=query)
        return compile_query(bound, self._facts.kg.profile, self._store.graphs)

    def _valued(self) -> Query:
        """The things before the last step of a sum or the like that have one of its numbers."""
        query = self._bound.query
        *before, last = query.steps
        values = query.model_copy(update={"answer": "list"})
        among = values if values != Query(start=query.start, steps=query.steps) else None
        number = Filter(**last.model_dump(), among=among, op=">=", value=-_LARGEST)
        return Query(start=query.start, steps=tuple(before), filters=(number,))

    def _missing_numbers(self) -> tuple[int, list[str]]:
        query = self._bound.query
        unmeasured, last = Query(start=query.start, steps=query.steps[:-1]), query.steps[-1]
        valued = self._valued()
        if valued.filters[0].among is None:
            return self._missing(unmeasured, valued, (last,))
        passing = self._count(valued)
        has = Filter(**last.model_dump(), op="exists")
        _, missing = self._missing(
            unmeasured, unmeasured.model_copy(update={"filters": (has,)}), (last,)
        )
        (name,) = self._facts.kg.walk_labels.names([self._bound.relation(last)])
        return passing, [f"{passing} of {self._count(unmeasured)} have such a {name}", *missing]

    def _missing_ranks(self, extreme: Extreme) -> list[str]:
        query, every = self._bound.query, {"n": _ALL, "place": None}
        ranked = query.model_copy(update={"extreme": extreme.model_copy(update=every)})
        before = query.model_copy(update={"extreme": None})
        return self._missing(before, ranked, extreme.steps, extreme.among)[1]

    def _missing(
        self, all_members: Query, having: Query, steps: Sequence[Step], among: Query | None = None
    ) -> tuple[int, list[str]]:
        """How many of a set have a comparable value of the last step, and notes on the others."""
        valued, total = self._count(having), self._count(all_members)
        if valued == total:
            return valued, []
        *via, last = steps
        (name,) = self._facts.kg.walk_labels.names([self._bound.relation(last)])
        some = Filter(**last.model_dump(), via=tuple(via), among=among, op="exists")
        stated = self._count(
            all_members.model_copy(update={"filters": (*all_members.filters, some)})
        )
        return valued, lacking(name, total, without=total - stated, incomparable=stated - valued)

    def _count(self, query: Query) -> int:
        query = query.model_copy(update={"answer": "count", "columns": ()})
        rows = self._rows(self._compile(query), 1)
        return int(_number(rows[0][0]) or 0) if rows else 0

    def _rows(
        self, compiled: Compiled, most: int, query: Query | None = None
    ) -> Sequence[Sequence[Term | None]]:
        order = f"\nORDER BY {ANSWER}" if ANSWER in compiled.variables else ""
        text = compiled.text + order
        limited = text if "\nLIMIT " in text else f"{text}\nLIMIT {most}"
        names = tuple(name.removeprefix("?") for name in compiled.variables)
        answer = self._store.select(Select(limited, names, most))
        size = len(answer.rows)
        if answer.cut and size < most and self._count(query or self._bound.query) != size:
            raise ServiceError(
                f"{self._store.source} keeps rows of the answer back", "ask for less"
            )
        return answer.rows


def _first_cells(rows: Sequence[Sequence[Term | None]]) -> list[Term]:
    return [row[0] for row in rows if row[0] is not None]


def _number(term: Term | None) -> int | float | None:
    value = None if term is None else value_of(term)
    if value is None or not isfinite(value.number):
        return None
    return int(value.number) if float(value.number).is_integer() else float(f"{value.number:.12g}")
