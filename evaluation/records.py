"""The line of `samples.jsonl` that a question leaves behind."""

from collections.abc import Callable, Sequence
from dataclasses import asdict
from typing import Literal, TypeAlias

from typing_extensions import TypedDict

from ..agent.errors import GroundwalkError
from ..agent.state import Answer, Entity, State, Status, Usage, no_usage
from .metrics import Predicted, Scores, emitted, no_scores, strict
from .samples import Sample

Labels: TypeAlias = Callable[[Sequence[str]], Sequence[str]]
"""The labels of terms as their KG states them, without what keeps display names apart."""


class GoldRecord(TypedDict):
    """A right answer; what is unknown of it is empty."""

    term: str
    label: str


class Record(TypedDict):
    """A question, what was answered, and what that is worth."""

    id: str
    question: str
    method: str
    hops: int | None
    tags: list[str]
    status: Status | Literal["error"]
    gold: list[GoldRecord]
    topics: list[Entity]
    answers: list[Answer]
    unsupported: list[str]
    metrics: Scores | None
    """None where there is no right answer."""
    triples: int
    """Distinct triples in the chains of the answers."""
    supported: int
    """How many of them the store confirmed."""
    usage: Usage
    seconds: float
    """Wall-clock time, of which `usage` holds what the nodes took."""
    notes: list[str]
    error: str | None


def answered(
    sample: Sample, method: str, state: State, seconds: float, labels: Labels | None = None
) -> Record:
    """The record of a question that went through the graph."""
    answers = state.get("answers", [])
    own = labels([answer["term"] for answer in answers]) if labels and answers else []
    names = [(answer["label"],) for answer in answers]
    if own:
        names = [(*shown, label) for shown, label in zip(names, own, strict=True)]
    predicted = [
        Predicted(answer["term"], tuple(dict.fromkeys(known)))
        for answer, known in zip(answers, names, strict=True)
    ]
    record = _blank(sample, method, seconds)
    triples = emitted(chain for answer in answers for chain in answer["chains"])
    record["status"] = state.get("status", "abstained")
    record["topics"] = state.get("topics", [])
    record["answers"] = answers
    record["unsupported"] = state.get("unsupported", [])
    record["metrics"] = strict(sample.answers, predicted)
    record["triples"], record["supported"] = triples
    record["usage"] = state.get("usage", no_usage())
    record["notes"] = state.get("notes", [])
    return record


def failed(sample: Sample, method: str, error: GroundwalkError, seconds: float) -> Record:
    """The record of a question that ended in an error; it counts as a miss."""
    record = _blank(sample, method, seconds)
    record["error"] = f"{error.code}: {error.message}"
    return record


def _blank(sample: Sample, method: str, seconds: float) -> Record:
    return Record(
        id=sample.id,
        question=sample.question,
        method=method,
        hops=sample.hops,
        tags=list(sample.tags),
        status="error",
        gold=[GoldRecord(**asdict(gold)) for gold in sample.answers],
        topics=[],
        answers=[],
        unsupported=[],
        metrics=no_scores() if sample.answers else None,
        triples=0,
        supported=0,
        usage=no_usage(),
        seconds=round(seconds, 6),
        notes=[],
        error=None,
    )
