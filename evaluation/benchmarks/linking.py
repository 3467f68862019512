"""Linking timed at a million labels, and how many of the topics of known questions it finds.

`python -m groundwalk.evaluation.benchmarks.linking [--labels N] [--out FILE.json]`. The labels are
made up; each timed question holds one of them, as it is, in lower case, or mistyped. For recall the
variable GROUNDWALK_DATA names a folder with MetaQA, PathQuestion-Large and WebQSP slices. Of the
first two only the reporting part is asked. Each WebQSP question is asked over the small graph that
comes with it and, with more rivals, over all these graphs as one.
"""

import argparse
import os
import platform
import random
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import quantiles
from time import perf_counter
from typing import Any, Literal, TypeAlias

from rich.console import Console

from ...agent.errors import GroundwalkError
from ...agent.kg import normalise, open_kg
from ...agent.kg.store import Labels
from ...agent.linking import LabelLinker, Mention
from ...agent.linking.words import FUNCTION_WORDS
from .harness import mistyped, names, write_named_graph, write_report
from .topics import Asked, Group, question_sets

DEPTH = 5
"""How many candidates of a mention count as found: what a user can choose from at a glance."""

_Match: TypeAlias = Literal["whole", "part", "nothing", "absent"]
"""What of a topic's name the question holds; `absent` when the graph has no such name at all."""


@dataclass(frozen=True)
class Share:
    """Of so many topics, how many are the best candidate of a mention, or among its first five."""

    topics: int
    first: int
    found: int


@dataclass(frozen=True)
class Recall:
    """The topics of all questions, and by how much of their names the text has.

    `mentions` are all that is linked.
    """

    questions: int
    mentions: int
    all: Share
    whole: Share
    part: Share
    nothing: Share
    absent: Share


def recall(groups: Iterable[Group], cache: Path) -> Recall:
    """Link every question over its graph, which is built into `cache`. Raises KGError."""
    questions = mentions = 0
    counts: Counter[tuple[str, str]] = Counter()
    for group in groups:
        questions += len(group.asked)
        for asked, matches, linked in _linked(group, cache):
            mentions += len(linked)
            for topic, how in zip(asked.topics, matches, strict=True):
                ranks = _ranks(topic, linked)
                for kind in ("all", how):
                    counts[kind, "topics"] += 1
                    counts[kind, "first"] += 0 in ranks
                    counts[kind, "found"] += bool(ranks)

    def share(kind: str) -> Share:
        return Share(*(counts[kind, what] for what in ("topics", "first", "found")))

    return Recall(
        questions,
        mentions,
        share("all"),
        share("whole"),
        share("part"),
        share("nothing"),
        share("absent"),
    )


def _linked(group: Group, cache: Path) -> Iterator[tuple[Asked, list[_Match], Sequence[Mention]]]:
    kg = open_kg(str(group.graph), cache=cache) if group.graph else None
    linker = LabelLinker(kg.labels) if kg else None
    labels = kg.labels if kg else None
    for asked in group.asked:
        matches: list[_Match] = [_match_of(topic, asked.question, labels) for topic in asked.topics]
        yield asked, matches, linker.link(asked.question) if linker else []
    if kg:
        kg.close()


def _ranks(topic: str, mentions: Iterable[Mention]) -> set[int]:
    """The places at which mentions have an entity of this name, from 0."""
    return {
        rank
        for mention in mentions
        for rank, candidate in enumerate(mention.candidates[:DEPTH])
        if candidate.label == topic
    }


def _match_of(topic: str, question: str, labels: Labels | None) -> _Match:
    if labels is None or not labels.named(topic):
        return "absent"
    name, text = normalise(topic), normalise(question)
    if f" {name} " in f" {text} ":
        return "whole"
    words, spoken = (
        {word for word in several.split() if word not in FUNCTION_WORDS} for several in (name, text)
    )
    return "nothing" if words.isdisjoint(spoken) else "part"


DATA = "GROUNDWALK_DATA"
"""The variable that names the folder with the question sets."""

AIMS = {"as it is": 1.0, "in lower case": 1.0, "mistyped": 20.0}
"""Milliseconds that half of the questions should stay below at a million labels."""

_TEMPLATES = (
    "what is {} next to",
    "{}",
    "Which places are near {}?",
    "who was the first to write about {}, and when",
    "Tell me about {} please",
    "how many people live in {} today",
)
_UNTIMED = 20
"""Questions asked before, so that the files are in memory."""


