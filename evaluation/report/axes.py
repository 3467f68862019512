"""From values to places on a plot, in per cent of its width and height."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from .cells import amount


@dataclass(frozen=True)
class Tick:
    """A place on an axis, in per cent, and what is written there."""

    place: float
    text: str


@dataclass(frozen=True)
class Axis:
    """An axis with its ticks; `place` maps a value to per cent of the axis."""

    title: str
    ticks: Sequence[Tick]
    place: Callable[[float], float]


def linear(title: str, low: float, high: float, count: int = 5) -> Axis:
    """An axis from `low` or a little below to `high` or a little above, of round numbers."""
    step = _round_step((high - low) / count if high > low else max(abs(high), 1.0) / count)
    start, end = math.floor(low / step + 1e-9) * step, math.ceil(high / step - 1e-9) * step
    if end <= start:
        end = start + step

    def place(value: float) -> float:
        return round(100 * (value - start) / (end - start), 2)

    steps = round((end - start) / step)
    values = [start + n * step for n in range(steps + 1)]
    return Axis(title, [Tick(place(v), amount(round(v, 10))) for v in values], place)


def logarithmic(title: str, low: float, high: float) -> Axis:
    """An axis of powers of ten around positive values."""
    start, end = math.floor(math.log10(low)), math.ceil(math.log10(high))
    end = max(end, start + 1)

    def place(value: float) -> float:
        return round(100 * (math.log10(value) - start) / (end - start), 2)

    powers = range(start, end + 1, max(1, (end - start) // 6))
    return Axis(title, [Tick(place(10.0**n), amount(10.0**n)) for n in powers], place)


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
