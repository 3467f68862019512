"""`groundwalk eval score`: what any system's predictions are worth, in the dialect of a paper."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from . import options as o


def score(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="Prediction lines, or a run directory.")
    ],
    dialect: Annotated[
        str, typer.Option("--dialect", metavar="strict|gcr|rog", help="Whose measure.")
    ] = "strict",
    as_json: o.Json = False,
) -> None:
    """Score predictions: strictly, or as the scorers behind published numbers do.

    FILE has JSON lines with "id", "prediction" (a text with an answer a line,
    or a list of texts) and "ground_truth" (a list of texts). `gcr` and `rog`
    look for gold answers as substrings, which is generous: compare with
    `strict`. Numbers are per cent, with 95% bootstrap intervals.
    """
    from ..evaluation.scoring import score_file
    from ..evaluation.table import print_scores

    scores = score_file(file, dialect)
    if as_json:
        typer.echo(json.dumps([asdict(found) for found in scores], ensure_ascii=False))
    else:
        print_scores(scores)
