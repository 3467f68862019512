"""From the records of a run to the numbers of each method: accuracy, costs, kinds of questions."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from ...agent.records import SILENT, no_usage
from ..records import SCHEMA, Record
from ..scoring.metrics import METRICS, Scores
from .bootstrap import Estimate, mean_interval, mean_intervals
from .calibration import Calibration, calibrate
from .faithfulness import Faithfulness, measure_faithfulness

COSTS = tuple(no_usage())
"""What is counted, as `Usage` names it; seconds are those of the wall clock."""


@dataclass(frozen=True)
class Spread:
    """What one question costs: in the middle, on average, and what 95% stay within."""

    median: float
    mean: Estimate
    p95: float


@dataclass(frozen=True)
class Costs:
    """Totals over the questions of a method, and the spread over them of each cost."""

    forward_passes: int
    prompt_tokens: int
    tokens: int
    forced_tokens: int
    llm_calls: int
    llm_failed: int
    llm_uncounted: int
    unread: int
    kg_requests: int
    seconds: float
    median_seconds: float
    slowest_seconds: float
    per_question: dict[str, Spread]


def measure_costs(records: Sequence[Record], seed: int = 0) -> Costs:
    """The costs of one method, of whose records there is at least one; errors cost too."""
    seconds = [r["seconds"] for r in records]
    counted = {cost: [r["usage"][cost] for r in records] for cost in COSTS if cost != "seconds"}
    rows = np.array([*counted.values(), seconds], dtype=np.float64).T
    medians, p95 = np.median(rows, axis=0), np.quantile(rows, 0.95, axis=0)
    spreads = {
        cost: Spread(float(medians[i]), mean, float(p95[i]))
        for i, (cost, mean) in enumerate(zip(COSTS, mean_intervals(rows, seed), strict=True))
    }
    return Costs(
        **{cost: sum(counts) for cost, counts in counted.items()},
        seconds=round(sum(seconds), 6),
        median_seconds=spreads["seconds"].median,
        slowest_seconds=max(seconds),
        per_question=spreads,
    )


_DECIDED = SILENT | {"answered", "ambiguous"}
"""Statuses of questions whose silence is a reply."""


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
    partial: int = 0
    """Answered, and told that words of the question are left out."""


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
    partial: int = 0
    """Answered, and told that words of the question are left out."""
    unread_words: int = 0
    """Words that were told as not understood."""
    lacking: int = 0
    """Questions with words that the graph has nothing for."""
    named: int = 0
    """Of these, those where such a word was told as not understood."""


@dataclass(frozen=True)
class Partial:
    """Answers that leave words of the question out, over all questions."""

    questions: int
    """Those that were answered so."""
    expressible: int
    """Questions of which the graph can say all."""
    flagged: Estimate | None
    """The share of them that were answered so; None where there are none."""


@dataclass(frozen=True)
class Contrasts:
    """Plain questions with a word that changes them."""

    questions: int
    wrong: Estimate
    """The share that was answered, and wrongly; a partial answer is none."""
    expressible: int
    """Those of which the graph can say all."""
    right: Estimate | None
    """The share of them that is right; a partial answer is not. None where there are none."""
    lacking: int
    """Those with a word that the graph has nothing for."""
    named: Estimate | None
    """The share of them where such a word was told; None where there are none."""


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
    partial: Partial | None = None
    """None where no question was answered so."""
    contrasts: Contrasts | None = None
    """None where there are no such questions."""


@dataclass(frozen=True)
class RunSummary:
    """The content of `summary.json`: the numbers of each method of a run, by its name."""

    schema: int
    methods: dict[str, Summary]
    oracle: Accuracy | None = None
    """What the dataset's gold relation paths are worth; None where it has none."""
    sampled_of: int | None = None
    """Of how many questions those of the run are a sample over the kinds; None where of none."""
    unknown_gold: int | None = None
    """How many questions have a right answer that names nothing in the graph; None if unasked."""


def gold_line(unknown: int, questions: int) -> str:
    """That right answers name nothing in the graph; nothing where all do."""
    have = "has" if unknown == 1 else "have"
    what = f"{unknown:,} of {questions:,} questions {have} a right answer"
    return f"{what} that names nothing in the graph as it is spelled" if unknown else ""


def summarise(records: Iterable[Record], seed: int = 0) -> RunSummary:
    """The summary of a run, its methods in the order in which they first occur."""
    methods = grouped(records, lambda record: [record["method"]])
    return RunSummary(
        SCHEMA, {method: summarise_method(group, seed) for method, group in methods.items()}
    )


