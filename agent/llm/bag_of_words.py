"""Naive Bayes over the words of questions: what they mean, by what questions like them meant."""

import math
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

Weights = Mapping[int, float]
"""How much of a question stands for each class, by its number."""

_WORD = re.compile(r"\[[^\]]*\]|\w+|\ufffc|\ufffb")
_SMOOTHING = 0.1


def words_of(masked: str) -> tuple[str, ...]:
    """The words of a question whose topic entities are masked; a mask is one word."""
    return tuple(_WORD.findall(masked.lower()))


def features_of(masked: str) -> list[str]:
    """The distinct words of a masked question, and its pairs of neighbours, ends included."""
    words = ("^", *words_of(masked), "$")
    pairs = (f"{first} {second}" for first, second in zip(words, words[1:], strict=False))
    return sorted({*words, *pairs})


@dataclass(frozen=True)
class WordCounts:
    """How many questions of each class have a feature."""

    classes: Weights
    features: Mapping[str, Weights]

    def log_joint(self, features: Sequence[str]) -> dict[int, float]:
        """The log-probability of each class together with the features, up to a constant.

        Features that no question had say nothing.
        """
        known = [self.features[feature] for feature in features if feature in self.features]
        joint = {
            number: math.log(mass) - len(known) * self._log_total[number]
            for number, mass in self.classes.items()
        }
        for weights in known:
            for number, weight in weights.items():
                joint[number] += math.log1p(weight / _SMOOTHING)
        return joint

    @cached_property
    def _log_total(self) -> dict[int, float]:
        """For each class, by what a count is divided (by the smoothing too, as nothing else)."""
        totals = dict.fromkeys(self.classes, len(self.features) * _SMOOTHING)
        for weights in self.features.values():
            for number, weight in weights.items():
                totals[number] += weight
        return {number: math.log(total / _SMOOTHING) for number, total in totals.items()}


def count_words(
    questions: Iterable[tuple[Sequence[str], Weights]], least: float = 0.0
) -> WordCounts:
    """Count questions, each with its features; those of less than `least` mass are left out."""
    classes: dict[int, float] = defaultdict(float)
    counts: dict[str, dict[int, float]] = defaultdict(lambda: defaultdict(float))
    for features, weights in questions:
        for number, weight in weights.items():
            classes[number] += weight
            for feature in features:
                counts[feature][number] += weight
    frequent = {
        name: dict(weights) for name, weights in counts.items() if sum(weights.values()) >= least
    }
    return WordCounts(dict(classes), frequent)
