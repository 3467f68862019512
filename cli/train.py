"""`groundwalk train`: a model for a knowledge graph, from its own questions or the user's."""

from pathlib import Path
from typing import Annotated

import typer

from . import options as o


def train(
    out: Annotated[Path, typer.Option("--out", help="The folder that the model goes to.")],
    kg: o.KG = None,
    profile: o.Profile = "generic",
    language: o.Language = None,
    mediators: o.Mediators = None,
    infer: o.Infer = None,
    questions: Annotated[
        Path | None,
        typer.Option("--questions", help="Questions with answers; unset: made from the graph."),
    ] = None,
    phrasebook: Annotated[
        Path | None, typer.Option("--phrasebook", help="How people word questions (TOML).")
    ] = None,
    tuning: Annotated[
        Path | None,
        typer.Option("--tuning", help="Questions (JSON lines) that fit the confidence."),
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
    from rich.console import Console

    from ..agent.kg import language_tags, load_profile, reading_of
    from ..agent.settings import read_settings
    from ..training.progress import show_progress
    from ..training.train import train as run

    console = Console(highlight=False)
    settings = read_settings()
    with show_progress(console) as progress:
        report = run(
            settings.kg if kg is None else kg,
            out,
            profile=load_profile(profile),
            languages=language_tags(settings.language if language is None else language),
            reading=reading_of(
                settings.mediators if mediators is None else mediators,
                settings.infer if infer is None else infer,
            ),
            questions=questions,
            phrasebook=phrasebook,
            tuning=tuning,
            part=part,
            limit=limit,
            hops=hops,
            steps=steps,
            seed=seed,
            on_progress=progress,
        )
    scores = ", ".join(f"{share:.0%} at {hops}" for hops, share in report.scores.right.items())
    console.print(
        f"{out}: {report.parameters:,} parameters, {report.steps} steps in {report.seconds:.0f} s; "
        f"right relation path by hops on held-out questions: {scores or 'none left to measure'}"
    )
    for reason, count in report.dropped.items():
        console.print(f"  {count} questions were not used: {reason}")
    console.print(f"ask it: groundwalk ask --kg {kg or 'world'} --model {out} QUESTION")
