"""Callers beside one another: how long each waits, and whether the event loop stays free.

`python -m groundwalk.evaluation.benchmarks.callers` answers the same questions for 1, 10 and 50
callers of one process, in line (as `ainvoke` does) and all at once (as streams do). Meanwhile it
measures how late a timer of the same event loop comes, which is how long another route of the same
service would wait.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median, quantiles
from time import perf_counter

from ...agent.options import Options
from ...graphs import build_graph
from ...graphs.line import Line
from ...graphs.nesting import CompiledGraph

CALLERS = (1, 10, 50)
QUESTIONS = (
    "What is the capital of Kenya?",
    "Which countries border Austria?",
    "Which rivers flow through Germany?",
    "How many countries border Chad?",
    "What is the highest mountain in Africa?",
)
_TICK = 0.005
"""Seconds between two looks at the clock of the event loop."""


@dataclass(frozen=True)
class Waits:
    """Seconds that callers waited for their answers, and the longest that the event loop did."""

    callers: int
    in_line: bool
    seconds: Sequence[float]
    loop_late: float

    @property
    def line(self) -> str:
        """The row of the table."""
        shares = quantiles(self.seconds, n=20) if len(self.seconds) > 1 else [*self.seconds] * 19
        p50, p95 = median(self.seconds), shares[18]
        how = "in line" if self.in_line else "at once"
        rate = self.callers / max(self.seconds)
        return (
            f"{self.callers:>7}  {how:<8}  {p50:6.2f}  {p95:6.2f}  {p50 / p95:5.2f}  {rate:6.1f}  "
            f"{1000 * self.loop_late:7.0f}"
        )


async def measured(graph: CompiledGraph, callers: int, *, in_line: bool) -> Waits:
    """Let so many callers ask at the same moment."""
    context, late, over = Options(on_ambiguous="best", conversation=False), [0.0], asyncio.Event()

    async def ask(number: int) -> float:
        since = perf_counter()
        question = QUESTIONS[number % len(QUESTIONS)]
        await graph.ainvoke({"question": question}, context=context)
        return perf_counter() - since

    async def watch() -> None:
        while not over.is_set():
            since = perf_counter()
            await asyncio.sleep(_TICK)
            late.append(perf_counter() - since - _TICK)

    watching = asyncio.create_task(watch())
    seconds = await asyncio.gather(*map(ask, range(callers)))
    over.set()
    await watching
    return Waits(callers, in_line, seconds, max(late))


def main() -> None:
    """Print the table: a row for each number of callers, in line and at once."""
    graph = build_graph().warm()
    crowd = graph.copy({"line": Line(max(CALLERS))})
    print("callers  how        p50 s   p95 s  ratio   per s  loop ms")
    for callers in CALLERS:
        for waiting, in_line in ((graph, True), (crowd, False)):
            print(asyncio.run(measured(waiting, callers, in_line=in_line)).line, flush=True)


if __name__ == "__main__":
    main()
