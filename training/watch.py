"""What a training run says while it goes on."""

from typing import Protocol


class Watcher(Protocol):
    """Is told how far a run is."""

    def step(self, done: int, steps: int, loss: float, hits: float | None) -> None:
        """Steps done and in all, the loss of late, the last Hits@1 on held-out questions."""
        ...

    def say(self, line: str) -> None:
        """Something that the user should know, once."""
        ...


class Unwatched:
    """Nobody is told."""

    def step(self, done: int, steps: int, loss: float, hits: float | None) -> None:
        """Nothing is done."""

    def say(self, line: str) -> None:
        """Nothing is done."""