def summarise_method(records: Sequence[Record], seed: int = 0) -> Summary:
    """The summary of one method's records, of which there is at least one."""

    def by(names: Callable[[Record], Iterable[str]]) -> dict[str, Accuracy]:
        groups = grouped(records, names)
        accuracies = {name: _accuracy(groups[name], seed) for name in sorted(groups, key=_order)}
        return {name: accuracy for name, accuracy in accuracies.items() if accuracy}

    unanswerable = [r for r in records if r["metrics"] is None]
    answered = [float(is_answered(r)) for r in unanswerable]
    return Summary(
        method=records[0]["method"],
        questions=len(records),
        statuses=dict(sorted(Counter[str](r["status"] for r in records).items())),
        reasoners=dict(sorted(Counter(r["reasoner"] for r in records if r["reasoner"]).items())),
        troubles=_troubles(records),
        accuracy=_accuracy(records, seed),
        by_hops=by(lambda r: [] if r["hops"] is None else [str(r["hops"])]),
        by_answers=by(lambda r: [_size(r)]),
        by_type=by(_types),
        by_tag=by(lambda r: set(r["tags"])),
        unanswerable=_unanswerable(unanswerable),
        unanswerable_answered=mean_interval(answered, seed) if answered else None,
        faithfulness=measure_faithfulness(records, seed),
        calibration=calibrate(records),
        costs=measure_costs(records, seed),
        kinds=_kinds(records),
        partial=_partial(records, seed),
        contrasts=_contrasts([record for record in records if is_contrast(record)], seed),
    )


def grouped(
    records: Iterable[Record], names: Callable[[Record], Iterable[str]]
) -> dict[str, list[Record]]:
    """The records by the names of the groups that they are in."""
    groups: dict[str, list[Record]] = {}
    for record in records:
        for name in names(record):
            groups.setdefault(name, []).append(record)
    return groups


def _types(record: Record) -> list[str]:
    return [record["type"]] if record["type"] else []


def _kinds(records: Sequence[Record]) -> dict[str, Kinds]:
    return {
        kind: Kinds(
            questions=len(group),
            right=sum(map(is_right, group)),
            something_else=sum(map(is_something_else, group)),
            as_plain=sum(1 for record in group if record.get("as_plain") and is_answered(record)),
            silent=sum(map(_is_silent, group)),
            partial=sum(map(is_partial, group)),
            unread_words=sum(len(record.get("unread_words", [])) for record in group),
            lacking=sum(1 for record in group if "named" in record),
            named=sum(1 for record in group if record.get("named")),
        )
        for kind, group in sorted(grouped(records, _types).items())
    }


def _partial(records: Sequence[Record], seed: int) -> Partial | None:
    if not any(map(is_partial, records)):
        return None
    flagged = [float(is_partial(r)) for r in records if r.get("expressible")]
    return Partial(
        questions=sum(map(is_partial, records)),
        expressible=len(flagged),
        flagged=mean_interval(flagged, seed) if flagged else None,
    )


def _contrasts(records: Sequence[Record], seed: int) -> Contrasts | None:
    if not records:
        return None
    right = [float(is_right(r)) for r in records if r.get("expressible")]
    named = [float(r["named"]) for r in records if "named" in r]
    return Contrasts(
        questions=len(records),
        wrong=mean_interval([float(is_something_else(r)) for r in records], seed),
        expressible=len(right),
        right=mean_interval(right, seed) if right else None,
        lacking=len(named),
        named=mean_interval(named, seed) if named else None,
    )


def has_answer(record: Record) -> bool:
    """Whether anything was said for an answer: things, a number, yes or no, rows."""
    return bool(record["answers"] or record.get("said"))


def is_partial(record: Record) -> bool:
    """Whether it was told that the answer leaves words of the question out."""
    return record["status"] == "partial"


def is_answered(record: Record) -> bool:
    """Whether something was said for an answer to all of the question."""
    return has_answer(record) and not is_partial(record)


def is_contrast(record: Record) -> bool:
    """Whether the question is a plain one and a word that changes it."""
    return "as_plain" in record


def is_right(record: Record) -> bool:
    """Whether all right answers were given and no other; none, where there is none.

    An answer without the word that changes the question is not right, whatever it comes to.
    """
    if is_partial(record) and is_contrast(record):
        return False
    scores = record["metrics"]
    if scores is None:
        return not has_answer(record) and record["status"] in _DECIDED
    return scores["f1"] == 1.0


def is_something_else(record: Record) -> bool:
    """Whether something was said for an answer to all of the question that is none to it."""
    scores = record["metrics"]
    return is_answered(record) and (scores is None or scores["precision"] < 1.0)


def _is_silent(record: Record) -> bool:
    """Whether nothing was said for an answer though there is one."""
    says_nothing = not has_answer(record) and record["status"] not in ("partial", "error")
    return says_nothing and not is_right(record)


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
    count = len(record["gold"])
    return str(count) if count < 2 else "2-4" if count < 5 else "5-9" if count < 10 else "10+"


def _troubles(records: Sequence[Record]) -> Troubles:
    statuses = Counter(r["status"] for r in records)
    failed = [r for r in records if r["usage"]["llm_failed"]]
    return Troubles(
        errors=statuses["error"],
        no_topic=sum(1 for r in records if not r["topics"] and r["status"] in SILENT),
        ambiguous=statuses["ambiguous"],
        unchecked=statuses["unchecked"],
        llm_failed=len(failed),
        voted=sum(1 for r in failed if r["reasoner"] == "vote" and r["answers"]),
    )


def _unanswerable(records: Sequence[Record]) -> Unanswerable:
    answered, partial = sum(map(is_answered, records)), sum(map(is_partial, records))
    silent = sum(map(is_right, records))
    failed = len(records) - answered - silent - partial
    return Unanswerable(len(records), answered, silent, failed, partial)
