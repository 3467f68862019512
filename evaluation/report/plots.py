"""The plots of the page as places in per cent; a template draws them."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from ..bootstrap import Estimate
from ..summary import Calibration, Summary
from .axes import Axis, cost_axis, linear
from .cells import amount, percent
from .series import Series
from .tables import COSTS

HEIGHT = 240
"""Pixels; a plot is as wide as there is room for."""
_LINE = 15
"""Pixels between the labels of points."""
_NEARBY = 40
"""Points are near one another within so many per cent of the width."""


@dataclass(frozen=True)
class Dot:
    """A point of a series, and what is told about it; y grows upwards."""

    series: int
    x: float
    y: float
    low: float
    high: float
    told: str
    label: str = ""
    below: float = 0.0
    """How many pixels its label is moved down, so as not to cover another."""


@dataclass(frozen=True)
class Plot:
    """Points and lines between two axes."""

    key: str
    title: str
    x: Axis
    y: Axis
    dots: Sequence[Dot] = ()
    lines: Sequence[tuple[int, str]] = ()
    """The number of a series and the path of its line, in a square of 100 by 100."""
    diagonal: bool = False


def against_cost(series: Sequence[Series]) -> list[Plot]:
    """Hits@1 against each cost; none where no question has an answer."""
    scored = [
        (n, one, one.summary.accuracy.hits_at_1)
        for n, one in enumerate(series)
        if one.summary.accuracy
    ]
    if not scored:
        return []
    y = linear("Hits@1, %", max(0.0, 100 * min(e.low for _, _, e in scored) - 5), 100)
    plots: list[Plot] = []
    for key, (title, meaning) in COSTS.items():
        spent = [_typical(one.summary, key) for _, one, _ in scored]
        kind = "median" if key == "seconds" else "mean"
        x = cost_axis(f"{meaning}, {kind}", spent)
        dots = [
            _dot(n, one.name, estimate, value, title, x, y)
            for (n, one, estimate), value in zip(scored, spent, strict=True)
        ]
        plots.append(Plot(key, title, x, y, spread(dots)))
    return plots


def risk_coverage(series: Sequence[Series]) -> Plot | None:
    """How often answers are wrong where only the most confident ones are given."""
    known = _calibrated(series)
    if not known:
        return None
    x = linear("share of questions answered, %", 0, 100)
    y = linear(
        "wrong among them, %", 0, max(5.0, *(100 * p.risk for _, c in known for p in c.curve))
    )
    lines: list[tuple[int, str]] = []
    dots: list[Dot] = []
    for n, calibration in known:
        places = [(x.place(100 * p.coverage), y.place(100 * p.risk)) for p in calibration.curve]
        lines.append((n, _path(places)))
        for p, (across, up) in list(zip(calibration.curve, places, strict=True))[-1:]:
            told = (
                f"{series[n].name}: {100 * p.coverage:.1f}% answered, {100 * p.risk:.1f}% of them "
                f"wrong, at confidence {p.threshold:.2f} or more"
            )
            dots.append(Dot(n, across, up, up, up, told))
    return Plot("risk", "Risk against coverage", x, y, dots, lines)


def reliability(series: Sequence[Series]) -> Plot | None:
    """How often answers of about the same confidence are right."""
    known = _calibrated(series)
    if not known:
        return None
    x, y = linear("confidence, %", 0, 100), linear("right, %", 0, 100)
    dots: list[Dot] = []
    lines: list[tuple[int, str]] = []
    for n, calibration in known:
        places: list[tuple[float, float]] = []
        for found in calibration.bins:
            across, up = x.place(100 * found.confidence), y.place(100 * found.right)
            places.append((across, up))
            told = (
                f"{series[n].name}: {found.questions:,} answers with confidence "
                f"{found.low:.1f} to {found.high:.1f}, {100 * found.right:.1f}% of them right"
            )
            dots.append(Dot(n, across, up, up, up, told))
        lines.append((n, _path(places)))
    return Plot("reliability", "Reliability of the confidence", x, y, dots, lines, diagonal=True)


def _calibrated(series: Sequence[Series]) -> list[tuple[int, Calibration]]:
    return [(n, s.summary.calibration) for n, s in enumerate(series) if s.summary.calibration]


def _typical(summary: Summary, cost: str) -> float:
    spread = summary.costs.per_question[cost]
    return spread.median if cost == "seconds" else spread.mean.mean


def _dot(
    number: int, name: str, estimate: Estimate, value: float, title: str, x: Axis, y: Axis
) -> Dot:
    shown = percent(estimate)
    return Dot(
        series=number,
        x=x.place(value),
        y=y.place(100 * estimate.mean),
        low=y.place(100 * estimate.low),
        high=y.place(100 * estimate.high),
        told=f"{name}: Hits@1 {shown.text} ({shown.note}), {title.lower()} {amount(value)}",
        label=name,
    )


def spread(dots: Sequence[Dot]) -> list[Dot]:
    """Move labels down where they would cover those of points nearby, from the top."""
    placed: list[tuple[float, Dot]] = []
    for dot in sorted(dots, key=lambda d: (-d.y, d.series)):
        top = place = HEIGHT * (100 - dot.y) / 100
        for taken, other in sorted(placed, key=lambda p: p[0]):
            if abs(other.x - dot.x) < _NEARBY and abs(place - taken) < _LINE:
                place = taken + _LINE
        placed.append((place, replace(dot, below=round(place - top, 1))))
    return [dot for _, dot in placed]


def _path(places: Sequence[tuple[float, float]]) -> str:
    return "M" + "L".join(f"{x:g} {round(100 - y, 2):g}" for x, y in places)
