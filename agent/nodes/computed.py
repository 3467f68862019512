"""What an operation comes to, and how it is put in words."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from ..state import Answer, Entity, Kind, Result, Status, StepRecord

_SHOWN = 10
"""Members that a line of text names."""


@dataclass(frozen=True)
class Computed:
    """What came of an operation; without a result it is like a plain question's answers."""

    status: Status
    answers: list[Answer] = field(default_factory=list[Answer])
    topics: list[Entity] = field(default_factory=list[Entity])
    result: Result | None = None
    notes: list[str] = field(default_factory=list[str])
    confidence: float = 0.0


def told(
    kind: Kind,
    text: str,
    how: str,
    *,
    value: int | float | bool | None = None,
    triples: Sequence[StepRecord] = (),
) -> Result:
    """A result; of its triples each once."""
    distinct = [step for place, step in enumerate(triples) if step not in triples[:place]]
    return Result(kind=kind, value=value, text=text, how=how, triples=distinct)


def listed(answers: Sequence[Answer]) -> str:
    """The names of answers in one line."""
    return some([answer["label"] for answer in answers])


def some(names: Sequence[str], size: int = 0) -> str:
    """The first of some names in one line, and how many more there are, of `size` in all."""
    more = max(len(names), size) - _SHOWN
    return "; ".join(names[:_SHOWN]) + (f"; and {more:,} more" if more > 0 else "")


def sentence(step: StepRecord) -> str:
    """A triple as one reads it."""
    return f"{step['head']['label']} - {step['relation']['label']} -> {step['tail']['label']}"
