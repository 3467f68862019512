"""Arrays of numbers, a table of strings in two arrays, and folders that hold arrays on disk."""

import json
import os
import shutil
import tempfile
from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
EMPTY: Array = np.empty(0, np.int64)


class StringTable(Sequence[str]):
    """An immutable sorted sequence of distinct strings over a byte blob, memory-mapped or not.

    Millions of strings cost no Python objects.
    """

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
        index = bisect_left(range(len(self)), key, key=self._bytes)
        return index if index < len(self) and self._bytes(index) == key else None

    def arrays(self) -> dict[str, Array]:
        """The two arrays, to be saved and given to the constructor again."""
        return {"blob": self._blob, "starts": self._starts}

    def _bytes(self, index: int) -> bytes:
        return self._blob[self._starts[index] : self._starts[index + 1]].tobytes()


def save_arrays(folder: Path, arrays: Mapping[str, Array], meta: Mapping[str, Any]) -> None:
    """Make a folder of `NAME.npy` files and an `index.json`. Raises OSError where it cannot."""
    work = Path(tempfile.mkdtemp(prefix=f".{folder.name}-", dir=folder.parent))
    try:
        for name, array in arrays.items():
            np.save(work / f"{name}.npy", array)
        (work / "index.json").write_text(json.dumps(meta), encoding="utf-8")
        os.replace(work, folder)
    except OSError:
        shutil.rmtree(work, ignore_errors=True)
        if not folder.is_dir():  # somebody else may have made it in the meantime
            raise


def load_array(folder: Path, name: str) -> Array:
    """One array, mapped; a plain array, since `memmap` is slow to slice.

    Raises OSError or ValueError where the file is missing or damaged.
    """
    return np.load(folder / f"{name}.npy", mmap_mode="r").view(np.ndarray)


def spans(starts: Array, stops: Array) -> Array:
    """The positions of all ranges `starts[i]:stops[i]`, one range after another."""
    sizes = stops - starts
    ends = np.cumsum(sizes)
    total = int(ends[-1]) if len(ends) else 0
    return np.arange(total) + np.repeat(starts - (ends - sizes), sizes)


def distinct(numbers: Array) -> Array:
    """The different numbers, ascending; fast where none is large."""
    return np.flatnonzero(np.bincount(numbers))


def positions(numbers: Array, ordered: Array) -> Array:
    """The position of each of the numbers in `ordered`, which holds them all once."""
    table = np.empty(int(ordered.max(initial=-1)) + 1, np.int64)
    table[ordered] = np.arange(len(ordered))
    return table[numbers]
