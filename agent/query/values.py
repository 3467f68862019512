"""Numbers, dates and durations of a KG as values that are compared, and units of measure."""

import re
from collections.abc import Callable
from decimal import Decimal
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from ..kg.labels.names import local_name
from ..kg.nodes import lexical_form, literal_tag
from ..kg.profile import Profile
from ..kg.terms import XSD, Term, is_literal
from ..linking.words import FUNCTION_WORDS
from .currencies import currencies_of
from .unit_signs import is_sign, is_sign_in_names, is_word_of_rate

if TYPE_CHECKING:
    from pint import Unit, UnitRegistry


_Computed = TypeVar("_Computed")
_TEXT_FILE = "<urn:groundwalk:"
_DATES = frozenset({"date", "dateTime", "dateTimeStamp", "gYear", "gYearMonth"})
_DATE = re.compile(r"(-?\d{4,})(?:-(\d\d))?(?:-(\d\d))?(?:T(.*))?(?:Z|[+-]\d\d:\d\d)?")
_TIME = re.compile(r"(\d\d):(\d\d):(\d\d(?:\.\d+)?)")
_DURATION = re.compile(
    r"(-?)P(?=[\dT])(?:0+Y)?(?:0+M)?(?:(\d+)D)?"
    r"(?:T(?=\d)(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?)?"
)
_SECONDS_OF = (86_400, 3_600, 60, 1)
_DURATIONS = frozenset({f"{XSD}duration", f"{XSD}dayTimeDuration"})
"""Datatypes of durations, which have a length where they name no years or months."""
SECONDS = "seconds"
"""The unit of durations."""
_MOST_UNITS = 10_000
"""Texts and pairs of units that are remembered."""
_NUMBER = re.compile(r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d{1,3})?")
_AMOUNT = re.compile(
    r"(?P<before>[A-Za-z]{3} ?|[^\w\s.,+-] ?)?(?P<sign>[+-])?"
    r"(?:(?P<comma>\d{1,3}(?:\.\d{3})+,\d\d?|\d+,\d\d?|0,\d+)"
    r"|(?P<point>[1-9]\d{0,2}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?))"
    r"(?P<after> ?[^\d\s]+[23]?)?"
)
"""A number, with a decimal comma or a decimal point, and what stands right before and after it."""
_MAYBE_THOUSANDS = re.compile(r"[1-9]\d{0,2}\.\d{3}")
_MINUS = "\u2212"
"""The sign that is no hyphen."""
_SHORTEST_WORD = 4
_LONGEST_AMOUNT = 40
PERCENT = "%"


class Quantity(NamedTuple):
    """A number or date, comparable with those of the same unit."""

    unit: str
    size: tuple[Decimal | str, ...]

    @property
    def number(self) -> float:
        """The size as one number that orders as it does: of a date its digits and the time."""
        if self.unit != "date":
            return float(self.size[0])
        year, month, day = map(float, self.size[:3])
        return year * 10_000 + month * 100 + day + _date_of_day(self.size[3])


def value_of(term: Term) -> Quantity | None:
    """The number or date that a literal is, or that a name of a text file is; None for others.

    The unit is what follows the number, its datatype where that is no plain number, or `date`. A
    duration is a number of seconds. A plain text may be a number with a unit: `230 W`, `$1,200`.
    """
    if not is_literal(term) and not term.startswith(_TEXT_FILE):
        return None
    text, tag = local_name(term), literal_tag(term) if is_literal(term) else ""
    is_xsd = tag.startswith(XSD)
    if is_xsd and tag.removeprefix(XSD) in _DATES:
        return _date_of(text)
    if tag in _DURATIONS:
        return _length_of(text)
    amount, _, unit = text.partition(" ")
    is_text = bool(tag) and ":" not in tag  # a language
    if not is_text and _NUMBER.fullmatch(amount) and (tag or not unit):
        return Quantity(unit or ("" if is_xsd else tag), (Decimal(amount),))
    return _amount_of(text) if not tag and is_literal(term) else None


def is_duration(literal: Term) -> bool:
    """Whether a literal has the datatype of a duration."""
    return literal_tag(literal) in _DURATIONS


def is_amount(literal: Term) -> bool:
    """Whether a literal is a plain text that holds a number and its unit."""
    return not literal_tag(literal) and _amount_of(lexical_form(literal)) is not None


