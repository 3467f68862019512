"""`groundwalk train`: a reader or a model for a graph, from its own questions or the user's."""

import os
import shlex
from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from . import options as o

if TYPE_CHECKING:
    from ..training.card import TrainReport
    from ..training.reader.card import TuneReport
    from ..training.recipe import Recipe

_WALKS, _ALL = "path,plan,chain", "path,plan,chain,query"
"""What a causal model learns to write, where only its base is named: all."""
_CAUSAL = (
    "skeletons",
    "width",
    "optimizer",
    "batch",
    "rate",
    "patience",
    "mask",
    "lora",
    "accumulate",
    "paraphrase",
    "supervision",
    "revisits",
)
"""Options that are for causal models only."""


@dataclass(frozen=True)
class TrainOptions:
    """What is trained, on what and how long; most are fields of `training.recipe.Recipe`."""

    out: Path = o.option("The folder that the result goes to.", default=o.REQUIRED)
    source: Annotated[o.Source, o.Without("graph")] = o.Source()
    questions: Path | None = o.option("With answers or queries; else made from the graph.")
    dataset: str = o.option("Or those of a dataset that `eval run` knows.", default="")
    data: Path | None = o.option("The dataset's folder or file.")
    split: str = o.option("Of the dataset; several with commas.", default="")
    supervision: str = o.option("Paths to answers learnt.", "best|shortest", default="best")
    revisits: str = o.option(
        "Whether a walk may return to its topic.", "no-topic|walk", default="no-topic"
    )
    paraphrase: str = o.option(
        "A chat model, as --llm, rewords made questions.", "SPEC", default=""
    )
    phrasebook: Path | None = o.option("How people word questions (TOML).")
    tuning: Path | None = o.option("Questions (JSON lines) that fit the confidence.")
    part: str = o.option("By a hash of the question.", "train|tune|report|all", default="all")
    limit: int | None = o.option("At most N questions of a file or split.", min=1)
    hops: o.Hops = None
    reader: str = o.option("The reader that is tuned; else the bundled.", "DIR|HUB_ID", default="")
    base: str = o.option("Fine-tune this model (extra `train`).", "DIR|HUB_ID", default="")
    lora: bool = o.option("Fine-tune adapters only, and merge them.", default=False)
    mask: bool | None = o.option(
        "Show the model classes in place of topic entities; unset: if it is a new one.",
        flag="--mask/--no-mask",
    )
    formats: str = o.option(
        "With these, or --base, a causal model learns to write them, for methods such as "
        "gcr, dog and plan: path,plan,chain,query. Unset: the reader is tuned.",
        "NAMES",
        default="",
    )
    skeletons: Path | None = o.option("A folder of questions with queries, their names left open.")
    width: int | None = o.option("Of a new model, in steps of 64; 192 by default.", min=64)
    steps: int | None = o.option("Training steps.", min=1)
    batch: int | None = o.option("Samples a step.", min=1)
    accumulate: int = o.option("Parts of a step: less memory (--base).", default=1, min=1)
    rate: float | None = o.option("The peak learning rate.")
    optimizer: str = o.option(
        "Of a new model; muon takes a third of the steps.", "adamw|muon", default=""
    )
    patience: int | None = o.option(
        "Stop after N of the 10 looks at held-out questions without a better score; "
        "0: take all steps. Unset, and without --steps, a new model stops by itself.",
        min=0,
    )
    seed: int = o.option(default=0, min=0)


@o.takes_options
def train(options: TrainOptions) -> None:
    """Tune the reader to a graph in minutes; or train a causal model with --formats or --base.

    A training of a causal model that was stopped goes on when the same command is given again.
    """
    tunes = not (options.formats or options.base)
    _check(options, tunes=tunes)
    # Before torch is imported: threads that spin while they wait take many times as long on busy
    # cores.
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")

    from rich.console import Console

    from ..agent.settings import read_settings
    from ..evaluation.datasets import kg_of
    from ..training.trainer.watched import show_progress

    console = Console(highlight=False)
    settings = read_settings()
    recipe = _recipe(options)
    source = options.source.kg or kg_of(
        options.dataset, options.data, options.split.partition(",")[0]
    )
    source = source or settings.kg
    with show_progress(console) as watcher:
        if tunes:
            from ..agent.reader.weights import BUNDLED
            from ..training.reader.tune import tune

            start = options.reader or settings.reader or BUNDLED
            line, dropped = _tuned(tune(source, options.out, recipe, start, watcher))
        else:
            from ..training.train import train as run

            line, dropped = _trained(run(source, options.out, recipe, watcher))
    console.print(line, soft_wrap=True)
    for reason, count in dropped.items():
        console.print(f"  {count} questions were not used: {reason}")
    console.print(_how_to_ask(options, source, tunes=tunes), soft_wrap=True)


def _check(options: TrainOptions, *, tunes: bool) -> None:
    """Raise InputError for an option that cannot be so, or is not for what is trained."""
    from ..agent.errors import InputError

    unset = {field.name: field.default for field in fields(TrainOptions)}
    causal = [f"--{name}" for name in _CAUSAL if getattr(options, name) != unset[name]]
    if tunes and causal:
        raise InputError(
            f"{causal[0]} is for causal models, and the reader is tuned",
            f"add --formats {_WALKS}, or leave it out",
        )
    if options.reader and not tunes:
        raise InputError(
            "--reader says which reader is tuned, and a causal model is trained",
            "leave out --reader, or --formats and --base",
        )
    o.one_of("--part", options.part, "train", "tune", "report", "all")
    o.one_of("--supervision", options.supervision, "best", "shortest")
    o.one_of("--revisits", options.revisits, "no-topic", "walk")
    options.source.broken_statements()
    if options.optimizer:
        o.one_of("--optimizer", options.optimizer, "adamw", "muon")


def _recipe(options: TrainOptions) -> "Recipe":
    """The recipe of the options; a field and an option of one name have one meaning."""
    from ..agent.kg import load_profile
    from ..training.recipe import Recipe

    names = {field.name for field in fields(Recipe)}
    values: dict[str, Any] = {n: value for n, value in vars(options).items() if n in names}
    formats = (options.formats or _ALL).split(",")
    values |= {
        "formats": tuple(filter(None, map(str.strip, formats))),
        "optimizer": options.optimizer or None,
        "profile": load_profile(options.source.profile),
        "languages": options.source.languages(),
        "reading": options.source.reading(),
        "on_broken": options.source.broken_statements(),
    }
    return Recipe(**values)


def _how_to_ask(options: TrainOptions, kg: str, *, tunes: bool) -> str:
    """The command that asks what was trained."""
    source = options.source
    values = {
        "--kg": kg,
        "--profile": "" if source.profile == "auto" else source.profile,
        "--language": source.language,
        "--mediators": source.mediators,
        "--infer": source.infer,
        "--on-broken": "" if source.on_broken == "fail" else source.on_broken,
        "--reader" if tunes else "--model": str(options.out),
    }
    words = [word for name, value in values.items() if value for word in (name, value)]
    return f"ask it: groundwalk ask {shlex.join(words)} QUESTION"


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
