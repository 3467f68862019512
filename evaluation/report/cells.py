"""Numbers as the page writes them, and the tables they stand in."""

from collections.abc import Sequence
from dataclasses import dataclass

from ..bootstrap import Estimate


@dataclass(frozen=True)
class Cell:
    """What stands in a table: a text, and what is written small below it."""

    text: str
    note: str = ""


@dataclass(frozen=True)
class Column:
    """A column's title and what it means."""

    title: str
    meaning: str = ""


@dataclass(frozen=True)
class Table:
    """A table whose rows are named; `group` says whose numbers a row holds, if a series'."""

    caption: str
    columns: Sequence[Column]
    rows: Sequence[tuple[str, int | None, Sequence[Cell]]]
    """Name, number of the series (None where it is of no one), cells."""


NOTHING = Cell("–")


def percent(estimate: Estimate | None) -> Cell:
    """A share in per cent with its interval."""
    if estimate is None:
        return NOTHING
    mean, low, high = (100 * v for v in (estimate.mean, estimate.low, estimate.high))
    return Cell(f"{mean:.1f}", f"{low:.1f}–{high:.1f}")


def share(part: int, whole: int) -> Cell:
    """A share in per cent of a count."""
    return Cell(f"{100 * part / whole:.1f}", f"{part:,} of {whole:,}") if whole else NOTHING


def amount(value: float) -> str:
    """A number with about three digits that count."""
    if value == int(value) or abs(value) >= 1000:
        return f"{value:,.0f}"
    return f"{value:.1f}" if abs(value) >= 10 else f"{value:.3g}"
