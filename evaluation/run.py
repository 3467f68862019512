"""Asking every question of a set and keeping what came out in a run directory."""

from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

from rich.console import Console

from ..agent.errors import InputError
from .asking import OpenAsk, Task
from .config import Config
from .progress import show_progress
from .run_folder import SAMPLES_FILE, open_run, read_summary, write_summary
from .run_lines import Key, light_records
from .samples import Sample
from .summary import RunSummary, summarise


def run(
    samples: Sequence[Sample],
    open_ask: OpenAsk,
    out: Path,
    config: Config,
    *,
    console: Console | None = None,
) -> RunSummary:
    """Ask the methods of `config` every question, write the run directory `out` and sum up.

    What an earlier run of the same settings answered is not asked again, and nothing is opened
    where it answered all. An error that belongs to a question is recorded and counts as a miss; one
    that would meet every question (a model that does not load) is raised. Progress goes to
    `console`, by default to standard error. Raises InputError when `out` is of another run or
    cannot be written, or there is nothing to ask, and GroundwalkError for a full disk; what was
    answered until then is kept.
    """
    if not samples:
        raise InputError("there are no questions to ask", "choose another part or dataset")
    tasks = [Task(sample, method) for sample in samples for method in config.methods]
    with open_run(out, config, samples) as lines:
        missing = [task for task in tasks if _key(task) not in lines]
        if not missing and (summary := read_summary(out)):
            return summary
        if missing:
            before = len(tasks) - len(missing)
            shown = console or Console(stderr=True)
            with (
                open_ask() as ask,
                closing(ask(missing)) as records,
                show_progress(len(tasks), shown, before=before) as tick,
            ):
                for record in records:
                    lines.append(record)
                    tick(record)
        lines.sort([_key(task) for task in tasks])
        summary = summarise(light_records(out / SAMPLES_FILE), config.seed)
        write_summary(out, summary)
    return summary


def _key(task: Task) -> Key:
    return Key(task.sample.id, task.method)
