"""Words of a plain question that say more than a walk can: they are told, since no rule reads them.

English only; names must be out of the text.
"""

import re
from collections.abc import Sequence

from ..kg.names import normalise
from .superlatives import superlative_pattern

_ENGLISH = re.compile(
    r"\b(?:which|what|what's|who|whom|whose|where|when|how|the|that|of|is|are|name|list)\b", re.I
)
_NUMBERS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_NUMBER = rf"(?:{'|'.join(_NUMBERS[1:])}|\d+)"
_RESTRICTING = re.compile(
    rf"\b(?:at (?:least|most)|exactly|more than|fewer than|less than)\s+(?:one|{_NUMBER})\b"
    r"|\b(?:only|solely|exclusively|alone|first|second|third|fourth|fifth|last|former|formerly"
    r"|previous|before|after|since|until|twice|fewer|average|total|combined|difference"
    r"|percentage|half)\b"
    r"|\b(?:more|less|\w+er) than\b",
    re.I,
)
_COUNTING = re.compile(rf"\b{_NUMBER}\b", re.I)
_MOST = re.compile(rf"\b(?:{superlative_pattern()})\b", re.I)
_OF_ALL = re.compile(
    r"^\W*(?:which|who|what)\b(?!\s*(?:['’](?:s|re)|is\b|are\b|was\b|were\b))"
    r".*?(?<!\bof)\s(all|every|each)\b",
    re.I,
)
"""`Which language is spoken in every country of X?`, but not `the capitals of every country`."""


def unapplied(text: str, relations: Sequence[str], answers: int) -> list[str]:
    """Those words, once each; not those in the names of the `relations` that were walked.

    A number of as many `answers` as there are is no such word, nor is `the only` before one.
    """
    if not _ENGLISH.search(text):
        return []
    names = [normalise(name) for name in relations]
    compared = any(_MOST.search(name) for name in names)
    found = [own for own in _RESTRICTING.finditer(text) if answers != 1 or not _is_the(own)]
    found += [own for own in _COUNTING.finditer(text) if _count(own[0]) != answers]
    found += [own for own in _MOST.finditer(text) if not compared]
    found += [own for own in [_OF_ALL.search(text)] if own]
    spans = sorted(own.span(own.lastindex or 0) for own in found)
    said = [(a, b) for a, b in spans if not any(c <= a < d and (c, d) != (a, b) for c, d in spans)]
    words = [" ".join(text[start:end].lower().split()) for start, end in said]
    return [w for w in dict.fromkeys(words) if not any(f" {w} " in f" {name} " for name in names)]


def _is_the(only: re.Match[str]) -> bool:
    """Whether this is `the only`."""
    return only[0].lower() == "only" and only.string[: only.start()].lower().endswith("the ")


def _count(word: str) -> int:
    low = word.lower()
    return _NUMBERS.index(low) + 1 if low in _NUMBERS else int(word[:9])
