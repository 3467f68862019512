"""p-values against counting every relabelling, one by one."""

from itertools import product
from math import comb

import pytest
from groundwalk.evaluation.significance import mcnemar, permutation
from hypothesis import given, settings
from hypothesis import strategies as st


def test_mcnemar_by_hand() -> None:
    assert mcnemar(0, 0) == 1
    assert mcnemar(1, 0) == 1
    assert mcnemar(5, 5) == 1
    assert mcnemar(0, 6) == 2 / 64
    assert mcnemar(9, 2) == 2 * (1 + 11 + comb(11, 2)) / 2**11
    assert 0 < mcnemar(7_500, 7_000) < 1e-4


@settings(deadline=None)
@given(st.integers(0, 7), st.integers(0, 7))
def test_mcnemar_counts_every_way_to_swap(wins: int, losses: int) -> None:
    distance = abs(wins - losses)
    ways = [abs(sum(signs)) >= distance for signs in product((1, -1), repeat=wins + losses)]
    assert mcnemar(wins, losses) == pytest.approx(sum(ways) / len(ways))
    assert mcnemar(wins, losses) == mcnemar(losses, wins)


@settings(max_examples=25, deadline=None)
@given(st.lists(st.sampled_from([-1.0, -0.5, -0.25, 0.0, 0.25, 0.7, 1.0]), max_size=9))
def test_permutation_comes_close_to_every_way_to_swap(gains: list[float]) -> None:
    observed = abs(sum(gains)) - 1e-9
    ways = [
        abs(sum(sign * gain for sign, gain in zip(signs, gains, strict=True))) >= observed
        for signs in product((1, -1), repeat=len(gains))
    ]
    assert permutation(gains) == pytest.approx(sum(ways) / len(ways), abs=0.01)


def test_permutation_agrees_with_mcnemar_and_with_itself() -> None:
    gains = [1.0] * 30 + [-1.0] * 12 + [0.0] * 1_000
    assert permutation(gains) == pytest.approx(mcnemar(30, 12), abs=0.002)
    assert permutation(gains, 1) == permutation(gains, 1)


def test_a_difference_beyond_doubt_is_not_impossible() -> None:
    assert 0 < permutation([0.1] * 500) < 1e-4
