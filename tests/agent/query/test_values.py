"""No word of a question breaks the look-up of units, whatever pint knows it as."""

import pytest
from groundwalk.agent.query.values import factor, is_unit
from hypothesis import given, settings
from hypothesis import strategies as st
from pint import UnitRegistry

NAMES = sorted({str(name) for name in UnitRegistry(cache_folder=None) if str(name).isalpha()})


@settings(max_examples=300, deadline=None)
@given(st.lists(st.sampled_from(NAMES), min_size=1, max_size=3).map(" ".join))
def test_two_units_side_by_side_are_one_or_none(text: str) -> None:
    if is_unit(text):
        assert factor(text, text) == 1.0
        assert factor(text, "metre") is None or is_unit("metre")


@pytest.mark.parametrize("text", ["decade", "degrees decade", "kilometre decade", "dB", "°C"])
def test_what_cannot_be_multiplied_is_no_unit(text: str) -> None:
    assert not is_unit(text)
    assert factor(text, "metre") is None


@pytest.mark.parametrize(
    ("unit", "other", "expected"),
    [
        ("km", "m", 1000.0),
        ("m²", "ha", 0.0001),
        ("km/h", "metre", None),
        ("century", "year", 100.0),
    ],
)
def test_units_are_told_in_others(unit: str, other: str, expected: float | None) -> None:
    assert factor(unit, other) == (expected and pytest.approx(expected))
