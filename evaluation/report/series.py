"""What the page compares: one method in one run, with its numbers."""

from collections.abc import Sequence
from dataclasses import dataclass

from ..records import Record
from ..summary import Summary, summarise_method
from .embed import shown
from .loading import Run


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
    found: list[Series] = []
    for run in runs:
        seed = run.config.get("seed")
        for method in run.methods:
            records = tuple(record for record in run.records if record["method"] == method)
            found.append(
                Series(
                    name=shown(_name(method, run.name, len(runs), len(methods))),
                    run=run,
                    records=records,
                    summary=summarise_method(records, seed if isinstance(seed, int) else 0),
                    missing=max(0, (run.questions or 0) - len(records)),
                )
            )
    return found


def _name(method: str, run: str, runs: int, methods: int) -> str:
    if runs == 1:
        return method
    return run if methods == 1 else f"{method} · {run}"
