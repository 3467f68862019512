"""What replayed relation plans retrieve: `python -m groundwalk.evaluation.benchmarks.replay`.

Follows the plans that a published RoG planner made for WebQSP through the graphs of its questions,
with the directions of the relations and without, and states how many of the plans the graphs do not
hold and how many of the answers the retrieved paths end in. The slices are small unions of another
retriever's paths: not comparable with retrieval over all of Freebase.
"""

import argparse
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean

from rich.console import Console
from rich.table import Table

from ...agent.kg import KnowledgeGraph
from ...agent.nodes.rog import Plan, follow_plan, read_plans
from ...agent.options import Options
from ..readers import read_samples
from ..sample_graph import open_sample_graph
from ..samples import Sample


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


def main() -> None:
    """Print a row for each way of following."""
    parser = argparse.ArgumentParser(description=str(__doc__).splitlines()[0])
    data = os.environ.get("GROUNDWALK_DATA", "")
    parser.add_argument("--data", type=Path, default=Path(data) / "webqsp-slices")
    folder = parser.parse_args().data
    table = Table(
        "relations walked", "questions", "plans", "not in the graph", "recall", "of those held"
    )
    for title, directed in (("as planned", True), ("in either direction", False)):
        found = replay(folder, Options(directed=directed, revisits="walk", max_chains=1))
        plans = sum(own.plans for own in found)
        table.add_row(
            title,
            str(len(found)),
            str(plans),
            f"{sum(own.lost for own in found) / plans:.1%}",
            f"{fmean(own.recall for own in found):.1%}",
            f"{fmean(own.held for own in found if own.held is not None):.1%}",
        )
    Console().print(table)


if __name__ == "__main__":
    main()
