"""Durations as numbers of seconds; no word breaks the look-up of units, whatever pint knows."""

import pytest
from groundwalk.agent.kg.terms import XSD
from groundwalk.agent.languages import language_words
from groundwalk.agent.query.values import (
    SECONDS,
    duration_of,
    factor,
    is_amount,
    is_measure,
    is_unit,
    value_of,
)
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
        ("°C", "degrees Celsius", 1.0),
        ("°F", "°C", None),
        ("K", "°C", None),
    ],
)
def test_units_are_told_in_others(unit: str, other: str, expected: float | None) -> None:
    assert factor(unit, other) == (expected and pytest.approx(expected))


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("PT9M31S", 571),
        ("PT1H2M5.25S", 3_725.25),
        ("P1DT1S", 86_401),
        ("-PT90M", -5_400),
        ("P0Y0M0DT0H2M28S", 148),
        ("P1Y", None),
        ("P2M", None),
        ("P1M3D", None),
        ("P", None),
        ("P1DT", None),
        ("571", None),
    ],
)
@pytest.mark.parametrize("kind", ["duration", "dayTimeDuration"])
def test_a_duration_is_a_number_of_seconds(text: str, seconds: float | None, kind: str) -> None:
    value = value_of(f'"{text}"^^<{XSD}{kind}>')
    assert (value and (value.unit, value.number)) == (seconds and (SECONDS, seconds))


@pytest.mark.parametrize(
    ("text", "amount"),
    [
        ("230 W", (230, "W")),
        ("1.2 kg", (1.2, "kg")),
        ("1,200 kg", (1_200, "kg")),
        ("10 m2", (10, "m2")),
        ("-5 km/h", (-5, "km/h")),
        ("16GB", (16, "GB")),
        ("12 %", (12, "")),
        ("99 EUR", (99, "EUR")),
        ("EUR 99", (99, "EUR")),
        ("$1,200.50", (1_200.5, "$")),
        ("€ 99", (99, "€")),
        ("-80 °C", (-80, "°C")),
        ("−80 °C", (-80, "°C")),
        ("21°F", (21, "°F")),
        ("4K", None),
        ("12A", None),
        ("5m", None),
        ("5 m", (5, "m")),
        ("8 hours", (8, "hours")),
        ("2 litres", (2, "litres")),
        ("40 V", (40, "V")),
        ("60 dB", (60, "dB")),
        ("5 J/kg", (5, "J/kg")),
        ("2nd", None),
        ("3rd", None),
        ("4th", None),
        ("5 th", None),
        ("10 am", None),
        ("5 pm", None),
        ("12 A", None),
        ("38 L", None),
        ("21 K", None),
        ("7 S", None),
        ("9 B", None),
        ("5 m/f", None),
        ("1.500 €", None),
        ("1.500 kg", None),
        ("EUR 12.500", None),
        ("0.345 kg", (0.345, "kg")),
        ("0,345 kg", (0.345, "kg")),
        ("1234.500 kg", (1_234.5, "kg")),
        ("1,299 EUR", (1_299, "EUR")),
        ("8,95 EUR", (8.95, "EUR")),
        ("12,40 €", (12.4, "€")),
        ("1,5 kg", (1.5, "kg")),
        ("1.299,00 €", (1_299, "€")),
        ("€−5", (-5, "€")),
        ("−5", (-5, "")),
        ("−5 to 3", None),
        ("12 Monkeys", None),
        ("AAA 12", None),
        ("kg 12", None),
        ("€5 kg", None),
        ("3-5 kg", None),
        ("5 kg each", None),
        ("9" * 50 + " kg", None),
    ],
)
def test_a_text_may_be_a_number_with_its_unit(text: str, amount: tuple[float, str] | None) -> None:
    value = value_of(f'"{text}"')
    assert (value and (value.number, value.unit)) == amount
    assert is_amount(f'"{text}"') == (amount is not None)
    assert value_of(f'"{text}"@en') is None
    assert not is_amount(f'"{text}"@en')


def test_common_units_are_known() -> None:
    signs = language_words()["units"]["signs"].split()
    assert {sign for sign in signs if not is_measure(sign)} == {"dB"}


def test_a_plain_number_needs_no_reading() -> None:
    assert not is_amount('"12"')


def test_data_sizes_are_converted() -> None:
    assert factor("GB", "MB") == pytest.approx(1_000)


def test_a_text_like_a_duration_is_none() -> None:
    assert value_of('"PT9M31S"') is None


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0, "PT0S"),
        (4_444, "PT1H14M4S"),
        (4_800, "PT1H20M"),
        (90_061.5, "P1DT1H1M1.5S"),
        (59.9996, "PT1M"),
        (1_481.33333333, "PT24M41.333S"),
        (-90, "-PT1M30S"),
        (172_800, "P2D"),
    ],
)
def test_the_literal_of_a_number_of_seconds(seconds: float, text: str) -> None:
    assert duration_of(seconds) == f'"{text}"^^<{XSD}dayTimeDuration>'
