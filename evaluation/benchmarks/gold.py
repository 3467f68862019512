"""The gold queries of the exams through the graph of `ask`: what they come to, and how fast.

`python -m groundwalk.evaluation.benchmarks.gold [--exam NAME] [--limit N] [--out FILE.json]` gives
each gold tree as `ask --query` does, and asks the question of the same one with the method `plan`
after it. A tree is right where all that it says is the gold answer; a triple is unsupported where
the graph does not confirm it. Only for the exam `world` there is a model that knows the graph.
"""

import json
import sys
from collections.abc import Sequence
from statistics import median
from time import perf_counter
from typing import Any

from ...agent.kg import open_kg
from ...graphs.build import build_graph
from ..analysis.summary import is_right
from ..datasets.jsonl import exam_kg, read_exam
from ..records import Asked, answered
from .harness import conduct, machine, options_of

_METHOD = "plan"
_EXAMS = ("world", "concerts")
"""The exams that have gold trees."""
_KNOWN = frozenset({"world"})
"""The exams whose graph the bundled model knows."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmark. The exit code is 1 where a tree is wrong, 2 for what the user can mend."""
    parser = options_of("gold", __doc__)
    parser.add_argument("--exam", action="append", choices=_EXAMS)
    parser.add_argument("--limit", type=int)
    options = parser.parse_args(arguments)
    exams = options.exam or _EXAMS
    return conduct(
        lambda: {
            "settings": machine(),
            "exams": {exam: run(exam, options.limit) for exam in exams},
        },
        table,
        options.out,
        lambda report: any(e["wrong"] or e["unsupported"] for e in report["exams"].values()),
    )


def run(exam: str, limit: int | None = None) -> dict[str, Any]:
    """What the gold trees of an exam come to, and median seconds of a tree and of a question."""
    samples = [sample for sample in read_exam(exam) if sample.query][:limit]
    kg = open_kg(exam_kg(exam))
    graph, asked = build_graph(_METHOD, kg=kg).with_state(), Asked("exam", exam, _METHOD)
    wrong, unsupported, triples = list[str](), 0, 0
    seconds: dict[str, list[float]] = {"query": [], _METHOD: []}
    for sample in samples:
        since = perf_counter()
        state: Any = graph.invoke({"query": json.loads(sample.query)})
        seconds["query"].append(perf_counter() - since)
        record = answered(sample, asked, state, seconds["query"][-1])
        triples += record["triples"]
        unsupported += record["triples"] - record["supported"]
        if not is_right(record):
            wrong.append(sample.id)
        if exam in _KNOWN:
            since = perf_counter()
            graph.invoke({"question": sample.question})
            seconds[_METHOD].append(perf_counter() - since)
    kg.close()
    return {
        "queries": len(samples),
        "wrong": wrong,
        "triples": triples,
        "unsupported": unsupported,
        "seconds": {name: round(median(times), 4) for name, times in seconds.items() if times},
    }


def table(report: dict[str, Any]) -> list[str]:
    """The report as lines of aligned text."""
    lines = [f"{'exam':<10}{'queries':>9}{'right':>7}{'triples':>9}{'unsupported':>13}  median"]
    for exam, row in report["exams"].items():
        right = row["queries"] - len(row["wrong"])
        times = ", ".join(f"{name} {s * 1000:.1f} ms" for name, s in row["seconds"].items())
        counts = f"{row['queries']:>9}{right:>7}{row['triples']:>9}{row['unsupported']:>13}"
        lines.append(f"{exam:<10}{counts}  {times}")
    return lines


if __name__ == "__main__":
    sys.exit(main())
