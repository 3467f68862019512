"""What literals are shown as: `20 July 1969`, `8,848 m`; the term itself stays what it is.

The readable form is the literal's display name everywhere, for the model and its reader alike, so
that there is one name a term: what is shown can be asked for, verified and found in a path, and
names stay unique. The lexical form stays the literal's label, by which it is found as well.

Dates and numbers are spelled for readers of English where that is the first language of the
profile, else without words, as the lexical form or the International System of Units has them.
A literal that is not in the form of its datatype, or has leading zeros, is shown as it is.
"""

import re
from collections.abc import Mapping
from decimal import Decimal
from functools import cache

from ...languages import language_words
from ..nodes import literal_tag
from ..profile import Profile
from ..terms import XSD, Term
from .names import local_name

_NUMBERS = frozenset(
    """
    integer decimal double float int long short byte nonNegativeInteger positiveInteger
    nonPositiveInteger negativeInteger unsignedInt unsignedLong unsignedShort unsignedByte
    """.split()
)
_MEASURES = ("https://w3id.org/cdt/", "http://w3id.org/lindt/custom_datatypes#")
"""Namespaces of datatypes of which a literal holds a number and a unit in UCUM's notation."""
_UCUM = {"Cel": "°C", "[degF]": "°F", "[mi_i]": "mi", "[ft_i]": "ft", "[in_i]": "in"} | {
    "[lb_av]": "lb",
    "[oz_av]": "oz",
    "[kn_i]": "kn",
    "deg": "°",
    "Ohm": "Ω",
    "a": "years",
}
_POWERS = str.maketrans("23", "²³")
_SHORTEST_GROUPED = 5
"""Digits from which thousands are set apart: four may be a year."""
_LONGEST_NUMBER = 30
_MONTHS = (
    "January February March April May June July August September October November December".split()
)
_PARTS = ("year", "month", "day", "hour", "minute", "second")

_NUMBER = re.compile(r"(-?)(0|[1-9]\d*)(\.\d+)?")
_ZONE = r"(?P<zone>Z|[+-]\d\d:\d\d)?"
_YEAR = r"(?P<year>\d{4,}|-(?!0+(?!\d))\d{4,})"
"""A year, which is shown as it is written: `-0044` is 44 BC."""
_DATE = rf"{_YEAR}-(?P<month>0[1-9]|1[0-2])-(?P<day>0[1-9]|[12]\d|3[01])"
_TIME = r"(?P<hour>[01]\d|2[0-3]):(?P<minute>[0-5]\d):(?P<second>[0-5]\d(?:\.\d+)?)"
_MOMENTS = {
    "date": re.compile(_DATE + _ZONE),
    "dateTime": re.compile(f"{_DATE}T{_TIME}{_ZONE}"),
    "dateTimeStamp": re.compile(f"{_DATE}T{_TIME}{_ZONE}"),
    "time": re.compile(_TIME + _ZONE),
    "gYear": re.compile(_YEAR),
    "gYearMonth": re.compile(rf"{_YEAR}-(?P<month>0[1-9]|1[0-2])"),
    "gMonth": re.compile(r"--(?P<month>0[1-9]|1[0-2])"),
    "gMonthDay": re.compile(r"--(?P<month>0[1-9]|1[0-2])-(?P<day>0[1-9]|[12]\d|3[01])"),
}
_DURATION = re.compile(
    r"(?P<sign>-?)P(?=.)(?:(\d+)Y)?(?:(\d+)M)?(?:(\d+)D)?"
    r"(?:T(?=.)(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?)?"
)
_DURATIONS = frozenset({"duration", "dayTimeDuration", "yearMonthDuration"})
_TRUTH = {"true": "yes", "1": "yes", "false": "no", "0": "no"}


def readable(term: Term, profile: Profile) -> str:
    """A literal in a form for readers, in one line; two literals may have the same.

    Text in a language that the profile does not want is followed by its tag.
    """
    text, tag = local_name(term), literal_tag(term)
    if ":" not in tag:
        wanted = not tag or profile.language_rank(tag.lower()) is not None
        return text if wanted else f"{text} ({tag})"
    english = _is_english(profile.languages)
    return _typed(text, tag, english, profile.unit_of) or text


