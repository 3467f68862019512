"""`groundwalk eval`: how good the answers are, on questions whose answers are known."""

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from ..evaluation.samples import DATASET_NAMES
from . import options as o
from .terminal import count

if TYPE_CHECKING:
    from ..evaluation.runner.asking import Setup

app = typer.Typer(
    help="Measure answers on questions whose answers are known.", no_args_is_help=True
)


@app.command()
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
    from ..evaluation.report.terminal import print_scores
    from ..evaluation.scoring.predictions import score_file

    scores = score_file(file, dialect)
    if as_json:
        _print_json([asdict(one) for one in scores])
    else:
        print_scores(scores)


@app.command()
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
    from ..evaluation.analysis.comparison import compare_runs
    from ..evaluation.report.terminal import print_comparison

    comparisons = compare_runs(first, second, _names(methods))
    if as_json:
        _print_json([asdict(comparison) for comparison in comparisons])
    else:
        for comparison in comparisons:
            print_comparison(comparison)


@app.command()
def judge(
    run: Annotated[Path, typer.Argument(metavar="DIR", help="A run directory.")],
    llm: Annotated[
        str,
        typer.Option(
            "--llm", metavar="SPEC", help="The judge: openai:NAME, http://host/v1#NAME or hf:DIR."
        ),
    ],
    limit: Annotated[
        int | None, typer.Option("--limit", min=1, help="The first N questions of each method.")
    ] = None,
    prompts: o.Prompts = None,
    as_json: o.Json = False,
) -> None:
    """Have a chat model rate, from 1 to 5, the first chain of every answer.

    Ratings are an opinion about relevance, not a check of facts. They are kept
    in DIR/coherence.jsonl; run it again to go on after a stop.
    """
    from ..agent.errors import InputError
    from ..agent.llm.chat import chat_model, describe_llm
    from ..evaluation.analysis.coherence import judge as rate
    from ..evaluation.report.terminal import print_coherence

    model = chat_model(llm)
    if model is None:
        raise InputError("no judge was named", "give --llm SPEC")
    ratings = rate(run, model, describe_llm(llm), limit, prompts)
    if as_json:
        _print_json([asdict(coherence) for coherence in ratings])
    else:
        print_coherence(ratings)


@app.command()
def report(
    runs: Annotated[
        list[Path], typer.Argument(metavar="DIR...", help="Directories of `groundwalk eval run`.")
    ],
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="FILE", help="The page; unset: report.html in the first."),
    ] = None,
    export: Annotated[
        Path | None,
        typer.Option("--export", metavar="FILE", help="All results too: a .csv or .json file."),
    ] = None,
) -> None:
    """Write one HTML page about runs, finished or not; it opens in a browser, offline.

    It compares methods and runs, and lists every question with the walks that
    lead to its answers.
    """
    from ..agent.kg.labels.names import one_line
    from ..evaluation.report.build import build_report

    built = build_report(runs, out, export)
    for line in built.unfinished:
        typer.echo(one_line(f"not finished: {line}"), err=True)
    runs_read = count(built.runs, "run")
    megabytes = built.file.stat().st_size / 1e6
    typer.echo(f"{built.records:,} results of {runs_read}: {built.file} ({megabytes:.1f} MB)")


@dataclass(frozen=True)
class RunOptions:
    """Which questions are asked, over what, with what, and how the work is spread."""

    dataset: str = o.option(f"One of {', '.join(DATASET_NAMES)}.", "NAME", default=o.REQUIRED)
    out: Path = o.option("The run directory; one begun goes on.", default=o.REQUIRED)
    data: Path | None = o.option("The dataset's folder or file.")
    split: str = o.option("Such as 1-hop/dev.", default="")
    part: str = o.option(
        "A hash of its text puts a question into a part for good: "
        "50% are in train, 20% in tune, 30% in report.",
        "train|tune|report|all",
        default="all",
    )
    limit: int | None = o.option("N of them: a random sample over their kinds.", min=1)
    first: int | None = o.option("The first N of them.", min=1)
    on_broken: str = o.option(
        "Whether a broken question, or a broken statement of the graph, ends the run, "
        "or is left out and told.",
        "fail|skip",
        default="fail",
    )
    topics: str = o.option("Found by name, or the dataset's.", "linked|given", default="linked")
    source: Annotated[o.Source, o.Without("on_broken")] = o.Source()
    method: str = o.option(
        "Methods to compare; unset: query, where the model knows it.", "NAME,...", default=""
    )
    model: o.Model = ""
    reader: o.Reader = ""
    llm: o.LLM = ""
    beams: o.Beams = None
    hops: o.Hops = None
    pairs: list[str] | None = o.option(
        "An option of a method; repeatable. on_ambiguous is best where it is not set.",
        "NAME=VALUE",
        flag="--set",
    )
    paper: bool = o.option("What is not set is as in the method's paper.", default=False)
    device: o.Device = ""
    dtype: o.Dtype = ""
    prompts: o.Prompts = None
    seed: int = o.option("That of the sample and of the intervals.", default=0, min=0)
    workers: int | None = o.option("Processes that answer; unset: this one does.", min=1)
    batch: int = o.option("Questions decoded at once; for GPUs.", default=1, min=1)
    ray: bool = o.option("Let Ray run the workers.", default=False)


