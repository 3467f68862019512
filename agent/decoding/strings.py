"""A sorted table of strings that lives in two arrays, so that millions cost no Python objects."""

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]


class StringTable(Sequence[str]):
    """An immutable sorted sequence of distinct strings over a byte blob, memory-mapped or not."""

    def __init__(self, blob: Array, starts: Array) -> None:
        self._blob = blob
        self._starts = starts

    @classmethod
    def of(cls, strings: Iterable[str]) -> "StringTable":
        """The table of the given strings, sorted and without duplicates."""
        encoded = sorted({text.encode("utf-8") for text in strings})
        starts = np.zeros(len(encoded) + 1, np.int64)
        np.cumsum([len(text) for text in encoded], out=starts[1:])
        return cls(np.frombuffer(b"".join(encoded), np.uint8), starts)

    def __len__(self) -> int:
        return len(self._starts) - 1

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> list[str]: ...
    def __getitem__(self, index: int | slice) -> str | list[str]:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        if not 0 <= index < len(self):
            raise IndexError(index)
        return self._bytes(index).decode("utf-8")

    def find(self, text: str) -> int | None:
        """The position of a string, or None; logarithmic in the size of the table."""
        key = text.encode("utf-8")
        place = bisect_left(range(len(self)), key, key=self._bytes)
        return place if place < len(self) and self._bytes(place) == key else None

    def arrays(self) -> dict[str, Array]:
        """The two arrays, to be saved and given to the constructor again."""
        return {"blob": self._blob, "starts": self._starts}

    def _bytes(self, index: int) -> bytes:
        return self._blob[self._starts[index] : self._starts[index + 1]].tobytes()
