"""Axes and labels: places stay within the plot, in order, and apart."""

import re
from importlib.resources import files
from itertools import combinations, pairwise
from pathlib import Path

import pytest
from groundwalk.evaluation.records import Record
from groundwalk.evaluation.report.plots import (
    HEIGHT,
    Dot,
    Plot,
    cost_axis,
    linear,
    logarithmic,
    risk_coverage,
    spread,
)
from groundwalk.evaluation.report.runs import read_runs, series_of
from groundwalk.evaluation.report.tables import amount, share
from hypothesis import given
from hypothesis import strategies as st

from .runs import ASKED, records, write_run

VALUES = st.just(0.0) | st.floats(min_value=1e-6, max_value=1e9)


@given(st.lists(VALUES, min_size=1, max_size=8))
def test_values_lie_between_round_ticks(values: list[float]) -> None:
    axis = cost_axis("cost", values)
    places = [axis.position(value) for value in values]
    assert all(-0.01 <= place <= 100.01 for place in places)
    ordered = [axis.position(value) for value in sorted(values)]
    assert ordered == sorted(ordered)
    ticks = [tick.position for tick in axis.ticks]
    assert ticks[0] == 0 and ticks == sorted(set(ticks)) and 2 <= len(ticks) <= 12
    assert len({tick.text for tick in axis.ticks}) == len(ticks)


@given(VALUES, st.floats(min_value=0.01, max_value=1e6))
def test_the_ends_of_a_linear_axis(low: float, width: float) -> None:
    axis = linear("", low, low + width)
    assert axis.position(low) >= -0.01 and axis.position(low + width) <= 100.01


def test_far_apart_costs_go_by_powers_of_ten() -> None:
    assert "logarithmic" in cost_axis("tokens", [1, 100, 10_000]).title
    assert "logarithmic" not in cost_axis("tokens", [0, 100, 10_000]).title
    axis = logarithmic("", 1, 10_000)
    assert [tick.text for tick in axis.ticks] == ["1", "10", "100", "1,000", "10,000"]
    gaps = {round(b.position - a.position, 6) for a, b in pairwise(axis.ticks)}
    assert gaps == {25.0}
    assert [tick.text for tick in linear("", 0, 100).ticks] == ["0", "20", "40", "60", "80", "100"]


@given(
    st.lists(
        st.tuples(st.floats(min_value=0, max_value=100), st.floats(min_value=0, max_value=100)),
        max_size=9,
    )
)
def test_labels_of_near_points_do_not_cover_one_another(places: list[tuple[float, float]]) -> None:
    dots = [Dot(n, x, y, y, y, "", "name") for n, (x, y) in enumerate(places)]
    bare = [Dot(99, 50.0, 50.0, 50.0, 50.0, "")]
    moved = [dot for dot in spread([*bare, *dots]) if dot.label]
    assert spread([*bare, *dots])[:1] == bare
    assert sorted(dot.series for dot in moved) == list(range(len(places)))
    for one, other in combinations(moved, 2):
        if abs(one.x - other.x) < 40:
            tops = [HEIGHT * (100 - dot.y) / 100 + dot.below for dot in (one, other)]
            assert abs(tops[0] - tops[1]) > 14.5
    assert all(dot.below >= 0 for dot in moved)


def series_of_curves(tmp_path: Path, count: int) -> Plot:
    """Methods that answer alike, so that one curve runs over the other."""
    wide: list[Record] = []
    for method in range(count):
        for line in records(ASKED._replace(method=f"m{method}"))[:3]:
            for n in range(20):
                wide.append({**line, "id": f"{line['id']}{n}", "confidence": 0.3 + n / 40})
    runs = read_runs([write_run(tmp_path / str(count), wide)], lambda run, record: None)
    plot = risk_coverage(series_of(runs))
    assert plot is not None
    return plot


def test_a_curve_shows_behind_one_that_runs_over_it(tmp_path: Path) -> None:
    plot = series_of_curves(tmp_path, 2)
    assert len({path for _, path in plot.lines}) == 1
    places = [{dot.x for dot in plot.dots if dot.series == n} for n in (0, 1)]
    assert all(len(own) >= 4 for own in places)
    assert places[0] & places[1] == {max(places[0])}  # their ends only
    labels = [dot for dot in plot.dots if dot.label]
    assert [dot.label for dot in labels] == ["m0", "m1"]
    assert labels[1].below - labels[0].below >= 15
    assert plot.after and all(dot.description.startswith("m") for dot in plot.dots)


def test_many_curves_are_named_in_the_legend_alone(tmp_path: Path) -> None:
    assert not any(dot.label for dot in series_of_curves(tmp_path, 11).dots)


def test_numbers_as_people_write_them() -> None:
    assert [amount(v) for v in (0, 0.0123, 1.234, 12.34, 123.4, 12_345.6, 3.0)] == [
        *("0", "0.0123", "1.23", "12.3", "123.4", "12,346", "3"),
    ]
    assert share(1, 8).text == "12.5" and share(0, 0).text == "–"


def _palettes() -> list[dict[str, str]]:
    style = files("groundwalk.evaluation.report").joinpath("templates", "report.css").read_text()
    found = re.findall(r":root \{(.*?)\}", style, re.DOTALL)[:2]
    return [dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6})", block)) for block in found]


def _luminance(colour: str) -> float:
    parts = [int(colour[n : n + 2], 16) / 255 for n in (1, 3, 5)]
    linear_parts = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return sum(w * p for w, p in zip((0.2126, 0.7152, 0.0722), linear_parts, strict=True))


def _contrast(one: str, other: str) -> float:
    high, low = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("palette", _palettes(), ids=["light", "dark"])
def test_colours_can_be_told_from_what_they_stand_on(palette: dict[str, str]) -> None:
    for text in ("ink", "muted", "accent"):
        for ground in ("ground", "surface", "sunken"):
            assert _contrast(palette[text], palette[ground]) >= 4.5, (text, ground)
    for kind in ("right", "wrong", "doubt", "silent"):
        assert _contrast(palette[kind], palette[f"{kind}-ground"]) >= 4.5, kind
        assert _contrast(palette[kind], palette["surface"]) >= 4.5, kind
    for number in range(8):
        assert _contrast(palette[f"c{number}"], palette["surface"]) >= 3, number
