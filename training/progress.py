"""How far a training run is: a bar in a terminal, plain lines elsewhere."""

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


@contextmanager
def show_progress(console: Console) -> Generator[Watcher]:
    """A watcher that shows a run on a console."""
    if not console.is_terminal:
        yield Lines(lambda line: console.print(line, highlight=False, markup=False))
        return
    columns = (
        TextColumn("training"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("loss {task.fields[loss]:.3f}{task.fields[hits]}"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console, transient=True) as progress:
        yield _Bar(progress)


class _Bar:
    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._task: TaskID | None = None

    def step(self, done: int, steps: int, loss: float, hits: float | None) -> None:
        if self._task is None:  # now, so that the time left is reckoned from this process's pace
            self._task = self._progress.add_task(
                "training", total=steps, completed=done, loss=loss, hits=_hits(hits)
            )
        self._progress.update(self._task, completed=done, loss=loss, hits=_hits(hits))

    def say(self, line: str) -> None:
        self._progress.console.print(line, markup=False)


class Lines:
    """A line now and then, with the time that is left by the pace of this process so far."""

    def __init__(
        self, show: Callable[[str], None], clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._show = show
        self._clock = clock
        self._first: tuple[int, float] | None = None
        self._last = clock()

    def step(self, done: int, steps: int, loss: float, hits: float | None) -> None:
        """Show how far the run is, unless that was done a moment ago."""
        now = self._clock()
        first, began = self._first = self._first or (done, now)
        if done < steps and now - self._last < _EVERY:
            return
        self._last = now
        left = ""
        if done > first and done < steps:
            left = f", {_duration((now - began) / (done - first) * (steps - done))} left"
        self._show(f"step {done} of {steps}, loss {loss:.3f}{_hits(hits)}{left}")

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
