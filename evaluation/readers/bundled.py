"""The question sets that come with the package: the world questions and the exams.

The exams are questions that nobody looked at while anything was made, with gold query trees.
"""

import json
from dataclasses import replace
from hashlib import sha256
from importlib import resources
from pathlib import Path

from ...agent.errors import InputError
from ..samples import Sample
from .jsonl import read_jsonl

_DATA = resources.files(f"{__name__.split('.')[0]}.data")
WORLD_RETRIEVED = Path(str(_DATA / "world" / "retrieved.jsonl"))
"""What the words of the world questions retrieve, for the method `paths`."""

_WORLD_FILES = {
    "test": ("questions.jsonl", "sealed.jsonl"),
    "open": ("questions.jsonl",),
    "sealed": ("sealed.jsonl",),
    "tuning": ("tuning.jsonl",),
}
GRAPHS = ("world", "concerts")
"""The graphs that there is an exam over."""
HALVES = ("open", "sealed")


def read_world(split: str = "test") -> tuple[Sample, ...]:
    """The questions over the bundled KG; some have no answer, on purpose. Raises InputError.

    Half of `test` is `sealed`: nobody looked at it while anything was trained or tuned.
    """
    if split not in _WORLD_FILES:
        raise InputError(
            f"the world questions have no split {split!r}", f"splits: {', '.join(_WORLD_FILES)}"
        )
    return tuple(
        replace(sample, topics=tuple(f"<{iri}>" for iri in sample.topics))
        for name in _WORLD_FILES[split]
        for sample in _read("world", name)
    )


def read_exam(split: str) -> tuple[Sample, ...]:
    """The questions of a split, as `world/open`; of both halves where only a graph is named.

    Raises InputError for another split.
    """
    graph, _, half = split.partition("/")
    if graph not in GRAPHS or half not in ("", *HALVES):
        names = [*GRAPHS, *(f"{graph}/{half}" for graph in GRAPHS for half in HALVES)]
        raise InputError(f"the exams have no split {split!r}", f"splits: {', '.join(names)}")
    samples = list[Sample]()
    for name in [half] if half else HALVES:
        trees = _trees(graph, name)
        samples += [
            replace(sample, query=trees.get(sha256(sample.question.encode()).hexdigest(), ""))
            for sample in _read(f"exams/{graph}", f"{name}.jsonl")
        ]
    return tuple(samples)


def exam_kg(split: str) -> str:
    """Where the graph of a split is, as `open_kg` takes it."""
    if split.partition("/")[0] != "concerts":
        return "world"
    return str(_DATA / "exams" / "concerts" / "concerts.ttl")


def _read(folder: str, name: str) -> tuple[Sample, ...]:
    with resources.as_file(_DATA / folder / name) as file:
        return read_jsonl(file)


def _trees(graph: str, half: str) -> dict[str, str]:
    """The gold trees by the digest of their questions; none where there is no such file."""
    file = _DATA / "exams" / graph / f"{half}.trees.jsonl"
    if not file.is_file():
        return {}
    records = map(json.loads, file.read_text(encoding="utf-8").splitlines())
    return {
        record["question"]: json.dumps(
            {key: record[key] for key in ("query", "mentions")}, ensure_ascii=False
        )
        for record in records
        if record["query"] is not None
    }
