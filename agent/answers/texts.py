"""What readers see of answers and values: numbers without a qualifier, and with their unit."""

import re
from collections.abc import Iterable

from ..kg.labels.names import one_line
from ..kg.nodes import lexical_form, literal_tag
from ..kg.terms import XSD, Term, is_literal
from ..query.values import value_of
from ..records import Answer, Named

_NUMBERED = re.compile(r" \(\d+\)")
"""What tells a name from an equal one where nothing else does."""


def is_bare_number(term: Term) -> bool:
    """Whether a term is a number with a datatype that says no unit."""
    if not is_literal(term) or not literal_tag(term).startswith(XSD):
        return False
    value = value_of(term)
    return value is not None and not value.unit


def value_text(value: Named, unit: str = "") -> str:
    """The name of a term; of a bare number its unit, and not what tells it from an equal one.

    A text is not numbered either where it is called as a thing is.
    """
    term, label = value["term"], value["label"]
    if not is_literal(term):
        return label
    if not is_bare_number(term):
        text = one_line(lexical_form(term))
        is_numbered = label.startswith(text) and _NUMBERED.fullmatch(label, len(text))
        return text if is_numbered else label
    number, _, _ = label.partition(" (")
    return f"{number} {unit}".rstrip()


def with_unit(answer: Answer) -> str:
    """The name of an answer, with its unit."""
    return value_text(answer, answer.get("unit", ""))


def answers_line(answers: Iterable[Answer]) -> str:
    """The names of all answers in one line, with their units."""
    return "; ".join(map(with_unit, answers))
