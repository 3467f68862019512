"""Answers without a model, in this process or others, some of which end it."""

import atexit
import os
import signal
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from time import sleep

from groundwalk.agent.errors import InputError
from groundwalk.evaluation.records import Asked, Record, answered
from groundwalk.evaluation.runner.asking import Ask, OpenAsk, Task
from groundwalk.evaluation.samples import Gold, Sample

from .stubs import proven, says


def crowd(count: int, *special: str) -> tuple[Sample, ...]:
    """Samples that ask for the square of their number; those that are special come in between."""
    asked = [f"square of {n}" for n in range(count)]
    for n, text in enumerate(special):
        asked.insert((n + 1) * len(asked) // (len(special) + 1), text)
    return tuple(
        Sample(f"c{n:04}", text, (Gold(label=_square(text)),)) for n, text in enumerate(asked)
    )


def opens_crowd(
    folder: Path, *, seconds: float = 0.0, fails: str = "", holds: bool = False
) -> OpenAsk:
    """What opens the answering. `folder` remembers what was asked, by whom; `fails` is how.

    With `holds` there is a lock among processes, as libraries make them for progress bars.
    """
    return partial(_open, folder, seconds, fails, holds)


def asked_of(folder: Path) -> list[tuple[str, int]]:
    """Every question that was asked, with the process that was asked it."""
    lines = (folder / "asked").read_text(encoding="utf-8").splitlines()
    return [(line.split("\t")[0], int(line.split("\t")[1])) for line in lines]


@contextmanager
def _open(folder: Path, seconds: float, fails: str, holds: bool) -> Generator[Ask]:
    held = get_context("spawn").RLock() if holds else None
    if fails == "told to end as it ends":
        atexit.register(os.kill, os.getpid(), signal.SIGTERM)
    if fails in ("input", "told to end as it ends"):
        raise InputError("the model does not load", "train it again")
    if fails == "killed":
        os.kill(os.getpid(), signal.SIGKILL)
    yield partial(_ask, folder, seconds)
    del held


def _ask(folder: Path, seconds: float, tasks: Sequence[Task]) -> Generator[Record]:
    for task in tasks:
        question = task.sample.question
        with (folder / "asked").open("a", encoding="utf-8") as log:
            log.write(f"{question}\t{os.getpid()}\n")
        times = sum(1 for asked, _ in asked_of(folder) if asked == question)
        if question == "kills" or (question == "kills once" and times == 1):
            os.kill(os.getpid(), signal.SIGKILL)
        if question == "wrong setting":
            raise InputError("no such tag", "check the model")
        sleep(seconds)
        state = says(proven(_square(question)))
        yield answered(task.sample, Asked("crowd", "", task.method), state, seconds)


def _square(question: str) -> str:
    number = question.rpartition(" ")[2]
    return str(int(number) ** 2) if number.isdigit() else "none"
