"""What a training run says while it goes on."""

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Protocol, TypeVar

_Item = TypeVar("_Item")


class Watcher(Protocol):
    """Is told how far a run is."""

    def step(self, done: int, steps: int, loss: float, hits: float | None) -> None:
        """Steps done and in all, the loss of late, the last Hits@1 on held-out questions."""
        ...

    def part(self, name: str, done: int, total: int) -> None:
        """How far a part of what follows the last step is; `name` says what is done."""
        ...

    def say(self, line: str) -> None:
        """Something that the user should know, once."""
        ...


class Unwatched:
    """Nobody is told."""

    def step(self, done: int, steps: int, loss: float, hits: float | None) -> None:
        """Nothing is done."""

    def part(self, name: str, done: int, total: int) -> None:
        """Nothing is done."""

    def say(self, line: str) -> None:
        """Nothing is done."""


def counted(
    items: Iterable[_Item], total: int, name: str, watcher: Watcher, *, before: int = 0
) -> Iterator[_Item]:
    """The first `total` items, of which a watcher is told; `before` went before them."""
    for done, item in enumerate(islice(items, total - before), before + 1):
        yield item
        watcher.part(name, done, total)
