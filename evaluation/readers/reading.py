"""From the rows of a dataset to its samples: ids are unique, and what is broken is told."""

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, NamedTuple, TypeAlias

from ...agent.errors import DatasetError
from ..samples import Sample

OnBroken: TypeAlias = Literal["fail", "skip"]
"""What is done about a row that cannot be read, or has the id of another one."""

_SHOWN = 3


class Row(NamedTuple):
    """A line, row or item of a file, counted from 1; a line is still bytes."""

    file: Path
    unit: str
    number: int
    content: object

    @property
    def place(self) -> str:
        """Where it stands, for the user."""
        return f"{self.file}, {self.unit} {self.number}"


@dataclass(frozen=True)
class Skipped:
    """How many rows were left out, and for the first few where they stand and why."""

    count: int = 0
    first: tuple[str, ...] = ()


class Samples(NamedTuple):
    """What was read of a dataset, in its order, and what was not."""

    samples: tuple[Sample, ...]
    skipped: Skipped = Skipped()


Reading: TypeAlias = Callable[[Path, str, OnBroken], Samples]
"""Reads the questions of a folder or file and a split."""


def collect(
    where: Path, rows: Iterable[Row], parse: Callable[[Row], Sample], on_broken: OnBroken
) -> Samples:
    """Parse every row; `parse` raises ValueError for a broken one, with the reason.

    A second row with the same id is broken too. Raises DatasetError for the first broken row if
    `on_broken` says so, and if nothing is left; `where` then names what was read.
    """
    found: dict[str, Sample] = {}
    broken, shown = 0, list[str]()
    for row in rows:
        try:
            sample = parse(row)
            if sample.id in found:
                raise ValueError(f"the id {sample.id!r} occurs twice")
        except (ValueError, RecursionError) as error:
            why = f"{row.place}: {reason(error)}"
            if on_broken == "fail":
                raise DatasetError(why, "correct or remove it") from error
            broken += 1
            shown += [why] * (broken <= _SHOWN)
        else:
            found[sample.id] = sample
    if not found:
        unread = f"; {broken} could not be read, such as {shown[0]}" if broken else ""
        raise DatasetError(f"{where} holds no questions{unread}", "check that it is the right file")
    return Samples(tuple(found.values()), Skipped(broken, tuple(shown)))


def reason(error: Exception) -> str:
    """Why something could not be parsed, in the words of the user."""
    if isinstance(error, UnicodeDecodeError):
        return "is not UTF-8"
    return "is not JSON" if isinstance(error, json.JSONDecodeError) else str(error)
