"""Asking every question of a set, showing how far it is, and keeping what came out."""

import contextlib
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from time import perf_counter
from typing import NamedTuple, TypeAlias

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

from ...agent.errors import InputError, ServiceError
from ..analysis.summary import Accuracy, RunSummary, summarise
from ..record_lines import LINES_FILE, whole
from ..records import SERVICE_FAILED, Record
from ..samples import Sample
from .asking import OpenAsk, Task
from .config import Config
from .run_folder import open_run, read_summary, write_summary
from .run_lines import Key, light_records

Tick: TypeAlias = Callable[[Record], None]
"""Called with every record as it is written."""

_EVERY = 10.0
"""Seconds between plain lines."""

_FAILURES = 20
"""So many questions in a row that a service fails end the run: it is down."""


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


def run(
    samples: Sequence[Sample],
    open_ask: OpenAsk,
    out: Path,
    config: Config,
    *,
    oracle: Callable[[], Accuracy | None] = lambda: None,
    console: Console | None = None,
) -> RunSummary:
    """Ask the methods of `config` every question, write the run directory `out` and sum up.

    What an earlier run of the same settings answered is not asked again, and nothing is opened
    where it answered all; what a service failed to answer then is asked again, after the others.
    An error that belongs to a question is recorded and counts as a miss; one that would meet every
    question (a model that does not load) is raised. When all are answered, `oracle` is asked once.
    Progress goes to `console`, by default to standard error. Raises InputError when `out` is of
    another run or cannot be written, or there is nothing to ask, DiskError for a full disk, and
    ServiceError where a service fails again and again while questions wait that were never asked;
    what was answered until then is kept.
    """
    if not samples:
        raise InputError("there are no questions to ask", "choose another part or dataset")
    tasks = [Task(sample, method) for sample in samples for method in config.methods]
    shown = console or Console(stderr=True)
    with open_run(out, config, samples) as lines:
        again = lines.drop_unanswered()
        if again:
            are = (
                "answers that a service failed are"
                if len(again) > 1
                else "answer that a service failed is"
            )
            shown.print(f"{len(again)} {are} asked again", highlight=False, soft_wrap=True)
        missing = [task for task in tasks if _key(task) not in lines]
        missing.sort(key=lambda task: _key(task) in again)
        if not missing and (summary := read_summary(out)):
            return summary
        if missing:
            before, new = len(tasks) - len(missing), len(missing) - len(again)
            with (
                open_ask() as ask,
                closing(ask(missing)) as records,
                show_progress(len(tasks), shown, before=before) as tick,
            ):
                for record in _until_down(records, new):
                    lines.append(record)
                    tick(record)
        lines.sort([_key(task) for task in tasks])
        summary = summarise(light_records(out / LINES_FILE), config.seed)
        summary = replace(summary, oracle=oracle(), sampled_of=config.questions.drawn_from)
        write_summary(out, summary)
    return summary


def _until_down(records: Iterable[Record], new: int) -> Iterator[Record]:
    """The records, the first `new` of which are about questions that were never asked.

    Raises ServiceError among these where a service is down. It does not do so among the others,
    where questions that it can never answer would keep the run from its end.
    """
    failures = 0
    for count, record in enumerate(records, 1):
        yield record
        error = record["error"] or ""
        failures = failures + 1 if error.startswith(SERVICE_FAILED) else 0
        if failures >= _FAILURES and count < new:
            raise ServiceError(
                f"a service failed {failures} questions in a row, the last with: "
                f"{error.removeprefix(SERVICE_FAILED)}",
                "the same command goes on, and asks them again",
            )


def _key(task: Task) -> Key:
    return Key(whole(task.sample.id), task.method)
