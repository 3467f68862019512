"""`groundwalk eval run` from plain arguments: read, choose, describe, ask, write.

Every question of a set is asked; how far the run is is shown, and what came out is written down.
"""

import contextlib
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import Any, TypeAlias

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

from ...agent.errors import InputError, ServiceError
from ...agent.kg import why_no_facts
from ...agent.kg.labels.names import one_line
from ...agent.llm.chat import describe_llm
from ..analysis.summary import Accuracy, RunSummary, gold_line, summarise
from ..datasets import PER_QUESTION, OnBroken, read_dataset
from ..datasets.jsonl import WORLD_RETRIEVED
from ..record_lines import LINES_FILE, whole
from ..records import SERVICE_FAILED, Record
from ..report.terminal import duration
from ..samples import Part, Sample, of_part, spread
from .asking import OpenAsk, Setup, Task, method_options, open_setup, open_shared
from .config import (
    Config,
    Questions,
    describe_contents,
    describe_kg,
    describe_model,
    describe_options,
    describe_reader,
    describe_sample_graphs,
    installed_versions,
    questions_digest,
    tree_digest,
)
from .run_folder import begun_with, check_folder, open_run, read_summary, write_summary
from .run_lines import Key, light_records
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
    if setup.topics == "given" and not any(sample.topics for sample in samples):
        raise InputError("no question of the dataset gives its topics", "leave out --topics given")
    notes = [note for name in setup.methods for note in unused(name, setup.options, setup.user_set)]
    setup = _with_retrieved(_with_kg(setup, samples, read.kg, default_kg))
    method_options(setup)
    for note in notes:
        shown.print(note, markup=False, highlight=False, soft_wrap=True)
    described, lacking = _describe_kg(setup, samples, loud)
    config = Config(
        methods=setup.methods,
        questions=Questions(
            setup.dataset,
            "" if data is None else str(data),
            setup.split,
            part,
            most,
            len(samples),
            questions_digest(samples),
            read.skipped.count,
            len(every) if sampled else None,
        ),
        topics=setup.topics,
        options=describe_options(setup.options, paper=setup.paper, user_set=setup.user_set),
        kg=described,
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
    return run(
        samples,
        _opener(setup, speed),
        out,
        config,
        oracle=oracle,
        unknown_gold=lacking,
        console=shown,
    )


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
    if limit is not None and not sampled and limit > begun["count"]:
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


def _describe_kg(
    setup: Setup, samples: Sequence[Sample], console: Console
) -> tuple[dict[str, Any], int | None]:
    """The KG of all questions, and how many of them have a right answer that it does not know.

    An endpoint is not asked that.
    """
    from ..analysis.gold import unknown_gold

    kg = open_shared(setup)
    if kg is None:
        return describe_sample_graphs(setup.reading), None
    with closing(kg):
        unknown = unknown_gold(kg, samples) if kg.pinned else None
        lacking = gold_line(unknown.questions, len(samples)) if unknown else ""
        such = f", such as {unknown.example}" if unknown and lacking else ""
        for note in filter(None, (kg.left_out.note, why_no_facts(kg), lacking + such)):
            console.print(one_line(note), markup=False, highlight=False, soft_wrap=True)
        return describe_kg(kg), None if unknown is None else unknown.questions


Tick: TypeAlias = Callable[[Record], None]
"""Called with every record as it is written."""

_EVERY = 10.0
"""Seconds between plain lines."""

_FAILURES = 20
"""So many questions in a row that a service fails end the run: it is down."""


@contextlib.contextmanager
def show_progress(total: int, console: Console, *, before: int = 0) -> Generator[Tick]:
    """Show rate, running Hits@1 and time left on the console while `total` tasks are done.

    `before` of them were done by an earlier run; rate and Hits@1 are those of this one.
    """
    if console.is_terminal:
        columns = (
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.fields[text]}", markup=False),
        )
        with Progress(*columns, console=console, transient=True) as bar:
            task = bar.add_task("", total=total, completed=before, text="")

            def move(done: int, text: str) -> None:
                bar.update(task, completed=done, text=text)

            yield _counter(total, before, move)
        return

    said = perf_counter()

    def line(done: int, text: str) -> None:
        nonlocal said
        if done == total or perf_counter() - said >= _EVERY:
            said = perf_counter()
            console.print(f"{done}/{total}  {text}", markup=False, highlight=False, soft_wrap=True)

    yield _counter(total, before, line)


