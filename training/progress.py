"""How far a training run is: a bar in a terminal, plain lines elsewhere.

The time left is that of the steps, or of the part that follows them and is being done.
"""

import time
from collections.abc import Callable, Generator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TaskID,
    TextColumn,
    TimeRemainingColumn,
)

from .watch import Watcher

_EVERY = 10.0
"""Seconds between plain lines."""
_THEN = "then the confidence is fitted"
"""What follows the steps, said with the time that is left of them."""


@contextmanager
def show_progress(console: Console) -> Generator[Watcher]:
    """A watcher that shows a run on a console."""
    if not console.is_terminal:
        yield Lines(lambda line: console.print(line, highlight=False, markup=False, soft_wrap=True))
        return
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[more]}"),
        TimeRemainingColumn(),
        TextColumn("{task.fields[then]}"),
    )
    with Progress(*columns, console=console, transient=True) as progress:
        yield _Bar(progress)


class _Bar:
    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._task: TaskID | None = None
        self._name = ""

    def step(self, done: int, steps: int, loss: float, hits: float | None) -> None:
        self._show("training", done, steps, f"loss {loss:.3f}{_hits(hits)}", _THEN)

    def part(self, name: str, done: int, total: int) -> None:
        self._show(name, done, total)

    def _show(self, name: str, done: int, total: int, more: str = "", then: str = "") -> None:
        if self._task is None or name != self._name:
            if self._task is not None:
                self._progress.remove_task(self._task)
            self._name = name  # begun now: the time left is reckoned from this process's pace
            self._task = self._progress.add_task(
                name, total=total, completed=done, more=more, then=then
            )
        self._progress.update(self._task, completed=done, total=total, more=more)

    def say(self, line: str) -> None:
        self._progress.console.print(line, markup=False)


class Lines:
    """A line now and then, with the time that is left by the pace of this process so far."""

    def __init__(
        self, show: Callable[[str], None], clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._show = show
        self._clock = clock
        self._name = ""
        self._first: tuple[int, float] | None = None
        self._last = clock()

    def step(self, done: int, steps: int, loss: float, hits: float | None) -> None:
        """Show how far the run is, unless that was done a moment ago."""
        left = self._left("", done, steps)
        if left is not None:
            text = f"step {done} of {steps}, loss {loss:.3f}{_hits(hits)}"
            self._show(f"{text}{left}, {_THEN}" if left else text)

    def part(self, name: str, done: int, total: int) -> None:
        """Show how far a part is, unless that was done a moment ago."""
        left = self._left(name, done, total)
        if left is not None:
            self._show(f"{name}: {done:,} of {total:,}{left}")

    def _left(self, name: str, done: int, total: int) -> str | None:
        """The time left as text, empty where it is not known; None where it is no time to show."""
        now = self._clock()
        if self._first is None or name != self._name:
            self._name, self._first = name, (done, now)
        if done < total and now - self._last < _EVERY:
            return None
        self._last = now
        first, began = self._first
        if not first < done < total:
            return ""
        return f", {_duration((now - began) / (done - first) * (total - done))} left"

    def say(self, line: str) -> None:
        """Show a line."""
        self._show(line)


def _hits(hits: float | None) -> str:
    return "" if hits is None else f", held-out Hits@1 {hits:.1%}"


def _duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours} h {minutes} min"
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"
