"""The values that a question names: numbers in digits and in words, dates, quoted texts, letters.

They are read without a graph; whether one is a name instead, the linker says. How a language
writes numbers in words (`twenty-five`, `two hundred and five`) is in the file of its words
(`agent/languages/en.toml`).
"""

import datetime
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Literal, NamedTuple, TypeAlias

from ..languages import language_words
from ..linking.words import FUNCTION_WORDS, is_ordinary
from .normal import MentionValue
from .values import is_unit

ValueKind: TypeAlias = Literal["number", "date", "text"]

_QUOTED = re.compile(
    r"\"([^\"]+)\"|“([^“”]+)”|„([^„“”]+)[“”]|«([^«»]+)»|‘([^‘’]+)’|(?<!\w)'([^']+)'(?!\w)"
)
_DATE = re.compile(r"(?<![\w-])\d{4}-(?:0[1-9]|1[0-2])(?:-(?:0[1-9]|[12]\d|3[01]))?(?![\w-])")
_DAY = re.compile(
    r"(?<![\w.,])(?:(?P<day>\d{1,2})(?P<th>[^\W\d_]{2})?(?:\s+of)?\s+(?P<month>[^\W\d_]{3,9})\.?,?"
    r"|(?P<first>[^\W\d_]{3,9})\.?\s+(?P<then>\d{1,2})(?P<nd>[^\W\d_]{2})?,?)"
    r"(?:\s+|(?<=,))(?P<year>\d{4})(?!\w|[.,]\d)"
)
_IN_DIGITS = re.compile(
    r"(?<![\w.,/-])(?P<one>\d{1,2})(?P<mark>[./])(?P<two>\d{1,2})(?P=mark)(?P<year>[12]\d{3})(?![\w/-]|[.,]\d)"
)
"""A day as `29.02.1996`, or as `2/29/1996`."""
_MONTH = re.compile(
    r"(?<![\w.,])(?<!\d\s)(?P<month>[^\W\d_]{3,9})\.?,?\s+(?P<year>1\d{3}|20\d{2})(?!\w|[.,]\d)"
)
_DECADE = re.compile(
    r"(?<![\w.,'’])(?<!\d-)(?P<years>1\d[1-9]|20[1-9])0(?P<apostrophe>['’]?)(?P<s>[^\W\d_]{1,2})(?!\w)"
)
_CENTURY = r"(?P<last>\d{1,2})(?P<nd>[^\W\d_]{2})[\s-]+(?P<word>[^\W\d_]+)(?!\w)"
_CENTURY_BEFORE = r"(?<![\w.,])(?<!\d-)(?:(?P<first>\d{1,2})(?P<st>[^\W\d_]{2})"
"""The first of two centuries, of which the second has the word."""
_LAST_CENTURY = 21
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
_NUMBER = re.compile(
    r"(?:(?<![\w.,)\]])[+\-−])?(?<![\w.,])"
    r"(?:\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?|\.\d+)(?![\d_]|[.,]\d)"
)
_UP_TO = re.compile(r"(?:[-–—]|\s+[-–—]\s+)(?P<larger>[\d,]*\d(?:\.\d+)?)(?P<suffix>[^\W\d_]+)")
"""What follows the first number of a range: the second one, with letters that end it."""
_UNIT = re.compile(r"\s*(%|[^\W\d_][\w²³/]*(?:\s[^\W\d_][\w²³/]*){0,2})")
_LETTER = re.compile(r"(?<![\w'’.-])[^\W\d_](?![\w'’-]|\.\w)")
_WORD_ALONE = re.compile(r"(?<![\w-])[^\W\d_]+")
_WORD = re.compile(r"[^\W\d_]+")
_BETWEEN_WORDS = re.compile(r"\s+|-")
_LAST_WORD = re.compile(r"([^\W\d_]+)\s+\Z")
_LONGEST_NUMBER = 30
_LONGEST_TEXT = 200


