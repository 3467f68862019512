"""The exams: answers are what their queries give; the sealed halves are as they were sealed."""

import json
import re
from collections import Counter
from hashlib import sha256
from pathlib import Path
from typing import Any

import groundwalk.data.exams as exams
import groundwalk.data.world as world
import pyoxigraph as ox
import pytest
from groundwalk.data.exams.concerts import build

FOLDER = Path(exams.__file__).parent
GRAPHS = {
    "world": Path(world.__file__).with_name("world.ttl"),
    "concerts": FOLDER / "concerts" / "concerts.ttl",
}


def lines(exam: str) -> list[dict[str, Any]]:
    """The questions of both halves."""
    files = [FOLDER / exam / name for name in ("open.jsonl", "sealed.jsonl")]
    return [json.loads(line) for file in files for line in file.read_text("utf-8").splitlines()]


def value(term: Any) -> Any:
    """A number as such, any other term in N-Triples syntax."""
    if isinstance(term, ox.Literal) and term.datatype.value.rpartition("#")[2] in (
        "integer",
        "decimal",
        "double",
    ):
        return float(term.value)
    return str(term)


def computed(store: ox.Store, query: str) -> list[Any]:
    found = store.query(query)
    if isinstance(found, ox.QueryBoolean):
        return ["yes" if found else "no"]
    assert isinstance(found, ox.QuerySolutions)
    rows = [[value(term) for term in row] for row in found]
    return [row[0] for row in rows] if len(found.variables) == 1 else rows


def comparable(answers: list[Any]) -> list[Any]:
    flat = [[*row] if isinstance(row, list) else [row] for row in answers]
    return sorted(
        [f"{one:.6f}" if isinstance(one, int | float) else str(one) for one in row] for row in flat
    )


@pytest.mark.parametrize("exam", GRAPHS)
def test_the_answers_are_those_of_the_queries(exam: str) -> None:
    store = ox.Store()
    store.bulk_load(path=str(GRAPHS[exam]), format=ox.RdfFormat.TURTLE)
    wrong = [
        sha256(line["question"].encode()).hexdigest()[:12]
        for line in lines(exam)
        if line["sparql"]
        and comparable(computed(store, line["sparql"])) != comparable(line["answers"])
    ]
    assert not wrong


@pytest.mark.parametrize("exam", GRAPHS)
def test_every_question_is_there_once_and_says_what_it_must(exam: str) -> None:
    questions = lines(exam)
    normal = Counter(" ".join(re.findall(r"\w+", line["question"].lower())) for line in questions)
    assert max(normal.values()) == 1
    for line in questions:
        assert line["form"] in ("members", "number", "yesno", "rows")
        assert line["sparql"] or not line["answers"]
        assert line["answers"] or line["why"]
        assert (line["kind"] == "contrast") == ("plain" in line)
        assert line.get("plain") != line["answers"]


@pytest.mark.parametrize("exam", GRAPHS)
def test_the_sealed_half_is_as_it_was_sealed(exam: str) -> None:
    digest = sha256((FOLDER / exam / "sealed.jsonl").read_bytes()).hexdigest()
    told = (FOLDER / "README.md").read_text("utf-8")
    assert f"| `{exam}/sealed.jsonl` | {len(lines(exam)) // 2} | `{digest}` |" in told


def test_the_graph_of_concerts_is_up_to_date() -> None:
    assert build.OUT.read_bytes() == build.made()
