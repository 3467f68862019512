"""What replayed relation plans retrieve: `python -m groundwalk.evaluation.benchmarks.replay`.

Reads `webqsp-slices` in the folder that `GROUNDWALK_DATA` names, or what `--data` names instead.
Follows the plans that a published RoG planner made for WebQSP through the graphs of its questions,
with the directions of the relations and without, and states how many of the plans the graphs do not
hold and how many of the answers the retrieved paths end in. The slices are small unions of another
retriever's paths: not comparable with retrieval over all of Freebase.
"""

import argparse
import os
import sys
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean

from rich.console import Console
from rich.table import Table

from ...agent.errors import DatasetError, GroundwalkError, InputError
from ...agent.kg import KnowledgeGraph
from ...agent.options import Options
from ...graphs.rog import Plan, follow_plan, read_plans
from ..datasets import read_samples
from ..runner.asking import open_sample_graph
from ..samples import Sample
from .harness import DATA

SLICES = "webqsp-slices"


@dataclass(frozen=True)
class Followed:
    """One question: its plans, those that lead nowhere, and the recall of its answers.

    `recall` counts all gold answers, `held` those that the graph holds; None where it holds none.
    """

    plans: int
    lost: int
    recall: float
    held: float | None


def follow(kg: KnowledgeGraph, sample: Sample, plans: Sequence[Plan], options: Options) -> Followed:
    """Follow the plans of a question from its topic entities."""
    topics = [term for name in sample.topics for term in kg.labels.named(name)]
    gold = {gold.label: kg.labels.named(gold.label) for gold in sample.answers}
    lost, ends = 0, set[str]()
    for plan in plans:
        paths = follow_plan(kg, topics, plan.relations, options).paths
        lost += not paths
        ends.update(path.end for path in paths)
    hits = [any(term in ends for term in terms) for terms in gold.values()]
    held = [hit for hit, terms in zip(hits, gold.values(), strict=True) if terms]
    return Followed(len(plans), lost, fmean(hits), fmean(held) if held else None)


def replay(folder: Path, options: Options) -> list[Followed]:
    """Every question of the slices that has answers and plans."""
    plans = read_plans(str(folder / "rog-plans-dev.jsonl"))
    followed = list[Followed]()
    for sample in read_samples("rog", folder, "dev"):
        if sample.answers and (planned := plans.get(sample.question)):
            with closing(open_sample_graph(sample)) as kg:
                followed.append(follow(kg, sample, planned, options))
    return followed


def main(arguments: Sequence[str] | None = None) -> int:
    """Print a row for each way of following. The exit code is 2 for what the user can mend."""
    parser = argparse.ArgumentParser(description=str(__doc__).splitlines()[0])
    public = os.environ.get(DATA)
    parser.add_argument(
        "--data",
        type=Path,
        metavar="DIR",
        default=Path(public) / SLICES if public else None,
        help=f"the folder of slices and plans; by default {SLICES} in the one that {DATA} names",
    )
    folder = parser.parse_args(arguments).data
    try:
        if folder is None:
            raise InputError("there is no data", f"set {DATA}, or name the folder: --data")
        table = compare(folder)
    except GroundwalkError as error:
        print(f"{error.message} ({error.hint})" if error.hint else error.message, file=sys.stderr)
        return error.exit_code
    Console().print(table)
    return 0


def compare(folder: Path) -> Table:
    """A row for each way of following. Raises DatasetError."""
    if not folder.is_dir():
        raise DatasetError(f"{folder}: there is no such folder", f"check --data and {DATA}")
    table = Table(
        "relations walked", "questions", "plans", "not in the graph", "recall", "of those held"
    )
    for title, directed in (("as planned", True), ("in either direction", False)):
        rows = replay(folder, Options(directed=directed, revisits="walk", max_chains=1))
        if not rows:
            raise DatasetError(f"{folder}: no question there has answers and plans", "check --data")
        plans = sum(row.plans for row in rows)
        table.add_row(
            title,
            str(len(rows)),
            str(plans),
            f"{sum(row.lost for row in rows) / plans:.1%}",
            f"{fmean(row.recall for row in rows):.1%}",
            f"{fmean(row.held for row in rows if row.held is not None):.1%}",
        )
    return table


if __name__ == "__main__":
    sys.exit(main())
