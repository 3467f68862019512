"""`groundwalk train`: a model for a knowledge graph, from its own questions or the user's."""

from pathlib import Path
from typing import Annotated

import typer

from . import options as o


def train(
    out: Annotated[Path, typer.Option("--out", help="The folder that the model goes to.")],
    kg: o.KG = None,
    questions: Annotated[
        Path | None,
        typer.Option("--questions", help="Questions with answers; unset: made from the graph."),
    ] = None,
    part: Annotated[
        str, typer.Option("--part", metavar="train|tune|report|all", help="By the split rule.")
    ] = "all",
    limit: Annotated[
        int | None, typer.Option("--limit", min=1, help="At most N questions.")
    ] = None,
    hops: o.Hops = None,
    steps: Annotated[int | None, typer.Option("--steps", min=1, help="Training steps.")] = None,
    seed: Annotated[int, typer.Option("--seed", min=0)] = 0,
) -> None:
    """Train a small model from scratch, so that it decodes the paths that questions ask for."""
    from ..agent.settings import read_settings
    from ..training.train import train as run

    report = run(
        kg or read_settings().kg,
        out,
        questions=questions,
        part=part,
        limit=limit,
        hops=hops,
        steps=steps,
        seed=seed,
    )
    typer.echo(str(report))
