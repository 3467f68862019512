"""What readers see of answers and values: numbers without a qualifier, and with their unit."""

from collections.abc import Iterable

from ..kg.nodes import literal_tag
from ..kg.terms import XSD, Term, is_literal
from ..query.values import value_of
from ..records import Answer, Named


def is_bare_number(term: Term) -> bool:
    """Whether a term is a number with a datatype that says no unit."""
    if not is_literal(term) or not literal_tag(term).startswith(XSD):
        return False
    value = value_of(term)
    return value is not None and not value.unit


def value_text(value: Named, unit: str = "") -> str:
    """The name of a term; of a bare number its unit, and not what tells it from an equal one."""
    if not is_bare_number(value["term"]):
        return value["label"]
    number, _, _ = value["label"].partition(" (")
    return f"{number} {unit}".rstrip()


def with_unit(answer: Answer) -> str:
    """The name of an answer, with its unit."""
    return value_text(answer, answer.get("unit", ""))


def answers_line(answers: Iterable[Answer]) -> str:
    """The names of all answers in one line, with their units."""
    return "; ".join(map(with_unit, answers))
