"""Building and opening a large KG: against Oxigraph's own bulk loader, and look-ups in it.

`python -m groundwalk.evaluation.benchmarks.building [--triples N] [--out FILE.json]` writes a
made-up graph into a temporary folder and measures, each in a process of its own: the
bulk loader on that file, our build of it, and opening what was built. Ten million triples take
about 3 GB of disk and some minutes.
"""

import sys
import tempfile
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from random import Random
from statistics import median, quantiles
from time import perf_counter
from typing import Any, NamedTuple, TypeVar

import pyoxigraph as ox
from rich.console import Console

from ...agent.kg import BuildProgress, build, normalise, open_kg
from ..report.terminal import aligned
from .harness import alone, conduct, machine, mistyped, names, options_of, peak_memory

_BATCHES = 300
_BATCH = 10
_SHORTEST_TYPED = 5
_Asked = TypeVar("_Asked")

ENTITIES_PER_TRIPLE = 0.1
"""Each entity has a label, a class and on average eight facts that leave it."""

_RELATIONS = 200
_CLASSES = 50
_NAMESPACE = "http://example.org"
_LABEL = "<http://www.w3.org/2000/01/rdf-schema#label>"
_TYPE = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>"


class Measure(NamedTuple):
    """A row of the table; `aim` is the most that the figure should be."""

    title: str
    unit: str
    aim: float | None = None


