"""How sure a number over questions is: bootstrap intervals, and p-values of paired differences."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

_RESAMPLES = 2_000
_CHUNK = 100_000
"""Draws held in memory at once: as many as a processor's cache takes."""
_MANY = 20
"""From this many questions to a distinct row on, rows are cheaper to draw than questions."""

_RELABELLINGS = 100_000
_SWAPS_AT_ONCE = 4_000_000
"""Draws held in memory at once."""


@dataclass(frozen=True)
class Estimate:
    """A mean or ratio and its 95% interval. Of equal values it is a point, however few."""

    mean: float
    low: float
    high: float


def mean_interval(values: Sequence[float], seed: int = 0) -> Estimate:
    """The mean of at least one value, with its 95% bootstrap interval; the same for a seed."""
    return mean_intervals([[value] for value in values], seed)[0]


def mean_intervals(rows: ArrayLike, seed: int = 0) -> list[Estimate]:
    """For each column of at least one question's row of values: the mean and its interval.

    The questions of a resample are the same for every column, and their order makes no difference.
    """
    data = np.asarray(rows, dtype=np.float64)
    means = resampled_sums(data, seed) / len(data)
    return [
        Estimate(*([float(column[0])] * 3))
        if column.min() == column.max()
        else _estimate(float(column.mean()), drawn)
        for column, drawn in zip(data.T, means.T, strict=True)
    ]


def ratio_interval(
    parts: Sequence[float], wholes: Sequence[float], seed: int = 0
) -> Estimate | None:
    """The sum of `parts` over the sum of `wholes`, one of each a question; None over nothing."""
    if not sum(wholes):
        return None
    sums = resampled_sums(np.array([parts, wholes], dtype=np.float64).T, seed)
    part, whole = sums[sums[:, 1] > 0].T
    return _estimate(sum(parts) / sum(wholes), part / whole)


def resampled_sums(rows: NDArray[np.float64], seed: int = 0) -> NDArray[np.float64]:
    """The sums of the columns of each resample, [resamples, columns]."""
    rng = np.random.default_rng(seed)
    distinct, counts = np.unique(rows, axis=0, return_counts=True)
    size = len(rows)
    if len(distinct) * _MANY <= size:
        return rng.multinomial(size, counts / size, size=_RESAMPLES) @ distinct
    data = np.repeat(distinct, counts, axis=0)
    step = max(1, _CHUNK // size)
    return np.concatenate(
        [
            _counts(rng, size, min(step, _RESAMPLES - done)) @ data
            for done in range(0, _RESAMPLES, step)
        ]
    )


def _counts(rng: np.random.Generator, size: int, resamples: int) -> NDArray[np.float64]:
    """How often each of `size` questions is drawn, [resamples, size]."""
    drawn = rng.integers(size, size=(resamples, size)) + np.arange(resamples)[:, None] * size
    counts = np.bincount(drawn.ravel(), minlength=resamples * size)
    return counts.reshape(resamples, size).astype(np.float64)


def _estimate(value: float, drawn: NDArray[np.float64]) -> Estimate:
    low, high = np.quantile(drawn, (0.025, 0.975))
    return Estimate(value, float(low), float(high))


def mcnemar(wins: int, losses: int) -> float:
    """The exact p-value of McNemar's (that is, the sign) test on the questions that differ."""
    total = wins + losses
    tail, ways = 0, 1  # the number of ways to choose `drawn` of `total`
    for drawn in range(min(wins, losses) + 1):
        tail += ways
        ways = ways * (total - drawn) // (drawn + 1)
    return min(1.0, 2 * tail / 2**total)


def permutation(differences: Sequence[float], seed: int = 0) -> float:
    """The p-value of the mean difference, each pair's sides swapped at random, 100,000 times.

    Equal differences are drawn together, so that many questions cost no more than many values.
    The swap that was observed counts as one more, so the p-value is never 0.
    """
    sizes, counts = np.unique(np.abs(differences), return_counts=True)
    sizes, counts = sizes[sizes > 0], counts[sizes > 0]
    if not len(sizes):
        return 1.0
    observed = abs(sum(differences)) - 1e-9
    rng, beyond = np.random.default_rng(seed), 0
    step = max(1, _SWAPS_AT_ONCE // len(sizes))
    for done in range(0, _RELABELLINGS, step):
        drawn = min(step, _RELABELLINGS - done)
        ups = rng.binomial(counts, 0.5, size=(drawn, len(sizes)))
        beyond += int((np.abs((2 * ups - counts) @ sizes) >= observed).sum())
    return (beyond + 1) / (_RELABELLINGS + 1)
