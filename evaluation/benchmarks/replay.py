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
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean

from rich.console import Console
from rich.table import Table

from ...agent.errors import DatasetError, GroundwalkError, InputError
from ...agent.kg import KnowledgeGraph
from ...agent.nodes.rog import Plan, follow_plan, read_plans
from ...agent.options import Options
from ..readers import read_samples
from ..sample_graph import open_sample_graph
from ..samples import Sample

DATA = "GROUNDWALK_DATA"
"""The variable that names the folder of data sets."""
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
    lost, reached = 0, set[str]()
    for plan in plans:
        paths = follow_plan(kg, topics, plan.relations, options).paths
        lost += not paths
        reached.update(path.end for path in paths)
    found = [any(term in reached for term in terms) for terms in gold.values()]
    held = [hit for hit, terms in zip(found, gold.values(), strict=True) if terms]
    return Followed(len(plans), lost, fmean(found), fmean(held) if held else None)


def replay(folder: Path, options: Options) -> list[Followed]:
    """Every question of the slices that has answers and plans."""
    plans = read_plans(str(folder / "rog-plans-dev.jsonl"))
    found = list[Followed]()
    for sample in read_samples("rog", folder, "dev"):
        own = plans.get(sample.question, ())
        if not own or not sample.answers:
            continue
        kg = open_sample_graph(sample)
        try:
            found.append(follow(kg, sample, own, options))
        finally:
            kg.close()
    return found


def main(arguments: Sequence[str] | None = None) -> int:
    """Print a row for each way of following. The exit code is 2 for what the user can mend."""
    folder = _folder(arguments)
    try:
        if folder is None:
            raise InputError("there is no data", f"set {DATA}, or name the folder: --data")
        table = compare(folder)
    except GroundwalkError as error:
        print(f"{error.message} ({error.hint})" if error.hint else error.message, file=sys.stderr)
        return error.exit_code
    Console().print(table)
    return 0


def _folder(arguments: Sequence[str] | None) -> Path | None:
    parser = argparse.ArgumentParser(description=str(__doc__).splitlines()[0])
    within = os.environ.get(DATA)
    parser.add_argument(
        "--data",
        type=Path,
        metavar="DIR",
        default=Path(within) / SLICES if within else None,
        help=f"the folder of slices and plans; by default {SLICES} in the one that {DATA} names",
    )
    return parser.parse_args(arguments).data


def compare(folder: Path) -> Table:
    """A row for each way of following. Raises DatasetError."""
    if not folder.is_dir():
        raise DatasetError(f"{folder}: there is no such folder", f"check --data and {DATA}")
    table = Table(
        "relations walked", "questions", "plans", "not in the graph", "recall", "of those held"
    )
    for title, directed in (("as planned", True), ("in either direction", False)):
        found = replay(folder, Options(directed=directed, revisits="walk", max_chains=1))
        if not found:
            raise DatasetError(f"{folder}: no question there has answers and plans", "check --data")
        plans = sum(own.plans for own in found)
        table.add_row(
            title,
            str(len(found)),
            str(plans),
            f"{sum(own.lost for own in found) / plans:.1%}",
            f"{fmean(own.recall for own in found):.1%}",
            f"{fmean(own.held for own in found if own.held is not None):.1%}",
        )
    return table


if __name__ == "__main__":
    sys.exit(main())
