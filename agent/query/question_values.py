"""The values that a question names: numbers, dates, quoted texts and letters.

Where they stand is found without a graph; whether one is a name instead, the linker says.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, TypeAlias

from .normal import Value
from .number_words import Spelling, counted, scaled, spelling
from .units import is_unit

ValueKind: TypeAlias = Literal["number", "date", "text"]

_QUOTED = re.compile(
    r"\"([^\"]+)\"|“([^“”]+)”|„([^„“”]+)[“”]|«([^«»]+)»|‘([^‘’]+)’|(?<!\w)'([^']+)'(?!\w)"
)
_DATE = re.compile(r"(?<![\w-])\d{4}-(?:0[1-9]|1[0-2])(?:-(?:0[1-9]|[12]\d|3[01]))?(?![\w-])")
_NUMBER = re.compile(
    r"(?:(?<![\w.,)\]])[+\-−])?(?<![\w.,])"
    r"(?:\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?|\.\d+)(?![\d_]|[.,]\d)"
)
_GLUED = re.compile(r"[^\W\d_]+")
_UNIT = re.compile(r"\s*(%|[^\W\d_][\w²³/]*(?:\s[^\W\d_][\w²³/]*){0,2})")
_LETTER = re.compile(r"(?<![\w'’.-])[^\W\d_](?![\w'’-]|\.\w)")
_WORD = re.compile(r"(?<![\w-])[^\W\d_]+")
_LONGEST_NUMBER = 30
_LONGEST_TEXT = 200


@dataclass(frozen=True)
class NamedValue:
    """A value where a question names it: its characters, and what it says.

    `value` is what it is compared as, where that is not its text.
    """

    start: int
    end: int
    kind: ValueKind
    text: str
    value: Value = Value()


def values_in(question: str) -> list[NamedValue]:
    """The values of a question in its order; of those that overlap, the one that says most."""
    words, taken = spelling(), list[NamedValue]()
    several = (
        _quoted(question),
        _dates(question),
        _numbers(question, words),
        _in_words(question, words),
        _letters(question, words),
    )
    for kind in several:
        taken += [own for own in kind if not any(_overlap(own, other) for other in taken)]
    return sorted(taken, key=lambda own: own.start)


def _quoted(question: str) -> Iterator[NamedValue]:
    for quoted in _QUOTED.finditer(question):
        text = next(filter(None, quoted.groups())).strip()
        if text and len(text) <= _LONGEST_TEXT:
            yield NamedValue(*quoted.span(), "text", text)


def _dates(question: str) -> Iterator[NamedValue]:
    for date in _DATE.finditer(question):
        yield NamedValue(*date.span(), "date", date[0])


def _numbers(question: str, words: Spelling) -> Iterator[NamedValue]:
    """Numbers in digits, with a scale after them, and the unit that follows."""
    for digits in _NUMBER.finditer(question):
        if len(digits[0]) > _LONGEST_NUMBER:
            continue
        glued = _GLUED.match(question, digits.end())
        if glued and (glued[0].lower() in words.ordinals or not _is_unit(glued[0], words)):
            continue
        end, value = scaled(question, digits.end(), _read(digits[0]), words)
        unit = _unit_at(question, end, words)
        text = question[digits.start() : end]
        yield NamedValue(digits.start(), end, "number", text, Value(value, unit))


def _in_words(question: str, words: Spelling) -> Iterator[NamedValue]:
    end = 0
    for word in _WORD.finditer(question):
        start = word.start()
        if start >= end and (number := counted(question, start, words)):
            end = number.end
            value = Value(number.value, _unit_at(question, end, words))
            yield NamedValue(start, end, "number", question[start:end], value)


def _letters(question: str, words: Spelling) -> Iterator[NamedValue]:
    """Capital letters alone inside a question, and any letter that it ends in."""
    for letter in _LETTER.finditer(question):
        is_first = not question[: letter.start()].strip()
        is_last = not any(own.isalnum() for own in question[letter.end() :])
        is_name = letter[0].isupper() and not is_first and letter[0].lower() not in words.letters
        if is_name or (is_last and not is_first):
            yield NamedValue(*letter.span(), "text", letter[0])


def _read(digits: str) -> int | float:
    plain = digits.replace(",", "").replace("−", "-")
    return float(plain) if "." in plain else int(plain)


def _unit_at(question: str, place: int, words: Spelling) -> str:
    """The unit that follows a number; empty where none does."""
    following = _UNIT.match(question, place)
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
