"""What the confidence of answers is worth: reliability, and the risk at each coverage.

Every question counts, also those that have no answer: an answer to one of them is an error, as is
a wrong first answer. A question without an answer from us is never covered.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..records import Record

_BINS = 10
_POINTS = 100


@dataclass(frozen=True)
class Bin:
    """The answered questions with a confidence from `low` to `high`.

    `confidence` is their mean confidence, `right` the share whose first answer is right.
    """

    low: float
    high: float
    questions: int
    confidence: float
    right: float


@dataclass(frozen=True)
class Point:
    """What a threshold on the confidence would do.

    `coverage` is the share of all questions that it lets be answered, `risk` the share of wrong
    answers among them.
    """

    threshold: float
    coverage: float
    risk: float


@dataclass(frozen=True)
class Calibration:
    """How confidence goes with being right.

    `expected_error` is the expected calibration error: the mean distance of confidence and share of
    right answers over the bins, weighted by their questions. `area` is the area under the
    risk-coverage curve over the coverage that is reached: the mean risk over all thresholds, by
    answered question; questions of equal confidence enter together.
    """

    questions: int
    answered: int
    expected_error: float
    area: float
    bins: list[Bin]
    curve: list[Point]


def calibrate(records: Sequence[Record]) -> Calibration | None:
    """Calibration over all questions of a method; None where it answered none."""
    given = [
        (r["confidence"], r["metrics"] is None or not r["metrics"]["hits_at_1"])
        for r in records
        if r["answers"]
    ]
    if not given:
        return None
    confidence, wrong = np.array(given, dtype=np.float64).T
    bins = _bins(confidence, wrong)
    distance = sum(b.questions * abs(b.confidence - b.right) for b in bins)
    area, curve = _curve(confidence, wrong, len(records))
    return Calibration(len(records), len(given), distance / len(given), area, bins, curve)


def _bins(confidence: np.ndarray, wrong: np.ndarray) -> list[Bin]:
    """Bins of equal width; those without a question are left out."""
    bins = np.clip((confidence * _BINS).astype(int), 0, _BINS - 1)
    return [
        Bin(
            low=number / _BINS,
            high=(number + 1) / _BINS,
            questions=int(held.sum()),
            confidence=float(confidence[held].mean()),
            right=float(1 - wrong[held].mean()),
        )
        for number in range(_BINS)
        if (held := bins == number).any()
    ]


def _curve(confidence: np.ndarray, wrong: np.ndarray, questions: int) -> tuple[float, list[Point]]:
    """The area under the curve and at most `_POINTS` + 1 of its points, the last one included."""
    thresholds, group, sizes = np.unique(-confidence, return_inverse=True, return_counts=True)
    errors = np.bincount(group, weights=wrong)
    covered, missed = sizes.cumsum(), errors.cumsum()
    each = np.repeat(errors / sizes, sizes).cumsum()
    area = float((each / np.arange(1, len(each) + 1)).mean())
    chosen = range(0, len(sizes), -(-len(sizes) // _POINTS))
    points = [
        Point(
            threshold=-float(thresholds[i]),
            coverage=float(covered[i] / questions),
            risk=float(missed[i] / covered[i]),
        )
        for i in dict.fromkeys((*chosen, len(sizes) - 1))
    ]
    return area, points
