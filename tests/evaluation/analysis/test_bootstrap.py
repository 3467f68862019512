"""The bootstrap interval."""

from itertools import product
from math import comb

import pytest
from groundwalk.evaluation.analysis.bootstrap import (
    Estimate,
    mcnemar,
    mean_interval,
    mean_intervals,
    permutation,
    ratio_interval,
)
from hypothesis import given, settings
from hypothesis import strategies as st


@settings(max_examples=30, deadline=None)
@given(st.lists(st.floats(0, 1), min_size=1, max_size=40))
def test_the_interval_holds_the_mean_and_stays_within_the_values(values: list[float]) -> None:
    found = mean_interval(values)
    assert found.mean == pytest.approx(sum(values) / len(values))
    assert min(values) - 1e-9 <= found.low <= found.high <= max(values) + 1e-9


def test_it_agrees_with_the_normal_approximation() -> None:
    found = mean_interval([1.0] * 300 + [0.0] * 700)
    assert found.low == pytest.approx(0.3 - 1.96 * 0.01449, abs=0.004)
    assert found.high == pytest.approx(0.3 + 1.96 * 0.01449, abs=0.004)


def test_a_seed_decides() -> None:
    values = [0.1, 0.9, 0.3, 0.5] * 5
    assert mean_interval(values, 1) == mean_interval(values, 1)
    assert mean_interval(values, 1) != mean_interval(values, 2)


def test_equal_values_give_a_point() -> None:
    assert mean_interval([1.0]) == Estimate(1.0, 1.0, 1.0)


def test_many_values_are_drawn_in_pieces() -> None:
    found = mean_interval([0.0, 1.0] * 5_000)
    assert found.mean == 0.5
    assert 0.485 < found.low < 0.495
    assert 0.505 < found.high < 0.515


def test_columns_are_drawn_together_and_order_makes_no_difference() -> None:
    rows = [[i % 2, (i % 2) / 2, i] for i in range(100)]
    one, half, many = mean_intervals(rows)
    assert (half.low, half.high) == (one.low / 2, one.high / 2)
    assert (one.mean, many.mean) == (0.5, 49.5)
    assert mean_intervals(rows[::-1]) == [one, half, many]


def test_few_distinct_rows_are_drawn_as_many_are() -> None:
    few = mean_interval([0.0] * 600 + [0.5] * 100 + [1.0] * 300)
    many = mean_interval(
        [i * 1e-9 for i in range(600)] + [0.5 + i * 1e-9 for i in range(100)] + [1.0] * 300
    )
    assert few.low == pytest.approx(many.low, abs=0.004)
    assert few.high == pytest.approx(many.high, abs=0.004)


def test_a_ratio_of_totals() -> None:
    found = ratio_interval([1, 0, 30] * 50, [2, 1, 60] * 50)
    assert found is not None
    assert found.mean == 31 / 63
    assert 0.4 < found.low < found.mean < found.high <= 0.5
    assert ratio_interval([3, 7], [3, 7]) == Estimate(1.0, 1.0, 1.0)
    assert ratio_interval([0.0, 0.0], [0.0, 0.0]) is None


def test_a_ratio_over_questions_that_mostly_have_nothing() -> None:
    found = ratio_interval([1.0, 0.0, 0.0], [2.0, 0.0, 0.0])
    assert found == Estimate(0.5, 0.5, 0.5)


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
