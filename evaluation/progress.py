"""Showing how far a run is: a bar on a terminal, now and then a plain line elsewhere."""

import contextlib
from collections.abc import Callable, Generator
from time import perf_counter
from typing import TypeAlias

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from .metrics import Scores

Tick: TypeAlias = Callable[[Scores | None], None]
"""Called once a question, with its scores if it can be answered."""

_EVERY = 10.0
"""Seconds between plain lines."""


@contextlib.contextmanager
def show_progress(total: int, console: Console) -> Generator[Tick]:
    """Show rate and running Hits@1 on the console while `total` questions are asked."""
    if console.is_terminal:
        columns = (
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.fields[state]}", markup=False),
            TimeRemainingColumn(),
        )
        with Progress(*columns, console=console, transient=True) as bar:
            task = bar.add_task("", total=total, state="")
            yield _counter(lambda _, state: bar.update(task, advance=1, state=state))
        return

    said = perf_counter()

    def line(done: int, state: str) -> None:
        nonlocal said
        if done == total or perf_counter() - said >= _EVERY:
            said = perf_counter()
            console.print(f"{done}/{total}  {state}", markup=False, highlight=False)

    yield _counter(line)


def _counter(show: Callable[[int, str], None]) -> Tick:
    since, done, asked, hits = perf_counter(), 0, 0, 0.0

    def tick(scores: Scores | None) -> None:
        nonlocal done, asked, hits
        done += 1
        if scores is not None:
            asked, hits = asked + 1, hits + scores["hits_at_1"]
        rate = done / max(perf_counter() - since, 1e-9)
        running = f"  Hits@1 {100 * hits / asked:.1f}" if asked else ""
        show(done, f"{rate:.1f}/s{running}")

    return tick
