"""Answers as rows: what each belongs to, and CSV (RFC 4180) of answers, tables and cards."""

import csv
from collections.abc import Iterator, Mapping, Sequence
from io import StringIO
from typing import Any, TypeAlias

from ..agent.answers.computed import KINDS
from ..agent.evidence.reply import printable
from ..agent.kg.terms import Term, is_literal
from ..agent.query.phrases import IT, label_of
from ..agent.query.tree import Column, OfClass, Query, Step, read_query
from ..agent.records import Answer, Kind, Named, Result, StepRecord
from ..agent.state import State

Cell: TypeAlias = str | int | float | None

_FORMULA = ("=", "+", "-", "@")
"""Characters at which a spreadsheet takes a cell for a formula."""
_NUMBERS: Mapping[Kind, str] = {
    "count": "count",
    "sum": "sum",
    "average": "average",
    "smallest": "smallest",
    "largest": "largest",
    "truth": "truth",
    "connection": "hops",
}
"""The column of what a result came to, beside the members that it is made of."""
_VALUED: frozenset[Kind] = frozenset(("extreme", "sum", "average", "smallest", "largest"))
"""Kinds of results that are made of values of the members."""


def csv_of(state: State) -> str:
    """The answers of a final state as CSV with a header; only the header where there are none.

    Every entity has a column for its name and one for its term; so has what an answer belongs to,
    such as the country of a capital, where that tells answers apart. Beside the members of a result
    stand their values, and what it came to. A text that a spreadsheet would take for a formula has
    an apostrophe before it.
    """
    written = StringIO()
    table = csv.writer(written)
    for row in _rows(state):
        table.writerow([_cell(cell) for cell in row])
    return written.getvalue()


def _rows(state: State) -> Iterator[Sequence[Cell]]:
    result, answers = state.get("result"), state.get("answers", [])
    if result is not None and result["kind"] == "card":
        yield "relation", "value", "term"
        for relation, *values in result.get("rows", []):
            for value in values:
                yield (*_columns(relation)[:1], *_columns(value))
    elif result is not None and result["kind"] == "introduction":
        yield ("example question",)
        yield from (_columns(question)[:1] for (question,) in result.get("rows", []))
    elif result is not None and (rows := result.get("rows")):
        yield from _table(rows, column_names(state.get("query_tree"), len(rows[0])))
    elif result is not None and not answers and (number := _NUMBERS.get(result["kind"])):
        yield "answer", "term", number
        yield result["text"], None, result["value"]
    elif result is not None and not answers:
        yield "answer", "value"
        yield result["text"], result["value"]
    else:
        yield from _members(answers, result)


def _members(answers: Sequence[Answer], result: Result | None) -> Iterator[Sequence[Cell]]:
    """The answers; of a result with their values, in a column called as the relation.

    Answers that belong to several things have a row for each of these.
    """
    values = _values(answers, result) if result and result["kind"] in _VALUED else {}
    relations = list(dict.fromkeys(relation for relation, _ in values.values()))
    number = _NUMBERS.get(result["kind"]) if result else None
    of = belongings(answers)
    owner = ["of", "term of it"] if any(of) else []
    yield ["answer", "term", *owner, *relations, *([number] if number else [])]
    for answer, owners in zip(answers, of, strict=True):
        answer_relation, value = values.get(answer["term"], ("", None))
        cells = [value if relation == answer_relation else None for relation in relations]
        came_to = [result["value"]] if result and number else []
        for named in owners or [None]:
            pair = _columns(named) if named else ()
            yield [answer["label"], answer["term"], *pair, *cells, *came_to]


def _values(answers: Sequence[Answer], result: Result) -> dict[Term, tuple[str, str]]:
    """For each answer the relation and the value that the triples of a result lead to from it."""
    after: dict[Term, list[tuple[StepRecord, Named]]] = {}
    for step in result["triples"]:
        after.setdefault(step["head"]["term"], []).append((step, step["tail"]))
        after.setdefault(step["tail"]["term"], []).append((step, step["head"]))
    values: dict[Term, tuple[str, str]] = {}
    for answer in answers:
        reached = [answer["term"]]
        for term in reached:  # which grows
            for step, end in after.get(term, []):
                if is_literal(end["term"]):
                    values.setdefault(answer["term"], (step["relation"]["label"], end["label"]))
                elif end["term"] not in reached:
                    reached.append(end["term"])
            if answer["term"] in values:
                break
    return values


def _table(
    rows: Sequence[Sequence[Named | int | float | None]], names: Sequence[str]
) -> Iterator[Sequence[Cell]]:
    """The rows of a table; a column with an entity in it has one for terms beside it."""
    widths = [max(len(_columns(row[at])) for row in rows) for at in range(len(rows[0]))]
    terms = ["term", *(f"term of {name}" for name in names[1:])]
    headers = zip(zip(names, terms, strict=True), widths, strict=True)
    yield [name for header, width in headers for name in header[:width]]
    for row in rows:
        cells = zip(row, widths, strict=True)
        yield [part for cell, width in cells for part in (*_columns(cell), None)[:width]]


def column_names(tree: Mapping[str, Any] | None, width: int) -> list[str]:
    """What each column of a table shows, as its query says: a class, or relations.

    They are numbered where there is no query that says so.
    """
    if tree is not None:
        query = read_query(tree)
        names = [_members_name(query), *map(_column_name, query.columns)]
        if len(names) == width:
            return names
    return [f"column {number}" for number in range(1, width + 1)]


def _members_name(query: Query) -> str:
    """What the members of a query are: of a class, or where a relation leads to."""
    if query.group:
        return _phrase(query.group)
    if query.of_class:
        return query.of_class
    if query.steps:
        last = query.steps[-1]
        return "answer" if last.inverse else last.relation
    match query.start:
        case OfClass(name=name):
            return name
        case Query() as inner:
            return _members_name(inner)
        case _:
            return "answer"


def _column_name(column: Column) -> str:
    of = column.of if column.agg else column.steps
    what, phrase = KINDS[column.agg] if column.agg else "", _phrase(of)
    return " of ".join(filter(None, (what, phrase)))


def _phrase(steps: Sequence[Step]) -> str:
    """What steps lead to, in words."""
    text = IT
    for step in steps:
        label = label_of(step.relation)
        text = label.head_phrase(text) if step.inverse else label.tail_phrase(text)
    return text if steps else ""


def _columns(cell: Named | int | float | None) -> tuple[Cell, ...]:
    """The name and the term of an entity, or a number alone."""
    return (cell["label"], cell["term"]) if isinstance(cell, dict) else (cell,)


def _cell(value: Cell) -> Cell:
    if not isinstance(value, str):
        return value
    text = printable(value)
    return f"'{text}" if text.startswith(_FORMULA) else text


def belongings(answers: Sequence[Answer]) -> list[list[Named]]:
    """For each answer what it belongs to, without what all of them do.

    Empty lists where there is nothing to tell: of each answer, or of none.
    """
    of = [{named["term"]: named for named in answer.get("of", [])} for answer in answers]
    common = set(of[0]).intersection(*of[1:]) if of else set[str]()
    apart = [
        sorted(
            (owners[term] for term in owners if term not in common),
            key=lambda named: named["label"],
        )
        for owners in of
    ]
    return apart if all(apart) else [[] for _ in answers]
