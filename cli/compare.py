"""`groundwalk eval compare`: whether one run is better than another."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from . import options as o


def compare(
    first: Annotated[Path, typer.Argument(metavar="DIR", help="A run directory.")],
    second: Annotated[
        Path | None, typer.Argument(metavar="[DIR]", help="Another one; unset: the same.")
    ] = None,
    methods: Annotated[
        str, typer.Option("--methods", metavar="A,B", help="The first's method, the second's.")
    ] = "",
    as_json: o.Json = False,
) -> None:
    """Compare two runs, or two methods of one run, on the questions of both.

    Differences are second minus first, in points, with 95% bootstrap intervals
    over the pairs; p-values are exact (McNemar) for Hits@1 and Hit, by
    permutation for the others. Questions that only one run has are counted.
    """
    from ..evaluation.comparison import compare_runs
    from ..evaluation.table import print_comparison

    found = compare_runs(first, second, [m.strip() for m in methods.split(",") if m.strip()])
    if as_json:
        typer.echo(json.dumps([asdict(comparison) for comparison in found], ensure_ascii=False))
    else:
        for comparison in found:
            print_comparison(comparison)
