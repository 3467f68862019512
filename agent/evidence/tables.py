"""Answers as CSV (RFC 4180): a row for each answer, table row, or value of a card."""

import csv
from collections.abc import Iterator, Sequence
from io import StringIO

from ..records import Named
from ..state import State
from .reply import printable

_FORMULA = ("=", "+", "-", "@")
"""Characters at which a spreadsheet takes a cell for a formula."""


def csv_of(state: State) -> str:
    """The answers of a final state as CSV with a header; only the header where there are none.

    Every entity has a column for its name and one for its term. A text that a spreadsheet would
    take for a formula has an apostrophe before it.
    """
    written = StringIO()
    table = csv.writer(written)
    for row in _rows(state):
        table.writerow([_cell(cell) for cell in row])
    return written.getvalue()


def _rows(state: State) -> Iterator[Sequence[str | int | float | None]]:
    result = state.get("result")
    if result is not None and result["kind"] == "card":
        yield "relation", "value", "term"
        for relation, *values in result.get("rows", []):
            for value in values:
                yield (*_columns(relation)[:1], *_columns(value))
    elif result is not None and (rows := result.get("rows")):
        yield from _table(rows)
    elif result is not None and not state.get("answers"):
        yield "answer", "value"
        yield result["text"], result["value"]
    else:
        yield "answer", "term"
        for answer in state.get("answers", []):
            yield answer["label"], answer["term"]


def _table(
    rows: Sequence[Sequence[Named | int | float | None]],
) -> Iterator[Sequence[str | int | float | None]]:
    """The rows of a table; a column with an entity in it has one for terms beside it."""
    widths = [max(len(_columns(row[at])) for row in rows) for at in range(len(rows[0]))]
    yield [name for at, width in enumerate(widths, 1) for name in _header(at, width)]
    for row in rows:
        cells = zip(row, widths, strict=True)
        yield [part for cell, width in cells for part in (*_columns(cell), None)[:width]]


def _header(number: int, width: int) -> list[str]:
    return [f"column {number}", f"term {number}"][:width]


def _columns(cell: Named | int | float | None) -> tuple[str | int | float | None, ...]:
    """The name and the term of an entity, or a number alone."""
    return (cell["label"], cell["term"]) if isinstance(cell, dict) else (cell,)


def _cell(value: str | int | float | None) -> str | int | float | None:
    if not isinstance(value, str):
        return value
    text = printable(value)
    return f"'{text}" if text.startswith(_FORMULA) else text
