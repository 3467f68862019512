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
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from random import Random

from rich.console import Console
from rich.table import Table

from ...agent.llm.bag_of_words import NAMES, read_baselines
from ...agent.llm.model_folder import model_settings
from ...graphs import METHODS
from ..datasets import read_samples
from ..record_lines import read_records
from ..runner.run_folder import read_summary
from ..samples import Sample, part_of
from .harness import DATA, write_questions

LIMIT = 1_000
_ALWAYS = ("--set", "confidence=0")
_CAUSAL = ("--formats", "path,plan,chain")
_HELD_TYPES = 3

_COLUMNS = (
    "questions", "method", "Hits@1", "F1", "Triplet-F1", "ill", "sure of", "right", "run",
)  # fmt: skip


@dataclass(frozen=True)
class Experiment:
    """A training, by its options, and the runs of its model, by name and options of `eval run`.

    Experiments that name the same model train it once.
    """

    model: str
    training: tuple[str, ...]
    runs: dict[str, tuple[str, ...]]


@dataclass(frozen=True)
class Bench:
    """Where data and results are, and how much is asked."""

    data: Path
    out: Path
    limit: int | None
    workers: int

    @property
    def films(self) -> tuple[str, str]:
        """MetaQA's graph, as an option."""
        return "--kg", str(self.data / "metaqa" / "kb.txt")

    @cached_property
    def types(self) -> frozenset[str]:
        """The path types that are held out, drawn by seed."""
        types = {s.type for s in read_samples("metaqa", self.data / "metaqa", "3-hop/dev")}
        return frozenset(Random(0).sample(sorted(types), _HELD_TYPES))

    def questions(self, name: str, part: str, is_wanted: Callable[[Sample], bool]) -> str:
        """A file of 3-hop questions of one part, written when it is first needed."""
        file = self.out / "questions" / f"{name}-{part}.jsonl"
        if not file.is_file():
            samples = read_samples("metaqa", self.data / "metaqa", "3-hop/dev")
            chosen = [s for s in samples if part_of(s.question) == part and is_wanted(s)]
            write_questions(file, drawn(chosen) if part == "train" else chosen)
        return str(file)

    def learn_metaqa(self, splits: str, hops: int, limit: int = LIMIT) -> tuple[str, ...]:
        """The training part of splits of MetaQA."""
        data = ("--dataset", "metaqa", "--data", str(self.data / "metaqa"), "--split", splits)
        return (*data, "--part", "train", "--limit", str(limit), "--hops", str(hops))

    def on_metaqa(self, split: str, methods: str) -> tuple[str, ...]:
        """The reporting part of a split of MetaQA."""
        data = ("--dataset", "metaqa", "--data", str(self.data / "metaqa"), "--split", split)
        return (*data, "--part", "report", *self.films, "--method", methods, *_ALWAYS)

    def on_paths(self, hops: int) -> Experiment:
        """PathQuestion-Large: trained on its training part, run on the reporting part."""
        folder = self.data / "pathquestion"
        data = ("--dataset", "pathquestion", "--data", str(folder))
        split = ("--split", f"PQL-{hops}H")
        part = ("--part", "train", "--limit", str(LIMIT), "--hops", str(hops))
        asked = ("--part", "report", "--method", "plan,gcr,words", "--set", "revisits=walk")
        return Experiment(
            f"pql{hops}",
            (*data, *part, "--revisits", "walk", *split),
            {f"PathQuestion, {hops} hops": (*data, *split, *asked, *_ALWAYS)},
        )

    def without(self, name: str, is_held: Callable[[Sample], bool]) -> Experiment:
        """3-hop questions some of which are held out of the training, and only those are run."""
        learnt = self.questions(name, "train", lambda sample: not is_held(sample))
        asked = self.questions(name, "report", is_held)
        data = ("--dataset", "jsonl", "--data", asked, *self.films)
        return Experiment(
            name,
            (*self.films, "--questions", learnt, "--hops", "3"),
            {f"{name} held out": (*data, "--method", "plan,words", *_ALWAYS)},
        )