@dataclass(frozen=True)
class Spelling:
    """The words of numbers, and of what stands at a number."""

    numbers: Mapping[str, int]
    """Words that add up."""
    scales: Mapping[str, int]
    """Words that multiply what is before them."""
    suffixes: Mapping[str, int]
    """What multiplies the digits that it ends."""
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
    days_before: tuple[re.Pattern[str], ...]
    """The first day of a range, at the end of what stands before the last one."""
    days_after: re.Pattern[str]
    """Both days of a range, after their month."""
    not_units: frozenset[str]
    """Words that are no unit after a number, though a unit is written so."""
    letters: frozenset[str]
    """Letters that are words by themselves."""


@cache
def spelling() -> Spelling:
    """How English writes numbers."""
    table = language_words("en")
    marks = table["spelling"]
    return Spelling(
        table["numbers"],
        table["scales"],
        table["suffixes"],
        table["months"],
        marks["joint"],
        frozenset(marks["ordinals"]),
        frozenset(marks["decades"]),
        frozenset(marks["articles"]),
        frozenset(marks["centuries"]),
        re.compile(rf"{_CENTURY_BEFORE}{_range([*marks['ranges'], *marks['either']])})?{_CENTURY}"),
        re.compile(rf"\s*(?i:{'|'.join(map(re.escape, marks['eras']))})(?!\w)"),
        tuple(re.compile(rf"{day}{_range(marks['ranges'])}\Z") for day in _DAYS_BEFORE),
        re.compile(_range(marks["ranges"]).join(_DAYS_AFTER)),
        frozenset(marks["not_units"]),
        frozenset(marks["letters"]),
    )


def _range(words: Sequence[str]) -> str:
    """What stands between two days of a range: a dash, or one of the words."""
    named = "|".join(map(re.escape, words))
    return rf"(?:\s*[-–—]\s*|\s+(?i:{named})\s+(?:[^\W\d_]{{1,3}}\s+)?)"


@dataclass(frozen=True)
class NamedValue:
    """A value in a question: its characters, and in `value` what it compares as if not its text."""

    start: int
    end: int
    kind: ValueKind
    text: str
    value: MentionValue = MentionValue()


def values_in(question: str) -> list[NamedValue]:
    """The values of a question in its order; of those that overlap, the first kind below."""
    words, taken = spelling(), list[NamedValue]()
    kinds = (
        _quoted(question),
        _dates(question, words),
        _months(question, words),
        _many_years(question, words),
        _numbers(question, words),
        _in_words(question, words),
        _letters(question, words),
    )
    for values in kinds:
        taken += [value for value in values if not any(_overlap(value, other) for other in taken)]
    return sorted(taken, key=lambda value: value.start)


def _quoted(question: str) -> Iterator[NamedValue]:
    for quoted in _QUOTED.finditer(question):
        text = next(filter(None, quoted.groups())).strip()
        if text and len(text) <= _LONGEST_TEXT:
            yield NamedValue(*quoted.span(), "text", text)


def _dates(question: str, words: Spelling) -> Iterator[NamedValue]:
    """Dates in digits, and days with the name of their month: `10 July 2025`, `July 10th, 2025`.

    Of a range the first day may lack what the second has: `between 1 and 10 July 2025`.
    """
    digits = [date.span() for date in _DATE.finditer(question)]
    yield from (NamedValue(*span, "date", question[slice(*span)]) for span in digits)
    yield from _dates_in_digits(question)
    yield from _days_after_month(question, words)
    for date in _DAY.finditer(question):
        if any(start < date.end() and date.start() < end for start, end in digits):
            continue
        name, ordinal = date["month"] or date["first"], date["th"] or date["nd"]
        day = _day(int(date["day"] or date["then"]), name, int(date["year"]), ordinal, words)
        if day is None:
            continue
        yield from _first_of_range(question[: date.start()], day, name, words)
        yield NamedValue(*date.span(), "date", date[0], MentionValue(day.isoformat()))


