"""What a few minutes of training reach: `python -m groundwalk.evaluation.benchmarks.accuracy`.

Trains small models on MetaQA and PathQuestion by the split rule, at most 1,000 questions a hop from
the training part, and runs them on the reporting part. Each number is that of a run directory under
`--out`, made by the two commands that are printed above it. What is there already is not made
again, so it can be stopped and given again. The data is that of `GROUNDWALK_DATA`.

Every question is answered, as published systems do (`--set confidence=0`). What the same run shows
at the threshold that the training fitted, and how much of that is right, stands beside it.
"""

import argparse
import os
import shlex
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from rich.console import Console
from rich.table import Table

from ...agent.llm.baselines import NAMES, read_baselines
from ...agent.llm.local import model_settings
from ...graphs import METHODS
from ..readers import read_samples
from ..record_lines import read_records
from ..run_folder import read_summary
from .heldout import Wanted, held_template, held_types, write_questions

LIMIT = 1_000
ALWAYS = ("--set", "confidence=0")
CAUSAL = ("--formats", "path,plan,chain")


@dataclass(frozen=True)
class Run:
    """A run of a model: its name and the options of `eval run` that choose questions and method."""

    name: str
    options: tuple[str, ...]


@dataclass(frozen=True)
class Experiment:
    """A training, or a model of another experiment, and the runs of it."""

    model: str
    training: Callable[["Bench"], tuple[str, ...]]
    runs: Callable[["Bench"], tuple[Run, ...]]


@dataclass(frozen=True)
class Bench:
    """Where things are, and how much of them is done."""

    data: Path
    out: Path
    limit: int | None
    workers: int

    @property
    def metaqa(self) -> Path:
        """The folder of MetaQA."""
        return self.data / "metaqa"

    @property
    def films(self) -> str:
        """Its knowledge graph."""
        return str(self.metaqa / "kb.txt")

    def types(self) -> frozenset[str]:
        """The three path types that are held out."""
        return _held_types(self.metaqa)

    def kept(self, name: str, of: str, wanted: Wanted) -> str:
        """A file of 3-hop questions of one part, written when it is first needed."""
        file = self.out / "questions" / f"{name}-{of}.jsonl"
        if not file.is_file():
            limit = LIMIT if of == "train" else None
            write_questions(self.metaqa, "3-hop/dev", of, file, wanted, limit)
        return str(file)

    def on_metaqa(self, split: str, methods: str) -> tuple[str, ...]:
        """The reporting part of a split of MetaQA."""
        data = ("--dataset", "metaqa", "--data", str(self.metaqa), "--split", split)
        return (*data, "--part", "report", "--kg", self.films, "--method", methods, *ALWAYS)

    def on_file(self, file: str, methods: str) -> tuple[str, ...]:
        """Questions over MetaQA's graph that a file holds."""
        data = ("--dataset", "jsonl", "--data", file)
        return (*data, "--kg", self.films, "--method", methods, *ALWAYS)

    def on_paths(self, hops: int, methods: str) -> tuple[str, ...]:
        """The reporting part of PathQuestion-Large."""
        folder = self.data / "pathquestion"
        data = ("--dataset", "pathquestion", "--data", str(folder), "--split", f"PQL-{hops}H")
        walk = ("--set", "revisits=walk")
        return (*data, "--part", "report", "--method", methods, *walk, *ALWAYS)


@cache
def _held_types(metaqa: Path) -> frozenset[str]:
    return held_types(read_samples("metaqa", metaqa, "3-hop/dev"), 3)


def _joint(bench: Bench) -> tuple[str, ...]:
    data = ("--dataset", "metaqa", "--data", str(bench.metaqa))
    splits = ("--split", "1-hop/dev,2-hop/dev,3-hop/dev")
    return (*data, *splits, "--part", "train", "--limit", str(LIMIT), "--hops", "3")


def _one_hop(bench: Bench) -> tuple[str, ...]:
    data = ("--dataset", "metaqa", "--data", str(bench.metaqa), "--split", "1-hop/dev")
    return (*data, "--part", "train", "--limit", str(LIMIT), "--hops", "1")


def _few(bench: Bench) -> tuple[str, ...]:
    data = ("--dataset", "metaqa", "--data", str(bench.metaqa), "--split", "3-hop/dev")
    return (*data, "--part", "train", "--limit", "100", "--hops", "3")


def _without_templates(bench: Bench) -> tuple[str, ...]:
    file = bench.kept("templates", "train", lambda sample: not held_template(sample))
    return ("--kg", bench.films, "--questions", file, "--hops", "3")


def _without_types(bench: Bench) -> tuple[str, ...]:
    file = bench.kept("types", "train", lambda sample: sample.type not in bench.types())
    return ("--kg", bench.films, "--questions", file, "--hops", "3")


def _paths(hops: int) -> Callable[[Bench], tuple[str, ...]]:
    def options(bench: Bench) -> tuple[str, ...]:
        data = ("--dataset", "pathquestion", "--data", str(bench.data / "pathquestion"))
        of = ("--part", "train", "--limit", str(LIMIT), "--hops", str(hops))
        return (*data, "--split", f"PQL-{hops}H", *of, "--revisits", "walk")

    return options


