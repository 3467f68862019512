"""What readers see of answers and values: numbers without a qualifier, and with their unit."""

from collections.abc import Iterable
from decimal import Decimal
from math import floor, isfinite, log10

from ..kg.labels.literals import readable
from ..kg.labels.names import one_line, without_number
from ..kg.nodes import lexical_form, literal_tag
from ..kg.profile import Profile
from ..kg.terms import XSD, Term, is_literal
from ..query.values import SECONDS, duration_of, value_of
from ..records import Answer, Named

_MOST_SECONDS = 1e10
"""The longest duration that is shown in days and hours."""
_GROUPED = 10_000
"""Numbers from which thousands are set apart: smaller ones may be years."""
_DIGITS = 6
"""Of a rounded number, at least."""
_MOST_DIGITS, _MOST_AFTER_POINT = 10, 4
"""Of a number that is shown as it is: with more of both it is rather an average."""


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
        return text if without_number(label) == text else label
    number, _, _ = label.partition(" (")
    return f"{number} {unit}".rstrip()


def with_unit(answer: Answer) -> str:
    """The name of an answer, with its unit."""
    return value_text(answer, answer.get("unit", ""))


def answers_line(answers: Iterable[Answer]) -> str:
    """The names of all answers in one line, with their units."""
    return "; ".join(map(with_unit, answers))


def number_text(number: float, unit: str, profile: Profile) -> str:
    """A number for readers, with its unit; many seconds are a duration.

    An average of very many digits is rounded.
    """
    if unit == SECONDS and 1 <= abs(number) < _MOST_SECONDS:
        return readable(duration_of(number), profile)
    _, digits, exponent = Decimal(str(number)).as_tuple()
    if isfinite(number) and len(digits) > _MOST_DIGITS and int(exponent) < -_MOST_AFTER_POINT:
        number = to_be_read(number)
    shown = f"{number:,}" if abs(number) >= _GROUPED else f"{number}"
    return f"{shown} {unit}".rstrip()


def to_be_read(number: float) -> int | float:
    """A number with enough digits to be read, whole where it is."""
    if not number:
        return 0
    short = round(number, max(0, _DIGITS - 1 - floor(log10(abs(number)))))
    return int(short) if short.is_integer() else short