@app.command()
@o.takes_options
def run(
    options: RunOptions,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Show no progress.")] = False,
    as_json: o.Json = False,
) -> None:
    """Answer every question of a dataset and score the answers.

    The same command goes on with a run that was stopped, or that was given a smaller --limit or
    --first.
    """
    from ..agent.llm.model_folder import use_few_threads

    options = o.with_settings(options)
    methods = _methods(options)
    use_few_threads(options.model)

    from rich.console import Console

    from ..agent.settings import read_settings
    from ..evaluation.report.terminal import print_summary
    from ..evaluation.runner.evaluate import Speed, evaluate

    settings = read_settings()
    try:
        summary = evaluate(
            _setup(options, methods),
            options.out,
            data=options.data,
            part=cast(Any, options.part),
            limit=options.limit,
            first=options.first,
            on_broken=cast(Any, options.on_broken),
            default_kg=settings.kg if "kg" in settings.model_fields_set else None,
            seed=options.seed,
            speed=Speed(options.workers, options.batch, options.ray),
            console=Console(stderr=True, quiet=quiet),
        )
    except KeyboardInterrupt:
        typer.echo(f"stopped; the same command goes on with {options.out}", err=True)
        raise typer.Exit(130) from None
    if as_json:
        _print_json(asdict(summary))
        return
    print_summary(summary)
    typer.echo(f"written to {options.out}")


def _methods(options: RunOptions) -> tuple[str, ...]:
    """The methods that are compared, once what can be wrong with the options was looked at."""
    from ..agent.errors import InputError
    from ..graphs.methods import check_method

    o.one_of("--part", options.part, "train", "tune", "report", "all")
    o.one_of("--on-broken", options.on_broken, "fail", "skip")
    o.one_of("--topics", options.topics, "linked", "given")
    o.check_prompts(options.prompts)
    methods = _names(o.named_method(options.method) or o.method_of(options.model))
    if not methods:
        raise InputError("no method was named", "such as --method gcr,plan")
    for name in methods:
        check_method(name)
    return tuple(dict.fromkeys(methods))


def _setup(options: RunOptions, methods: tuple[str, ...]) -> "Setup":
    from ..agent.options import Options, names_set, read_options
    from ..evaluation.runner.asking import Setup

    source, pairs = options.source, options.pairs or ()
    same = ("dataset", "split", "model", "reader", "llm", "device", "dtype", "prompts", "paper")
    return Setup(
        **{name: getattr(options, name) for name in same},
        methods=methods,
        kg=source.kg,
        profile=source.profile,
        graphs=tuple(source.graph or ()),
        languages=source.languages(),
        reading=source.reading(),
        topics=cast(Any, options.topics),
        options=read_options(
            pairs, Options(beams=options.beams, hops=options.hops, on_ambiguous="best")
        ),
        user_set=names_set(pairs),
    )


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
    from ..agent.answers.topics import mention_record
    from ..agent.kg import open_kg
    from ..agent.linking import LabelLinker
    from ..agent.llm.prompt import mask
    from ..agent.settings import read_settings
    from ..evaluation.analysis.overlap import masked, overlap
    from ..evaluation.datasets import read_samples
    from ..evaluation.report.terminal import print_overlap
    from ..training.material import training_questions

    source = read_settings().kg if kg is None else kg
    linker = LabelLinker(open_kg(source).labels)
    questions = [
        masked(sample.question, [mention_record(m) for m in linker.link(sample.question)])
        for sample in read_samples(dataset, data, split)
    ]
    training = training_questions(source, seed=seed, count=count)
    print_overlap(overlap(questions, (mask(s.question, s.mentions)[0] for s in training)))


def _names(text: str) -> list[str]:
    """The names of a list with commas."""
    return [name for name in map(str.strip, text.split(",")) if name]


def _print_json(value: Any) -> None:
    typer.echo(json.dumps(value, ensure_ascii=False))
