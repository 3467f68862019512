"""The bundled exams: questions that nobody looked at while anything was made, with gold trees."""

import json
from contextlib import ExitStack
from dataclasses import replace
from hashlib import sha256
from importlib import resources
from pathlib import Path

from ...agent.errors import InputError
from ..samples import Sample
from .jsonl import read_jsonl

_PACKAGE = f"{__name__.split('.')[0]}.data.exams"
GRAPHS = ("world", "concerts")
HALVES = ("open", "sealed")


def read_exam(split: str) -> tuple[Sample, ...]:
    """The questions of a split, as `world/open`; of both halves where only a graph is named.

    Raises InputError for another split.
    """
    graph, _, half = split.partition("/")
    if graph not in GRAPHS or half not in ("", *HALVES):
        names = [*GRAPHS, *(f"{own}/{half}" for own in GRAPHS for half in HALVES)]
        raise InputError(f"the exams have no split {split!r}", f"splits: {', '.join(names)}")
    halves = [half] if half else list(HALVES)
    return tuple(sample for own in halves for sample in _read(graph, own))


def exam_kg(split: str) -> str:
    """Where the graph of a split is, as `open_kg` takes it."""
    if split.partition("/")[0] != "concerts":
        return "world"
    return str(resources.files(_PACKAGE) / "concerts" / "concerts.ttl")


def _read(graph: str, half: str) -> list[Sample]:
    folder = resources.files(_PACKAGE) / graph
    with ExitStack() as stack:
        file = stack.enter_context(resources.as_file(folder / f"{half}.jsonl"))
        samples = read_jsonl(file)
        trees: dict[str, str] = {}
        if (gold := folder / f"{half}.trees.jsonl").is_file():
            trees = _trees(stack.enter_context(resources.as_file(gold)))
    return [
        replace(sample, query=trees.get(sha256(sample.question.encode()).hexdigest(), ""))
        for sample in samples
    ]


def _trees(file: Path) -> dict[str, str]:
    """The gold trees by the digest of their questions."""
    records = map(json.loads, file.read_text(encoding="utf-8").splitlines())
    return {
        record["question"]: json.dumps(
            {key: record[key] for key in ("query", "mentions")}, ensure_ascii=False
        )
        for record in records
        if record["query"] is not None
    }
