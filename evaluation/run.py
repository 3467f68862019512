"""Asking every question of a set and keeping what came out in a run directory."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path

from rich.console import Console

from ..agent.errors import InputError, ServiceError
from .asking import OpenAsk, Task
from .config import Config
from .json_lines import whole
from .progress import show_progress
from .records import SERVICE_FAILED, Record
from .run_folder import SAMPLES_FILE, open_run, read_summary, write_summary
from .run_lines import Key, light_records
from .samples import Sample
from .summary import Accuracy, RunSummary, summarise

_FAILURES = 20
"""So many questions in a row that a service fails end the run: it is down."""


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
        summary = summarise(light_records(out / SAMPLES_FILE), config.seed)
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
