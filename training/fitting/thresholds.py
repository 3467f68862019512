"""Confidences below which an answer is not shown, computed from answers known right or wrong.

All confidences and shares are between 0 and 1. No function here asks a model.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from ..questions.questioner import Sample


class Answered(NamedTuple):
    """How sure the agent was of what it found, and whether that is right."""

    confidence: float
    right: bool


FALSE_COST = 2
"""What an answer costs where there is none, beside 1 for any other wrong answer, and for a right
one that is withheld."""


class Judged(NamedTuple):
    """A question, how sure the agent was of what it found, and whether that is right."""

    sample: Sample
    confidence: float
    right: bool


def fit_threshold(
    scores: Sequence[float], labels: Sequence[bool], *, false_cost: float = 1.0
) -> float:
    """The threshold of least cost: answers that score at least as much are shown.

    `labels` say which answers are right. Between equally good thresholds the one in the middle of
    the widest gap is taken. 0 when there is nothing to tell apart.
    """
    if len(set(labels)) < 2:
        return 0.0
    ranked = sorted(zip(scores, labels, strict=True))
    cost = false_cost * sum(not right for _, right in ranked)
    best, threshold, gap = cost, 0.0, 0.0
    for index, (score, right) in enumerate(ranked):
        cost += 1.0 if right else -false_cost
        following = ranked[index + 1][0] if index + 1 < len(ranked) else 1.0
        if following <= score:
            continue
        if cost < best - 1e-9 or (cost < best + 1e-9 and following - score > gap):
            best, threshold, gap = min(best, cost), (score + following) / 2, following - score
    return threshold


def lenient_threshold(scores: Sequence[float], labels: Sequence[bool]) -> float:
    """The lowest threshold that costs no more than the least cost and its standard error.

    Between such thresholds a sample does not decide, and the lowest answers most. `labels` say
    which answers are right; 0 when there is nothing to tell apart.
    """
    if len(set(labels)) < 2:
        return 0.0
    ranked = sorted(zip(scores, labels, strict=True))
    cost = sum(not right for _, right in ranked)
    costs = list[tuple[float, int]]()
    for index, (score, right) in enumerate(ranked):
        if not index or score > ranked[index - 1][0]:
            costs.append((score, cost))
        cost += 1 if right else -1
    if ranked[-1][0] < 1.0:
        costs.append((1.0, cost))
    least = min(cost for _, cost in costs)
    return next(score for score, cost in costs if cost <= least + least**0.5)


def silence_threshold(scores: Sequence[float], *, share: float = 0.02) -> float:
    """The threshold that leaves at most a share of unanswerable questions answered, no higher.

    `scores` are the confidences of what was found for them, 0 where nothing was.
    """
    ranked = sorted((*scores, 0.0), reverse=True)
    answered = int(share * len(scores))
    above = ranked[answered - 1] if answered else 1.0
    return (above + ranked[answered]) / 2


def confidence_of(judged: Sequence[Judged]) -> float:
    """The threshold for what was judged; an unanswerable question counts as FALSE_COST of them."""
    counted = [one for one in judged for _ in range(1 if one.sample.moves else FALSE_COST)]
    return fit_threshold([one.confidence for one in counted], [one.right for one in counted])


_ANSWERED_GENERATED = 0.05
"""How many of the generated questions without an answer may be answered."""


def tuned_threshold(confidences: Sequence[float], generated: Sequence[Judged] = ()) -> float:
    """The threshold at which the agent is silent where there is no answer.

    `confidences` are those in what it found for questions `without_answer`. Of those among
    `generated`, which are farther from what people ask, 5% may be answered; fewer than 20 tell
    nothing.
    """
    made = [one.confidence for one in generated if one.sample.moves is None]
    least = (
        silence_threshold(made, share=_ANSWERED_GENERATED)
        if len(made) * _ANSWERED_GENERATED >= 1
        else 0.0
    )
    return round(max(silence_threshold(confidences), least), 4)


def query_threshold(
    answerable: Sequence[bool],
    answered: Sequence[Answered],
    fit: Callable[[Sequence[float], Sequence[bool]], float] = fit_threshold,
) -> float:
    """The threshold that fits questions, of which some are `answerable`: that of least cost.

    An answer where there is none costs `FALSE_COST` times.
    """
    counted = [
        answer
        for is_answerable, answer in zip(answerable, answered, strict=True)
        for _ in range(1 if is_answerable else FALSE_COST)
    ]
    return fit([answer.confidence for answer in counted], [answer.right for answer in counted])


def share_above(shares: Sequence[float], part: float) -> float:
    """The threshold that a part of some shares are above; no surer and no less sure than sense."""
    ranked = sorted(shares, reverse=True)
    return min(0.95, max(0.05, ranked[int(part * len(ranked))])) if ranked else 0.5
