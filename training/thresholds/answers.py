"""The questions that a trained model answers, by several methods, kept as far as it has come."""

import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from ..trainer.checkpoint import EVERY, Elapsed, read_json, write_json
from ..trainer.watched import Watcher, counted

_FILE = "answers.json"
_Name = TypeVar("_Name")


class Answered(NamedTuple):
    """How sure the agent was of what it found, and whether that is right."""

    confidence: float
    right: bool


class Exam(NamedTuple):
    """Questions, and what asks one of them."""

    questions: Sequence[Any]
    ask: Callable[[Any], Answered]


def answer(
    exams: Mapping[_Name, Exam], partial: Path, elapsed: Elapsed, watcher: Watcher
) -> dict[_Name, list[Answered]]:
    """Let the questions of all exams be answered; in `partial` are those that were before.

    They take turns, so that the time left can be told. What `partial` holds must be of the same
    model and the same exams; what cannot be read is asked again.
    """
    turns = sorted(
        ((place + 0.5) / len(exam.questions), number, place)
        for number, exam in enumerate(exams.values())
        for place in range(len(exam.questions))
    )
    asked = list(exams.values())
    answered = _read(partial / _FILE, len(turns))
    saved = time.monotonic()

    def save() -> None:
        elapsed.save()
        write_json(partial / _FILE, {"of": len(turns), "answers": answered})

    ahead = turns[len(answered) :]
    try:
        for _, number, place in counted(
            ahead, len(turns), "answering questions", watcher, before=len(answered)
        ):
            answered.append(asked[number].ask(asked[number].questions[place]))
            if time.monotonic() - saved >= EVERY:
                save()
                saved = time.monotonic()
    finally:
        save()
    found: dict[_Name, list[Answered]] = {name: [] for name in exams}
    names = list(exams)
    for (_, number, _place), one in zip(turns, answered, strict=True):
        found[names[number]].append(one)
    return found


def forget_answers(partial: Path) -> None:
    """Remove the answers of another model."""
    (partial / _FILE).unlink(missing_ok=True)


def _read(file: Path, count: int) -> list[Answered]:
    kept = read_json(file)
    if kept.get("of") != count:
        return []
    try:
        return [Answered(float(confidence), bool(right)) for confidence, right in kept["answers"]]
    except (KeyError, TypeError, ValueError):
        return []
