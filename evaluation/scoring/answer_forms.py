"""The form of an answer: things, a number, yes or no, or rows.

Numbers compare by value, whatever unit follows them, yes and no by themselves, rows as sets.
"""

import re
from collections.abc import Sequence
from typing import Literal, TypeAlias, cast, get_args

from ...agent.query.values import value_of
from ...agent.records import Answer, Result
from ...agent.state import State
from ..samples import Gold, Sample

Form: TypeAlias = Literal["members", "number", "yesno", "rows"]
FORMS: tuple[Form, ...] = get_args(Form)

_NUMBER = re.compile(r"([+-]?)(\d[\d,]*(?:\.\d+)?(?:[eE][+-]?\d{1,3})?|\.\d+)(?:\s.*)?", re.DOTALL)
_PLAIN = re.compile(r"[+-]?\d+(?:\.\d+)?")
_YES_NO = frozenset({"yes", "no"})


def form_of(sample: Sample) -> Form:
    """What a sample says that it wants; else what its one gold answer looks like."""
    if sample.form:
        return cast(Form, sample.form)
    if len(sample.answers) != 1 or sample.answers[0].term:
        return "members"
    label = sample.answers[0].label
    if label in _YES_NO:
        return "yesno"
    return "number" if _PLAIN.fullmatch(label) else "members"


def gold_in_form(sample: Sample) -> list[Gold]:
    """The gold answers in the spelling in which what is stated is compared with them."""
    if form_of(sample) != "number":
        return list(sample.answers)
    return [Gold(label=numeral(gold.label) or gold.label) for gold in sample.answers]


def stated_in_form(state: State, form: Form) -> list[str] | None:
    """What the agent stated in a form; None where its answers themselves are meant."""
    result = state.get("result")
    match form:
        case "members":
            return None
        case "yesno":
            truth = result["value"] if result and result["kind"] == "truth" else None
            return [] if truth is None else ["yes" if truth else "no"]
        case "number":
            return _numbers(state, result)
        case "rows":
            rows = (result or {}).get("rows") or []
            return [row_text([_cell(cell) for cell in row]) for row in rows]


def row_text(cells: Sequence[str | int | float | None]) -> str:
    """A row as one text; equal rows have equal texts."""
    return " | ".join(map(_spelled, cells))


def numeral(text: str) -> str:
    """The number that a text begins with, spelled by its value; empty where it is none."""
    match = _NUMBER.fullmatch(text.strip())
    if match is None:
        return ""
    number = float(match[2].replace(",", ""))
    return f"{'minus ' if match[1] == '-' and number else ''}{number:.9g}"


def _numbers(state: State, result: Result | None) -> list[str]:
    """The number that was computed, else those that are the answers."""
    if result is not None and result["kind"] != "truth" and result["value"] is not None:
        return [_spelled(result["value"])]
    return [_number(answer) or "no number" for answer in state.get("answers", [])]


def _number(answer: Answer) -> str:
    """The number that an answer is, as a value or by its name; empty where it is none."""
    value = value_of(answer["term"])
    if value is None or value.unit == "date":
        return numeral(answer["label"]) if _PLAIN.fullmatch(answer["label"]) else ""
    return _spelled(value.number)


def _cell(cell: object) -> str | int | float | None:
    if isinstance(cell, dict):
        return str(cast("dict[str, object]", cell)["term"])
    return cast("int | float | None", cell)


def _spelled(cell: str | int | float | None) -> str:
    """A cell by its value: a number, or a literal that is one, otherwise the term."""
    if cell is None:
        return ""
    if isinstance(cell, (int, float)):
        return numeral(f"{cell:.12f}")
    value = value_of(cell) if cell.startswith('"') else None
    return numeral(f"{value.number:.12f}") if value and value.unit == "" else cell
