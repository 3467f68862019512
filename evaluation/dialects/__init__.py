"""What predictions are worth: our own measure, and the scorers behind published numbers.

`strict` is ours. `gcr` and `rog` are as generous as the papers' scorers, so that numbers compare.
"""

from collections.abc import Mapping, Sequence
from typing import Protocol, TypeAlias

from .gcr import gcr
from .rog import rog
from .strict import strict

Prediction: TypeAlias = str | Sequence[str]
"""What a system said: a text with an answer a line, or several texts."""


class Scorer(Protocol):
    """One dialect; the names of its metrics, and their order, never change."""

    def __call__(self, prediction: Prediction, gold: Sequence[str], /) -> Mapping[str, float]:
        """The metrics of a prediction with at least one gold answer."""
        ...


DIALECTS: Mapping[str, Scorer] = {"strict": strict, "gcr": gcr, "rog": rog}
"""The dialects by name, our own first."""

__all__ = ["DIALECTS", "Prediction", "Scorer", "gcr", "rog", "strict"]
