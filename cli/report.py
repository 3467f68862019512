"""`groundwalk eval report`: one HTML page about one run or many."""

from pathlib import Path
from typing import Annotated

import typer


def report(
    runs: Annotated[
        list[Path], typer.Argument(metavar="DIR...", help="Directories of `groundwalk eval run`.")
    ],
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="FILE", help="The page; unset: report.html in the first."),
    ] = None,
) -> None:
    """Write one HTML page about runs, finished or not; it opens in a browser, offline.

    It compares methods and runs, and lists every question with the walks that
    lead to its answers.
    """
    from ..agent.kg.names import one_line
    from ..evaluation.report import build_report

    built = build_report(runs, out)
    for line in built.unfinished:
        typer.echo(one_line(f"not finished: {line}"), err=True)
    runs_read = f"{built.runs:,} run{'' if built.runs == 1 else 's'}"
    megabytes = built.file.stat().st_size / 1e6
    typer.echo(f"{built.records:,} results of {runs_read}: {built.file} ({megabytes:.1f} MB)")
