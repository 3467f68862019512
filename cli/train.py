"""`groundwalk train`: a model for a knowledge graph, from its own questions or the user's."""

import os
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, cast

import typer

from . import options as o

if TYPE_CHECKING:
    from ..training.lessons import Way
    from ..training.recipe import Optimizer


def train(
    out: Annotated[Path, typer.Option("--out", help="The folder that the model goes to.")],
    kg: o.KG = None,
    profile: o.Profile = "generic",
    language: o.Language = None,
    mediators: o.Mediators = None,
    infer: o.Infer = None,
    on_broken: o.OnBroken = "fail",
    questions: Annotated[
        Path | None,
        typer.Option("--questions", help="With answers or queries; else made from the graph."),
    ] = None,
    dataset: Annotated[
        str, typer.Option("--dataset", help="Or those of a dataset that `eval run` knows.")
    ] = "",
    data: Annotated[
        Path | None, typer.Option("--data", help="The dataset's folder or file.")
    ] = None,
    split: Annotated[
        str, typer.Option("--split", help="Of the dataset; several with commas.")
    ] = "",
    supervision: Annotated[
        str,
        typer.Option("--supervision", metavar="best|shortest", help="Paths to answers learnt."),
    ] = "best",
    revisits: Annotated[
        str,
        typer.Option(
            "--revisits",
            metavar="no-topic|walk",
            help="Whether a walk may return to its topic.",
        ),
    ] = "no-topic",
    paraphrase: Annotated[
        str,
        typer.Option(
            "--paraphrase", metavar="SPEC", help="A chat model, as --llm, rewords made questions."
        ),
    ] = "",
    phrasebook: Annotated[
        Path | None, typer.Option("--phrasebook", help="How people word questions (TOML).")
    ] = None,
    tuning: Annotated[
        Path | None,
        typer.Option("--tuning", help="Questions (JSON lines) that fit the confidence."),
    ] = None,
    part: Annotated[
        str,
        typer.Option("--part", metavar="train|tune|report|all", help="By a hash of the question."),
    ] = "all",
    limit: Annotated[
        int | None, typer.Option("--limit", min=1, help="At most N questions of a file or split.")
    ] = None,
    hops: o.Hops = None,
    base: Annotated[
        str,
        typer.Option("--base", metavar="DIR|HUB_ID", help="Fine-tune this model (extra `train`)."),
    ] = "",
    lora: Annotated[
        bool, typer.Option("--lora", help="Fine-tune adapters only, and merge them.")
    ] = False,
    mask: Annotated[
        bool | None,
        typer.Option(
            "--mask/--no-mask",
            help="Show the model classes in place of topic entities; unset: if it is a new one.",
        ),
    ] = None,
    formats: Annotated[
        str,
        typer.Option(
            "--formats", metavar="NAMES", help="What it learns to write: path,plan,chain,query."
        ),
    ] = "path,plan,chain",
    skeletons: Annotated[
        Path | None,
        typer.Option(
            "--skeletons", help="A folder of questions with queries, their names left open."
        ),
    ] = None,
    width: Annotated[
        int | None,
        typer.Option("--width", min=64, help="Of a new model, in steps of 64; 192 by default."),
    ] = None,
    steps: Annotated[int | None, typer.Option("--steps", min=1, help="Training steps.")] = None,
    batch: Annotated[int | None, typer.Option("--batch", min=1, help="Samples a step.")] = None,
    accumulate: Annotated[
        int, typer.Option("--accumulate", min=1, help="Parts of a step: less memory (--base).")
    ] = 1,
    rate: Annotated[float | None, typer.Option("--rate", help="The peak learning rate.")] = None,
    optimizer: Annotated[
        str,
        typer.Option(
            "--optimizer",
            metavar="adamw|muon",
            help="Of a new model; muon takes a third of the steps.",
        ),
    ] = "",
    patience: Annotated[
        int | None,
        typer.Option(
            "--patience",
            min=0,
            help="Stop after N of the 10 looks at held-out questions without a better score; "
            "0: take all steps. Unset, and without --steps, a new model stops by itself.",
        ),
    ] = None,
    seed: Annotated[int, typer.Option("--seed", min=0)] = 0,
) -> None:
    """Train a small model from scratch, or fine-tune one, to decode the paths questions ask for.

    A training that was stopped goes on when the same command is given again.
    """
    from rich.console import Console

    o.one_of("--part", part, "train", "tune", "report", "all")
    o.one_of("--supervision", supervision, "best", "shortest")
    o.one_of("--revisits", revisits, "no-topic", "walk")
    broken = o.on_broken_of(on_broken)
    if optimizer:
        o.one_of("--optimizer", optimizer, "adamw", "muon")
    # Before torch is imported: threads that spin while they wait take many times as long on busy
    # cores.
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")

    from ..agent.kg import language_tags, load_profile, reading_of
    from ..agent.settings import read_settings
    from ..evaluation.readers import kg_of
    from ..training.progress import show_progress
    from ..training.recipe import Recipe
    from ..training.train import train as run

    console = Console(highlight=False)
    settings = read_settings()
    recipe = Recipe(
        profile=load_profile(profile),
        languages=language_tags(settings.language if language is None else language),
        reading=reading_of(
            settings.mediators if mediators is None else mediators,
            settings.infer if infer is None else infer,
        ),
        on_broken=broken,
        questions=questions,
        dataset=dataset,
        data=data,
        split=split,
        supervision=cast("Way", supervision),
        revisits=cast(Literal["no-topic", "walk"], revisits),
        paraphrase=paraphrase,
        phrasebook=phrasebook,
        tuning=tuning,
        part=part,
        limit=limit,
        hops=hops,
        base=base,
        lora=lora,
        mask=mask,
        formats=tuple(filter(None, map(str.strip, formats.split(",")))),
        skeletons=skeletons,
        width=width,
        steps=steps,
        batch=batch,
        accumulate=accumulate,
        rate=rate,
        optimizer=cast("Optimizer", optimizer) if optimizer else None,
        patience=patience,
        seed=seed,
    )
    source = kg or kg_of(dataset, data, split.partition(",")[0]) or settings.kg
    with show_progress(console) as watcher:
        report = run(source, out, recipe, watcher)
    scores = ", ".join(f"{share:.0%} at {hops}" for hops, share in report.scores.right.items())
    console.print(
        f"{out}: {report.parameters:,} parameters, {report.steps} steps in {report.seconds:.0f} s; "
        f"right relation path by hops on held-out questions: {scores or 'none left to measure'}"
    )
    for reason, count in report.dropped.items():
        console.print(f"  {count} questions were not used: {reason}")
    given = {
        "--kg": source,
        "--profile": "" if profile == "generic" else profile,
        "--language": language or "",
        "--mediators": mediators or "",
        "--infer": infer or "",
        "--on-broken": "" if broken == "fail" else broken,
        "--model": str(out),
    }
    options = [word for name, value in given.items() if value for word in (name, value)]
    console.print(f"ask it: groundwalk ask {shlex.join(options)} QUESTION", soft_wrap=True)
