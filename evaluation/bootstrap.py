"""How far a mean over questions may be off: percentile bootstrap."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

_RESAMPLES = 2_000
_CHUNK = 4_000_000
"""Draws held in memory at once."""


@dataclass(frozen=True)
class Estimate:
    """A mean and its 95% interval. Of equal values the interval is a point, however few."""

    mean: float
    low: float
    high: float


def mean_interval(values: Sequence[float], seed: int = 0) -> Estimate:
    """The mean of at least one value, with its 95% bootstrap interval; the same for a seed."""
    data = np.asarray(values, dtype=np.float64)
    mean = float(data.mean())
    if data.min() == data.max():
        return Estimate(mean, mean, mean)
    rng = np.random.default_rng(seed)
    rows = max(1, min(_RESAMPLES, _CHUNK // len(data)))
    means = np.concatenate(
        [
            data[rng.integers(len(data), size=(min(rows, _RESAMPLES - done), len(data)))].mean(1)
            for done in range(0, _RESAMPLES, rows)
        ]
    )
    low, high = np.quantile(means, (0.025, 0.975))
    return Estimate(mean, float(low), float(high))
