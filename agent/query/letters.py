"""Words as rows of a table of numbers: a word is read by all of it, and by its letters.

One that was never seen is then not like those that were, and still like those that it looks like.
"""

from functools import lru_cache
from zlib import crc32

MOST_PIECES = 14
"""Rows of a word."""


@lru_cache(maxsize=100_000)
def letter_rows(word: str, buckets: int) -> tuple[int, ...]:
    """The rows of a word in a table of so many: of all of it, and of three letters each."""
    marked = f"^{word}$"
    pieces = [marked[start : start + 3] for start in range(max(1, len(marked) - 2))]
    rows = [row_in(buckets, text) for text in (f"word:{word}", *pieces)]
    return tuple(dict.fromkeys(rows))[:MOST_PIECES]


def row_in(buckets: int, text: str) -> int:
    """The row of a text in a table of so many; 0 is kept for nothing."""
    return 1 + crc32(text.encode()) % (buckets - 1)
