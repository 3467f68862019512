"""Showing how far a run is: a bar on a terminal, now and then a plain line elsewhere."""

import contextlib
from collections.abc import Callable, Generator
from time import perf_counter
from typing import NamedTuple, TypeAlias

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

from .records import Record

Tick: TypeAlias = Callable[[Record], None]
"""Called with every record as it is written."""

_EVERY = 10.0
"""Seconds between plain lines."""


class _Shown(NamedTuple):
    """How far a run is, in numbers and in words."""

    done: int
    text: str


@contextlib.contextmanager
def show_progress(total: int, console: Console, *, before: int = 0) -> Generator[Tick]:
    """Show rate, running Hits@1 and time left on the console while `total` tasks are done.

    `before` of them were done by an earlier run; rate and Hits@1 are those of this one.
    """
    if console.is_terminal:
        columns = (
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.fields[text]}", markup=False),
        )
        with Progress(*columns, console=console, transient=True) as bar:
            task = bar.add_task("", total=total, completed=before, text="")

            def move(shown: _Shown) -> None:
                bar.update(task, completed=shown.done, text=shown.text)

            yield _counter(total, before, move)
        return

    said = perf_counter()

    def line(shown: _Shown) -> None:
        nonlocal said
        if shown.done == total or perf_counter() - said >= _EVERY:
            said = perf_counter()
            text = f"{shown.done}/{total}  {shown.text}"
            console.print(text, markup=False, highlight=False, soft_wrap=True)

    yield _counter(total, before, line)


def _counter(total: int, before: int, show: Callable[[_Shown], None]) -> Tick:
    since, done, errors = 0.0, 0, 0
    scored: dict[str, tuple[int, float]] = {}

    def tick(record: Record) -> None:
        nonlocal since, done, errors
        done, errors = done + 1, errors + (record["status"] == "error")
        since = since or perf_counter()  # processes take a while to start
        if record["metrics"] is not None:
            count, hits = scored.get(record["method"], (0, 0.0))
            scored[record["method"]] = count + 1, hits + record["metrics"]["hits_at_1"]
        rate = (done - 1) / max(perf_counter() - since, 1e-9)
        words = [f"{rate:.1f}/s"] if rate else []
        if scored:
            shares = {method: f"{100 * hits / n:.1f}" for method, (n, hits) in scored.items()}
            own = [f"{method} {share}" for method, share in shares.items()]
            words.append(f"Hits@1 {', '.join(own if len(own) > 1 else shares.values())}")
        if errors:
            words.append(f"{errors} error{'s' * (errors > 1)}")
        if (left := total - before - done) and rate:
            words.append(f"{_time(left / rate)} left")
        show(_Shown(before + done, "  ".join(words)))

    return tick


def _time(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours} h {minutes} min"
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"
