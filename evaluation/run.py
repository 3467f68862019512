"""Asking every question of a set and keeping what came out in a run directory.

`config.json` says what was run, `samples.jsonl` has a line for every question, written as soon as
it is answered, and `summary.json` the numbers.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from time import perf_counter

from rich.console import Console

from ..agent.errors import GroundwalkError, InputError, QuestionError
from ..agent.state import State
from .config import Config
from .progress import show_progress
from .records import Asked, Labels, Record, answered, failed
from .samples import Sample
from .summary import Summary, summarise

CONFIG_FILE, SAMPLES_FILE, SUMMARY_FILE = "config.json", "samples.jsonl", "summary.json"


def run(
    samples: Sequence[Sample],
    answer: Callable[[str], State],
    out: Path,
    config: Config,
    *,
    labels: Labels | None = None,
    console: Console | None = None,
) -> Summary:
    """Ask `answer` every question in order, write the run directory `out` and sum up.

    An error that belongs to a question is recorded and counts as a miss; one that would meet
    every question (a model that does not load) is raised, as is any that is not groundwalk's.
    `labels` lets gold labels match what the KG calls an answer. Progress goes to `console`, by
    default to standard error. Raises InputError when `out` holds anything or cannot be written,
    or there is nothing to ask.
    """
    if not samples:
        raise InputError("there are no questions to ask", "choose another part or dataset")
    prepare(out)
    _write_json(out / CONFIG_FILE, asdict(config))
    asked = Asked(config.questions.dataset, config.questions.split, config.method)
    records: list[Record] = []
    with (
        (out / SAMPLES_FILE).open("a", encoding="utf-8") as lines,
        show_progress(len(samples), console or Console(stderr=True)) as tick,
    ):
        for sample in samples:
            record = _ask(sample, asked, answer, labels)
            lines.write(json.dumps(record, ensure_ascii=False) + "\n")
            lines.flush()
            records.append(record)
            tick(record["metrics"])
    summary = summarise(records, config.seed)
    _write_json(out / SUMMARY_FILE, asdict(summary))
    return summary


def prepare(out: Path) -> None:
    """Make the folder of a run. Raises InputError when it holds anything or cannot be made."""
    try:
        out.mkdir(parents=True, exist_ok=True)
        taken = any(out.iterdir())
    except OSError as error:
        reason = error.strerror or str(error)
        raise InputError(f"{out} cannot be written: {reason}", "choose another folder") from error
    if taken:
        raise InputError(f"{out} is not empty", "choose a new folder for this run")


def _ask(
    sample: Sample, asked: Asked, answer: Callable[[str], State], labels: Labels | None
) -> Record:
    since = perf_counter()
    try:
        state = answer(sample.question)
    except GroundwalkError as error:
        if isinstance(error, InputError) and not isinstance(error, QuestionError):
            raise
        return failed(sample, asked, error, perf_counter() - since)
    return answered(sample, asked, state, perf_counter() - since, labels)


def _write_json(file: Path, content: object) -> None:
    file.write_text(json.dumps(content, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
