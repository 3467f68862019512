"""Queries over a class of a million members: seconds of one core, the first time and after that.

`python -m groundwalk.evaluation.benchmarks.queries [--members N] [--rounds N] [--out FILE.json]`
makes a graph whose members have a class and a number each, and asks how many they
are, which have a larger number than most, and which has the largest. The first query of a process
reads the class and the relation; what comes after works on arrays.
"""

import sys
from collections.abc import Sequence
from pathlib import Path
from random import Random
from statistics import median
from tempfile import TemporaryDirectory
from time import process_time
from typing import Any

from ...agent.kg import build, open_kg
from ...agent.query.binding import bind
from ...agent.query.execute import execute
from ...agent.query.facts import Facts
from ...agent.query.tree import read_query
from .harness import conduct, machine, options_of

AIM = 1.0
"""Seconds that a query should take at most, once its class and relation are read."""
_LARGEST = 1_000_000
_EVERY: dict[str, Any] = {"start": {"class": "thing"}}
QUERIES: dict[str, dict[str, Any]] = {
    "count": {**_EVERY, "answer": "count"},
    "filter by value": {
        **_EVERY,
        "filters": [{"relation": "size", "op": ">", "value": 0.9 * _LARGEST}],
        "answer": "count",
    },
    "extreme": {**_EVERY, "extreme": {"relation": "size", "most": True}},
    "sum": {**_EVERY, "steps": [{"relation": "size"}], "answer": "sum"},
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmark. The exit code is 2 for what the user can mend."""
    parser = options_of("queries", __doc__)
    parser.add_argument("--members", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args(arguments)
    return conduct(lambda: run(options.members, options.rounds), table, options.out)


def run(members: int, rounds: int) -> dict[str, Any]:
    """The report: settings, and of each query the first and the median seconds of a processor."""
    with TemporaryDirectory() as home:
        file, folder = Path(home) / "graph.nt", Path(home) / "kg"
        write_members(file, members)
        build(str(file), folder)
        kg = open_kg(str(folder))
        first = {name: _seconds(kg, Facts(kg), query) for name, query in QUERIES.items()}
        facts = Facts(kg)
        again = {
            name: [_seconds(kg, facts, query) for _ in range(rounds + 1)][1:]
            for name, query in QUERIES.items()
        }
        kg.close()
    return {
        "settings": {"members": members, "rounds": rounds, **machine()},
        "first": {name: round(seconds, 4) for name, seconds in first.items()},
        "seconds": {name: round(median(seconds), 4) for name, seconds in again.items()},
    }


def write_members(file: Path, members: int, *, seed: int = 0) -> None:
    """Write the graph as N-Triples: a class, and a number for each of its members."""
    random, vocabulary = Random(seed), "http://example.org"
    label = "<http://www.w3.org/2000/01/rdf-schema#label>"
    kind = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>"
    integer = "<http://www.w3.org/2001/XMLSchema#integer>"
    with file.open("w", encoding="ascii") as lines:
        lines.write(
            f'<{vocabulary}/Thing> {label} "thing" .\n<{vocabulary}/size> {label} "size" .\n'
        )
        for number in range(members):
            head = f"<{vocabulary}/e/{number}>"
            lines.write(f"{head} {kind} <{vocabulary}/Thing> .\n")
            size = f'"{random.randrange(_LARGEST)}"^^{integer}'
            lines.write(f"{head} <{vocabulary}/size> {size} .\n")


def table(report: dict[str, Any]) -> list[str]:
    """The report as lines of aligned text."""
    lines = [f"{'query':<16}  {'first':>7}  {'then':>7}  at most {AIM:g} s"]
    for name, seconds in report["seconds"].items():
        reached = "yes" if seconds <= AIM else "NO"
        lines.append(f"{name:<16}  {report['first'][name]:>5.2f} s  {seconds:>5.2f} s  {reached}")
    settings = report["settings"]
    return [*lines, "", f"{settings['members']:,} members; seconds of one core"]


def _seconds(kg: Any, facts: Facts, record: dict[str, Any]) -> float:
    since = process_time()
    execute(facts, bind(kg, read_query(record)))
    return process_time() - since


if __name__ == "__main__":
    sys.exit(main())
