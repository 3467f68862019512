"""What a query can point at: the linked names of a question and its values, in the text's order."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from ..decoding.wire import POINTERS
from ..state import MentionRecord
from .binding import Mention
from .normal import Value
from .prompt import Numbered
from .question_values import NamedValue, values_in

_Found: TypeAlias = tuple[Numbered, Mention, Value]
_SMALL = len(POINTERS)
"""A number below this may be a place or how many, and is read as it stands."""


@dataclass(frozen=True)
class Mentions:
    """The mentions of a question: where they stand, what they are, and how values compare.

    The number of a mention is its place.
    """

    numbered: tuple[Numbered, ...] = ()
    bound: tuple[Mention, ...] = ()
    values: Mapping[int, Value] = field(default_factory=dict[int, Value])

    def followed_by(self, others: "Mentions") -> "Mentions":
        """These and others, numbered on; as many as there are numbers."""
        size, most = len(self.numbered), len(POINTERS)
        numbered = (*self.numbered, *others.numbered)[:most]
        bound = (*self.bound, *others.bound)[:most]
        moved = {size + place: value for place, value in others.values.items()}
        values = {**self.values, **moved}
        return Mentions(numbered, bound, {n: own for n, own in values.items() if n < most})


def mentions_of(question: str, linked: Sequence[MentionRecord]) -> Mentions:
    """The mentions of a question; a linked name wins over a value that it overlaps."""
    names = [(own["start"], own["end"]) for own in linked]
    values = [
        own
        for own in values_in(question)
        if not any(own.start < end and start < own.end for start, end in names)
    ]
    found = sorted([*map(_linked, linked), *map(_valued, values)], key=lambda own: own[0].start)
    found = found[: len(POINTERS)]
    return Mentions(
        tuple(numbered for numbered, _, _ in found),
        tuple(mention for _, mention, _ in found),
        {place: value for place, (_, _, value) in enumerate(found) if value != Value()},
    )


def _linked(own: MentionRecord) -> _Found:
    best = own["candidates"][0]
    mention = Mention(own["text"] or best["label"], best["term"])
    return Numbered(own["start"], own["end"], best["kind"]), mention, Value()


def _valued(own: NamedValue) -> _Found:
    size = own.value.value
    is_small = isinstance(size, int) and 0 <= size < _SMALL
    shown = own.text if is_small else ""
    return Numbered(own.start, own.end, own.kind, shown), Mention(own.text), own.value