EXPERIMENTS: dict[str, Experiment] = {
    "joint": Experiment(
        "joint",
        _joint,
        lambda bench: (
            Run("1 hop", bench.on_metaqa("1-hop/dev", "plan,words,lookup")),
            Run("2 hops", bench.on_metaqa("2-hop/dev", "plan,words,lookup")),
            Run("3 hops", bench.on_metaqa("3-hop/dev", "plan,words,lookup")),
            Run("1 hop, paraphrased, joint", bench.on_metaqa("1-hop/ntm/dev", "plan,words")),
        ),
    ),
    "walks": Experiment(
        "joint", _joint, lambda bench: (Run("walks", bench.on_metaqa("3-hop/dev", "gcr,dog")),)
    ),
    "paraphrased": Experiment(
        "one-hop",
        _one_hop,
        lambda bench: (Run("1 hop, paraphrased", bench.on_metaqa("1-hop/ntm/dev", "plan,words")),),
    ),
    "few": Experiment(
        "few",
        _few,
        lambda bench: (Run("100 questions", bench.on_metaqa("3-hop/dev", "plan,words")),),
    ),
    "templates": Experiment(
        "templates",
        _without_templates,
        lambda bench: (
            Run(
                "templates held out",
                bench.on_file(bench.kept("templates", "report", held_template), "plan,words"),
            ),
        ),
    ),
    "types": Experiment(
        "types",
        _without_types,
        lambda bench: (
            Run(
                "types held out",
                bench.on_file(
                    bench.kept("types", "report", lambda s: s.type in bench.types()), "plan,words"
                ),
            ),
        ),
    ),
    "pql2": Experiment(
        "pql2",
        _paths(2),
        lambda bench: (Run("PathQuestion, 2 hops", bench.on_paths(2, "plan,gcr,words")),),
    ),
    "pql3": Experiment(
        "pql3",
        _paths(3),
        lambda bench: (Run("PathQuestion, 3 hops", bench.on_paths(3, "plan,gcr,words")),),
    ),
    "untaught": Experiment(
        "untaught",
        lambda bench: ("--kg", bench.films),
        lambda bench: tuple(
            Run(f"no questions, {hops} hops", bench.on_metaqa(f"{hops}-hop/dev", "plan,gcr"))
            for hops in (1, 2, 3)
        ),
    ),
}
"""What is measured, by name; `untaught` is trained on the graph alone."""


_COLUMNS = (
    "questions", "method", "Hits@1", "F1", "Triplet-F1", "ill", "sure of", "right", "run",
)  # fmt: skip


def measure(bench: Bench, names: Sequence[str], console: Console) -> None:
    """Train what is not trained yet, run what is not run yet, and print a table."""
    table = Table(*_COLUMNS)
    for name in names:
        experiment = EXPERIMENTS[name]
        model = bench.out / "models" / experiment.model
        if not (model / "config.json").is_file():
            options = (*CAUSAL, *experiment.training(bench))
            _groundwalk(("train", *options, "--out", str(model)), console)
        for run in experiment.runs(bench):
            folder = bench.out / "runs" / f"{name} {run.name}".replace(" ", "-").replace(",", "")
            limit = () if bench.limit is None else ("--first", str(bench.limit))
            given = (*run.options, *limit, "--model", str(model), "--workers", str(bench.workers))
            _groundwalk(("eval", "run", *given, "--out", str(folder)), console)
            _add(table, run.name, folder, model)
    console.print(table)


def _add(table: Table, name: str, folder: Path, model: Path) -> None:
    summary = read_summary(folder)
    for method, own in summary.methods.items() if summary else ():
        if own.accuracy is None:
            continue
        faithful = own.faithfulness
        hits, f1 = own.accuracy.hits_at_1, own.accuracy.f1
        scores = (hits, f1, faithful.triplet_f1, faithful.ill)
        shown = ["" if score is None else f"{100 * score.mean:.1f}" for score in scores]
        table.add_row(name, method, *shown, *_withheld(folder, method, model), folder.name)


def _withheld(folder: Path, method: str, model: Path) -> tuple[str, str]:
    """The share of questions that are answered at the fitted threshold, and of those right."""
    form = METHODS[method].format
    least = model_settings(str(model)).threshold(form)
    if method in NAMES:
        least = read_baselines(str(model)).confidences.get(method, 0.0)
    asked = [record for record in read_records(folder) if record["method"] == method]
    sure = [record for record in asked if record["answers"] and record["confidence"] >= least]
    right = sum(bool(r["metrics"] and r["metrics"]["hits_at_1"]) for r in sure)
    return f"{100 * len(sure) / len(asked):.1f}", f"{100 * right / max(1, len(sure)):.1f}"


def _groundwalk(arguments: Sequence[str], console: Console) -> None:
    console.print("groundwalk " + shlex.join(arguments), soft_wrap=True, markup=False)
    start = "from groundwalk.cli.main import main; main()"
    done = subprocess.run([sys.executable, "-c", start, *arguments], check=False)
    if done.returncode:
        raise SystemExit(done.returncode)


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure what the command line names."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--out", type=Path, default=Path("runs/accuracy"))
    parser.add_argument("--only", nargs="+", choices=EXPERIMENTS, default=list(EXPERIMENTS))
    parser.add_argument("--limit", type=int, help="the first N questions of each run")
    parser.add_argument("--workers", type=int, default=2)
    given = parser.parse_args(arguments)
    source = os.environ.get("GROUNDWALK_DATA")
    if not source:
        raise SystemExit("set GROUNDWALK_DATA to the folder that holds metaqa/ and pathquestion/")
    bench = Bench(Path(source).resolve(), given.out, given.limit, given.workers)
    measure(bench, given.only, Console(highlight=False))


if __name__ == "__main__":
    main()
