"""Run directories read back as they stand: finished, going on, or cut off by a kill.

A series is one method of one run, with its numbers: what the page compares.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast

from ...agent.errors import InputError
from ..analysis.summary import Summary, summarise_method
from ..record_lines import LINES_FILE, whole_records, with_one_proof
from ..records import Record
from ..runner.run_folder import CONFIG_FILE
from .embed import shown

_HINT = "name a directory that `groundwalk eval run` wrote"


@dataclass(frozen=True)
class Run:
    """A run directory: its settings and a record for each question and method so far."""

    name: str
    """Its folder's name, with as many folders above as it takes to tell the runs apart."""
    folder: Path
    config: dict[str, Any]
    begun: datetime
    """When its settings were written."""
    records: tuple[Record, ...]
    """With at most one chain of each answer, a proof: the others are most of a run, and what it
    comes to is the same without them."""

    @property
    def methods(self) -> tuple[str, ...]:
        """The methods that have answered anything, in the order of their first records."""
        return tuple(dict.fromkeys(record["method"] for record in self.records))

    @property
    def waiting(self) -> tuple[str, ...]:
        """The methods that the run has not come to yet, if its settings name them."""
        named = self.config.get("methods")
        methods = cast("list[Any]", named) if isinstance(named, list) else []
        return tuple(shown(m) for m in methods if isinstance(m, str) and m not in self.methods)

    @property
    def questions(self) -> int | None:
        """How many questions the run is to ask each method, if its settings say so."""
        asked = self.config.get("questions")
        count = cast("dict[str, Any]", asked).get("count") if isinstance(asked, dict) else None
        return count if isinstance(count, int) else None


def read_runs(folders: Sequence[Path], seen: Callable[[str, Record], None]) -> list[Run]:
    """Read run directories; `seen` gets the name of the run and each record as it is.

    Raises InputError for a directory that is none of a run, is broken or is named twice.
    """
    resolved = [folder.resolve() for folder in folders]
    for index, folder in enumerate(resolved):
        if folder in resolved[:index]:
            raise InputError(f"{folders[index]} is named twice", "name each run once")
    return [
        _read_run(folder, name, seen)
        for folder, name in zip(folders, _distinct_names(resolved), strict=True)
    ]


def _read_run(folder: Path, name: str, seen: Callable[[str, Record], None]) -> Run:
    if not folder.is_dir():
        raise InputError(f"{folder} is no directory", _HINT)
    config, begun = _config(folder / CONFIG_FILE)
    records = list[Record]()
    for record in whole_records(folder / LINES_FILE):
        seen(name, record)
        records.append(with_one_proof(record))
    if not records:
        raise InputError(f"{folder / LINES_FILE} has no records yet", "run it first")
    return Run(name, folder, config, begun, tuple(records))


def _config(file: Path) -> tuple[dict[str, Any], datetime]:
    """What a run was made with, and when it was begun."""
    try:
        written = datetime.fromtimestamp(file.stat().st_mtime, UTC)
        config: Any = json.loads(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"{file} cannot be read: {error.strerror}", _HINT) from None
    except (ValueError, RecursionError):
        raise InputError(f"{file} is not JSON", _HINT) from None
    if not isinstance(config, dict):
        raise InputError(f"{file} is no JSON object", _HINT)
    settings = cast("dict[str, Any]", config)
    try:
        return settings, datetime.fromisoformat(str(settings.get("begun"))).astimezone(UTC)
    except (ValueError, OverflowError):  # written before runs kept their date
        return settings, written


def _distinct_names(folders: Sequence[Path]) -> list[str]:
    """Of each path, the shortest end that no other ends in."""
    return [
        next(
            "/".join(folder.parts[-length:])
            for length in range(1, len(folder.parts) + 1)
            if sum(other.parts[-length:] == folder.parts[-length:] for other in folders) == 1
        )
        for folder in folders
    ]


@dataclass(frozen=True)
class Series:
    """The records of one method in one run, and what they come to."""

    name: str
    """What tells it from the others: its method, its run, or both."""
    run: Run
    records: tuple[Record, ...]
    summary: Summary
    missing: int
    """How many questions of the run it has not answered yet."""


def series_of(runs: Sequence[Run]) -> list[Series]:
    """The series of runs, in their order; bootstrap intervals with the seed of each run."""
    methods = {method for run in runs for method in run.methods}
    series: list[Series] = []
    for run in runs:
        seed = run.config.get("seed")
        for method in run.methods:
            records = tuple(record for record in run.records if record["method"] == method)
            series.append(
                Series(
                    name=shown(_name(method, run.name, len(runs), len(methods))),
                    run=run,
                    records=records,
                    summary=summarise_method(records, seed if isinstance(seed, int) else 0),
                    missing=max(0, (run.questions or 0) - len(records)),
                )
            )
    return series


def _name(method: str, run: str, runs: int, methods: int) -> str:
    if runs == 1:
        return method
    return run if methods == 1 else f"{method} · {run}"