def _dates_in_digits(question: str) -> Iterator[NamedValue]:
    """Days as `29.02.1996`, and with slashes where only one order of day and month makes one.

    What may be either is a text, which has no order: whether it was May or April, nobody knows.
    """
    for date in _IN_DIGITS.finditer(question):
        orders = ("two", "one"), ("one", "two")
        first = orders if date["mark"] == "/" else orders[:1]
        days = {day for order in first if (day := _in_order(date, *order))}
        if len(days) == 1:
            (day,) = days
            yield NamedValue(*date.span(), "date", day, MentionValue(day))
        elif days:
            yield NamedValue(*date.span(), "text", date[0])


def _in_order(date: re.Match[str], month: str, day: str) -> str | None:
    """A day in digits as XSD writes it, by the groups of its month and day; None for none."""
    try:
        return datetime.date(int(date["year"]), int(date[month]), int(date[day])).isoformat()
    except ValueError:
        return None


def _months(question: str, words: Spelling) -> Iterator[NamedValue]:
    """Months with their year: `March 2021`. One that may be a word has its capital."""
    for date in _MONTH.finditer(question):
        name = date["month"]
        number = words.months.get(name.lower())
        is_word = name.islower() and (is_ordinary(name) or name in FUNCTION_WORDS)
        if number and not is_word:
            month = MentionValue(f"{date['year']}-{number:02}")
            yield NamedValue(*date.span(), "date", date[0], month)


def _days_after_month(question: str, words: Spelling) -> Iterator[NamedValue]:
    """Both days of ranges in one month that is said before them: `July 1-10, 2025`.

    Without a comma a month that may be a word has its capital: *march 5 to 10 2000 soldiers*.
    """
    for days in words.days_after.finditer(question):
        month, year, has_comma = days["month"], int(days["year"]), "," in days["comma"]
        first = _day(int(days["day"]), month, year, days["th"], words, in_range=has_comma)
        last = _day(int(days["last"]), month, year, days["nd"], words, in_range=has_comma)
        if first is not None and last is not None and first < last:
            end = max(days.end("day"), days.end("th"))
            yield _in_range(question, days.start(), end, first)
            yield _in_range(question, days.start("last"), days.end(), last)


def _in_range(question: str, start: int, end: int, day: datetime.date) -> NamedValue:
    """A day of a range, of which the question has a part there: it is shown in full."""
    return NamedValue(start, end, "date", day.isoformat(), MentionValue(day.isoformat()))


def _many_years(question: str, words: Spelling) -> Iterator[NamedValue]:
    """Decades and centuries, as ISO 8601-2 writes them: `1980s` is `198X`, `19th century` `18XX`.

    Those before our era are left out, and so is `1900s`, for it may be either.
    """
    for decade in _DECADE.finditer(question):
        is_decade = decade["s"].lower() in words.decades and (
            not decade["apostrophe"] or _follows(question, decade.start(), words.articles)
        )
        if is_decade and not words.era.match(question, decade.end()):
            value = MentionValue(f"{decade['years']}X")
            yield NamedValue(*decade.span(), "date", decade[0], value)
    for century in words.century.finditer(question):
        if century["word"].lower() in words.centuries:
            is_counted_back = words.era.match(question, century.end())
            for number, ordinal in (("first", "st"), ("last", "nd")):
                start, end = century.start(number), century.end(ordinal)
                place = int(century[number] or 0)
                is_place = 0 < place <= _LAST_CENTURY and century[ordinal].lower() in words.ordinals
                if is_place and not is_counted_back:
                    end = century.end() if number == "last" else end
                    value = MentionValue(f"{place - 1:02}XX")
                    yield NamedValue(start, end, "date", question[start:end], value)


def _follows(question: str, start: int, words: frozenset[str]) -> bool:
    """Whether one of some words stands directly before what starts there."""
    word = _LAST_WORD.search(question[:start])
    return word is not None and word[1].lower() in words


