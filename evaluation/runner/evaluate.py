"""`groundwalk eval run` from plain arguments: read, choose, describe, ask, write."""

from collections.abc import Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

from rich.console import Console

from ...agent.errors import InputError
from ...agent.kg import why_no_facts
from ...agent.kg.labels.names import one_line
from ...agent.llm.chat import describe_llm
from ..analysis.summary import Accuracy, RunSummary
from ..readers import PER_QUESTION, OnBroken, read_dataset
from ..readers.bundled import WORLD_RETRIEVED
from ..samples import Part, Sample, of_part, spread
from .asking import OpenAsk, Setup, method_options, open_setup, open_shared
from .config import (
    Config,
    describe_contents,
    describe_kg,
    describe_model,
    describe_options,
    describe_questions,
    describe_reader,
    describe_sample_graphs,
    installed_versions,
    tree_digest,
)
from .run import run
from .run_folder import begun_with, check_folder
from .workers import Workers


@dataclass(frozen=True)
class Speed:
    """How a run is spread; none of it changes an answer.

    Without `workers` questions are asked in this process. With `ray` the workers are Ray's actors,
    on the cluster that `RAY_ADDRESS` names or on this machine.
    """

    workers: int | None = None
    batch: int = 1
    ray: bool = False


_PLAIN = Speed()


def evaluate(
    setup: Setup,
    out: Path,
    *,
    data: Path | None = None,
    part: Part = "all",
    limit: int | None = None,
    first: int | None = None,
    on_broken: OnBroken = "fail",
    default_kg: str | None = None,
    seed: int = 0,
    speed: Speed = _PLAIN,
    console: Console | None = None,
) -> RunSummary:
    """Ask the questions that a setup names and write the run directory `out`, or go on with it.

    `data`, `part` and `on_broken` choose the questions, of which `limit` are sampled over their
    kinds, or the `first` ones taken; a run that was begun goes on in the way that it was.
    `on_broken` says also what becomes of a broken statement of the KG's files. Where the setup has
    no KG it is the dataset's, else `default_kg`. `seed` is that of the sample and of the intervals.
    How far the run is goes to `console`, by default to standard error; what was skipped is said
    even where it is quiet. Raises InputError (KGError, ModelError, DatasetError) before anything is
    asked, else as `run`.
    """
    from ...graphs.methods import unused

    shown = console or Console(stderr=True)
    check_folder(out)
    sampled, most = _is_sampled(out, limit, first, shown), limit if first is None else first
    read = read_dataset(setup.dataset, data, setup.split, on_broken)
    loud = Console(stderr=True) if shown.quiet else shown
    if read.skipped.count:
        for line in (f"{read.skipped.count} questions are left out:", *read.skipped.first):
            loud.print(line, markup=False, highlight=False, soft_wrap=True)
    setup = replace(setup, split=read.split, on_broken=on_broken)
    every = of_part(read.samples, part)
    samples = (spread(every, seed) if sampled else every)[:most]
    notes = [note for name in setup.methods for note in unused(name, setup.options, setup.user_set)]
    setup = _with_retrieved(_with_kg(setup, samples, read.kg, default_kg))
    method_options(setup)
    for note in notes:
        shown.print(note, markup=False, highlight=False, soft_wrap=True)
    config = Config(
        methods=setup.methods,
        questions=describe_questions(
            samples,
            setup.dataset,
            data,
            setup.split,
            part,
            most,
            read.skipped.count,
            len(every) if sampled else None,
        ),
        topics=setup.topics,
        options=describe_options(setup.options, paper=setup.paper, user_set=setup.user_set),
        kg=_describe_kg(setup, loud),
        model=describe_model(setup.model, setup.device, setup.dtype),
        reader=describe_reader(setup.reader),
        llm=describe_llm(setup.llm),
        prompts=tree_digest(setup.prompts) if setup.prompts else "",
        versions=installed_versions(),
        seed=seed,
        begun=datetime.now(UTC).isoformat(timespec="seconds"),
        speed=asdict(speed),
        contents=describe_contents(setup.options, setup.llm),
    )
    oracle = partial(_oracle, setup, samples, seed)
    return run(samples, _opener(setup, speed), out, config, oracle=oracle, console=shown)


def _is_sampled(out: Path, limit: int | None, first: int | None, shown: Console) -> bool:
    """Whether the questions are a sample, and not those that come first in the dataset.

    Raises InputError for a number that leaves no question, or two numbers.
    """
    if limit is not None and first is not None:
        raise InputError("--limit and --first both say how many questions", "give one of them")
    if (most := limit if first is None else first) is not None and most < 1:
        raise InputError(f"a limit of {most} leaves no question", "give 1 or more")
    begun = begun_with(out) if first is None else None
    if begun is None:
        return limit is not None
    sampled = begun.get("sampled_of") is not None
    if limit is not None and not sampled:
        shown.print("the run was begun with the first questions, and goes on with the next ones")
    return sampled


def _opener(setup: Setup, speed: Speed) -> OpenAsk:
    open_ask = partial(open_setup, replace(setup, batch=speed.batch))
    chunk = len(setup.methods) * max(speed.batch, 2)  # a process need not wait for the writer
    if speed.ray:
        from .ray_run import RayActors

        one = len(setup.methods) * speed.batch
        return lambda: RayActors(open_ask, speed.workers, setup.dataset, setup.split, chunk=one)
    if speed.workers is None:
        return open_ask
    workers = speed.workers
    return lambda: Workers(open_ask, workers, setup.dataset, setup.split, chunk=chunk)


def _with_kg(
    setup: Setup, samples: Sequence[Sample], dataset_kg: str | None, default: str | None
) -> Setup:
    """The setup with the KG that the user, the dataset or the settings name."""
    if setup.kg is not None:
        return setup
    kg = default if dataset_kg in (None, PER_QUESTION) else dataset_kg
    if all(sample.graph is not None for sample in samples):
        kg = None
    elif kg is None:
        raise InputError("this dataset has no knowledge graph of its own", "name one: --kg")
    return replace(setup, kg=kg, sample_graphs=True)


def _with_retrieved(setup: Setup) -> Setup:
    """The setup with what was retrieved for the world questions, where nothing else is named."""
    if setup.dataset != "world" or "paths" not in setup.methods or setup.options.retrieved:
        return setup
    return replace(setup, options=replace(setup.options, retrieved=str(WORLD_RETRIEVED)))


def _oracle(setup: Setup, samples: Sequence[Sample], seed: int) -> Accuracy | None:
    """What the gold relation paths are worth, of questions that share a KG."""
    from ..analysis.oracle import gold_accuracy

    if not any(sample.path for sample in samples) or (kg := open_shared(setup)) is None:
        return None
    with closing(kg):
        return gold_accuracy(kg, samples, setup.options, seed)


def _describe_kg(setup: Setup, console: Console) -> dict[str, Any]:
    kg = open_shared(setup)
    if kg is None:
        return describe_sample_graphs(setup.reading)
    with closing(kg):
        for note in filter(None, (kg.left_out.note, why_no_facts(kg))):
            console.print(one_line(note), markup=False, highlight=False, soft_wrap=True)
        return describe_kg(kg)
