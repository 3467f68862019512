"""How sure the agent is of a reading, by what is known of it.

How likely the search found a reading says little where the words are none that it learnt from. That
a query leaves a word of its question out, and that its labels are no words of it, say more there.
"""

from collections.abc import Callable, Sequence
from math import exp, log
from typing import NamedTuple, TypeAlias

from ..query.actions import Action
from ..query.question import Asked
from ..query.reader import ReadQuery

_LEAST, _MOST = 1e-6, 0.999
"""The least and the highest probability that is told from another."""

Likeness: TypeAlias = Callable[[Asked, Sequence[Action]], float]
"""How much the labels of a query are like words of its question, from 0 to 1."""


def unlike(_asked: Asked, _actions: Sequence[Action]) -> float:
    """The likeness where nothing is known of it."""
    return 0.0


_FARTHEST = 500.0
"""A logit that is as good as that of 0, and whose exponential can be written."""


class Evidence(NamedTuple):
    """What is known of a reading; each from 0 to 1."""

    probability: float
    """The probability of the reading, and of those that come to the same."""
    share: float
    """The share of that in the probability of all readings that were found."""
    unread: float
    """How surely it leaves out the word that it leaves out most surely."""
    likeness: float
    """How much its labels are like words of the question."""

    @property
    def features(self) -> tuple[float, ...]:
        """What the weights are of, in their order; the last is of all readings."""
        probability, share, *others = self
        return _logit(probability), _logit(share), *others, 1.0


def _logit(probability: float) -> float:
    probability = min(max(probability, _LEAST), _MOST)
    return log(probability / (1 - probability))


def evidence_of(
    asked: Asked,
    query: ReadQuery,
    same: Sequence[ReadQuery],
    queries: Sequence[ReadQuery],
    likeness: Likeness,
) -> Evidence:
    """What is known of one of some queries, of which the `same` come to the same as it."""
    probability = query.probability + sum(other.probability for other in same)
    every = sum(other.probability for other in queries)
    share = min(probability / every, 1.0) if every else 0.0
    return Evidence(probability, share, query.unread, likeness(asked, query.actions))


def sureness(evidence: Evidence, weights: Sequence[float]) -> float:
    """How sure a reading is, from 0 to 1; without weights of the evidence, its probability."""
    if not weights:
        return evidence.probability
    value = sum(w * f for w, f in zip(weights, evidence.features, strict=True))
    return 1 / (1 + exp(-max(value, -_FARTHEST)))