def _first_of_range(
    before: str, last: datetime.date, month: str, words: Spelling
) -> Iterator[NamedValue]:
    """The first day of a range, at the end of what stands before the last one.

    With a later month it is of the year before. Without a month it comes after a small word alone,
    as in *from 1 to 10 July*: 9 in *from room 9 to 10 July* is no day.
    """
    for pattern in words.days_before:
        first = pattern.search(before)
        if first is None or (first["month"] and first["month"].lower() not in words.months):
            continue
        name, number = first["month"] or month, int(first["day"])
        is_alone = first["month"] is None
        day = _day(number, name, last.year, first["th"], words, in_range=True)
        if day is not None and day >= last and not is_alone:
            day = _day(number, name, last.year - 1, first["th"], words, in_range=True)
        if day is not None and day < last and (not is_alone or _is_free(before[: first.start()])):
            end = max(first.end(part) for part in ("day", "th", "month"))
            yield _in_range(before, first.start(), end, day)
        return


def _is_free(before: str) -> bool:
    """Whether nothing, or a small word, stands directly before what follows."""
    word = _LAST_WORD.search(before)
    return not before.strip() or (word is not None and word[1].lower() in FUNCTION_WORDS)


def _day(
    number: int,
    month: str,
    year: int,
    ordinal: str | None,
    words: Spelling,
    *,
    in_range: bool = False,
) -> datetime.date | None:
    """A day by the name of its month; None where there is no such day or month.

    In a range a month in lower case is one, too, which elsewhere may be a word: *may 3*.
    """
    is_word = not in_range and month.islower() and (is_ordinary(month) or month in FUNCTION_WORDS)
    if is_word or (ordinal and ordinal.lower() not in words.ordinals):
        return None
    try:
        return datetime.date(year, words.months.get(month.lower(), 0), number)
    except ValueError:
        return None


def _numbers(question: str, words: Spelling) -> Iterator[NamedValue]:
    """Numbers in digits, with a scale after them, and the unit that follows."""
    for digits in _NUMBER.finditer(question):
        if len(digits[0]) > _LONGEST_NUMBER:
            continue
        end, value = digits.end(), _read(digits[0])
        glued = _WORD.match(question, end)
        if glued and (times := words.suffixes.get(glued[0])):
            end, value = glued.end(), _whole(value * times)
        elif times := _of_range(question, digits, value, words):
            value = _whole(value * times)
        elif glued and _may_be_decade(question, digits, value, glued[0], words):
            continue
        elif glued and (glued[0].lower() in words.ordinals or not _is_unit(glued[0], words)):
            continue
        end, value = _scaled(question, end, value, words)
        unit = _unit_at(question, end, words)
        text = question[digits.start() : end]
        yield NamedValue(digits.start(), end, "number", text, MentionValue(value, unit))


def _of_range(question: str, digits: re.Match[str], value: float, words: Spelling) -> int | None:
    """What the letters after a range multiply, also its first number: `10-20k`; None elsewhere."""
    second = _UP_TO.match(question, digits.end())
    is_second = question[: digits.start()].endswith(("-", "–", "—"))
    if second is None or is_second or value >= _read(second["larger"]):
        return None
    return words.suffixes.get(second["suffix"])


def _may_be_decade(
    question: str, digits: re.Match[str], value: float, letters: str, words: Spelling
) -> bool:
    """Whether a number is more likely some years than a measure: `1900s`, `the 80s`, `'90s`."""
    if letters.lower() not in words.decades or value % 10:
        return False
    is_short = _follows(question, digits.start(), words.articles)
    is_short |= question[: digits.start()].endswith(("'", "’"))
    return is_short or (1_000 <= value < 2_100 and len(digits[0]) == 4)


def _in_words(question: str, words: Spelling) -> Iterator[NamedValue]:
    end = 0
    for word in _WORD_ALONE.finditer(question):
        start = word.start()
        if start >= end and (number := _number_in_words(question, start, words)):
            end = number.end
            value = MentionValue(number.value, _unit_at(question, end, words))
            yield NamedValue(start, end, "number", question[start:end], value)


