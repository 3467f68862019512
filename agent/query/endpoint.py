"""Executing a query where the facts are behind an endpoint: one SELECT, computed there."""

from collections.abc import Sequence
from dataclasses import replace

from ..errors import ServiceError
from ..kg.sparql.queries import Query as Select
from ..kg.sparql.store import SparqlStore
from ..kg.terms import Term
from .binding import Bound
from .execute import Earlier, execute, prove
from .facts import Facts
from .outcome import MOST_COUNTED, MOST_MEMBERS, Form, Outcome
from .sparql import ANSWER, Compiled, NotSaidError, compile_query
from .tree import Query
from .values import value_of

MOST_PROVED = 200
"""Members that an endpoint is asked to prove; those are listed."""


def execute_anywhere(facts: Facts, bound: Bound, *, earlier: Earlier | None = None) -> Outcome:
    """What a query comes to, computed where the facts are.

    An endpoint that is read as it stands gets one SELECT for the denotation. Then the members that
    are listed are proved, by what is around them. What SPARQL cannot say is executed here, step by
    step. Raises as `execute` does.
    """
    store = facts.kg.store
    if not isinstance(store, SparqlStore) or not facts.kg.reading.plain:
        return execute(facts, bound, earlier=earlier)
    try:
        compiled = compile_query(bound, facts.kg.profile, store.graphs)
    except NotSaidError:
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
            case "truth":
                truth = bool(self._rows(self._compiled, 1))
                return replace(self._shown("truth"), value=truth)
            case "number":
                rows = self._rows(self._compiled, 1)
                value = _number(rows[0][0]) if rows else None
                shown = self._shown("number")
                size = value if self._bound.query.answer == "count" else shown.size
                return replace(shown, value=value, size=int(size or 0))
            case _:
                return self._listed()

    def _listed(self) -> Outcome:
        rows = self._rows(self._compiled, MOST_MEMBERS + 1)
        members = list(dict.fromkeys(row[0] for row in rows if row[0] is not None))
        proved = prove(self._facts, self._bound, members[:MOST_PROVED])
        size, notes = len(members), list(proved.notes)
        if len(rows) > MOST_MEMBERS:
            size = self._count()
        if size > len(proved.members):
            notes.append(f"only {len(proved.members):,} of {size:,} are listed")
        kept, columns = set(proved.members), [None, *self._bound.query.columns]
        cells = [
            tuple(
                _number(cell) if column and column.agg else cell
                for cell, column in zip(row, columns, strict=True)
            )
            for row in rows
            if row[0] in kept
        ]
        shown = cells if self._compiled.form == "rows" else ()
        return replace(proved, size=size, rows=tuple(shown), notes=tuple(notes))

    def _shown(self, form: Form) -> Outcome:
        """Some members beside a number or a yes, with their proofs."""
        query, shown = self._bound.query, self._bound
        members = query.model_copy(update={"answer": "list", "every": ()})
        if query.answer in ("sum", "avg", "min", "max"):
            members = Query(start=query.start, steps=query.steps[:-1])
        else:
            shown = replace(self._bound, query=members)
        compiled = compile_query(
            replace(self._bound, query=members), self._facts.kg.profile, self._store.graphs
        )
        rows = self._rows(compiled, MOST_COUNTED)
        proved = prove(self._facts, shown, [row[0] for row in rows if row[0] is not None])
        return replace(proved, form=form)

    def _count(self) -> int:
        query = self._bound.query.model_copy(update={"answer": "count", "columns": ()})
        bound = replace(self._bound, query=query)
        compiled = compile_query(bound, self._facts.kg.profile, self._store.graphs)
        rows = self._rows(compiled, 1)
        return int(_number(rows[0][0]) or 0) if rows else 0

    def _rows(self, compiled: Compiled, most: int) -> Sequence[Sequence[Term | None]]:
        text = (
            f"{compiled.text}\nORDER BY {ANSWER}" if ANSWER in compiled.variables else compiled.text
        )
        limited = text if "\nLIMIT " in text else f"{text}\nLIMIT {most}"
        names = tuple(name.removeprefix("?") for name in compiled.variables)
        answer = self._store.select(Select(limited, names, most))
        if answer.cut and len(answer.rows) < most and self._count() != len(answer.rows):
            raise ServiceError(
                f"{self._store.source} keeps rows of the answer back", "ask for less"
            )
        return answer.rows


def _number(term: Term | None) -> int | float | None:
    value = None if term is None else value_of(term)
    if value is None:
        return None
    return int(value.number) if float(value.number).is_integer() else float(f"{value.number:.12g}")
