"""Thousands of chat turns in one process: does memory grow, do turns become slower?

`python -m groundwalk.evaluation.benchmarks.long_chat [--turns N] [--every N]`. Of two turns one
goes to a thread that is never ended, the other to a thread of fifty turns, after which another
begins. Both are in one SQLite database. Three turns of ten are a list and follow-ups about it. A
line is printed for every so many turns. The first of them are left out of the slope, as the model
is loaded, and files are mapped, in them.
"""

import argparse
import gc
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass
from itertools import count, cycle, islice
from pathlib import Path
from statistics import quantiles
from time import perf_counter, process_time
from typing import Any, cast

from rich.console import Console

from ...agent.caching import Recent
from ...agent.kg import KnowledgeGraph, open_kg
from .harness import conduct, options_of

SHORT = 50
"""Turns of a thread that ends."""

_ABOUT = ("capital", "currency", "continent")
_FOLLOWING = ("Which countries border {}?", "How many are there?", "and its capital?")


@dataclass(frozen=True)
class Window:
    """Some turns in a row: how long they took, and what the process held after them.

    Seconds are those of half and of 95 of 100 turns, in the long thread and in the short ones, and
    of the processor for a turn of either, which other programs do not lengthen. Sizes are
    megabytes.
    """

    turns: int
    answered: int
    long_p50: float
    long_p95: float
    long_cpu: float
    short_p50: float
    short_p95: float
    short_cpu: float
    resident: float
    database: float
    cached: int
    """Values in all caches of what was read last."""
    bound: int
    """Values that these caches hold at most."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmark; the exit code is 2 where it cannot be run."""
    parser = options_of("long_chat", __doc__)
    parser.add_argument("--turns", type=_turn_count, default=10_000, metavar="N", help="(10,000)")
    parser.add_argument(
        "--every", type=_turn_count, default=1_000, metavar="N", help="a line (1,000)"
    )
    parser.add_argument("--method", default="plan", metavar="NAME", help="(plan)")
    options = parser.parse_args(arguments)

    def run() -> list[dict[str, Any]]:
        console, windows = Console(stderr=True), list[Window]()
        for window in measure(options.turns, options.every, options.method):
            windows.append(window)
            console.print(_line(window), highlight=False, soft_wrap=True)
        return [asdict(window) for window in windows]

    return conduct(run, _slope_line, options.out)


def _slope_line(report: Sequence[Mapping[str, Any]]) -> list[str]:
    windows = [Window(**row) for row in report]
    if len(windows) < 3:
        return []
    slope, first = memory_slope(windows), windows[0].turns
    return [f"{slope:+.3f} MB resident a thousand turns, after the first {first}"]


def measure(turns: int, every: int, method: str = "plan") -> Iterator[Window]:
    """Ask so many questions, and tell of every `every` of them. Raises GroundwalkError."""
    from ...agent.conversation.threads import close_threads, open_threads
    from ...graphs import build_graph

    with tempfile.TemporaryDirectory() as folder, closing(open_kg("world")) as opened:
        file = Path(folder) / "threads.sqlite"
        saver = open_threads(file)
        try:
            graph = build_graph(method, kg=opened, checkpointer=saver)
            asked = islice(_turns(opened), turns)
            yield from _windows(graph, asked, every, lambda: _megabytes(folder))
        finally:
            close_threads(saver)


def memory_slope(windows: Sequence[Window]) -> float:
    """Megabytes that a thousand turns add, by least squares, without the first window."""
    done, points = windows[0].turns, list[tuple[float, float]]()
    for window in windows[1:]:
        done += window.turns
        points.append((done / 1000, window.resident))
    middle = [sum(axis) / len(points) for axis in zip(*points, strict=True)]
    spread = sum((x - middle[0]) ** 2 for x, _ in points)
    return sum((x - middle[0]) * (y - middle[1]) for x, y in points) / spread


def _turns(kg: KnowledgeGraph) -> Iterator[tuple[str, str]]:
    """Threads and questions, without end."""
    long, short = _questions(kg), _questions(kg)
    for number in count():
        yield "long", next(long)
        yield f"short {number // SHORT}", next(short)


def _questions(kg: KnowledgeGraph) -> Iterator[str]:
    """Seven plain questions, then a list and two about it, each about another country."""
    names = cycle(_countries(kg))
    while True:
        for number in range(7):
            yield f"What is the {_ABOUT[number % len(_ABOUT)]} of {next(names)}?"
        for words in _FOLLOWING:
            yield words.format(next(names)) if "{}" in words else words


def _countries(kg: KnowledgeGraph) -> list[str]:
    """The names of what has a capital."""
    (capital,) = kg.labels.named("capital", relation=True)[:1]
    return kg.labels.names(sorted({t.head for t in kg.store.facts() if t.relation == capital}))


def _windows(
    graph: Any, asked: Iterator[tuple[str, str]], every: int, database: Callable[[], float]
) -> Iterator[Window]:
    from ...agent.options import Options

    options = Options(hops=1, on_ambiguous="best")
    while some := list(islice(asked, every)):
        times: dict[bool, list[tuple[float, float]]] = {True: [], False: []}
        answered = 0
        for thread, question in some:
            config = {"configurable": {"thread_id": thread}}
            since, worked = perf_counter(), process_time()
            state = graph.invoke({"question": question}, config, context=options, durability="exit")
            times[thread == "long"].append((perf_counter() - since, process_time() - worked))
            answered += state["status"] == "answered"
        gc.collect()
        caches = cast(
            "list[Recent[Any, Any]]", [held for held in gc.get_objects() if type(held) is Recent]
        )
        yield Window(
            len(some),
            answered,
            *_times(times[True]),
            *_times(times[False]),
            resident=_resident(),
            database=database(),
            cached=sum(map(len, caches)),
            bound=sum(cache.most for cache in caches),
        )


def _times(taken: Sequence[tuple[float, float]]) -> tuple[float, float, float]:
    cuts = quantiles([seconds for seconds, _ in taken], n=20, method="inclusive")
    cpu = sum(worked for _, worked in taken) / len(taken)
    return round(cuts[9], 4), round(cuts[18], 4), round(cpu, 4)


def _resident() -> float:
    """Megabytes of this process that are in memory now."""
    status = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    return next(int(line.split()[1]) / 1e3 for line in status if line.startswith("VmRSS"))


def _megabytes(folder: str) -> float:
    return sum(file.stat().st_size for file in Path(folder).iterdir()) / 1e6


def _line(window: Window) -> str:
    long = (window.long_p50, window.long_p95, window.long_cpu)
    short = (window.short_p50, window.short_p95, window.short_cpu)
    return (
        f"{window.turns} turns, {window.answered} answered: {_spelled(long)} in the long thread, "
        f"{_spelled(short)} in short ones; "
        f"{window.resident:.1f} MB resident, {window.database:.1f} MB of threads, "
        f"{window.cached:,} of at most {window.bound:,} values cached"
    )


def _spelled(times: tuple[float, float, float]) -> str:
    p50, p95, cpu = (1e3 * seconds for seconds in times)
    return f"{p50:.0f} ms (p95 {p95:.0f}, processor {cpu:.0f})"


def _turn_count(text: str) -> int:
    if not text.isdecimal() or int(text) < 4:
        raise argparse.ArgumentTypeError("give a number, 4 or more")
    return int(text)


if __name__ == "__main__":
    sys.exit(main())
