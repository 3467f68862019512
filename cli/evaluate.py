"""`groundwalk eval`: how good the answers are, on questions whose answers are known."""

from pathlib import Path
from typing import Annotated

import typer

from . import options as o

app = typer.Typer(
    help="Measure answers on questions whose answers are known.", no_args_is_help=True
)


@app.callback()
def root() -> None:
    """Measure answers on questions whose answers are known."""


@app.command("run")
def run(
    dataset: Annotated[str, typer.Option("--dataset", metavar="world|metaqa|jsonl")],
    out: Annotated[Path, typer.Option("--out", help="The run directory; new or empty.")],
    data: Annotated[
        Path | None, typer.Option("--data", help="The dataset's folder or file.")
    ] = None,
    split: Annotated[str, typer.Option("--split", help="Such as 1-hop/dev.")] = "",
    part: Annotated[
        str, typer.Option("--part", metavar="train|tune|report|all", help="By the split rule.")
    ] = "all",
    limit: Annotated[int | None, typer.Option("--limit", min=1, help="The first N.")] = None,
    kg: o.KG = None,
    model: o.Model = None,
    method: o.Method = None,
    beams: o.Beams = 10,
    hops: o.Hops = None,
) -> None:
    """Answer every question of a dataset and score the answers."""
    from ..agent.errors import InputError
    from ..agent.llm.local import use_few_threads
    from ..agent.settings import read_settings

    if part not in ("train", "tune", "report", "all"):
        raise InputError(f"--part {part}: is none of train, tune, report and all")
    settings = read_settings()
    use_few_threads(model or settings.model)

    from ..agent.state import Options
    from ..evaluation.evaluate import evaluate
    from ..evaluation.table import print_summary

    summary = evaluate(
        dataset=dataset,
        data=data,
        split=split,
        part=part,
        limit=limit,
        kg=kg or settings.kg,
        model=model or settings.model,
        method=method or settings.method,
        out=out,
        options=Options(beams=beams, hops=hops, on_ambiguous="best"),
    )
    print_summary(summary)
    typer.echo(f"written to {out}")
