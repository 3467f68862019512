"""`groundwalk eval`: how good the answers are, on questions whose answers are known."""

import json
from pathlib import Path
from typing import Annotated, cast

import typer

from ..evaluation.dataset_names import DATASET_NAMES
from . import options as o
from .compare import compare
from .judge import judge
from .report import report
from .score import score

app = typer.Typer(
    help="Measure answers on questions whose answers are known.", no_args_is_help=True
)


@app.callback()
def root() -> None:
    """Measure answers on questions whose answers are known."""


app.command("score")(score)
app.command("compare")(compare)
app.command("judge")(judge)
app.command("report")(report)


@app.command("run")
def run(
    dataset: Annotated[
        str,
        typer.Option("--dataset", metavar="NAME", help=f"One of {', '.join(DATASET_NAMES)}."),
    ],
    out: Annotated[Path, typer.Option("--out", help="The run directory; one begun goes on.")],
    data: Annotated[
        Path | None, typer.Option("--data", help="The dataset's folder or file.")
    ] = None,
    split: Annotated[str, typer.Option("--split", help="Such as 1-hop/dev.")] = "",
    part: Annotated[
        str,
        typer.Option(
            "--part",
            metavar="train|tune|report|all",
            help="A hash of its text puts a question into a part for good: "
            "50% are in train, 20% in tune, 30% in report.",
        ),
    ] = "all",
    limit: Annotated[
        int | None,
        typer.Option("--limit", min=1, help="N of them: a random sample over their kinds."),
    ] = None,
    first: Annotated[
        int | None, typer.Option("--first", min=1, help="The first N of them.")
    ] = None,
    on_broken: Annotated[
        str,
        typer.Option(
            "--on-broken",
            metavar="fail|skip",
            help="Whether a broken question, or a broken statement of the graph, ends the run, "
            "or is left out and told.",
        ),
    ] = "fail",
    topics: Annotated[
        str,
        typer.Option("--topics", metavar="linked|given", help="Found by name, or the dataset's."),
    ] = "linked",
    kg: o.KG = None,
    profile: o.Profile = "generic",
    graph: o.Graphs = None,
    language: o.Language = None,
    mediators: o.Mediators = None,
    infer: o.Infer = None,
    method: Annotated[
        str | None,
        typer.Option(
            "--method",
            metavar="NAME,...",
            help="Methods to compare; unset: query, where the model knows it.",
        ),
    ] = None,
    model: o.Model = None,
    reader: o.Reader = None,
    llm: o.LLM = None,
    beams: o.Beams = None,
    hops: o.Hops = None,
    settings_of_method: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="NAME=VALUE", help="An option of a method; repeatable."),
    ] = None,
    paper: Annotated[
        bool, typer.Option("--paper", help="What is not set is as in the method's paper.")
    ] = False,
    device: o.Device = None,
    dtype: o.Dtype = None,
    prompts: o.Prompts = None,
    seed: Annotated[
        int, typer.Option("--seed", min=0, help="That of the sample and of the intervals.")
    ] = 0,
    workers: Annotated[
        int | None,
        typer.Option("--workers", min=1, help="Processes that answer; unset: this one does."),
    ] = None,
    batch: Annotated[
        int, typer.Option("--batch", min=1, help="Questions decoded at once; for GPUs.")
    ] = 1,
    ray: Annotated[bool, typer.Option("--ray", help="Let Ray run the workers.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Show no progress.")] = False,
    as_json: o.Json = False,
) -> None:
    """Answer every question of a dataset and score the answers.

    The same command goes on with a run that was stopped, or that was given a smaller --limit or
    --first.
    """
    from ..agent.errors import InputError
    from ..agent.llm.local import use_few_threads
    from ..agent.settings import read_settings
    from ..graphs.methods import check_method

    o.one_of("--part", part, "train", "tune", "report", "all")
    o.one_of("--on-broken", on_broken, "fail", "skip")
    o.one_of("--topics", topics, "linked", "given")
    if prompts is not None and not prompts.is_dir():
        raise InputError(f"{prompts}: there is no such folder of prompts", "check --prompts")
    settings = read_settings()
    wanted = o.named_method(method) or o.method_of(model)
    named = wanted.replace(" ", "").split(",")
    methods = tuple(dict.fromkeys(filter(None, named)))
    if not methods:
        raise InputError("no method was named", "such as --method gcr,plan")
    for name in methods:
        check_method(name)
    use_few_threads(model or settings.model)

    from dataclasses import asdict

    from rich.console import Console

    from ..agent.kg import language_tags, reading_of
    from ..agent.options import Options, names_set, read_options
    from ..evaluation.config import Topics
    from ..evaluation.evaluate import Speed, evaluate
    from ..evaluation.readers import OnBroken
    from ..evaluation.samples import Part
    from ..evaluation.setup import Setup
    from ..evaluation.table import print_summary

    setup = Setup(
        dataset=dataset,
        split=split,
        methods=methods,
        kg=kg,
        model=model or settings.model,
        reader=reader or settings.reader,
        profile=profile,
        graphs=tuple(graph or ()),
        languages=language_tags(settings.language if language is None else language),
        reading=reading_of(
            settings.mediators if mediators is None else mediators,
            settings.infer if infer is None else infer,
        ),
        llm=llm or settings.llm,
        device=device or settings.device,
        dtype=dtype or settings.dtype,
        prompts=prompts,
        topics=cast(Topics, topics),
        options=read_options(
            settings_of_method or (), Options(beams=beams, hops=hops, on_ambiguous="best")
        ),
        paper=paper,
        kept=names_set(settings_of_method or ()),
    )
    try:
        summary = evaluate(
            setup,
            out,
            data=data,
            part=cast(Part, part),
            limit=limit,
            first=first,
            on_broken=cast(OnBroken, on_broken),
            default_kg=settings.kg if "kg" in settings.model_fields_set else None,
            seed=seed,
            speed=Speed(workers, batch, ray),
            console=Console(stderr=True, quiet=quiet),
        )
    except KeyboardInterrupt:
        typer.echo(f"stopped; the same command goes on with {out}", err=True)
        raise typer.Exit(130) from None
    if as_json:
        typer.echo(json.dumps(asdict(summary), ensure_ascii=False))
        return
    print_summary(summary)
    typer.echo(f"written to {out}")


@app.command("overlap")
def show_overlap(
    dataset: Annotated[str, typer.Option("--dataset", help="The question set.")] = "world",
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
    from ..training.data import training_questions

    source = read_settings().kg if kg is None else kg
    linker = LabelLinker(open_kg(source).labels)
    questions = [
        masked(sample.question, [mention_record(m) for m in linker.link(sample.question)])
        for sample in read_samples(dataset, data, split)
    ]
    training = training_questions(source, seed=seed, count=count)
    print_overlap(overlap(questions, (mask(s.question, s.mentions)[0] for s in training)))
