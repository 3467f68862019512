"""How likely a paired difference is where there is none: two-sided p-values."""

from collections.abc import Sequence

import numpy as np

_RELABELLINGS = 100_000
_CHUNK = 4_000_000
"""Draws held in memory at once."""


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
    step = max(1, _CHUNK // len(sizes))
    for done in range(0, _RELABELLINGS, step):
        drawn = min(step, _RELABELLINGS - done)
        ups = rng.binomial(counts, 0.5, size=(drawn, len(sizes)))
        beyond += int((np.abs((2 * ups - counts) @ sizes) >= observed).sum())
    return (beyond + 1) / (_RELABELLINGS + 1)
