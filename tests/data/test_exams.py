"""The exams: answers are what their queries give; the sealed halves are as they were sealed."""

import json
import re
from collections import Counter
from hashlib import sha256
from pathlib import Path
from types import ModuleType
from typing import Any, cast

import groundwalk.data.exams as exams
import groundwalk.data.world as world
import pyoxigraph as ox
import pytest
from groundwalk.agent.kg import open_kg
from groundwalk.agent.kg.nodes import to_node
from groundwalk.agent.query.binding import Mention, bind
from groundwalk.agent.query.execute import execute
from groundwalk.agent.query.facts import Facts
from groundwalk.agent.query.tree import read_query
from groundwalk.data.exams.aquarium import build as aquarium
from groundwalk.data.exams.concerts import build as concerts
from groundwalk.data.exams.garage import build as garage
from groundwalk.data.exams.huts import build as huts
from groundwalk.data.exams.lexicon import build as lexicon
from groundwalk.data.exams.recycling import build as recycling
from groundwalk.data.exams.rental import build as rental

FOLDER = Path(exams.__file__).parent
GRAPHS = {
    "world": Path(world.__file__).with_name("world.ttl"),
    **{
        name: FOLDER / name / f"{name}.ttl"
        for name in ("concerts", "huts", "rental", "recycling", "lexicon", "aquarium", "garage")
    },
}
WITH_TREES = ("world", "concerts")
SEALED = [
    *(f"{exam}/sealed.jsonl" for exam in GRAPHS),
    *(f"{exam}/sealed.trees.jsonl" for exam in WITH_TREES),
]


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


@pytest.mark.parametrize("file", SEALED)
def test_the_sealed_half_is_as_it_was_sealed(file: str) -> None:
    sealed = (FOLDER / file).read_bytes()
    told = (FOLDER / "README.md").read_text("utf-8")
    digest, size = sha256(sealed).hexdigest(), len(sealed.splitlines())
    assert f"| `{file}` | {size} | `{digest}` |" in told


@pytest.mark.parametrize("exam", WITH_TREES)
def test_the_gold_trees_come_to_the_answers(exam: str) -> None:
    """All but one query, which asks for a month."""
    files = [FOLDER / exam / name for name in ("open.trees.jsonl", "sealed.trees.jsonl")]
    trees = [json.loads(line) for file in files for line in file.read_text("utf-8").splitlines()]
    kg = open_kg(str(GRAPHS[exam]))
    facts, wrong, unsaid = Facts(kg), list[int](), 0
    for number, (line, tree) in enumerate(zip(lines(exam), trees, strict=True)):
        assert tree["question"] == sha256(line["question"].encode()).hexdigest()
        if tree["query"] is None:
            unsaid += bool(line["sparql"])
            continue
        outcome = execute_record(facts, tree)
        if comparable(outcome) != comparable([plain(own) for own in line["answers"]]):
            wrong.append(number)
    assert not wrong and unsaid == {"world": 0, "concerts": 1}[exam]


def execute_record(facts: Facts, record: dict[str, Any]) -> list[Any]:
    """What a query with its mentions comes to, as the answers of an exam are written."""
    mentions = [Mention(own["text"], own["term"]) for own in record["mentions"]]
    outcome = execute(facts, bind(facts.kg, read_query(record["query"]), mentions))
    match outcome.form:
        case "truth":
            return ["yes" if outcome.value else "no"]
        case "number":
            return [outcome.value]
        case "rows":
            return [[plain(cell) for cell in row] for row in outcome.rows]
        case _:
            return [plain(member) for member in outcome.members]


def plain(term: Any) -> Any:
    """A number of the graph as such."""
    if isinstance(term, list):
        return [plain(own) for own in cast("list[Any]", term)]
    if isinstance(term, str) and term.startswith('"'):
        return value(to_node(term))
    return term


@pytest.mark.parametrize("build", [concerts, huts, rental, recycling, lexicon, aquarium, garage])
def test_the_graph_is_up_to_date(build: ModuleType) -> None:
    assert build.OUT.read_bytes() == build.content()
