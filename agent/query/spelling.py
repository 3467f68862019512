"""How a language writes numbers and dates, and a value that a question names.

Its words are in the file of the language (`agent/languages/en.toml`).
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Literal, TypeAlias

from ..languages import language_words
from .normal import MentionValue

ValueKind: TypeAlias = Literal["number", "date", "text"]

_CENTURY = r"(?P<last>\d{1,2})(?P<nd>[^\W\d_]{2})[\s-]+(?P<word>[^\W\d_]+)(?!\w)"
_CENTURY_BEFORE = r"(?<![\w.,])(?<!\d-)(?:(?P<first>\d{1,2})(?P<st>[^\W\d_]{2})"
"""The first of two centuries, of which the second has the word."""
_YEAR = r"[1-9]\d?,\d{3}|[1-9]\d{0,4}"
"""A year whose era is said."""
_DAYS_BEFORE = (
    r"(?<![\w-])(?P<month>[^\W\d_]{3,9})\.?\s+(?P<day>\d{1,2})(?P<th>[^\W\d_]{2})?",
    r"(?<![\w.,-])(?P<day>\d{1,2})(?P<th>[^\W\d_]{2})?(?:(?:\s+of)?\s+(?P<month>[^\W\d_]{3,9})\.?)?",
)
"""The first day of a range, which has its year, and may have its month, from the last one."""
_DAYS_AFTER = (
    r"(?<![\w-])(?P<month>[^\W\d_]{3,9})\.?\s+(?P<day>\d{1,2})(?P<th>[^\W\d_]{2})?",
    r"(?P<last>\d{1,2})(?P<nd>[^\W\d_]{2})?(?P<comma>,\s*|\s+)(?P<year>\d{4})(?![\w-]|[.,]\d)",
)
"""The two days of a range after their month."""
_LAST_WORD = re.compile(r"([^\W\d_]+)\s+\Z")


@dataclass(frozen=True)
class NamedValue:
    """A value in a question: its characters, and in `value` what it compares as if not its text."""

    start: int
    end: int
    kind: ValueKind
    text: str
    value: MentionValue = MentionValue()


@dataclass(frozen=True)
class Spelling:
    """The words of numbers, and of what stands at a number."""

    numbers: Mapping[str, int]
    """Words that add up."""
    scales: Mapping[str, int]
    """Words that multiply what is before them."""
    suffixes: Mapping[str, int]
    """What multiplies the digits that it ends."""
    suffixes_of_money: Mapping[str, int]
    """What multiplies the digits of an amount of money that it ends."""
    months: Mapping[str, int]
    joint: str
    """What may stand between a scale and the rest."""
    ordinals: frozenset[str]
    """What after digits makes a place of them."""
    decades: frozenset[str]
    """What after a year makes a decade of it."""
    articles: frozenset[str]
    """Words after which a number with such letters is a decade, and no measure."""
    centuries: frozenset[str]
    """Words for a hundred years, after the place of these."""
    century: re.Pattern[str]
    """One of these, or two."""
    era: re.Pattern[str]
    """What says that years are counted backwards."""
    common_era: re.Pattern[str]
    """What says that years are counted forwards."""
    years_of_era: tuple[re.Pattern[str], ...]
    """A year before its era, and maybe another one before it; and a year after its era."""
    before_months: frozenset[str]
    """Words after which a month without its year is one of any year."""
    between_months: re.Pattern[str]
    """What stands between two of these."""
    month_before: re.Pattern[str]
    """A month at the end of what stands before one with its year."""
    openings: frozenset[str]
    """Words after which what joins two numbers makes a range of them."""
    between: re.Pattern[str]
    """What stands between the two ends of a range."""
    days_before: tuple[re.Pattern[str], ...]
    """The first day of a range, at the end of what stands before the last one."""
    days_after: re.Pattern[str]
    """Both days of a range, after their month."""
    not_units: frozenset[str]
    """Words that are no unit after a number, though a unit is written so."""
    either: frozenset[str]
    """Words between two of which either is meant."""
    negative: frozenset[str]
    """Words before a number below zero."""
    letters: frozenset[str]
    """Letters that are words by themselves."""


@cache
def spelling() -> Spelling:
    """How English writes numbers."""
    table = language_words("en")
    marks = table["spelling"]
    joined = _range([*marks["ranges"], *marks["either"]])
    between_months = rf",?\s+(?i:{'|'.join((marks['joint'], *marks['either']))})\s+|,\s+"
    before = f"(?i:{'|'.join(map(re.escape, marks['eras']))})"
    common = f"(?:{'|'.join(map(re.escape, marks['common_eras']))})"
    return Spelling(
        table["numbers"],
        table["scales"],
        table["suffixes"],
        table["suffixes_of_money"],
        table["months"],
        marks["joint"],
        frozenset(marks["ordinals"]),
        frozenset(marks["decades"]),
        frozenset(marks["articles"]),
        frozenset(marks["centuries"]),
        re.compile(rf"{_CENTURY_BEFORE}{joined})?{_CENTURY}"),
        re.compile(rf"\s*{before}(?!\w)"),
        re.compile(rf"\s*{common}(?!\w)"),
        (
            re.compile(
                rf"(?<![\w.,/])(?:(?P<first>{_YEAR}){joined})?(?P<year>{_YEAR})"
                rf"\s*(?P<era>(?P<back>{before})|{common})(?!\w)"
            ),
            re.compile(rf"(?<!\w)(?P<era>{common})\s*(?P<year>{_YEAR})(?!\w|[.,]\d)"),
        ),
        frozenset(marks["before_months"]),
        re.compile(rf"\.?(?:{between_months})"),
        re.compile(rf"(?<![\w.,-])(?P<month>[^\W\d_]{{3,9}})\.?(?:{between_months})\Z"),
        frozenset(marks["openings"]),
        re.compile(_range(marks["ranges"])),
        tuple(re.compile(rf"{day}{_range(marks['ranges'])}\Z") for day in _DAYS_BEFORE),
        re.compile(_range(marks["ranges"]).join(_DAYS_AFTER)),
        frozenset(marks["not_units"]),
        frozenset(marks["either"]),
        frozenset(marks["negative"]),
        frozenset(marks["letters"]),
    )


def _range(words: Sequence[str]) -> str:
    """What stands between the two ends of a range: a dash, or one of the words."""
    named = "|".join(map(re.escape, words))
    return rf"(?:\s*[-–—]\s*|\s+(?i:{named})\s+(?:[^\W\d_]{{1,3}}\s+)?)"


def follows(question: str, start: int, words: frozenset[str]) -> bool:
    """Whether one of some words stands directly before what starts there."""
    word = word_before(question, start)
    return word is not None and word[1].lower() in words


def word_before(question: str, start: int) -> re.Match[str] | None:
    """The word directly before what starts there, as a group."""
    return _LAST_WORD.search(question[:start])
