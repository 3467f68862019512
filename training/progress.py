"""How far a training run is: a bar in a terminal, plain lines elsewhere."""

import time
from collections.abc import Generator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from .trainer import Progress as Report

_EVERY = 30.0
"""Seconds between plain lines."""


@contextmanager
def show_progress(console: Console) -> Generator[Report]:
    """A callback for `train_model` that shows its steps on a console."""
    if not console.is_terminal:
        yield _plain(console)
        return
    columns = (
        TextColumn("training"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("loss {task.fields[loss]:.3f}"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console, transient=True) as progress:
        task = progress.add_task("training", total=None, loss=0.0)

        def report(done: int, steps: int, loss: float) -> None:
            progress.update(task, completed=done, total=steps, loss=loss)

        yield report


def _plain(console: Console) -> Report:
    last = time.monotonic()

    def report(done: int, steps: int, loss: float) -> None:
        nonlocal last
        now = time.monotonic()
        if done == steps or now - last >= _EVERY:
            last = now
            console.print(f"step {done} of {steps}, loss {loss:.3f}", highlight=False)

    return report
