"""A graph of millions of facts, built, opened and asked in words, each in a process of its own.

`python -m groundwalk.evaluation.benchmarks.large [--triples N] [--rounds N] [--out FILE.json]`
makes people with names, salaries, employers and friends, a tenth as many as triples. It
measures the build, then a process that opens the graph and asks with the bundled reader: of one
person, of a person's employer, and of the whole class of people. Answers are compared with what was
written. Ten million triples take about 3 GB of disk.
"""

import json
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from itertools import islice
from pathlib import Path
from random import Random
from statistics import median
from time import perf_counter, process_time
from typing import Any, NamedTuple, TextIO

from rich.console import Console

from ...agent.kg import BuildProgress, build, open_kg
from ...agent.kg.terms import XSD
from ..report.terminal import aligned
from .harness import alone, conduct, machine, names, options_of, peak_memory

PER_PERSON = 10
"""Triples of each person: name, class, salary, employer, birthplace and friends."""
_FRIENDS = PER_PERSON - 5
_PEOPLE_OF_COMPANY = 100
_PEOPLE_OF_CITY = 1_000
_HIGHEST = 100_000_000
_ASKED = 40
"""People who are asked about one by one."""

_NAMESPACE = "http://example.org"
_SEED = 0
_LABEL = "<http://www.w3.org/2000/01/rdf-schema#label>"
_TYPE = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>"
_INTEGER = f"<{XSD}integer>"
_WORDS = ("person", "company", "city", "salary", "employer", "birthplace", "friend", "located in")

KINDS = {
    "step": "one step: the employer of a person",
    "two steps": "two steps: the city of the employer",
    "count": "a count: of the people",
    "extreme": "an extreme: the highest salary",
    "filter": "a filter: salaries over a number",
}
"""What is asked, and how a row of the table says it."""


@dataclass(frozen=True)
class Asked:
    """A question of a kind, and the answer that the graph was written with."""

    kind: str
    question: str
    answer: str


STAGES = {
    "read": "building: reading and loading",
    "names": "building: the label index",
    "open": "opening",
    "warm": "loading the reader",
}
"""What is timed once."""

SIZES = {
    "source": ("a triple in the file", "bytes"),
    "folder": ("a triple in the built folder", "bytes"),
    "build_memory": ("peak memory, building", "MB"),
    "ask_memory": ("peak memory, asking", "MB"),
}


