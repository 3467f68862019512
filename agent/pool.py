"""Things that one thread at a time may use: lent out, and made anew where none is free."""

from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Generic, TypeVar

Made = TypeVar("Made")


class Pool(Generic[Made]):
    """As many as were ever in use at the same time."""

    def __init__(self, make: Callable[[], Made]) -> None:
        self._make = make
        self._free = list[Made]()

    @contextmanager
    def lent(self) -> Generator[Made]:
        """One that nobody else uses within the block."""
        try:
            one = self._free.pop()
        except IndexError:
            one = self._make()
        try:
            yield one
        finally:
            self._free.append(one)
