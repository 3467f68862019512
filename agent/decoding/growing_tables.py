"""Arrays and terms that are appended to; what has a place keeps it."""

from collections.abc import Iterable

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from ..kg.terms import Term
from .strings import Array


class GrowingArray:
    """A flat array whose appending takes amortised constant time for each value."""

    def __init__(self, values: ArrayLike, dtype: DTypeLike = np.int64) -> None:
        self._buffer = np.array(values, dtype)
        self._size = len(self._buffer)

    def __len__(self) -> int:
        return self._size

    def extend(self, values: ArrayLike) -> None:
        """Append some values."""
        new = np.asarray(values, self._buffer.dtype)
        size = self._size + len(new)
        if size > len(self._buffer):
            self._buffer = np.resize(self._buffer, max(size, 2 * len(self._buffer)))
        self._buffer[self._size : size] = new
        self._size = size

    @property
    def array(self) -> Array:
        """All values so far; what is appended later may be in another array."""
        return self._buffer[: self._size]


class GrowingTerms:
    """Terms by when they were met, and back."""

    def __init__(self) -> None:
        self._terms: list[Term] = []
        self._places: dict[Term, int] = {}

    def __len__(self) -> int:
        return len(self._terms)

    def __getitem__(self, index: int) -> Term:
        return self._terms[index]

    def find(self, text: str) -> int | None:
        """The place of a term, or None."""
        return self._places.get(text)

    def numbers(self, terms: Iterable[Term]) -> Array:
        """The places of terms that were met."""
        return np.array([self._places[term] for term in terms], np.int64)

    def meet(self, terms: Iterable[Term]) -> int:
        """Append, in their order, those of the terms that are new; how many those are."""
        new = sorted({term for term in terms if term not in self._places})
        self._places.update((term, place) for place, term in enumerate(new, len(self._terms)))
        self._terms += new
        return len(new)