def _letters(question: str, words: Spelling) -> Iterator[NamedValue]:
    """Capital letters alone inside a question, and any letter that it ends in."""
    for letter in _LETTER.finditer(question):
        is_first = not question[: letter.start()].strip()
        is_last = not any(character.isalnum() for character in question[letter.end() :])
        is_name = letter[0].isupper() and not is_first and letter[0].lower() not in words.letters
        if is_name or (is_last and not is_first):
            yield NamedValue(*letter.span(), "text", letter[0])


def _read(digits: str) -> int | float:
    plain = digits.replace(",", "").replace("−", "-")
    return float(plain) if "." in plain else int(plain)


def _whole(number: int | float) -> int | float:
    return int(number) if float(number).is_integer() else number


def _unit_at(question: str, start: int, words: Spelling) -> str:
    """The unit that follows a number; empty where none does."""
    following = _UNIT.match(question, start)
    if following is None:
        return ""
    parts = following[1].split()
    for size in range(len(parts), 0, -1):
        if _is_unit(" ".join(parts[:size]), words):
            return " ".join(parts[:size])
    return ""


def _is_unit(text: str, words: Spelling) -> bool:
    return words.not_units.isdisjoint(text.lower().split()) and is_unit(text)


def _overlap(one: NamedValue, other: NamedValue) -> bool:
    return one.start < other.end and other.start < one.end


# Numbers in words


class _Number(NamedTuple):
    """A number in words: where it ends in its text, and how much it is."""

    end: int
    value: int | float


class _Sum(NamedTuple):
    """A number in words as far as it is read: `two million` and `five hundred`.

    `part` is open to further words, `scale` is the last one that multiplied, 0 for none.
    """

    whole: int = 0
    part: int | None = None
    scale: int = 0

    def with_word(self, word: str, words: Spelling) -> "_Sum | None":
        """The sum with one more word; None where the word does not go on with it."""
        if scale := words.scales.get(word):
            if self.scale and scale >= self.scale:
                return None
            if scale < 1_000:
                return _Sum(self.whole, (self.part or 1) * scale, self.scale)
            return _Sum(self.whole + (self.part or 1) * scale, None, scale)
        number = words.numbers.get(word)
        if number is None or not self._takes(number):
            return None
        return self._replace(part=(self.part or 0) + number)

    def _takes(self, number: int) -> bool:
        """`twenty` goes on with `five`, not with `twelve`; `two hundred` with any but `zero`."""
        if self.part is None:
            return True
        if rest := self.part % 100:
            return 0 < number < 10 and rest >= 20 and rest % 10 == 0
        return number > 0 and self.part > 0

    @property
    def ends_in_scale(self) -> bool:
        return self.part % 100 == 0 if self.part else bool(self.scale)


def _number_in_words(text: str, start: int, words: Spelling) -> _Number | None:
    """The longest number in words that begins there; None where none does."""
    total, number, joined, position = _Sum(), None, False, start
    while word := _WORD.match(text, position):
        name = word[0].lower()
        longer = total.with_word(name, words)
        if longer is not None and not (joined and name in words.scales):
            total, joined = longer, False
            number = _Number(word.end(), total.whole + (total.part or 0))
        elif name == words.joint and number and not joined and total.ends_in_scale:
            joined = True
        else:
            break
        between = _BETWEEN_WORDS.match(text, word.end())
        if between is None:
            break
        position = between.end()
    return number


def _scaled(text: str, start: int, value: int | float, words: Spelling) -> _Number:
    """A number in digits that ends at `start`, with the scales after it: `2.5 million`."""
    end, space = start, _BETWEEN_WORDS.match(text, start)
    while space and (word := _WORD.match(text, space.end())):
        scale = words.scales.get(word[0].lower())
        if scale is None:
            break
        value, end = value * scale, word.end()
        space = _BETWEEN_WORDS.match(text, end)
    whole = isinstance(value, float) and value.is_integer() and end > start
    return _Number(end, int(value) if whole else value)
