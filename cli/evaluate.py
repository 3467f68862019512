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
        kg=settings.kg if kg is None else kg,
        model=model or settings.model,
        method=method or settings.method,
        out=out,
        options=Options(beams=beams, hops=hops, on_ambiguous="best"),
    )
    print_summary(summary)
    typer.echo(f"written to {out}")


@app.command("overlap")
def show_overlap(
    dataset: Annotated[
        str, typer.Option("--dataset", metavar="world|metaqa|jsonl", help="The question set.")
    ] = "world",
    data: Annotated[Path | None, typer.Option("--data", help="Its folder or file.")] = None,
    split: Annotated[str, typer.Option("--split", help="Such as 1-hop/dev.")] = "",
    kg: o.KG = None,
    count: Annotated[
        int, typer.Option("--count", min=1, help="Training questions to compare with.")
    ] = 100_000,
    seed: Annotated[int, typer.Option("--seed", min=0, help="That of the training.")] = 0,
) -> None:
    """How much of a question set occurs in the questions that `groundwalk train` makes.

    Topic entities are masked on both sides, so that only the wording counts.
    """
    from ..agent.kg import open_kg
    from ..agent.linking import LabelLinker
    from ..agent.llm.prompt import mask
    from ..agent.nodes.link import mention_record
    from ..agent.settings import read_settings
    from ..evaluation.overlap import masked, overlap
    from ..evaluation.readers import read_samples
    from ..evaluation.table import print_overlap
    from ..training.train import training_questions

    source = read_settings().kg if kg is None else kg
    linker = LabelLinker(open_kg(source).labels)
    questions = [
        masked(sample.question, [mention_record(m) for m in linker.link(sample.question)])
        for sample in read_samples(dataset, data, split)
    ]
    training = training_questions(source, seed=seed, count=count)
    print_overlap(overlap(questions, (mask(s.question, s.mentions)[0] for s in training)))
