"""From the rows of a dataset to its samples: fields are checked, ids are unique.

What is broken is reported with its place in the file.
"""

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, NamedTuple, TypeAlias, cast

from ...agent.errors import DatasetError
from ..samples import NamedTriple, PackedTriples, Sample, pack

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
    def location(self) -> str:
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
    samples: dict[str, Sample] = {}
    broken, shown = 0, list[str]()
    for row in rows:
        try:
            sample = parse(row)
            if sample.id in samples:
                raise ValueError(f"the id {sample.id!r} occurs twice")
        except (ValueError, RecursionError) as error:
            why = f"{row.location}: {reason(error)}"
            if on_broken == "fail":
                raise DatasetError(why, "correct or remove it") from error
            broken += 1
            shown += [why] * (broken <= _SHOWN)
        else:
            samples[sample.id] = sample
    if not samples:
        unread = f"; {broken} could not be read, such as {shown[0]}" if broken else ""
        raise DatasetError(f"{where} holds no questions{unread}", "check that it is the right file")
    return Samples(tuple(samples.values()), Skipped(broken, tuple(shown)))


def reason(error: Exception) -> str:
    """Why something could not be parsed, in the words of the user."""
    if isinstance(error, UnicodeDecodeError):
        return "is not UTF-8"
    return "is not JSON" if isinstance(error, json.JSONDecodeError) else str(error)


def sample_id(row: Row, value: object) -> str:
    """The id that the dataset gives, else one of the file's name and the row's number."""
    if value is None:
        return f"{row.file.stem}-{row.number:06}"
    if isinstance(value, str | int) and not isinstance(value, bool):
        return text(str(value), "id")
    raise ValueError("`id` is neither text nor a whole number")


def text(value: object, name: str, *, empty: bool = False) -> str:
    """A text without blanks around it; none, or a blank one, only where it may be `empty`."""
    if value is None:
        if empty:
            return ""
        raise ValueError(f"`{name}` is missing")
    if not isinstance(value, str) or not (empty or value.strip()):
        raise ValueError(f"`{name}` is not a text, or an empty one")
    try:
        value.encode()
    except UnicodeEncodeError:
        raise ValueError(f"`{name}` holds half a character") from None
    return value.strip()


def items(value: object, name: str, *, optional: bool = False) -> list[object]:
    """A list; the empty one where an `optional` one is missing."""
    if optional and value is None:
        return []
    if not isinstance(value, list):
        raise ValueError(f"`{name}` is missing" if value is None else f"`{name}` is not a list")
    return cast("list[object]", value)


def texts(value: object, name: str, *, optional: bool = False) -> tuple[str, ...]:
    """A list of texts, which may be missing where it is `optional`."""
    return tuple(text(item, name) for item in items(value, name, optional=optional))


def record(value: object, name: str, *, optional: bool = False) -> dict[str, object]:
    """An object; the empty one where an `optional` one is missing."""
    if optional and value is None:
        return {}
    if not isinstance(value, dict):
        raise ValueError(f"`{name}` is missing" if value is None else f"`{name}` is not an object")
    return cast("dict[str, object]", value)


def chain(value: object, name: str) -> tuple[NamedTriple, ...]:
    """A list of triples of names."""
    return tuple(_triples(value, name))


def graph(value: object, name: str) -> PackedTriples:
    """A list of triples of names, each kept once."""
    return pack(_triples(value, name))


def _triples(value: object, name: str) -> Iterator[NamedTriple]:
    known: dict[object, str] = {}
    for item in items(value, name):
        parts = items(item, name)
        if len(parts) != 3:
            raise ValueError(f"`{name}` holds something else than [head, relation, tail]")
        for part in parts:
            if not isinstance(part, str) or part not in known:
                known[part] = text(part, name)
        yield known[parts[0]], known[parts[1]], known[parts[2]]