@dataclass(frozen=True)
class Times:
    """Milliseconds a question, and how many of the names were found among the first five."""

    questions: int
    p50: float
    p95: float
    found: int


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmark. The exit code is 2 for what the user can mend."""
    options = _options(arguments)
    console = Console(stderr=True)
    data = os.environ.get(DATA)
    try:
        report = run(options.labels, options.questions, Path(data) if data else None, console)
        print("\n".join(table(report)))
        if options.out:
            write_report(options.out, report)
    except GroundwalkError as error:
        console.print(f"{error}", markup=False)
        return 2
    return 0


def run(
    labels: int, questions: int, data: Path | None = None, console: Console | None = None
) -> dict[str, Any]:
    """The report: settings, times by how the names are typed, recall by question set.

    Without `data` there is no recall. Raises DatasetError and KGError.
    """
    out = console or Console(quiet=True)
    with tempfile.TemporaryDirectory() as folder:
        scratch = Path(folder)
        times = {
            name: asdict(measured) for name, measured in _times(scratch, labels, questions, out)
        }
        sets = question_sets(data, scratch, "report") if data else {}
        shares: dict[str, Any] = {}
        for title, groups in sets.items():
            out.print(f"{title} ...", markup=False)
            shares[title] = asdict(recall(groups, scratch / "cache"))
    return {
        "settings": {"labels": labels, "depth": DEPTH, "python": platform.python_version()},
        "times": times,
        "recall": shares,
    }


def table(report: dict[str, Any]) -> list[str]:
    """The report as lines of aligned text."""
    typed = f"{report['settings']['labels']:,} labels, typed"
    times: list[tuple[str, ...]] = [(typed, "n", "p50 ms", "p95 ms", "aim", f"@{DEPTH}")]
    times += [
        (
            name,
            str(row["questions"]),
            f"{row['p50']:.2f}",
            f"{row['p95']:.2f}",
            f"<{AIMS[name]:g}",
            _share(row["found"], row["questions"]),
        )
        for name, row in report["times"].items()
    ]
    named = ("name in whole", "in part", "not at all", "not in graph")
    shares: list[tuple[str, ...]] = [("", "n", "topics", "@1", f"@{DEPTH}", *named, "linked")]
    for title, row in report["recall"].items():
        every = row["all"]
        kinds = [row[kind] for kind in ("whole", "part", "nothing")]
        shares.append(
            (
                title,
                str(row["questions"]),
                str(every["topics"]),
                _share(every["first"], every["topics"]),
                _share(every["found"], every["topics"]),
                *(f"{kind['found']} of {kind['topics']}" for kind in kinds),
                str(row["absent"]["topics"]),
                f"{row['mentions'] / row['questions']:.2f}",
            )
        )
    return [*_aligned(times), *([""] + _aligned(shares) if report["recall"] else [])]


def _times(
    scratch: Path, labels: int, questions: int, console: Console
) -> Iterator[tuple[str, Times]]:
    """Build an index of made-up names, and time questions that name some of them."""
    console.print(f"building an index of {labels:,} labels ...", markup=False)
    write_named_graph(scratch / "names.txt", labels)
    kg = open_kg(str(scratch / "names.txt"), cache=scratch / "cache")
    linker = LabelLinker(kg.labels)
    dice = random.Random(0)
    chosen = dice.sample(list(names(labels)), min(questions, labels))
    ways: dict[str, Callable[[str], str]] = {
        "as it is": str,
        "in lower case": str.lower,
        "mistyped": lambda name: mistyped(name, dice),
    }
    for way, typed in ways.items():
        asked = [dice.choice(_TEMPLATES).format(typed(name)) for name in chosen]
        for question in asked[:_UNTIMED]:
            linker.link(question)
        seconds: list[float] = []
        hits = 0
        for name, question in zip(chosen, asked, strict=True):
            since = perf_counter()
            mentions = linker.link(question)
            seconds.append(perf_counter() - since)
            hits += any(c.label == name for m in mentions for c in m.candidates[:DEPTH])
        cuts = quantiles(seconds, n=20, method="inclusive")
        yield way, Times(len(asked), 1e3 * cuts[9], 1e3 * cuts[18], hits)
    kg.close()


def _share(part: int, whole: int) -> str:
    return f"{100 * part / whole:.1f}%" if whole else ""


def _aligned(rows: Sequence[tuple[str, ...]]) -> list[str]:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m groundwalk.evaluation.benchmarks.linking",
        description="Time linking, and count the topics of known questions that it finds.",
    )
    parser.add_argument("--labels", type=_even, default=1_000_000, metavar="N", help="(1,000,000)")
    parser.add_argument("--questions", type=_even, default=500, metavar="N", help="timed (500)")
    parser.add_argument("--out", type=Path, metavar="FILE.json", help="write the report there")
    return parser.parse_args(arguments)


def _even(text: str) -> int:
    if not text.isdecimal() or int(text) < 2 or int(text) % 2:
        raise argparse.ArgumentTypeError("give an even number, 2 or more")
    return int(text)


if __name__ == "__main__":
    sys.exit(main())
