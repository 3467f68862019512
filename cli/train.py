"""`groundwalk train`: a reader or a model for a graph, from its own questions or the user's."""

import os
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, cast

import typer

from . import options as o

if TYPE_CHECKING:
    from ..training.lessons import Way
    from ..training.reader.tune_report import TuneReport
    from ..training.recipe import Optimizer
    from ..training.report import TrainReport

_WALKS, _ALL = "path,plan,chain", "path,plan,chain,query"
"""What a causal model learns to write, where only its base is named: all."""


def train(
    out: Annotated[Path, typer.Option("--out", help="The folder that the result goes to.")],
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
    reader: Annotated[
        str | None,
        typer.Option(
            "--reader", metavar="DIR|HUB_ID", help="The reader that is tuned; else the bundled."
        ),
    ] = None,
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
            "--formats",
            metavar="NAMES",
            help="With these, or --base, a causal model learns to write them, for methods such as "
            "gcr, dog and plan: path,plan,chain,query. Unset: the reader is tuned.",
        ),
    ] = "",
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
    """Tune the reader to a graph in minutes; or train a causal model with --formats or --base.

    A training of a causal model that was stopped goes on when the same command is given again.
    """
    from rich.console import Console

    causal = {
        "--skeletons": skeletons,
        "--width": width,
        "--optimizer": optimizer,
        "--batch": batch,
        "--rate": rate,
        "--patience": patience is not None,
        "--mask": mask is not None,
        "--lora": lora,
        "--accumulate": accumulate != 1,
        "--paraphrase": paraphrase,
        "--supervision": supervision != "best",
        "--revisits": revisits != "no-topic",
    }
    tunes = not (formats or base)
    _check_way([name for name, given in causal.items() if given], reader, tunes=tunes)
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
        formats=tuple(filter(None, map(str.strip, (formats or _ALL).split(",")))),
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
        if tunes:
            from ..agent.reader.weights import BUNDLED
            from ..training.reader.tune import tune

            start = reader or settings.reader or BUNDLED
            line, dropped = _tuned(tune(source, out, recipe, start, watcher))
        else:
            from ..training.train import train as run

            line, dropped = _trained(run(source, out, recipe, watcher))
    console.print(line, soft_wrap=True)
    for reason, count in dropped.items():
        console.print(f"  {count} questions were not used: {reason}")
    given = {
        "--kg": source,
        "--profile": "" if profile == "generic" else profile,
        "--language": language or "",
        "--mediators": mediators or "",
        "--infer": infer or "",
        "--on-broken": "" if broken == "fail" else broken,
        "--reader" if tunes else "--model": str(out),
    }
    options = [word for name, value in given.items() if value for word in (name, value)]
    console.print(f"ask it: groundwalk ask {shlex.join(options)} QUESTION", soft_wrap=True)


def _check_way(causal: Sequence[str], reader: str | None, *, tunes: bool) -> None:
    """Raise InputError for an option that is not for what is trained."""
    from ..agent.errors import InputError

    if tunes and causal:
        raise InputError(
            f"{causal[0]} is for causal models, and the reader is tuned",
            f"add --formats {_WALKS}, or leave it out",
        )
    if reader and not tunes:
        raise InputError(
            "--reader says which reader is tuned, and a causal model is trained",
            "leave out --reader, or --formats and --base",
        )


def _tuned(report: "TuneReport") -> tuple[str, Mapping[str, int]]:
    """What tuning a reader came to, and how many questions were not used."""
    held_out = report.held_out
    line = (
        f"{report.out}: tuned in {report.seconds:.0f} s; of {held_out.questions} held-out "
        f"questions {held_out.before} were right before and {held_out.after} after"
    )
    if not report.share:
        line = f"{line}\ntuning did not help: the weights are kept, the confidence is fitted"
    return line, report.dropped


def _trained(report: "TrainReport") -> tuple[str, Mapping[str, int]]:
    """What training a causal model came to, and how many questions were not used."""
    scores = ", ".join(f"{share:.0%} at {hops}" for hops, share in report.scores.right.items())
    line = (
        f"{report.out}: {report.parameters:,} parameters, {report.steps} steps in "
        f"{report.seconds:.0f} s; right relation path by hops on held-out questions: "
        f"{scores or 'none left to measure'}"
    )
    return line, report.dropped
