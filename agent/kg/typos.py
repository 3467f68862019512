"""Texts within one or two typos of another, found by index: the thirds that typos leave whole.

Every text is cut into three parts. Two edits cannot damage all three, so a part of what is looked
for stands in the given text, moved by no more than the edits allow (the partition scheme of
Pass-Join, Li et al., VLDB 2011). A swap of neighbours can damage two parts at once: so the part is
also looked for with its last letter swapped back across the cut.
"""

from collections.abc import Iterator
from typing import NamedTuple

MOST_TYPOS = 2
"""The edits for which three parts suffice."""

PARTS = (
    "substr(norm, 1, length(norm) / 3)",
    "substr(norm, 1 + length(norm) / 3, length(norm) * 2 / 3 - length(norm) / 3)",
    "substr(norm, 1 + length(norm) * 2 / 3)",
)
"""The parts of a normalised text in SQL, each under an index with the text's length before it."""


class Part(NamedTuple):
    """What a text of a length may hold in one of its three places."""

    place: int
    length: int
    text: str


def parts_within(norm: str, typos: int) -> set[Part]:
    """The parts of which a text within so many typos of `norm` has at least one."""
    return {
        Part(place, length, text)
        for length in range(max(len(norm) - typos, 0), len(norm) + typos + 1)
        for place in range(len(PARTS))
        for text in _parts(norm, typos, length, place)
    }


def _parts(norm: str, typos: int, length: int, place: int) -> Iterator[str]:
    """What stands in one place of a text, if it is the first that nothing but a swap damages.

    Then each place before it takes an edit of its own. A swap across the cut before it need not be
    undone: with the edit of that place it is the second, and the last part is whole.
    """
    first, last = length * place // 3, length * (place + 1) // 3
    for shift in range(-typos, typos + 1):
        spare = typos - max(place, abs(shift)) - abs(len(norm) - length - shift)
        start, end = first + shift, last + shift
        if spare < 0 or start < 0 or end > len(norm):
            continue
        part = norm[start:end]
        yield part
        if spare > 0 and part and place < len(PARTS) - 1 and end < len(norm):
            yield part[:-1] + norm[end]
