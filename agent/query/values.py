"""Numbers and dates of a KG as values that can be compared."""

import re
from decimal import Decimal, InvalidOperation
from typing import NamedTuple

from ..kg.names import local_name
from ..kg.nodes import literal_tag
from ..kg.terms import Term, is_literal

_XSD = "http://www.w3.org/2001/XMLSchema#"
_TEXT_FILE = "<urn:groundwalk:"
_DATES = frozenset({"date", "dateTime", "dateTimeStamp", "gYear", "gYearMonth"})
_DATE = re.compile(r"(-?\d{4,})(?:-(\d\d))?(?:-(\d\d))?(?:T(.*))?(?:Z|[+-]\d\d:\d\d)?")
_TIME = re.compile(r"(\d\d):(\d\d):(\d\d(?:\.\d+)?)")
_NUMBER = re.compile(r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d{1,3})?")


class Value(NamedTuple):
    """Something that can be compared with what has the same unit."""

    unit: str
    size: tuple[Decimal | str, ...]

    @property
    def number(self) -> float:
        """The size as one number that orders as it does: of a date its digits and the time."""
        if self.unit != "date":
            return float(self.size[0])
        year, month, day = map(float, self.size[:3])
        return year * 10_000 + month * 100 + day + _of_day(self.size[3])


def value_of(term: Term) -> Value | None:
    """The number or date that a literal is, or that a name of a text file is; None for others.

    The unit is what follows the number, its datatype where that is no plain number, or `date`.
    """
    text, tag = local_name(term), ""
    if is_literal(term):
        tag = literal_tag(term)
    elif not term.startswith(_TEXT_FILE):
        return None
    kind = tag.removeprefix(_XSD)
    if tag.startswith(_XSD) and kind in _DATES:
        date = _DATE.fullmatch(text)
        parts = [Decimal(part or 0) for part in date.groups()[:3]] if date else []
        return Value("date", (*parts, date[4] or "")) if date else None
    amount, _, unit = text.partition(" ")
    number = _number(amount)
    if number is None or (unit and not tag) or (tag and ":" not in tag):
        return None
    return Value(unit or ("" if tag.startswith(_XSD) else tag), (number,))


def _of_day(time: Decimal | str) -> float:
    """The part of a day that a time like `12:30:00` is."""
    parts = _TIME.match(str(time))
    if parts is None:
        return 0.0
    hours, minutes, seconds = map(float, parts.groups())
    return (hours * 3_600 + minutes * 60 + seconds) / 86_401


def _number(text: str) -> Decimal | None:
    if not _NUMBER.fullmatch(text):
        return None
    try:
        return Decimal(text)
    except InvalidOperation:
        return None