class Took(NamedTuple):
    """Seconds: of a clock, and of all cores together, which other work does not prolong."""

    wall: float
    processor: float

    @classmethod
    def now(cls) -> "Took":
        """The time, to be subtracted from a later one."""
        return cls(perf_counter(), process_time())

    def since(self, before: "Took") -> "Took":
        """The seconds from `before` to this time."""
        return Took(self.wall - before.wall, self.processor - before.processor)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmark. The exit code is 1 where an answer is wrong, 2 for what can be mended."""
    parser = options_of("large", __doc__)
    parser.add_argument("--triples", type=int, default=1_000_000, metavar="N", help="(1000000)")
    parser.add_argument("--rounds", type=int, default=5, metavar="N", help="of each query (5)")
    parser.add_argument("--folder", type=Path, help="where the temporary folder is made")
    options = parser.parse_args(arguments)
    console = Console(stderr=True)
    return conduct(
        lambda: run(options.triples, options.rounds, folder=options.folder, console=console),
        table,
        options.out,
        lambda report: any(row["right"] < row["asked"] for row in report["questions"].values()),
    )


def run(
    triples: int, rounds: int, *, folder: Path | None = None, console: Console | None = None
) -> dict[str, Any]:
    """The report: settings, stages, sizes, and the seconds and right answers of each question."""
    out = console or Console(quiet=True)
    with tempfile.TemporaryDirectory(prefix="groundwalk-", dir=folder) as name:
        home = Path(name)
        written = write_people(home / "graph.nt", max(triples // PER_PERSON, _ASKED))
        lines = (json.dumps(asdict(asked)) for asked in written)
        (home / "asked.jsonl").write_text("\n".join(lines), encoding="utf-8")
        out.print(f"{(home / 'graph.nt').stat().st_size / 1e6:,.0f} MB written", markup=False)
        built = alone(build_it, home)
        out.print("built", markup=False)
        asked = alone(partial(ask_it, rounds=rounds), home)
    return {
        "settings": {"triples": built["triples"], "rounds": rounds, **machine()},
        "stages": built["stages"] | asked["stages"],
        "sizes": {name: round(size, 1) for name, size in (built["sizes"] | asked["sizes"]).items()},
        "questions": asked["questions"],
    }


def table(report: dict[str, Any]) -> list[str]:
    """The report as lines of aligned text."""
    stages: list[tuple[str, ...]] = [("stage", "seconds", "of a core")]
    for name, took in report["stages"].items():
        stages.append((STAGES[name], *(f"{took[clock]:.2f}" for clock in Took._fields)))
    sizes = [
        (title, f"{report['sizes'][name]:,.0f}", unit) for name, (title, unit) in SIZES.items()
    ]
    heading = ("question", "first", "of a core", "then", "of a core", "right")
    questions: list[tuple[str, ...]] = [heading]
    for kind, row in report["questions"].items():
        times = (f"{row[when][clock]:.2f}" for when in ("first", "then") for clock in Took._fields)
        questions.append((KINDS[kind], *times, f"{row['right']} of {row['asked']}"))
    settings = report["settings"]
    last = f"{settings['triples']:,} triples; {settings['cores']} cores"
    return [*aligned(stages), "", *aligned(sizes), "", *aligned(questions), "", last]


def write_people(path: Path, people: int) -> list[Asked]:
    """Write the graph as N-Triples and return what it can be asked; the same file each time."""
    random = Random(_SEED)
    companies = max(people // _PEOPLE_OF_COMPANY, 2)
    cities = max(people // _PEOPLE_OF_CITY, 2)
    every = names(people + companies + cities, _SEED)
    with path.open("w", encoding="ascii") as file:
        for word in _WORDS:
            file.write(f'{_iri(word)} {_LABEL} "{word}" .\n')
        city_names = [_named(file, "city", i, name) for i, name in _numbered(every, cities)]
        seats = [random.randrange(cities) for _ in range(companies)]
        company_names = list[str]()
        for number, name in _numbered(every, companies):
            company_names.append(_named(file, "company", number, name))
            _link(file, _iri("company", number), "located in", _iri("city", seats[number]))
        asked, over, highest = list[Asked](), 0, ("", -1)
        for number, name in _numbered(every, people):
            employer = int(companies * random.random() ** 2)
            salary = random.randrange(_HIGHEST)
            person = _iri("person", number)
            _named(file, "person", number, name)
            _link(file, person, "salary", f'"{salary}"^^{_INTEGER}')
            _link(file, person, "employer", _iri("company", employer))
            _link(file, person, "birthplace", _iri("city", random.randrange(cities)))
            for _ in range(_FRIENDS):
                friend = int(people * random.random() ** 2)
                _link(file, person, "friend", _iri("person", friend))
            over += salary > 0.9 * _HIGHEST
            highest = max(highest, (name, salary), key=lambda pair: pair[1])
            if number % (people // _ASKED) == 0 and len(asked) < _ASKED:
                asked.append(_about(name, len(asked), company_names, city_names, seats, employer))
    return [
        *asked,
        Asked("count", "How many persons are there?", str(people)),
        Asked("extreme", "Which person has the highest salary?", highest[0]),
        Asked("filter", f"How many persons have a salary over {_HIGHEST * 9 // 10}?", str(over)),
    ]


def build_it(home: Path) -> dict[str, Any]:
    """Build the graph of a folder, and measure it."""
    loaded: list[Took] = []

    def on_progress(progress: BuildProgress) -> None:
        if progress.stage == "naming" and not loaded:
            loaded.append(Took.now())

    since = Took.now()
    triples = build(str(home / "graph.nt"), home / "kg", on_progress=on_progress).triples
    done = Took.now()
    files = (file for file in (home / "kg").rglob("*") if file.is_file())
    return {
        "triples": triples,
        "stages": {"read": _row(loaded[0].since(since)), "names": _row(done.since(loaded[0]))},
        "sizes": {
            "build_memory": peak_memory(),
            "source": (home / "graph.nt").stat().st_size / triples,
            "folder": sum(file.stat().st_size for file in files) / triples,
        },
    }


def ask_it(home: Path, *, rounds: int) -> dict[str, Any]:
    """Open the built graph and ask all that was written for it, with the bundled reader."""
    from ...graphs.build import build_graph

    lines = (home / "asked.jsonl").read_text(encoding="utf-8").splitlines()
    every = [Asked(**json.loads(line)) for line in lines]
    since = Took.now()
    kg = open_kg(str(home / "kg"))
    opened = Took.now()
    graph = build_graph("query", kg=kg)
    graph.warm()
    warm = Took.now()
    questions: dict[str, Any] = {}
    for kind in KINDS:
        asked_of_kind = [asked for asked in every if asked.kind == kind]
        times = 1 if len(asked_of_kind) > 1 else rounds + 1
        taken, right = list[Took](), 0
        for asked in asked_of_kind:
            answers = list[str]()
            for _ in range(times):
                begun = Took.now()
                answers = _answers(graph.invoke({"question": asked.question}))
                taken.append(Took.now().since(begun))
            right += asked.answer in answers
        then = Took(*map(median, zip(*(taken[1:] or taken), strict=True)))
        questions[kind] = {
            "first": _row(taken[0]),
            "then": _row(then),
            "asked": len(asked_of_kind),
            "right": right,
        }
    return {
        "stages": {"open": _row(opened.since(since)), "warm": _row(warm.since(opened))},
        "sizes": {"ask_memory": peak_memory()},
        "questions": questions,
    }


def _row(took: Took) -> dict[str, float]:
    return {name: round(seconds, 4) for name, seconds in took._asdict().items()}


def _answers(state: Any) -> list[str]:
    result = state["result"]
    value = [str(result["value"])] if result and result["kind"] == "count" else []
    return value or [answer["label"] for answer in state["answers"]]


def _about(
    name: str,
    number: int,
    companies: Sequence[str],
    cities: Sequence[str],
    seats: Sequence[int],
    employer: int,
) -> Asked:
    """A question about a person; every other one takes two steps."""
    if number % 2:
        question = f"Where is the employer of {name} located in?"
        return Asked("two steps", question, cities[seats[employer]])
    return Asked("step", f"Who is the employer of {name}?", companies[employer])


def _numbered(every: Iterator[str], count: int) -> Iterator[tuple[int, str]]:
    return enumerate(islice(every, count))


def _named(file: TextIO, word: str, number: int, name: str) -> str:
    thing = _iri(word, number)
    file.write(f'{thing} {_LABEL} "{name}" .\n{thing} {_TYPE} {_iri(word)} .\n')
    return name


def _link(file: TextIO, head: str, word: str, tail: str) -> None:
    file.write(f"{head} {_iri(word)} {tail} .\n")


def _iri(word: str, number: int | None = None) -> str:
    """The term of a class or relation; with a number, of a thing of that class."""
    end = word.replace(" ", "_") if number is None else f"{word}/{number}"
    return f"<{_NAMESPACE}/{end}>"


if __name__ == "__main__":
    sys.exit(main())
