"""From the records of a run to its numbers."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import median

from .bootstrap import Estimate, mean_interval
from .metrics import Scores
from .records import Record

SIZES = ("1", "2-4", "5-9", "10+")
"""How questions are grouped by the number of their gold answers."""


@dataclass(frozen=True)
class Accuracy:
    """The strict metrics over some answerable questions; errors and abstentions count as 0."""

    questions: int
    hits_at_1: Estimate
    hit: Estimate
    f1: Estimate
    precision: Estimate
    recall: Estimate


@dataclass(frozen=True)
class Unanswerable:
    """What became of questions that have no answer; silence is right."""

    questions: int
    answered: int
    silent: int
    failed: int
    """An error, or a store that did not answer."""


@dataclass(frozen=True)
class Faithfulness:
    """How many of the triples that answers rest on the store confirmed."""

    triples: int
    supported: int
    share: float | None
    """None where nothing was emitted."""
    unsupported_answers: int
    """Answers that only a language model asserts; none of them counts as an answer."""


@dataclass(frozen=True)
class Costs:
    """Totals over the run, and the wall-clock seconds of a question."""

    forward_passes: int
    tokens: int
    forced_tokens: int
    llm_calls: int
    kg_requests: int
    seconds: float
    median_seconds: float
    slowest_seconds: float


@dataclass(frozen=True)
class Summary:
    """The numbers of a run; `accuracy` is None where no question has an answer."""

    method: str
    questions: int
    statuses: dict[str, int]
    accuracy: Accuracy | None
    by_hops: dict[str, Accuracy]
    by_answers: dict[str, Accuracy]
    unanswerable: Unanswerable
    faithfulness: Faithfulness
    costs: Costs


def summarise(records: Sequence[Record], seed: int = 0) -> Summary:
    """The summary of one method's records, of which there is at least one."""
    hops = sorted({r["hops"] for r in records if r["hops"] is not None})
    by_hops = {str(h): _accuracy((r for r in records if r["hops"] == h), seed) for h in hops}
    by_answers = {size: _accuracy((r for r in records if _size(r) == size), seed) for size in SIZES}
    return Summary(
        method=records[0]["method"],
        questions=len(records),
        statuses=dict(sorted(Counter[str](r["status"] for r in records).items())),
        accuracy=_accuracy(records, seed),
        by_hops={name: found for name, found in by_hops.items() if found},
        by_answers={name: found for name, found in by_answers.items() if found},
        unanswerable=_unanswerable([r for r in records if r["metrics"] is None]),
        faithfulness=_faithfulness(records),
        costs=_costs(records),
    )


def _accuracy(records: Iterable[Record], seed: int) -> Accuracy | None:
    scores = [r["metrics"] for r in records if r["metrics"] is not None]
    if not scores:
        return None
    found: list[Scores] = scores
    return Accuracy(
        questions=len(found),
        hits_at_1=mean_interval([s["hits_at_1"] for s in found], seed),
        hit=mean_interval([s["hit"] for s in found], seed),
        f1=mean_interval([s["f1"] for s in found], seed),
        precision=mean_interval([s["precision"] for s in found], seed),
        recall=mean_interval([s["recall"] for s in found], seed),
    )


def _size(record: Record) -> str:
    match len(record["gold"]):
        case 0:
            return ""
        case 1:
            return "1"
        case n if n < 5:
            return "2-4"
        case n if n < 10:
            return "5-9"
        case _:
            return "10+"


def _unanswerable(records: Sequence[Record]) -> Unanswerable:
    answered = sum(1 for r in records if r["answers"])
    silent = sum(
        1 for r in records if not r["answers"] and r["status"] in ("abstained", "ambiguous")
    )
    return Unanswerable(len(records), answered, silent, len(records) - answered - silent)


def _faithfulness(records: Sequence[Record]) -> Faithfulness:
    triples, supported = sum(r["triples"] for r in records), sum(r["supported"] for r in records)
    asserted = sum(len(r["unsupported"]) for r in records)
    return Faithfulness(triples, supported, supported / triples if triples else None, asserted)


def _costs(records: Sequence[Record]) -> Costs:
    usages, seconds = [r["usage"] for r in records], [r["seconds"] for r in records]
    return Costs(
        forward_passes=sum(u["forward_passes"] for u in usages),
        tokens=sum(u["tokens"] for u in usages),
        forced_tokens=sum(u["forced_tokens"] for u in usages),
        llm_calls=sum(u["llm_calls"] for u in usages),
        kg_requests=sum(u["kg_requests"] for u in usages),
        seconds=round(sum(seconds), 6),
        median_seconds=median(seconds),
        slowest_seconds=max(seconds),
    )