def _amount_of(text: str) -> Quantity | None:
    """The number of a text with a known unit after it, or a currency before or after it.

    `1.500 kg` is none: it may be 1500 or 1.5.
    """
    is_short = len(text) <= _LONGEST_AMOUNT
    match = _AMOUNT.fullmatch(text.replace(_MINUS, "-")) if is_short else None
    if match is None or _MAYBE_THOUSANDS.fullmatch(match["point"] or ""):
        return None
    before, after = (match["before"] or "").strip(), match["after"] or ""
    unit = before or after.strip()
    is_bare = not unit and text.startswith(_MINUS)
    is_known = is_currency(before) if before else _is_unit_of_amount(after)
    if (before and after) or not (is_known or is_bare or unit == PERCENT):
        return None
    with_comma = (match["comma"] or "").replace(".", "").replace(",", ".")
    number = Decimal((match["sign"] or "") + (with_comma or match["point"].replace(",", "")))
    return Quantity("" if unit == PERCENT else unit, (number,))


def _is_unit_of_amount(after: str) -> bool:
    """Whether what stands after a number is its unit.

    A unit of one letter stands after a space, so that `4K` and `12A` are no numbers. So do words,
    which are looked up; shorter ones are rather the time of a day, or a place.
    """
    unit = after.strip()
    is_apart = after.startswith(" ")
    if currencies_of(unit) or (is_sign(unit) and (is_apart or len(unit) > 1)):
        return True
    return is_apart and len(unit) >= _SHORTEST_WORD and unit.isalpha() and is_measure(unit)


def _date_of(text: str) -> Quantity | None:
    date = _DATE.fullmatch(text)
    if date is None:
        return None
    return Quantity("date", (*(Decimal(part or 0) for part in date.groups()[:3]), date[4] or ""))


def _length_of(text: str) -> Quantity | None:
    """The length of a duration; None where it has years or months, which differ in length."""
    duration = _DURATION.fullmatch(text)
    if duration is None:
        return None
    sign, *parts = duration.groups()
    length = sum(
        (Decimal(part or 0) * seconds for part, seconds in zip(parts, _SECONDS_OF, strict=True)),
        Decimal(0),
    )
    return Quantity(SECONDS, (-length if sign else length,))


def duration_of(seconds: float) -> Term:
    """The literal of a duration, to the millisecond."""
    remainder = round(abs(Decimal(str(seconds))), 3)
    days, remainder = divmod(remainder, 86_400)
    hours, remainder = divmod(remainder, 3_600)
    minutes, remainder = divmod(remainder, 60)
    whole = f"{days}D" if days else ""
    parts = ((hours, "H"), (minutes, "M"), (remainder.normalize(), "S"))
    time = "".join(f"{part:f}{letter}" for part, letter in parts if part)
    sign = "-" if seconds < 0 else ""
    length = f"P{whole}{'T' if time else ''}{time}" if whole or time else "PT0S"
    return f'"{sign}{length}"^^<{XSD}dayTimeDuration>'


def _date_of_day(time: Decimal | str) -> float:
    """The part of a day that a time like `12:30:00` is."""
    parts = _TIME.match(str(time))
    if parts is None:
        return 0.0
    hours, minutes, seconds = map(float, parts.groups())
    return (hours * 3_600 + minutes * 60 + seconds) / 86_401


# Units

_PLAIN = str.maketrans("²³·", "23*")
_NAMES = {"ha": "hectare", "h": "hour", "min": "minute", "kn": "knot", "KB": "kilobyte"} | {
    "°C": "degC",
    "°F": "degF",
}
"""What profiles write where pint reads something else, or nothing."""
_UNIT = re.compile(r"[^\W\d]+(?:\*\*[23])?(?:[ */][^\W\d]+(?:\*\*[23])?)*|%")
_DEGREES = ("degree_Celsius", "degree_Fahrenheit")
_LONGEST = 40
_MARKED = re.compile(r"[(\[]([^()\[\]]+)[)\]]\s*$|\bin (\S+)\s*$")
"""A unit in brackets or after *in*, which may be a letter."""
_LAST_WORD = re.compile(r"(?:([^\W_]+)[\s_]+([^\W_]{2,})|^([^\W_]{3,}))\s*$")
"""The last word of a name, and the one before it."""
_AFTER_UNDERSCORE = re.compile(r"(?<=[^\W_]{2})_([ghlms])>$|[^\W_]_([^\W_]{2,})>$")
"""A unit at the end of an IRI. Other letters are rather a grade or a size."""
_BEFORE_UNDERSCORE = re.compile(r"[^\W_]+(?=_[^\W_]+>$)")


def factor(unit: str, target: str) -> float | None:
    """How many of the other unit one of this unit is; None where that is unknown.

    Those that may mean the same currency are as many. No currency is converted, and no degrees of
    temperature.
    """
    if not unit or not target:
        return None
    if unit == target or currencies_of(unit) & currencies_of(target):
        return 1.0
    if (degree := _degree(unit)) is not None and degree == _degree(target):
        return 1.0
    return _factor(unit, target)


def is_unit(text: str) -> bool:
    """Whether a text is known as a unit of measure, or a currency."""
    return bool(currencies_of(text)) or _parsed(text) is not None


def is_measure(text: str) -> bool:
    """Whether a text is known as a unit of measure, a currency, or degrees of temperature."""
    return is_unit(text) or _degree(text) is not None


