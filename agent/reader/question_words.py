"""The words of a question as the reader reads them; a mention is one word."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from zlib import crc32

BUCKETS = 24_576
"""Rows of the table of words and pieces of words."""
MOST_PIECES = 14
MOST_WORDS = 48
"""Words of a question that are read."""
_WORD = re.compile(r"\w+(?:['’.-]\w+)*['’]?|[^\w\s]+")
_PART = re.compile(r"[^\W_]+")


@dataclass(frozen=True)
class Mentioned:
    """A mention: its characters, whether it is a thing or which value, and its class if known."""

    start: int
    end: int
    what: str
    kind: str = ""


@dataclass(frozen=True)
class QuestionWord:
    """A word of a question: its characters, and the number of the mention that it is."""

    start: int
    end: int
    text: str
    mention: int | None = None

    @property
    def parts(self) -> tuple[str, ...]:
        """The parts of the word that labels are compared with; none of a mention."""
        return () if self.mention is not None else tuple(_PART.findall(self.text))


def words_of(question: str, mentions: Sequence[Mentioned]) -> list[QuestionWord]:
    """The words of a question in lower case, in its order."""
    order = sorted(range(len(mentions)), key=lambda number: mentions[number].start)
    words, end = list[QuestionWord](), 0
    for number in order:
        own = mentions[number]
        if own.start < end:
            continue
        words += _between(question, end, own.start)
        words.append(
            QuestionWord(own.start, own.end, question[own.start : own.end].lower(), number)
        )
        end = own.end
    return (words + _between(question, end, len(question)))[:MOST_WORDS]


def _between(question: str, start: int, end: int) -> list[QuestionWord]:
    found = _WORD.finditer(question, start, end)
    return [QuestionWord(*own.span(), own[0].lower()) for own in found]


@lru_cache(maxsize=100_000)
def rows_of(word: str) -> tuple[int, ...]:
    """The rows of a word: of all of it, and of three letters each."""
    marked = f"^{word}$"
    pieces = [marked[place : place + 3] for place in range(max(1, len(marked) - 2))]
    return tuple(dict.fromkeys([row(f"word:{word}"), *map(row, pieces)]))[:MOST_PIECES]


def row(text: str) -> int:
    """The row of a text in the table; 0 is kept for nothing."""
    return 1 + crc32(text.encode()) % (BUCKETS - 1)
