"""How a language writes numbers in words, from a file: `twenty-five`, `two hundred and five`."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

from .language import language_words

_WORD = re.compile(r"[^\W\d_]+")
_BETWEEN = re.compile(r"\s+|-")


@dataclass(frozen=True)
class Spelling:
    """The words of numbers, and of what stands at a number."""

    numbers: Mapping[str, int]
    """Words that add up."""
    scales: Mapping[str, int]
    """Words that multiply what is before them."""
    joint: str
    """What may stand between a scale and the rest."""
    ordinals: frozenset[str]
    """What after digits makes a place of them."""
    not_units: frozenset[str]
    """Words that are no unit after a number, though a unit is written so."""
    letters: frozenset[str]
    """Letters that are words by themselves."""


class Counted(NamedTuple):
    """A number in words: where it ends in its text, and how much it is."""

    end: int
    value: int | float


@cache
def spelling(language: str = "en") -> Spelling:
    """That of a language of which there is a file."""
    table = language_words(language)
    marks = table["spelling"]
    return Spelling(
        table["numbers"],
        table["scales"],
        marks["joint"],
        *(frozenset(marks[name]) for name in ("ordinals", "not_units", "letters")),
    )


def counted(text: str, start: int, words: Spelling) -> Counted | None:
    """The longest number in words that begins at a place; None where none does."""
    whole, part, least = 0, None, 0
    joined, place = False, start
    best: Counted | None = None
    while word := _WORD.match(text, place):
        name = word[0].lower()
        if scale := words.scales.get(name):
            if joined or (least and scale >= least):
                break
            whole, part, least = _scaled(whole, part, scale, least)
            joined = False
        elif (number := words.numbers.get(name)) is not None and _fits(number, part):
            part = (part or 0) + number
            joined = False
        elif name == words.joint and best and not joined and _is_scaled(part, least):
            joined = True
        else:
            break
        if not joined:
            best = Counted(word.end(), whole + (part or 0))
        between = _BETWEEN.match(text, word.end())
        if between is None:
            break
        place = between.end()
    return best


def scaled(text: str, start: int, value: int | float, words: Spelling) -> Counted:
    """A number in digits that ends at a place, with the scales after it: `2.5 million`."""
    end, space = start, _BETWEEN.match(text, start)
    while space and (word := _WORD.match(text, space.end())):
        scale = words.scales.get(word[0].lower())
        if scale is None:
            break
        value, end = value * scale, word.end()
        space = _BETWEEN.match(text, end)
    whole = isinstance(value, float) and value.is_integer() and end > start
    return Counted(end, int(value) if whole else value)


def _scaled(whole: int, part: int | None, scale: int, least: int) -> tuple[int, int | None, int]:
    """What is read so far, with a scale after it: the whole, the open part, the last scale."""
    if scale < 1_000:
        return whole, (part or 1) * scale, least
    return whole + (part or 1) * scale, None, scale


def _fits(number: int, part: int | None) -> bool:
    """Whether a word can go on with the part before it: `twenty` with `five`, not with `twelve`."""
    if part is None:
        return True
    rest = part % 100
    if rest:
        return 0 < number < 10 and rest >= 20 and rest % 10 == 0
    return number > 0 and part > 0


def _is_scaled(part: int | None, least: int) -> bool:
    """Whether a scale was the last word."""
    return part % 100 == 0 if part else bool(least)
