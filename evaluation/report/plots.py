"""The plots of the page: axes, and points in per cent of their width and height.

A template draws them.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from ..analysis.bootstrap import Estimate
from ..analysis.summary import Calibration, Summary
from .runs import Series
from .tables import COSTS, amount, percent

HEIGHT = 240
"""Pixels; a plot is as wide as there is room for."""
_LINE = 15
"""Pixels between the labels of points."""
_NEARBY = 40
"""Points are near one another within so many per cent of the width."""
_MARKERS = 5
"""Markers of a curve of many points, before the one at its end."""
_LONGEST_LABEL = 16
"""Characters of a label beside a plot."""
_MOST_LABELS = 10
"""Curves that are named at their end; more names would hide the curves."""


@dataclass(frozen=True)
class Tick:
    """A position on an axis, in per cent, and what is written there."""

    position: float
    text: str


@dataclass(frozen=True)
class Axis:
    """An axis with its ticks; `position` maps a value to per cent of the axis."""

    title: str
    ticks: Sequence[Tick]
    position: Callable[[float], float]


def linear(title: str, low: float, high: float) -> Axis:
    """An axis from `low` or a little below to `high` or a little above, of round numbers."""
    step = _round_step((high - low if high > low else max(abs(high), 1.0)) / 5)
    start, end = math.floor(low / step + 1e-9) * step, math.ceil(high / step - 1e-9) * step
    if end <= start:
        end = start + step

    def position(value: float) -> float:
        return round(100 * (value - start) / (end - start), 2)

    steps = round((end - start) / step)
    values = [start + n * step for n in range(steps + 1)]
    return Axis(title, [Tick(position(v), amount(round(v, 10))) for v in values], position)


def logarithmic(title: str, low: float, high: float) -> Axis:
    """An axis of powers of ten around positive values."""
    start, end = math.floor(math.log10(low)), math.ceil(math.log10(high))
    end = max(end, start + 1)

    def position(value: float) -> float:
        return round(100 * (math.log10(value) - start) / (end - start), 2)

    powers = range(start, end + 1, max(1, (end - start) // 6))
    return Axis(title, [Tick(position(10.0**n), amount(10.0**n)) for n in powers], position)


def cost_axis(title: str, values: Sequence[float]) -> Axis:
    """From zero; by powers of ten where the values are far apart."""
    low, high = min(values), max(values)
    if low > 0 and high / low > 20:
        return logarithmic(f"{title} (logarithmic)", low, high)
    return linear(title, 0, high or 1)


def _round_step(raw: float) -> float:
    """The least of 1, 2 and 5 times a power of ten that is not below `raw`."""
    power = 10.0 ** math.floor(math.log10(raw))
    return next(power * n for n in (1, 2, 5, 10) if power * n >= raw * (1 - 1e-9))


@dataclass(frozen=True)
class Dot:
    """A point of a series, and what is said about it; y grows upwards."""

    series: int
    x: float
    y: float
    low: float
    high: float
    description: str
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
    """The number of a series and the path of its line, in a square of 100 by 100; those before
    are drawn wider, so that they show behind one that runs over them."""
    diagonal: bool = False
    after: bool = False
    """Whether the labels stand in a margin on the right."""


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
    for curve, (n, calibration) in enumerate(known):
        points = [
            (x.position(100 * p.coverage), y.position(100 * p.risk)) for p in calibration.curve
        ]
        lines.append((n, _path(points)))
        along = _along([p.coverage for p in calibration.curve], curve, len(known))
        for here in along:
            p, (across, up) = calibration.curve[here], points[here]
            description = (
                f"{series[n].name}: {100 * p.coverage:.1f}% answered, {100 * p.risk:.1f}% of them "
                f"wrong, at confidence {p.threshold:.2f} or more"
            )
            is_named = here == along[-1] and len(known) <= _MOST_LABELS
            label = _short(series[n].name) if is_named else ""
            dots.append(Dot(n, across, up, up, up, description, label))
    return Plot("risk", "Risk against coverage", x, y, spread(dots), lines, after=True)


def _short(name: str) -> str:
    return name if len(name) <= _LONGEST_LABEL else f"{name[: _LONGEST_LABEL - 1]}…"


def _along(coverages: Sequence[float], curve: int, count: int) -> list[int]:
    """Where a curve has its markers: at its end, and between that of the other curves before it.

    So one that runs over another does not hide its markers.
    """
    end = len(coverages) - 1
    wanted = [(n + (curve + 0.5) / count) / _MARKERS for n in range(_MARKERS)]
    near = {min(range(end + 1), key=lambda i: abs(coverages[i] - want)) for want in wanted}
    return sorted({*near, end})


def reliability(series: Sequence[Series]) -> Plot | None:
    """How often answers of about the same confidence are right."""
    known = _calibrated(series)
    if not known:
        return None
    x, y = linear("confidence, %", 0, 100), linear("right, %", 0, 100)
    dots: list[Dot] = []
    lines: list[tuple[int, str]] = []
    for n, calibration in known:
        points: list[tuple[float, float]] = []
        for bin_ in calibration.bins:
            across, up = x.position(100 * bin_.confidence), y.position(100 * bin_.right)
            points.append((across, up))
            description = (
                f"{series[n].name}: {bin_.questions:,} answers with confidence "
                f"{bin_.low:.1f} to {bin_.high:.1f}, {100 * bin_.right:.1f}% of them right"
            )
            dots.append(Dot(n, across, up, up, up, description))
        lines.append((n, _path(points)))
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
        x=x.position(value),
        y=y.position(100 * estimate.mean),
        low=y.position(100 * estimate.low),
        high=y.position(100 * estimate.high),
        description=f"{name}: Hits@1 {shown.in_a_line}, {title.lower()} {amount(value)}",
        label=name,
    )


def spread(dots: Sequence[Dot]) -> list[Dot]:
    """Move labels down where they would cover those of points nearby, from the top."""
    placed: list[tuple[float, Dot]] = []
    bare = [dot for dot in dots if not dot.label]
    for dot in sorted((d for d in dots if d.label), key=lambda d: (-d.y, d.series)):
        top = label_y = HEIGHT * (100 - dot.y) / 100
        for taken, other in sorted(placed, key=lambda p: p[0]):
            if abs(other.x - dot.x) < _NEARBY and abs(label_y - taken) < _LINE:
                label_y = taken + _LINE
        placed.append((label_y, replace(dot, below=round(label_y - top, 1))))
    return [*bare, *(dot for _, dot in placed)]


def _path(points: Sequence[tuple[float, float]]) -> str:
    return "M" + "L".join(f"{x:g} {round(100 - y, 2):g}" for x, y in points)
