"""Two methods on the questions that both were asked: paired differences."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ...agent.errors import InputError
from ..record_lines import question_key, read_records
from ..records import Record
from ..scoring.metrics import METRICS, Metric
from .bootstrap import Estimate, mcnemar, mean_interval, permutation
from .summary import grouped, is_answered


@dataclass(frozen=True)
class Difference:
    """A measure on both sides, and by how much the second is above the first.

    `higher` and `lower` are the questions on which the second is higher and lower. `p_value` is
    exact (McNemar) for what is right or wrong, else by permutation.
    """

    first: float
    second: float
    difference: Estimate
    higher: int
    lower: int
    p_value: float


@dataclass(frozen=True)
class Comparison:
    """Two sides, by name, on their `common` questions, of which `answerable` ones have an answer.

    `only_first` and `only_second` count the questions that one side alone was asked. Where no
    common question is answerable `metrics` is empty; where all are, `unanswerable_answered` (the
    share of unanswerable questions that were answered, lower is better) is None.
    """

    first: str
    second: str
    common: int
    answerable: int
    only_first: int
    only_second: int
    metrics: dict[Metric, Difference]
    unanswerable_answered: Difference | None


def compare_runs(first: Path, second: Path | None, methods: Sequence[str] = ()) -> list[Comparison]:
    """Compare two run directories, or two methods of one.

    Two `methods` name those to compare, the first one's and the second one's. Without them, one
    directory must hold two methods, and of two directories their only methods are compared, or
    else all that they have in common. Raises InputError where that leaves nothing to compare, for
    a run that cannot be read and for questions whose gold answers differ.
    """
    ours = _by_method(first)
    theirs = ours if second is None else _by_method(second)
    names = (str(first), str(first if second is None else second))
    return [
        compare(
            ours[one],
            theirs[other],
            one if names[0] == names[1] else f"{names[0]} {one}",
            other if names[0] == names[1] else f"{names[1]} {other}",
        )
        for one, other in _pairs(ours, theirs, names, methods)
    ]


def compare(
    first: Sequence[Record],
    second: Sequence[Record],
    name: str = "first",
    other: str = "second",
) -> Comparison:
    """Compare one method's records with another's, matched by dataset, split and id.

    Raises InputError where a question has different gold answers, or none is common.
    """
    ours, theirs = ({question_key(r): r for r in side} for side in (first, second))
    pairs = [(ours[key], theirs[key]) for key in ours if key in theirs]
    if not pairs:
        raise InputError(f"{name} and {other} have no question in common", "compare other runs")
    _check_gold(pairs, name, other)
    scores = [(a["metrics"], b["metrics"]) for a, b in pairs]
    answerable = [(a, b) for a, b in scores if a is not None and b is not None]
    answered = _unanswerable_answered(pairs)
    return Comparison(
        first=name,
        second=other,
        common=len(pairs),
        answerable=len(answerable),
        only_first=len(ours) - len(pairs),
        only_second=len(theirs) - len(pairs),
        metrics={m: _difference([(a[m], b[m]) for a, b in answerable]) for m in METRICS}
        if answerable
        else {},
        unanswerable_answered=_difference(answered) if answered else None,
    )


def _unanswerable_answered(pairs: Sequence[tuple[Record, Record]]) -> list[tuple[float, float]]:
    """Of each unanswerable question, 1 for each side that answered it, else 0."""
    unanswerable = [(a, b) for a, b in pairs if a["metrics"] is None]
    return [(float(is_answered(a)), float(is_answered(b))) for a, b in unanswerable]


def _difference(pairs: Sequence[tuple[float, float]]) -> Difference:
    gains = [b - a for a, b in pairs]
    higher, lower = sum(gain > 0 for gain in gains), sum(gain < 0 for gain in gains)
    binary = all(value in (0, 1) for pair in pairs for value in pair)
    return Difference(
        first=sum(a for a, _ in pairs) / len(pairs),
        second=sum(b for _, b in pairs) / len(pairs),
        difference=mean_interval(gains),
        higher=higher,
        lower=lower,
        p_value=mcnemar(higher, lower) if binary else permutation(gains),
    )


def _check_gold(pairs: Sequence[tuple[Record, Record]], name: str, other: str) -> None:
    for first, second in pairs:
        if _gold(first) != _gold(second):
            named = " ".join(part for part in question_key(first) if part)
            raise InputError(
                f"{named} has other gold answers in {name} than in {other}",
                "runs compare only on the same questions",
            )


def _gold(record: Record) -> set[tuple[str, str, tuple[str, ...]]]:
    return {(g["term"], g["label"], tuple(sorted(g["aliases"]))) for g in record["gold"]}


def _by_method(folder: Path) -> dict[str, list[Record]]:
    return grouped(read_records(folder), lambda record: [record["method"]])


def _pairs(
    ours: dict[str, list[Record]],
    theirs: dict[str, list[Record]],
    names: tuple[str, str],
    methods: Sequence[str],
) -> list[tuple[str, str]]:
    if methods:
        if len(methods) != 2:
            raise InputError(f"--methods names {len(methods)}, not two", "write --methods a,b")
        for name, method, run in zip(names, methods, (ours, theirs), strict=True):
            if method not in run:
                raise InputError(f"{name} has no method {method!r}", f"it has: {', '.join(run)}")
        return [(methods[0], methods[1])]
    if ours is theirs:
        if len(ours) != 2:
            raise InputError(
                f"{names[0]} has {len(ours)} methods, not two: {', '.join(ours)}",
                "choose with --methods a,b, or name a second run",
            )
        first, second = ours
        return [(first, second)]
    if len(ours) == len(theirs) == 1:
        return [(next(iter(ours)), next(iter(theirs)))]
    if not (common := [method for method in ours if method in theirs]):
        raise InputError(
            f"{names[0]} and {names[1]} have no method in common",
            f"choose with --methods a,b of {', '.join(ours)} and {', '.join(theirs)}",
        )
    return [(method, method) for method in common]