def _typed(text: str, datatype: str, english: bool, units: Mapping[str, str]) -> str:
    """The readable form of a text by its datatype; empty where it is the text itself."""
    if unit := units.get(f"<{datatype}>"):
        number = _number(text, english)
        return f"{number} {unit}" if number else ""
    if datatype.startswith(_MEASURES):
        amount, _, unit = text.partition(" ")
        number = _number(amount, english)
        return f"{number} {_unit(unit)}" if number and unit else ""
    kind = datatype.removeprefix(XSD) if datatype.startswith(XSD) else ""
    if kind in _NUMBERS:
        return _number(text, english)
    if kind in _MOMENTS:
        match = _MOMENTS[kind].fullmatch(text)
        return _moment(match.groupdict(), english) if match else ""
    if english and kind in _DURATIONS:
        return _duration(text)
    return _TRUTH.get(text, "") if english and kind == "boolean" else ""


def _number(text: str, english: bool) -> str:
    """A number with its thousands set apart, written out; empty where it is not a plain one."""
    if "e" in text or "E" in text:
        text = _written_out(text)
    match = _NUMBER.fullmatch(text)
    if match is None or len(text) > _LONGEST_NUMBER:
        return ""
    sign, whole, fraction = match.group(1), match.group(2), match.group(3) or ""
    if len(whole) >= _SHORTEST_GROUPED:
        whole = f"{int(whole):,}" if english else f"{int(whole):,}".replace(",", " ")
    return sign + whole + fraction


def _written_out(text: str) -> str:
    match = re.fullmatch(r"-?\d+(\.\d+)?[eE][+-]?\d{1,2}", text)
    if match is None or len(text) > _LONGEST_NUMBER:
        return ""
    plain = format(Decimal(text), "f")
    return plain.rstrip("0").rstrip(".") if "." in plain else plain


def _unit(code: str) -> str:
    """A unit in UCUM's notation as people write it."""
    if code in _UCUM:
        return _UCUM[code]
    return re.sub(r"(?<=[A-Za-z])[23](?![\d\w])", lambda m: m[0].translate(_POWERS), code)


def _moment(fields: Mapping[str, str | None], english: bool) -> str:
    """A date, a time or both. Midnight in universal time is a date: many KGs know no other."""
    date, time = _date(fields, english), _time(fields)
    zone = fields.get("zone") or ""
    if date and time == "00:00" and zone in ("", "Z", "+00:00"):
        time = zone = ""
    zone = {"": "", "Z": " UTC", "+00:00": " UTC"}.get(zone, f" UTC{zone}")
    between = "" if not (date and time) else ", " if english else " "
    return f"{date}{between}{time}{zone}"


def _date(fields: Mapping[str, str | None], english: bool) -> str:
    """The parts of a date that there are; nothing without words where they need some."""
    year, month, day = fields.get("year"), fields.get("month"), fields.get("day")
    if not english:
        return "-".join(part for part in (year, month, day) if part) if year else ""
    words = [str(int(day))] if day else []
    words += [_MONTHS[int(month) - 1]] if month else []
    words += [year.lstrip("-0") or "0"] if year else []
    words += [_before_common_era()] if year and year.startswith("-") else []
    return " ".join(words)


@cache
def _before_common_era() -> str:
    """What stands after years that are counted backwards."""
    return language_words()["spelling"]["eras"][0].upper()


def _time(fields: Mapping[str, str | None]) -> str:
    hour, minute, second = fields.get("hour"), fields.get("minute"), fields.get("second")
    if not hour:
        return ""
    return f"{hour}:{minute}" if second == "00" else f"{hour}:{minute}:{second}"


def _duration(text: str) -> str:
    match = _DURATION.fullmatch(text)
    if match is None:
        return ""
    amounts = [
        f"{number} {name}{'' if number == '1' else 's'}"
        for number, name in zip(match.groups()[1:], _PARTS, strict=True)
        if number
    ]
    return ("minus " if match["sign"] else "") + " ".join(amounts)


def _is_english(languages: tuple[str, ...]) -> bool:
    """Whether the first language is English, or none is named."""
    first = next(filter(None, languages), "en")
    return first == "en" or first.startswith("en-")