def is_currency(text: str) -> bool:
    """Whether a text is a currency and nothing else; pounds may be a weight, too."""
    return bool(currencies_of(text)) and _parsed(text) is None


def is_name_of_unit(text: str) -> bool:
    """Whether a text is what one of a unit is called, as *year*, and no sign or plural."""
    return _parsed(text) == text


def unit_of_datatype(datatype: str, profile: Profile) -> str:
    """The unit that a datatype stands for; the IRI itself where none is known."""
    return profile.unit_of.get(f"<{datatype}>", datatype)


def unit_of_term(term: Term, profile: Profile) -> str:
    """The unit that a term of the profile or a text names; empty where that is none."""
    if not is_literal(term):
        return profile.unit_of.get(term, "")
    text = lexical_form(term)
    return text if text.lower() not in FUNCTION_WORDS and is_measure(text) else ""


@lru_cache(maxsize=_MOST_UNITS)
def unit_in_name(name: str) -> str:
    """The unit that the name of a relation ends in, `height (m)`, `height in m` or `height mm`.

    Empty where that is none, as in *price per kg*. A last word that is not marked so is a common
    unit or a currency. What has a capital only since a word begins there, as in `lengthMm`, has
    none of its own.
    """
    if marked := _MARKED.search(name):
        text = marked[1] or marked[2]
        is_capitalised = text.istitle() and len(text) > 1 and is_unit(text.lower())
        return text.lower() if is_capitalised else (text if is_measure(text) else "")
    last = _LAST_WORD.search(name)
    if last is None or is_word_of_rate(last[1] or ""):
        return ""
    text = last[2] or last[3]
    spellings = {text, text.lower()} if text.istitle() else {text}
    known = list(filter(is_sign_in_names, spellings))
    if len(known) == 1:
        return known[0]
    return text if not known and currencies_of(text) else ""


@lru_cache(maxsize=_MOST_UNITS)
def unit_in_iri(relation: Term) -> str:
    """The unit after the last underscore of an IRI, as in `length_m`; empty where that is none."""
    match = _AFTER_UNDERSCORE.search(relation)
    before = _BEFORE_UNDERSCORE.search(relation)
    if match is None or before is None or is_word_of_rate(before[0]):
        return ""
    text = match[1] or match[2]
    return text if match[1] or is_sign_in_names(text) or currencies_of(text) else ""


@lru_cache(maxsize=_MOST_UNITS)
def _factor(unit: str, target: str) -> float | None:
    pair = _parsed(unit), _parsed(target)
    if pair[0] is None or pair[1] is None:
        return None
    from pint import DimensionalityError

    try:
        return float(_registry().Quantity(1.0, pair[0]).to(pair[1]).magnitude)
    except DimensionalityError:
        return None


@lru_cache(maxsize=_MOST_UNITS)
def _parsed(text: str) -> str | None:
    """The text as pint writes units; None where it is none, or one that cannot be multiplied.

    Such are degrees that start elsewhere than 0, and logarithmic units.
    """
    unit = _unit_of_pint(text)
    if unit is None or not _is_multiplied(unit):
        return None
    is_of_data = str(unit).endswith(("byte", "bit"))
    return str(unit) if is_of_data or not unit.dimensionless else None


@lru_cache(maxsize=_MOST_UNITS)
def _degree(text: str) -> str | None:
    """The degrees of temperature that a text names, as pint writes them; None for other texts."""
    unit = _unit_of_pint(text) or _unit_of_pint(text.lower())
    name = str(unit).removeprefix("degree * ").removeprefix("delta_")
    return name if name in _DEGREES else None


def _unit_of_pint(text: str) -> "Unit | None":
    pint_text = _NAMES.get(text, text).translate(_PLAIN)
    pint_text = re.sub(r"(?<=[A-Za-z])([23])\b", r"**\1", pint_text)
    if len(text) > _LONGEST or not _UNIT.fullmatch(pint_text):
        return None
    return _or_none(lambda: _registry().Unit(pint_text))


def _is_multiplied(unit: "Unit") -> bool:
    one = _registry().Quantity(1.0, unit)
    return _or_none(lambda: one / one) is not None


def _or_none(computed: Callable[[], _Computed]) -> _Computed | None:
    """What pint computes; None for what it does not know as a unit, or cannot multiply."""
    from pint import UndefinedUnitError

    try:
        return computed()
    except (UndefinedUnitError, ValueError, TypeError, AttributeError, AssertionError):
        return None
    except Exception as error:  # pint's parser has errors of its own, of no common class
        if type(error).__module__.startswith(("pint", "tokenize")):
            return None
        raise


@cache
def _registry() -> "UnitRegistry[Any]":
    from pint import UnitRegistry

    return UnitRegistry(cache_folder=None)
