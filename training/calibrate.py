"""The confidence below which an answer is not shown, fitted on questions of known answer."""

from collections.abc import Sequence
from itertools import islice
from random import Random
from typing import TYPE_CHECKING, NamedTuple

from .encode import Encoder
from .measure import Choice, choose_paths, is_right
from .questions import Questioner, Sample

if TYPE_CHECKING:
    from transformers import LlamaForCausalLM

FALSE_COST = 3.0
"""What a wrong answer costs, beside 1 for a right one that is withheld."""


class Judged(NamedTuple):
    """A question, what the model chose for it, and whether that is right."""

    sample: Sample
    choice: Choice
    right: bool


def fit_threshold(
    scores: Sequence[float], labels: Sequence[bool], *, false_cost: float = FALSE_COST
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
    for place, (score, right) in enumerate(ranked):
        cost += 1.0 if right else -false_cost
        following = ranked[place + 1][0] if place + 1 < len(ranked) else 1.0
        if following <= score:
            continue
        if cost < best - 1e-9 or (cost < best + 1e-9 and following - score > gap):
            best, threshold, gap = min(best, cost), (score + following) / 2, following - score
    return threshold


def silence_threshold(scores: Sequence[float], *, share: float = 0.04) -> float:
    """The threshold that leaves at most a share of unanswerable questions answered, no higher.

    `scores` are the confidences of what was found for them, 0 where nothing was.
    """
    ranked = sorted((*scores, 0.0), reverse=True)
    answered = int(share * len(scores))
    above = ranked[answered - 1] if answered else 1.0
    return (above + ranked[answered]) / 2


def judge(
    model: "LlamaForCausalLM", encoder: Encoder, samples: Sequence[Sample], hops: int
) -> list[Judged]:
    """Let the model choose a path for each sample."""
    choices = choose_paths(model, encoder, samples, hops=hops)
    return [
        Judged(sample, choice, is_right(encoder, sample, choice))
        for sample, choice in zip(samples, choices, strict=True)
    ]


def calibration_samples(questioner: Questioner, count: int, seed: int) -> list[Sample]:
    """Questions of the generator, and a tenth more whose topics lack what they ask."""
    samples = list(islice(questioner.stream(seed), count))
    rng = Random(f"absent {seed}")
    absent = (questioner.absent(rng) for _ in range(count))
    return samples + list(islice((sample for sample in absent if sample), count // 10))


def confidence_of(judged: Sequence[Judged]) -> float:
    """The threshold for what was judged."""
    return fit_threshold([j.choice.confidence for j in judged], [j.right for j in judged])