def _counter(total: int, before: int, show: Callable[[int, str], None]) -> Tick:
    since, done, errors = 0.0, 0, 0
    scored: dict[str, tuple[int, float]] = {}

    def tick(record: Record) -> None:
        nonlocal since, done, errors
        done, errors = done + 1, errors + (record["status"] == "error")
        since = since or perf_counter()  # processes take a while to start
        if record["metrics"] is not None:
            count, hits = scored.get(record["method"], (0, 0.0))
            scored[record["method"]] = count + 1, hits + record["metrics"]["hits_at_1"]
        rate = (done - 1) / max(perf_counter() - since, 1e-9)
        words = [f"{rate:.1f}/s"] if rate else []
        if scored:
            shares = {method: f"{100 * hits / n:.1f}" for method, (n, hits) in scored.items()}
            by_method = [f"{method} {share}" for method, share in shares.items()]
            words.append(
                f"Hits@1 {', '.join(by_method if len(by_method) > 1 else shares.values())}"
            )
        if errors:
            words.append(f"{errors} error{'s' * (errors > 1)}")
        if (left := total - before - done) and rate:
            words.append(f"{duration(left / rate)} left")
        show(before + done, "  ".join(words))

    return tick


def run(
    samples: Sequence[Sample],
    open_ask: OpenAsk,
    out: Path,
    config: Config,
    *,
    oracle: Callable[[], Accuracy | None] = lambda: None,
    unknown_gold: int | None = None,
    console: Console | None = None,
) -> RunSummary:
    """Ask the methods of `config` every question, write the run directory `out` and sum up.

    What an earlier run of the same settings answered is not asked again, and nothing is opened
    where it answered all; what a service failed to answer then is asked again, after the others.
    An error that belongs to a question is recorded and counts as a miss; one that would meet every
    question (a model that does not load) is raised. When all are answered, `oracle` is asked once.
    The summary says for how many questions the gold is `unknown_gold`.
    Progress goes to `console`, by default to standard error. Raises InputError when `out` is of
    another run or cannot be written, or there is nothing to ask, DiskError for a full disk, and
    ServiceError where a service fails again and again while questions wait that were never asked;
    what was answered until then is kept.
    """
    if not samples:
        raise InputError("there are no questions to ask", "choose another part or dataset")
    tasks = [Task(sample, method) for sample in samples for method in config.methods]
    shown = console or Console(stderr=True)
    with open_run(out, config, samples) as lines:
        again = lines.drop_unanswered()
        if again:
            are = (
                "answers that a service failed are"
                if len(again) > 1
                else "answer that a service failed is"
            )
            shown.print(f"{len(again)} {are} asked again", highlight=False, soft_wrap=True)
        missing = [task for task in tasks if _key(task) not in lines]
        missing.sort(key=lambda task: _key(task) in again)
        if not missing and (summary := read_summary(out)):
            return summary
        if missing:
            before, new = len(tasks) - len(missing), len(missing) - len(again)
            with (
                open_ask() as ask,
                closing(ask(missing)) as records,
                show_progress(len(tasks), shown, before=before) as tick,
            ):
                for record in _until_down(records, new):
                    lines.append(record)
                    tick(record)
        lines.sort([_key(task) for task in tasks])
        summary = summarise(light_records(out / LINES_FILE), config.seed)
        summary = replace(
            summary,
            oracle=oracle(),
            sampled_of=config.questions.drawn_from,
            unknown_gold=unknown_gold,
        )
        write_summary(out, summary)
    return summary


def _until_down(records: Iterable[Record], new: int) -> Iterator[Record]:
    """The records, the first `new` of which are about questions that were never asked.

    Raises ServiceError among these where a service is down. It does not do so among the others,
    where questions that it can never answer would keep the run from its end.
    """
    failures = 0
    for count, record in enumerate(records, 1):
        yield record
        error = record["error"] or ""
        failures = failures + 1 if error.startswith(SERVICE_FAILED) else 0
        if failures >= _FAILURES and count < new:
            raise ServiceError(
                f"a service failed {failures} questions in a row, the last with: "
                f"{error.removeprefix(SERVICE_FAILED)}",
                "the same command goes on, and asks them again",
            )


def _key(task: Task) -> Key:
    return Key(whole(task.sample.id), task.method)
