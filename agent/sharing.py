"""What threads share: values that are made once, and things that one thread at a time may use."""

from collections.abc import Callable, Generator
from contextlib import contextmanager
from threading import Lock
from typing import Generic, TypeVar

Made = TypeVar("Made")


def once(make: Callable[[], Made]) -> Callable[[], Made]:
    """A function that makes its value at the first call; threads that call meanwhile wait for it.

    What `make` raises is raised, and the next call makes it again.
    """
    lock, made = Lock(), list[Made]()

    def get() -> Made:
        if not made:
            with lock:
                if not made:
                    made.append(make())
        return made[0]

    return get


Lent = TypeVar("Lent")


class Pool(Generic[Lent]):
    """As many as were ever in use at the same time."""

    def __init__(self, make: Callable[[], Lent]) -> None:
        self._make = make
        self._free = list[Lent]()

    @contextmanager
    def lent(self) -> Generator[Lent]:
        """One that nobody else uses within the block."""
        try:
            one = self._free.pop()
        except IndexError:
            one = self._make()
        try:
            yield one
        finally:
            self._free.append(one)
