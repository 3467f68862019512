"""All results of runs as a table: CSV for spreadsheets, JSON for programs."""

import csv
import io
import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import TypeAlias

from ...agent.errors import InputError
from ...agent.kg.labels.names import one_line
from ..records import Record
from ..scoring.metrics import METRICS
from .embed import Outcome, outcome

Value: TypeAlias = str | int | float | bool | None | list[str]
Row: TypeAlias = dict[str, Value]
"""A result by the names of its columns; every row has the same ones."""

FORMATS = (".csv", ".json")
_FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""How a text begins that a spreadsheet would compute."""


def check_format(file: Path) -> None:
    """Raise InputError for a file whose name does not say which format it is to have."""
    if file.suffix not in FORMATS:
        raise InputError(f"{file}: is none of {', '.join(FORMATS)}", "end its name in one of them")


def row_of(run: str, record: Record) -> Row:
    """What a record comes to, whole: nothing is cut as it is on the page."""
    scores, usage = record["metrics"], record["usage"]
    row: Row = {
        "run": run,
        **{name: record[name] for name in ("dataset", "split", "id", "method", "question")},
        **{name: record[name] for name in ("hops", "type", "status")},
        "right": bool(outcome(record) & Outcome.RIGHT),
        "answers": [answer["label"] or answer["term"] for answer in record["answers"]],
        "gold": [gold["label"] or gold["term"] for gold in record["gold"]],
        "confidence": record["confidence"],
    }
    row |= {name: scores and scores[name] for name in METRICS}
    row |= {
        "walk": _walk(record),
        "reading": record.get("reading", ""),
        "unread": record.get("unread_words", []),
        "unsupported": record["unsupported"],
        "triples": record["triples"],
        "supported": record["supported"],
        "notes": record["notes"],
        "error": record["error"],
        "seconds": record["seconds"],
    }
    row |= {name: usage[name] for name in _COSTS}
    return {name: _finite(value) for name, value in row.items()}


_COSTS = (
    "forward_passes",
    "prompt_tokens",
    "tokens",
    "forced_tokens",
    "llm_calls",
    "kg_requests",
)


def written(rows: Sequence[Row], file: Path) -> bytes:
    """The content of a file of rows, in the format that its name says.

    In CSV lists are joined by semicolons, and a text that a spreadsheet would compute has an
    apostrophe before it.
    """
    if file.suffix == ".json":
        return f"{json.dumps(rows, ensure_ascii=False, indent=1)}\n".encode()
    text = io.StringIO()
    table = csv.writer(text)
    table.writerow(rows[0] if rows else ())
    table.writerows([[_cell(value) for value in row.values()] for row in rows])
    return text.getvalue().encode("utf-8-sig")


def _finite(value: Value) -> Value:
    """The value; None for a number that JSON does not have."""
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _cell(value: Value) -> str | int | float | None:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list):
        value = "; ".join(value)
    if not isinstance(value, str):
        return value
    line = one_line(value)
    return f"'{line}" if line.startswith(_FORMULA) else line


def _walk(record: Record) -> str:
    """The triples of the first chain of the first answer."""
    chains = [chain for answer in record["answers"][:1] for chain in answer["chains"][:1]]
    return "; ".join(
        " -> ".join(step[part]["label"] for part in ("head", "relation", "tail"))
        for chain in chains
        for step in chain
    )