def _joint(bench: Bench, runs: dict[str, tuple[str, ...]]) -> Experiment:
    return Experiment("joint", bench.learn_metaqa("1-hop/dev,2-hop/dev,3-hop/dev", 3), runs)


EXPERIMENTS: dict[str, Callable[[Bench], Experiment]] = {
    "joint": lambda bench: _joint(
        bench,
        {
            "1 hop": bench.on_metaqa("1-hop/dev", "plan,words,lookup"),
            "2 hops": bench.on_metaqa("2-hop/dev", "plan,words,lookup"),
            "3 hops": bench.on_metaqa("3-hop/dev", "plan,words,lookup"),
            "1 hop, paraphrased, joint": bench.on_metaqa("1-hop/ntm/dev", "plan,words"),
        },
    ),
    "walks": lambda bench: _joint(bench, {"walks": bench.on_metaqa("3-hop/dev", "gcr,dog")}),
    "paraphrased": lambda bench: Experiment(
        "one-hop",
        bench.learn_metaqa("1-hop/dev", 1),
        {"1 hop, paraphrased": bench.on_metaqa("1-hop/ntm/dev", "plan,words")},
    ),
    "few": lambda bench: Experiment(
        "few",
        bench.learn_metaqa("3-hop/dev", 3, limit=100),
        {"100 questions": bench.on_metaqa("3-hop/dev", "plan,words")},
    ),
    "templates": lambda bench: bench.without("templates", has_held_template),
    "types": lambda bench: bench.without("types", lambda sample: sample.type in bench.types),
    "pql2": lambda bench: bench.on_paths(2),
    "pql3": lambda bench: bench.on_paths(3),
    "untaught": lambda bench: Experiment(
        "untaught",
        bench.films,
        {
            f"no questions, {hops} hops": bench.on_metaqa(f"{hops}-hop/dev", "plan,gcr")
            for hops in (1, 2, 3)
        },
    ),
}
"""What is measured, by name; `untaught` is trained on the graph alone."""


def measure(bench: Bench, names: Iterable[str], console: Console) -> None:
    """Train what is not trained yet, run what is not run yet, and print a table."""
    table = Table(*_COLUMNS)
    for name in names:
        experiment = EXPERIMENTS[name](bench)
        model = bench.out / "models" / experiment.model
        if not (model / "config.json").is_file():
            training = ("train", *_CAUSAL, *experiment.training, "--out", str(model))
            _groundwalk(training, console)
        for run, options in experiment.runs.items():
            folder = bench.out / "runs" / f"{name} {run}".replace(" ", "-").replace(",", "")
            limit = () if bench.limit is None else ("--first", str(bench.limit))
            spread = ("--model", str(model), "--workers", str(bench.workers))
            _groundwalk(("eval", "run", *options, *limit, *spread, "--out", str(folder)), console)
            _add(table, run, folder, model)
    console.print(table)


def has_held_template(sample: Sample) -> bool:
    """Whether a question's wording is among the 40% that are held out, whatever its topics are."""
    text = sample.question
    for topic in sample.topics:
        text = text.replace(f"[{topic}]", "[]")
    return int(sha256(text.encode()).hexdigest(), 16) % 10 < 4


def drawn(samples: Sequence[Sample]) -> list[Sample]:
    """At most `LIMIT` of the samples, drawn by seed, in their order."""
    count = min(LIMIT, len(samples))
    return [samples[i] for i in sorted(Random(0).sample(range(len(samples)), count))]


def _add(table: Table, name: str, folder: Path, model: Path) -> None:
    summary = read_summary(folder)
    for method, numbers in summary.methods.items() if summary else ():
        if numbers.accuracy is None:
            continue
        faithful, accuracy = numbers.faithfulness, numbers.accuracy
        scores = (accuracy.hits_at_1, accuracy.f1, faithful.triplet_f1, faithful.ill)
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
    options = parser.parse_args(arguments)
    source = os.environ.get(DATA)
    if not source:
        raise SystemExit(f"set {DATA} to the folder that holds metaqa/ and pathquestion/")
    bench = Bench(Path(source).resolve(), options.out, options.limit, options.workers)
    measure(bench, options.only, Console(highlight=False))


if __name__ == "__main__":
    main()
