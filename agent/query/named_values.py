"""The values that a question names: numbers in digits and in words, dates, quoted texts, letters.

They are read without a graph; whether one is a name instead, the linker says. A number in words is
one such as `twenty-five` or `two hundred and five`.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from .currencies import currency_after, currency_before
from .named_dates import days_in, months_in, months_of_any_year, years_in, years_of_eras
from .normal import MentionValue
from .spelling import NamedValue, Spelling, follows, spelling, word_before
from .values import factor, is_measure

_QUOTED = re.compile(
    r"\"([^\"]+)\"|“([^“”]+)”|„([^„“”]+)[“”]|«([^«»]+)»|‘([^‘’]+)’|(?<!\w)'([^']+)'(?!\w)"
)
_NUMBER = re.compile(
    r"(?:(?<![\w.,)\]])[+\-−])?(?<![\w.,])(?:\d{1,3}(?:,\d{3})+(?:\.\d+)?"
    r"|(?<!\d[ \xa0\u202f'’])\d{1,3}(?:(?: \d{3}){2,4}| 000|(?:[\xa0\u202f'’]\d{3}){1,4})"
    r"(?![ \xa0\u202f'’]\d)"
    r"|\d+(?:\.\d+)?|\.\d+)(?![\d_]|[.,]\d)"
)
_BETWEEN_THOUSANDS = re.compile(r"[, \xa0\u202f'’]")
_CLOCK = re.compile(
    r"(?<![\w.,:])\d{1,3}(?::[0-5]?\d){1,2}(?:\.\d+)?(?:[^\W\d_]{2})?(?![\w:]|[.,]\d)"
)
"""A time of day or a duration, as `3:45`: which of them, and of what, nobody knows."""
_UNIT = re.compile(r"\s*(%|°?[^\W\d_][\w²³/]*(?:\s[^\W\d_][\w²³/]*){0,2})")
_AFTER_DASH = re.compile(r"-\d+(?:[.,]\d+)*\s*")
_LETTER = re.compile(r"(?<![\w'’.-])[^\W\d_](?![\w'’-]|\.\w)")
_WORD_ALONE = re.compile(r"(?<![\w-])[^\W\d_]+")
_WORD_OF_UNIT = re.compile(r"(?<![\w'’.-])[^\W\d_]\w*\b(?!['’-]\w)")
_WORD = re.compile(r"[^\W\d_]+")
_BETWEEN_WORDS = re.compile(r"\s+|-")
_FEWEST_BETWEEN = 2
"""Words between a number and a minus: fewer make a difference."""
_LONGEST_NUMBER = 30
_LONGEST_TEXT = 200


def values_in(question: str) -> list[NamedValue]:
    """The values of a question in its order; of those that overlap, the first kind below."""
    words, chosen = spelling(), list[NamedValue]()
    kinds = (
        _quoted(question),
        _clocks(question),
        days_in(question, words),
        months_in(question, words),
        years_of_eras(question, words),
        years_in(question, words),
        months_of_any_year(question, words),
        _numbers(question, words),
        _spelled_numbers(question, words),
        _letters(question, words),
    )
    for values in kinds:
        chosen += [value for value in values if not any(_overlap(value, other) for other in chosen)]
    chosen.sort(key=lambda value: value.start)
    return _in_one_unit(question, _signed(question, chosen, words), words)


def _quoted(question: str) -> Iterator[NamedValue]:
    for quoted in _QUOTED.finditer(question):
        text = next(filter(None, quoted.groups())).strip()
        if text and len(text) <= _LONGEST_TEXT:
            yield NamedValue(*quoted.span(), "text", text)


def _clocks(question: str) -> Iterator[NamedValue]:
    for clock in _CLOCK.finditer(question):
        yield NamedValue(*clock.span(), "text", clock[0])


def _numbers(question: str, words: Spelling) -> Iterator[NamedValue]:
    """Numbers in digits, with a scale after them, and their unit, which may be before as `$`."""
    for digits in _NUMBER.finditer(question):
        if len(digits[0]) > _LONGEST_NUMBER:
            continue
        end, value = digits.end(), _number_of_digits(digits[0])
        glued, money = _WORD.match(question, end), currency_before(question, digits.start())
        suffixes = words.suffixes_of_money if money else words.suffixes
        if glued and (times := suffixes.get(glued[0])):
            end, value = glued.end(), _int_if_whole(value * times)
        elif glued and _may_be_decade(question, digits, value, glued[0], words):
            continue
        elif glued and (glued[0].lower() in words.ordinals or not _is_unit(glued[0], words)):
            continue
        end, value = _scaled(question, end, value, words)
        unit = money[1] if money else _unit_at(question, end, words)
        text = question[digits.start() : end]
        yield NamedValue(digits.start(), end, "number", text, MentionValue(value, unit))


def _may_be_decade(
    question: str, digits: re.Match[str], value: float, letters: str, words: Spelling
) -> bool:
    """Whether a number is more likely some years than a measure: `1900s`, `the 80s`, `'90s`."""
    if letters.lower() not in words.decades or value % 10:
        return False
    is_short = follows(question, digits.start(), words.articles)
    is_short |= question[: digits.start()].endswith(("'", "’"))
    return is_short or (1_000 <= value < 2_100 and len(digits[0]) == 4)


def _spelled_numbers(question: str, words: Spelling) -> Iterator[NamedValue]:
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


def _number_of_digits(digits: str) -> int | float:
    plain = _BETWEEN_THOUSANDS.sub("", digits).replace("−", "-")
    return float(plain) if "." in plain else int(plain)


def _int_if_whole(number: int | float) -> int | float:
    return int(number) if float(number).is_integer() else number


def units_in(question: str, names: Sequence[tuple[int, int]] = ()) -> list[str]:
    """The units of a question that follow no number, as in *how many grams*; none in its names."""
    words = spelling()
    ends = {value.end for value in values_in(question) if value.kind == "number"}
    units, end = list[str](), 0
    for start in (word.start() for word in _WORD_OF_UNIT.finditer(question)):
        is_name = any(first <= start < last for first, last in names)
        if start < end or is_name or len(question[:start].rstrip()) in ends:
            continue
        if unit := _unit_at(question, start, words):
            units.append(unit)
            end = start + len(unit)
    return units


def unit_after(question: str, start: int) -> str:
    """The unit that follows a number, as it is written; empty where none does."""
    return _unit_at(question, start, spelling())


def _unit_at(question: str, start: int, words: Spelling) -> str:
    if currency := currency_after(question, start):
        return currency
    following = _UNIT.match(question, start)
    if following is None:
        return ""
    parts = following[1].split()
    for size in range(len(parts), 0, -1):
        unit = " ".join(parts[:size])
        if _is_unit(unit, words):
            return "" if _is_code(question, following.start(1) + len(unit), unit) else unit
    return ""


def _is_code(question: str, end: int, unit: str) -> bool:
    """Whether what may be a unit begins a code, as in `one G-209`, and no range: `5 m-10 m`."""
    number = _AFTER_DASH.match(question, end)
    return number is not None and not question.startswith(unit, number.end())


def _is_unit(text: str, words: Spelling) -> bool:
    return words.not_units.isdisjoint(text.lower().split()) and is_measure(text)


def _signed(question: str, values: Sequence[NamedValue], words: Spelling) -> list[NamedValue]:
    """The values, with the word for a minus sign before a number that is no difference."""
    signed = list[NamedValue]()
    for value in values:
        number, sign = value.value.value, word_before(question, _start_of(question, value))
        if isinstance(number, int | float) and number > 0 and sign:
            start, last = sign.start(), signed[-1] if signed else None
            is_minus = sign[1].lower() in words.negative
            if is_minus and not _is_difference(question, start, last, words):
                text, below = question[start : value.end], value.value._replace(value=-number)
                value = replace(value, start=start, text=text, value=below)
        signed.append(value)
    return signed


def _is_difference(question: str, start: int, last: NamedValue | None, words: Spelling) -> bool:
    """Whether a minus that starts there takes away: from a number before, or after *plus or*."""
    is_joined = follows(question, start, words.either | {words.joint})
    if last is None:
        return is_joined
    size, between = last.value.value, question[last.end : start].split()
    is_below = isinstance(size, int | float) and size < 0
    return not (is_below or is_joined) and len(between) < _FEWEST_BETWEEN


def _in_one_unit(question: str, values: Sequence[NamedValue], words: Spelling) -> list[NamedValue]:
    """The values, where two numbers that belong together have one unit, and no unit is a letter.

    `3 minutes 30 seconds` are 210 seconds. In `between 2 and 4 minutes` both are minutes, and in
    `1 to 2 million` both are millions.
    """
    together = list[NamedValue]()
    for value in values:
        last = together[-1] if together else None
        if last is None or last.kind != "number":
            together.append(value)
        elif value.kind != "number":
            if question[last.end : value.end].strip() != last.value.unit:
                together.append(value)
        elif whole := _sum_of(question, last, value):
            together[-1] = whole
        else:
            ends = [last, value]
            if _are_ends(question, last, value, words):
                ends = _as_in_range(question, last, value)
            together[-1:] = ends
    return together


def _are_ends(question: str, first: NamedValue, second: NamedValue, words: Spelling) -> bool:
    """Whether two numbers are the ends of a range. *3 and 4* are, after *between* alone."""
    start, end = _start_of(question, first), _start_of(question, second)
    ends_another = question[:start].endswith(("-", "–", "—"))
    if ends_another or not words.between.fullmatch(question, first.end, end):
        return False
    is_joint = question[first.end : end].strip().lower() == words.joint
    return not is_joint or follows(question, start, words.openings)


def _start_of(question: str, value: NamedValue) -> int:
    """Where a value starts with the currency that is before it."""
    money = currency_before(question, value.start)
    return money.start() if money else value.start


def _sum_of(question: str, first: NamedValue, second: NamedValue) -> NamedValue | None:
    """Two numbers as one, of which the second says the rest in a smaller unit; None for others."""
    between = question[first.end : second.start].strip().removeprefix(first.value.unit)
    larger, smaller = first.value.value, second.value.value
    times = factor(first.value.unit, second.value.unit)
    if between or times is None or times <= 1:
        return None
    if not isinstance(larger, int) or not isinstance(smaller, int | float):
        return None
    if larger < 0 or not 0 <= smaller < times:
        return None
    text = question[first.start : second.end]
    value = MentionValue(_int_if_whole(round(larger * times, 6) + smaller), second.value.unit)
    return NamedValue(first.start, second.end, "number", text, value)


def _as_in_range(question: str, first: NamedValue, second: NamedValue) -> list[NamedValue]:
    """The two numbers of a range, each with what is said of the other alone.

    A unit or a scale after the second is of both, as is a currency before the first.
    """
    has_sign = currency_before(question, first.start) is not None
    if has_sign and not second.value.unit:
        second = replace(second, value=second.value._replace(unit=first.value.unit))
    is_whole = first.value.unit and not (has_sign and first.value.unit == second.value.unit)
    size, larger = first.value.value, second.value.value
    if is_whole or not isinstance(size, int | float) or not isinstance(larger, int | float):
        return [first, second]
    digits = _NUMBER.match(second.text)
    before_scale = _number_of_digits(digits[0]) if digits else larger
    if size >= before_scale:
        return [first, second]
    is_plain = before_scale and _NUMBER.fullmatch(first.text)
    times = larger / before_scale if is_plain else 1
    text, value = first.text, MentionValue(_int_if_whole(round(size * times, 6)), second.value.unit)
    first = replace(first, text=text if times == 1 else f"{value.value:,}", value=value)
    return [first, second]


def _overlap(one: NamedValue, other: NamedValue) -> bool:
    return one.start < other.end and other.start < one.end


# Numbers in words


class _Number(NamedTuple):
    """A number in words: where it ends in its text, and how much it is."""

    end: int
    value: int | float


class _Sum(NamedTuple):
    """A number in words as far as it is read: `two million` and `five hundred`.

    `below_scale` is open to further words, `scale` is the last one that multiplied, 0 for none.
    """

    total: int = 0
    below_scale: int | None = None
    scale: int = 0

    def with_word(self, word: str, words: Spelling) -> "_Sum | None":
        """The sum with one more word; None where the word does not go on with it."""
        if scale := words.scales.get(word):
            if self.scale and scale >= self.scale:
                return None
            if scale < 1_000:
                return _Sum(self.total, (self.below_scale or 1) * scale, self.scale)
            return _Sum(self.total + (self.below_scale or 1) * scale, None, scale)
        number = words.numbers.get(word)
        if number is None or not self._goes_on_with(number):
            return None
        return self._replace(below_scale=(self.below_scale or 0) + number)

    def _goes_on_with(self, number: int) -> bool:
        """`twenty` goes on with `five`, not with `twelve`; `two hundred` with any but `zero`."""
        if self.below_scale is None:
            return True
        if rest := self.below_scale % 100:
            return 0 < number < 10 and rest >= 20 and rest % 10 == 0
        return number > 0 and self.below_scale > 0

    @property
    def ends_in_scale(self) -> bool:
        return self.below_scale % 100 == 0 if self.below_scale else bool(self.scale)


def _number_in_words(text: str, start: int, words: Spelling) -> _Number | None:
    """The longest number in words that begins there; None where none does."""
    number_sum, number, joined, position = _Sum(), None, False, start
    while word := _WORD.match(text, position):
        name = word[0].lower()
        longer = number_sum.with_word(name, words)
        if longer is not None and not (joined and name in words.scales):
            number_sum, joined = longer, False
            number = _Number(word.end(), number_sum.total + (number_sum.below_scale or 0))
        elif name == words.joint and number and not joined and number_sum.ends_in_scale:
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
