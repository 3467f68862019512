"""The bootstrap interval."""

import pytest
from groundwalk.evaluation.bootstrap import (
    Estimate,
    mean_interval,
    mean_intervals,
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