MEASURES: dict[str, Measure] = {
    "bulk_load": Measure("Oxigraph's bulk loader alone", "s"),
    "load": Measure("our reading and loading", "s"),
    "ratio": Measure("ours / bulk loader", "x", 1.5),
    "names": Measure("our label index", "s"),
    "bulk_load_memory": Measure("peak memory, bulk loader", "MB"),
    "memory": Measure("peak memory, our build", "MB", 2_000),
    "disk": Measure("built folder", "MB"),
    "open": Measure("opening it", "s", 1),
    "neighbours": Measure(f"neighbours of {_BATCH} nodes, p50", "ms", 2),
    "neighbours_p95": Measure(f"neighbours of {_BATCH} nodes, p95", "ms"),
    "exact": Measure("exact look-up of a label, p50", "ms", 1),
    "exact_p95": Measure("exact look-up of a label, p95", "ms"),
    "typo": Measure("look-up with typos, p50", "ms", 20),
    "typo_p95": Measure("look-up with typos, p95", "ms"),
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmark. The exit code is 1 where an aim is missed, 2 where `--out` fails."""
    parser = options_of("building", __doc__)
    parser.add_argument("--triples", type=int, default=1_000_000, metavar="N", help="(1000000)")
    parser.add_argument("--folder", type=Path, help="where the temporary folder is made")
    options = parser.parse_args(arguments)
    return conduct(
        lambda: run(options.triples, folder=options.folder, console=Console(stderr=True)),
        table,
        options.out,
        lambda report: any(row["reached"] is False for row in report["measures"].values()),
    )


def run(
    triples: int, *, folder: Path | None = None, console: Console | None = None
) -> dict[str, Any]:
    """The report: settings, and a figure for each measure. Nothing stays in `folder`."""
    out = console or Console(quiet=True)
    figures: dict[str, float] = {}
    with tempfile.TemporaryDirectory(prefix="groundwalk-", dir=folder) as name:
        home = Path(name)
        source = home / "graph.nt"
        entities = write_graph(source, triples)
        out.print(f"{triples:,} triples, {source.stat().st_size / 1e6:,.0f} MB", markup=False)
        for step in (_bulk_load, _build, _look_up):
            figures |= alone(step, home)
            out.print(", ".join(f"{name}: {figures[name]:.4g}" for name in figures), markup=False)
    figures["ratio"] = figures["load"] / figures["bulk_load"]
    return {
        "settings": {"triples": triples, "entities": entities, **machine()},
        "measures": {
            name: {
                "value": round(figures[name], 6),
                **measure._asdict(),
                "reached": None if measure.aim is None else figures[name] <= measure.aim,
            }
            for name, measure in MEASURES.items()
        },
    }


def table(report: dict[str, Any]) -> list[str]:
    """The report as lines of aligned text."""
    rows = [("measure", "found", "", "aim", "")]
    for row in report["measures"].values():
        aim = "" if row["aim"] is None else f"<= {row['aim']:g}"
        verdict = {None: "", True: "yes", False: "NO"}[row["reached"]]
        rows.append((row["title"], f"{row['value']:.3g}", row["unit"], aim, verdict))
    settings = report["settings"]
    return [
        *aligned(rows),
        "",
        f"{settings['triples']:,} triples, {settings['entities']:,} labels; "
        f"{settings['cores']} cores",
    ]


def _bulk_load(home: Path) -> dict[str, float]:
    since = perf_counter()
    store = ox.Store(str(home / "plain"))
    store.bulk_load(path=str(home / "graph.nt"), format=ox.RdfFormat.N_TRIPLES)
    store.flush()
    return {"bulk_load": perf_counter() - since, "bulk_load_memory": peak_memory()}


def _build(home: Path) -> dict[str, float]:
    loaded: list[float] = []

    def on_progress(progress: BuildProgress) -> None:
        if progress.stage == "naming" and not loaded:
            loaded.append(perf_counter())

    since = perf_counter()
    build(str(home / "graph.nt"), home / "kg", on_progress=on_progress)
    files = (file for file in (home / "kg").rglob("*") if file.is_file())
    return {
        "load": loaded[0] - since,
        "names": perf_counter() - loaded[0],
        "memory": peak_memory(),
        "disk": sum(file.stat().st_size for file in files) / 1e6,
    }


def _look_up(home: Path) -> dict[str, float]:
    since = perf_counter()
    kg = open_kg(str(home / "kg"))
    opened = perf_counter() - since
    random = Random(1)
    entities = [
        [f"<http://example.org/e/{random.randrange(kg.counts.entities)}>" for _ in range(_BATCH)]
        for _ in range(_BATCHES)
    ]
    labels = [normalise(kg.labels.describe(batch[:1])[0].label) for batch in entities]
    typos = [_typed(label, random) for label in labels if len(label) >= _SHORTEST_TYPED]
    return {
        "open": opened,
        **_quantiles("neighbours", (_timed(kg.store.neighbours, batch) for batch in entities)),
        **_quantiles("exact", (_timed(kg.labels.lookup, label) for label in labels)),
        **_quantiles("typo", (_timed(kg.labels.similar, text) for text in typos)),
    }


def _typed(label: str, random: Random) -> str:
    """The label with one typo, or with two where it has eight letters or more."""
    typed = mistyped(label, random)
    return mistyped(typed, random) if len(label) >= 8 else typed


def _timed(call: Callable[[_Asked], object], asked: _Asked) -> float:
    """Milliseconds of one call."""
    since = perf_counter()
    call(asked)
    return (perf_counter() - since) * 1e3


def _quantiles(name: str, times: Iterable[float]) -> dict[str, float]:
    every = list(times)
    return {name: median(every), f"{name}_p95": quantiles(every, n=20)[-1]}


def write_graph(path: Path, triples: int, *, seed: int = 0) -> int:
    """Write so many triples as N-Triples and return the number of entities; same seed, same file.

    Heads are drawn evenly, tails and relations unevenly: a few are hubs. A few triples come twice.
    """
    random = Random(seed)
    entities = max(int(triples * ENTITIES_PER_TRIPLE), 1)
    with path.open("w", encoding="ascii") as file:
        for number, label in enumerate(names(entities, seed)):
            head = f"<{_NAMESPACE}/e/{number}>"
            kind = f"<{_NAMESPACE}/class/{int(_CLASSES * random.random() ** 2)}>"
            file.write(f'{head} {_LABEL} "{label}"@en .\n{head} {_TYPE} {kind} .\n')
        for _ in range(triples - 2 * entities):
            head = random.randrange(entities)
            relation = int(_RELATIONS * random.random() ** 2)
            tail = int(entities * random.random() ** 3)
            file.write(
                f"<{_NAMESPACE}/e/{head}> <{_NAMESPACE}/r/{relation}> <{_NAMESPACE}/e/{tail}> .\n"
            )
    return entities


if __name__ == "__main__":
    sys.exit(main())
