"""The dates that a question names: days, months, decades and centuries, alone or in a range.

`29 February 1996` is a day, `March 2021` a month, `May` a month of any year, `447 BC` a year, and
`the 1980s` are `198X`.
"""

import datetime
import re
from collections.abc import Iterator

from ..linking.words import FUNCTION_WORDS, is_ordinary
from .normal import MentionValue
from .spelling import NamedValue, Spelling, follows

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
_MONTH_ALONE = re.compile(r"(?<![\w.,-])[^\W\d_]{3,9}(?!\.?,?\s+\d|[\w-])")
_DECADE = re.compile(
    r"(?<![\w.,'’])(?<!\d-)(?P<years>1\d[1-9]|20[1-9])0(?P<apostrophe>['’]?)(?P<s>[^\W\d_]{1,2})(?!\w)"
)
_LAST_CENTURY = 21


def days_in(question: str, words: Spelling) -> Iterator[NamedValue]:
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
        days = {day for order in first if (day := _day_of_groups(date, *order))}
        if len(days) == 1:
            (day,) = days
            yield NamedValue(*date.span(), "date", day, MentionValue(day))
        elif days:
            yield NamedValue(*date.span(), "text", date[0])


def _day_of_groups(date: re.Match[str], month: str, day: str) -> str | None:
    """A day in digits as XSD writes it, by the groups of its month and day; None for none."""
    try:
        return datetime.date(int(date["year"]), int(date[month]), int(date[day])).isoformat()
    except ValueError:
        return None


def _days_after_month(question: str, words: Spelling) -> Iterator[NamedValue]:
    """Both days of ranges in one month that is said before them: `July 1-10, 2025`.

    Without a comma a month that may be a word has its capital: *march 5 to 10 2000 soldiers*.
    """
    for days in words.days_after.finditer(question):
        month, year, has_comma = days["month"], int(days["year"]), "," in days["comma"]
        first = _day(int(days["day"]), month, year, days["th"], words, is_of_range=has_comma)
        last = _day(int(days["last"]), month, year, days["nd"], words, is_of_range=has_comma)
        if first is not None and last is not None and first < last:
            end = max(days.end("day"), days.end("th"))
            yield _day_of_range(days.start(), end, first)
            yield _day_of_range(days.start("last"), days.end(), last)


def _day_of_range(start: int, end: int, day: datetime.date) -> NamedValue:
    """A day of a range, of which the question has a part there: it is shown in full."""
    return NamedValue(start, end, "date", day.isoformat(), MentionValue(day.isoformat()))


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
        day = _day(number, name, last.year, first["th"], words, is_of_range=True)
        if day is not None and day >= last and not is_alone:
            day = _day(number, name, last.year - 1, first["th"], words, is_of_range=True)
        if day is not None and day < last and (not is_alone or _is_free(before[: first.start()])):
            end = max(first.end(part) for part in ("day", "th", "month"))
            yield _day_of_range(first.start(), end, day)
        return


def _is_free(before: str) -> bool:
    """Whether nothing, or a small word, stands directly before what follows."""
    return not before.strip() or follows(before, len(before), FUNCTION_WORDS)


def _day(
    number: int,
    month: str,
    year: int,
    ordinal: str | None,
    words: Spelling,
    *,
    is_of_range: bool = False,
) -> datetime.date | None:
    """A day by the name of its month; None where there is no such day or month.

    In a range a month in lower case is one, too, which elsewhere may be a word: *may 3*.
    """
    is_word = (
        not is_of_range and month.islower() and (is_ordinary(month) or month in FUNCTION_WORDS)
    )
    if is_word or (ordinal and ordinal.lower() not in words.ordinals):
        return None
    try:
        return datetime.date(year, words.months.get(month.lower(), 0), number)
    except ValueError:
        return None


def months_in(question: str, words: Spelling) -> Iterator[NamedValue]:
    """Months with their year: `March 2021`. One that may be a word has its capital.

    Of two months the first has the year of the second: `in May or June 2021`.
    """
    for date in _MONTH.finditer(question):
        if number := _month(date["month"], words):
            first = words.month_before.search(question, 0, date.start())
            if first and 0 < (earlier := _month(first["month"], words)) < number:
                text, value = f"{first['month']} {date['year']}", f"{date['year']}-{earlier:02}"
                yield NamedValue(*first.span("month"), "date", text, MentionValue(value))
            month = MentionValue(f"{date['year']}-{number:02}")
            yield NamedValue(*date.span(), "date", date[0], month)


def months_of_any_year(question: str, words: Spelling) -> Iterator[NamedValue]:
    """Months without a year, as XSD writes them: *in May or June* are `--05` and `--06`."""
    end = 0
    for name in _MONTH_ALONE.finditer(question):
        number = _month(name[0], words)
        is_next = end and words.between_months.fullmatch(question, end, name.start())
        if number and (is_next or follows(question, name.start(), words.before_months)):
            end = name.end()
            yield NamedValue(*name.span(), "date", name[0], MentionValue(f"--{number:02}"))


def _month(name: str, words: Spelling) -> int:
    """The number of a month; 0 for none, and for one in small letters that may be a word."""
    is_word = name.islower() and (is_ordinary(name) or name in FUNCTION_WORDS)
    return 0 if is_word else words.months.get(name.lower(), 0)


def years_of_eras(question: str, words: Spelling) -> Iterator[NamedValue]:
    """Years with their era, as XSD writes them: `447 BC` is `-0447`, `AD 120` is `0120`.

    Of two years the first has the era of the second: `500 to 450 BC`.
    """
    for pattern in words.years_of_era:
        for match in pattern.finditer(question):
            said = match.groupdict()
            sign, first = "-" if said.get("back") else "", said.get("first")
            if first:
                value = _year_of_era(sign, first)
                yield NamedValue(*match.span("first"), "date", f"{first} {match['era']}", value)
            start, end = match.start("year" if first else 0), match.end()
            value = _year_of_era(sign, match["year"])
            yield NamedValue(start, end, "date", question[start:end], value)


def _year_of_era(sign: str, digits: str) -> MentionValue:
    return MentionValue(f"{sign}{int(digits.replace(',', '')):04}")


def years_in(question: str, words: Spelling) -> Iterator[NamedValue]:
    """Decades and centuries, as ISO 8601-2 writes them: `1980s` is `198X`, `19th century` `18XX`.

    The 5th century BC is `-04XX`. Decades before our era are left out, and so is `1900s`, for it
    may be either.
    """
    for decade in _DECADE.finditer(question):
        is_decade = decade["s"].lower() in words.decades and (
            not decade["apostrophe"] or follows(question, decade.start(), words.articles)
        )
        if is_decade and not words.era.match(question, decade.end()):
            value = MentionValue(f"{decade['years']}X")
            yield NamedValue(*decade.span(), "date", decade[0], value)
    for century in words.century.finditer(question):
        if century["word"].lower() in words.centuries:
            back = words.era.match(question, century.end())
            era = back or words.common_era.match(question, century.end())
            for number, ordinal in (("first", "st"), ("last", "nd")):
                start, end = century.start(number), century.end(ordinal)
                place = int(century[number] or 0)
                is_past = 0 < place and (back is not None or place <= _LAST_CENTURY)
                if is_past and century[ordinal].lower() in words.ordinals:
                    end = (era or century).end() if number == "last" else end
                    value = MentionValue(f"{'-' if back else ''}{place - 1:02}XX")
                    yield NamedValue(start, end, "date", question[start:end], value)
