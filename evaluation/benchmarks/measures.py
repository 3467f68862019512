"""What is measured: every number of the report, with its name, its aim and what was found."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median, quantiles


@dataclass(frozen=True)
class Measure:
    """A number to be found. `aim` starts with `>` or `<`; it is empty for what is only told."""

    title: str
    unit: str = "x"
    prototype: str = ""
    aim: str = ""


@dataclass(frozen=True)
class Figure:
    """What was found: median and quartiles over the questions, each a ratio of paired times.

    `ours` and `other` are the median seconds behind a ratio.
    """

    median: float
    low: float
    high: float
    questions: int
    ours: float | None = None
    other: float | None = None


HOPS = (1, 2, 3, 4)


def _over_hops(words: str) -> dict[str, Measure]:
    """Seconds and memory as the hops grow; `words` say with which scores."""
    ratio = Measure(f"time at 4 hops / at 1 hop{words}", "x", "", "<5")
    whole = Measure(f"resident memory at 4 hops / at 1 hop{words}", "x", "", "<1.05")
    times = {f"hops/time/{n}": Measure(f"time, {n} hop{'s' * (n > 1)}{words}", "ms") for n in HOPS}
    sizes = {
        f"hops/memory/{n}": Measure(f"peak of Python, {n} hop{'s' * (n > 1)}{words}", "MB")
        for n in HOPS
    }
    return {"hops/time": ratio, **times, "hops/resident": whole, **sizes}


MEASURES: dict[str, Measure] = {
    "published/small/2": Measure("R / ours, small, 2 hops", "x", "9", ">12"),
    "repaired/small/2": Measure("R' / ours, small, 2 hops", "x", "6.8", ">9"),
    "unconstrained/small/2": Measure("unconstrained / ours, small, 2 hops", "x", "", ">3"),
    "allowed/small/2": Measure("R' / ours, small, 2 hops, `allowed`", "x", "11", ">15"),
    "allowed/unconstrained/small/2": Measure(
        "unconstrained / ours, small, 2 hops, `allowed`", "x", "", ">3"
    ),
    "calls/small/2": Measure("forward calls, ours / R, 2 hops", "x", "0.2-0.3", "<0.2"),
    "tokens/small/2": Measure("forwarded tokens, ours / R, 2 hops", "x", "0.2-0.3", "<0.2"),
    "published/small/3": Measure("R / ours, small, 3 hops", "x", "150", ">200"),
    "repaired/small/3": Measure("R' / ours, small, 3 hops", "x", "19", ">25"),
    "unconstrained/small/3": Measure("unconstrained / ours, small, 3 hops", "x", "", ">3"),
    "allowed/small/3": Measure("R' / ours, small, 3 hops, `allowed`", "x", "", ">25"),
    "allowed/unconstrained/small/3": Measure(
        "unconstrained / ours, small, 3 hops, `allowed`", "x", "", ">3"
    ),
    "calls/small/3": Measure("forward calls, ours / R, 3 hops", "x", "0.2-0.3", "<0.2"),
    "tokens/small/3": Measure("forwarded tokens, ours / R, 3 hops", "x", "0.2-0.3", "<0.2"),
    "published/hubs/2": Measure("R / ours, small, hubs of 10k+ paths", "x", "150", ">200"),
    "repaired/hubs/2": Measure("R' / ours, small, hubs of 10k+ paths", "x", "19", ""),
    "allowed/hubs/2": Measure("R' / ours, small, hubs of 10k+ paths, `allowed`"),
    "published/world/2": Measure("R / ours, world, 2 hops"),
    "repaired/world/2": Measure("R' / ours, world, 2 hops"),
    "allowed/world/2": Measure("R' / ours, world, 2 hops, `allowed`"),
    "unconstrained/world/2": Measure("unconstrained / ours, world, 2 hops", "x", "", ">3"),
    "allowed/unconstrained/world/2": Measure(
        "unconstrained / ours, world, 2 hops, `allowed`", "x", "", ">3"
    ),
    "repaired/vocabulary/2": Measure("R' / ours, 25M, 150k tokens, 2 hops", "x", "13", ""),
    "allowed/vocabulary/2": Measure("R' / ours, 25M, 150k tokens, `allowed`", "x", "75", ">100"),
    "unconstrained/vocabulary/2": Measure("unconstrained / ours, 25M, 150k tokens", "x", "", ">3"),
    "allowed/unconstrained/vocabulary/2": Measure(
        "unconstrained / ours, 25M, 150k tokens, `allowed`", "x", "", ">3"
    ),
    "repaired/large/2": Measure("R' / ours, 0.5B shape, 2 hops", "x", "6.6", ">8"),
    "unconstrained/large/2": Measure("unconstrained / ours, 0.5B shape", "x", "", ">3"),
    "allowed/large/2": Measure("R' / ours, 0.5B shape, 2 hops, `allowed`"),
    "allowed/unconstrained/large/2": Measure(
        "unconstrained / ours, 0.5B shape, `allowed`", "x", "", ">3"
    ),
    "constraint/large": Measure("constraint work, share, 0.5B shape", "%", "", "<3"),
    "outside/large": Measure("outside layers and head, share, 0.5B shape", "%"),
    "allowed/constraint/large": Measure("constraint work, share, 0.5B, `allowed`", "%", "", "<3"),
    "allowed/outside/large": Measure("outside layers and head, share, 0.5B, `allowed`", "%"),
    **{
        f"{start}{name}": measure
        for start, words in (("", ""), ("allowed/", ", `allowed`"))
        for name, measure in _over_hops(words).items()
    },
    "state/2": Measure("state build a question, 2 hops", "ms", "2", "<1"),
    "state/3": Measure("state build a question, 3 hops", "ms", "2", "<1"),
    "state/hubs": Measure("state build a question, hubs of 10k+ paths", "ms", "2", "<1"),
    "batch": Measure("R' one by one / ours in batches of 32", "x", "", ">20"),
}


def figure(
    values: Sequence[float],
    ours: Sequence[float] | None = None,
    other: Sequence[float] | None = None,
) -> Figure:
    """Median and quartiles of what each question gave."""
    low, middle, high = quantiles(values, method="inclusive") if len(values) > 1 else [*values] * 3
    return Figure(
        middle,
        low,
        high,
        len(values),
        median(ours) if ours else None,
        median(other) if other else None,
    )


def reached(measure: Measure, found: Figure) -> bool | None:
    """Whether the aim is met; None where there is none."""
    if not measure.aim:
        return None
    aim = float(measure.aim[1:])
    return found.median >= aim if measure.aim[0] == ">" else found.median <= aim
