"""From the records of a run to its numbers, for each method."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from .bootstrap import Estimate, mean_interval, mean_intervals
from .calibration import Calibration, calibrate
from .costs import Costs, measure_costs
from .faithfulness import Faithfulness, measure_faithfulness
from .metrics import METRICS, Scores
from .records import SCHEMA, Record

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
class Kinds:
    """What became of the questions of a kind, with an answer in the graph or without."""

    questions: int
    right: int
    """All right answers and no other; or none, where there is none."""
    something_else: int
    """An answer that is none to the question."""
    as_plain: int
    """Answered as if the word that changes the question were not there."""
    silent: int


@dataclass(frozen=True)
class Troubles:
    """Questions that did not get as far as an answer or a silence that means something."""

    errors: int
    no_topic: int
    """No entity of the KG was recognised, and that was all that went wrong."""
    ambiguous: int
    unchecked: int
    """The store did not say whether the triples hold."""
    llm_failed: int
    """The chat LLM left at least one of their calls without an answer."""
    voted: int
    """Those of them that the vote answered instead."""


@dataclass(frozen=True)
class Summary:
    """The numbers of one method; `accuracy` is None where no question has an answer."""

    method: str
    questions: int
    statuses: dict[str, int]
    reasoners: dict[str, int]
    """How many questions each of them decided, by `Record.reasoner`."""
    troubles: Troubles
    accuracy: Accuracy | None
    by_hops: dict[str, Accuracy]
    by_answers: dict[str, Accuracy]
    by_type: dict[str, Accuracy]
    by_tag: dict[str, Accuracy]
    unanswerable: Unanswerable
    unanswerable_answered: Estimate | None
    """The share of unanswerable questions that were answered; None where there are none."""
    faithfulness: Faithfulness
    calibration: Calibration | None
    """None where nothing was answered."""
    costs: Costs
    kinds: dict[str, Kinds] = field(default_factory=dict[str, Kinds])
    """By type of question, those without an answer too."""


@dataclass(frozen=True)
class RunSummary:
    """The content of `summary.json`: the numbers of each method of a run, by its name."""

    schema: int
    methods: dict[str, Summary]
    oracle: Accuracy | None = None
    """What the dataset's gold relation paths are worth; None where it has none."""
    sampled_of: int | None = None
    """Of how many questions those of the run are a sample over the kinds; None where of none."""


def summarise(records: Iterable[Record], seed: int = 0) -> RunSummary:
    """The summary of a run, its methods in the order in which they first occur."""
    methods: dict[str, list[Record]] = {}
    for record in records:
        methods.setdefault(record["method"], []).append(record)
    return RunSummary(
        SCHEMA, {method: summarise_method(found, seed) for method, found in methods.items()}
    )


def summarise_method(records: Sequence[Record], seed: int = 0) -> Summary:
    """The summary of one method's records, of which there is at least one."""

    def by(name: Callable[[Record], Iterable[str]]) -> dict[str, Accuracy]:
        groups: dict[str, list[Record]] = {}
        for record in records:
            for group in name(record):
                groups.setdefault(group, []).append(record)
        found = {group: _accuracy(groups[group], seed) for group in sorted(groups, key=_order)}
        return {group: accuracy for group, accuracy in found.items() if accuracy}

    unanswerable = [r for r in records if r["metrics"] is None]
    answered = [float(is_said(r)) for r in unanswerable]
    return Summary(
        method=records[0]["method"],
        questions=len(records),
        statuses=dict(sorted(Counter[str](r["status"] for r in records).items())),
        reasoners=dict(sorted(Counter(r["reasoner"] for r in records if r["reasoner"]).items())),
        troubles=_troubles(records),
        accuracy=_accuracy(records, seed),
        by_hops=by(lambda r: [] if r["hops"] is None else [str(r["hops"])]),
        by_answers=by(lambda r: [_size(r)]),
        by_type=by(lambda r: [r["type"]] if r["type"] else []),
        by_tag=by(lambda r: set(r["tags"])),
        unanswerable=_unanswerable(unanswerable),
        unanswerable_answered=mean_interval(answered, seed) if answered else None,
        faithfulness=measure_faithfulness(records, seed),
        calibration=calibrate(records),
        costs=measure_costs(records, seed),
        kinds=_kinds(records),
    )


def _kinds(records: Sequence[Record]) -> dict[str, Kinds]:
    groups: dict[str, list[Record]] = {}
    for record in records:
        if record["type"]:
            groups.setdefault(record["type"], []).append(record)
    return {
        kind: Kinds(
            questions=len(own),
            right=sum(map(is_right, own)),
            something_else=sum(map(is_something_else, own)),
            as_plain=sum(1 for record in own if record.get("as_plain")),
            silent=sum(1 for record in own if not is_said(record) and record["status"] != "error"),
        )
        for kind, own in sorted(groups.items())
    }


def is_said(record: Record) -> bool:
    """Whether anything was said for an answer: things, a number, yes or no, rows."""
    return bool(record["answers"] or record.get("said"))


def is_right(record: Record) -> bool:
    """Whether all right answers were given and no other; none, where there is none."""
    scores = record["metrics"]
    if scores is None:
        return not is_said(record) and record["status"] in ("answered", "abstained", "ambiguous")
    return scores["f1"] == 1.0


def is_something_else(record: Record) -> bool:
    """Whether something was said for an answer that is none to the question."""
    return is_said(record) and (record["metrics"] is None or record["metrics"]["precision"] < 1.0)


def _order(group: str) -> tuple[int, str]:
    """Numbers (and ranges of them) by size, before names by letter."""
    digits = group.partition("-")[0].rstrip("+")
    if digits.isascii() and digits.isdecimal() and len(digits) < 9:
        return int(digits), group
    return 10**9, group


def accuracy_of(scores: Sequence[Scores], seed: int = 0) -> Accuracy | None:
    """The means of some questions' scores; None of none."""
    if not scores:
        return None
    rows = np.array([[score[metric] for score in scores] for metric in METRICS]).T
    return Accuracy(len(scores), **dict(zip(METRICS, mean_intervals(rows, seed), strict=True)))


def _accuracy(records: Iterable[Record], seed: int) -> Accuracy | None:
    return accuracy_of([r["metrics"] for r in records if r["metrics"] is not None], seed)


def _size(record: Record) -> str:
    match len(record["gold"]):
        case 0 | 1 as n:
            return str(n)
        case n if n < 5:
            return "2-4"
        case n if n < 10:
            return "5-9"
        case _:
            return "10+"


def _troubles(records: Sequence[Record]) -> Troubles:
    statuses = Counter(r["status"] for r in records)
    failed = [r for r in records if r["usage"]["llm_failed"]]
    return Troubles(
        errors=statuses["error"],
        no_topic=sum(1 for r in records if not r["topics"] and r["status"] == "abstained"),
        ambiguous=statuses["ambiguous"],
        unchecked=statuses["unchecked"],
        llm_failed=len(failed),
        voted=sum(1 for r in failed if r["reasoner"] == "vote" and r["answers"]),
    )


def _unanswerable(records: Sequence[Record]) -> Unanswerable:
    answered = sum(map(is_said, records))
    silent = sum(map(is_right, records))
    return Unanswerable(len(records), answered, silent, len(records) - answered - silent)
