"""Lessons of queries from a file: as `/wrong` keeps them, and found by their answers."""

import json
from collections.abc import Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from groundwalk.agent.errors import DatasetError, InputError
from groundwalk.agent.kg import KnowledgeGraph, open_kg
from groundwalk.agent.query.actions import spell
from groundwalk.training.asked.question_files import FileQuestion, asked_questions
from groundwalk.training.fitting.exams import query_samples
from groundwalk.training.material import Material, gather
from groundwalk.training.queries.lessons import QueryLessons, query_lessons
from groundwalk.training.queries.question import QueryQuestion, text_of
from groundwalk.training.queries.questions import TAUGHT
from groundwalk.training.queries.typed import typed_question
from groundwalk.training.questions.graph import Graph, load_graph
from groundwalk.training.recipe import Recipe

from .toy import toy_turtle

BORDERS = {"relation": "borders"}


@pytest.fixture(scope="module")
def kg(tmp_path_factory: pytest.TempPathFactory) -> KnowledgeGraph:
    folder = tmp_path_factory.mktemp("toy")
    file = folder / "toy.ttl"
    file.write_text(toy_turtle(), encoding="utf-8")
    return open_kg(str(file), cache=folder / "cache")


@pytest.fixture(scope="module")
def graph(kg: KnowledgeGraph) -> Graph:
    return load_graph(kg)


def corrected(question: str, query: object, *mentions: object) -> FileQuestion:
    """A line of the file of corrections."""
    return FileQuestion(question, (), (), 1, {"query": query, "mentions": list(mentions)})


def answered(question: str, *answers: str) -> FileQuestion:
    """A question with answers; what stands in brackets are its topics."""
    topics = [part.partition("]")[0] for part in question.split("[")[1:]]
    return FileQuestion(question, tuple(topics), answers, 1)


def said(graph: Graph, lessons: Sequence[QueryQuestion]) -> list[str]:
    """Each question as it is typed, and its query."""
    names = dict(zip(graph.relations, graph.labels, strict=True))
    names |= {f"<https://toy.example/{kind}>": kind for kind in ("country", "city", "currency")}
    made = [typed_question(own) for own in lessons]
    return [
        f"{own.question} {spell(own.actions, names)[7:-8]}" for own in made if own and own.actions
    ]


def test_a_query_that_comes_with_its_question(kg: KnowledgeGraph, graph: Graph) -> None:
    found = query_lessons(
        kg,
        graph,
        [
            corrected(
                "who but Spain touches france?",
                {"start": [1], "steps": [BORDERS], "not": [{"start": [0]}]},
                {"text": "Spain", "term": "<https://toy.example/spain>"},
                "France",
            ),
            corrected(
                "countries with more than 2 neighbours",
                {
                    "start": {"class": "country"},
                    "filters": [{**BORDERS, "count": True, "op": ">", "mention": 0}],
                },
                "2",
            ),
            corrected(
                "how many countries use the Euro",
                {
                    "start": [0],
                    "steps": [{"relation": "money", "inverse": True}],
                    "class": "country",
                    "answer": "count",
                },
                "Euro",
                "Nobody",
            ),
        ],
        2,
    )
    assert said(graph, found.lessons) == [
        "who but Spain touches france? <1><STEP>borders<NOT><0><END>",
        "countries with more than 2 neighbours <CLASS>country<WHERE>borders<MANY><GREATER><0>",
        "how many countries use the Euro <0><STEP>^money<CLASS>country<COUNT>",
    ]
    assert found.walks == () and not found.dropped
    names = {action.name for own in found.lessons for action in own.actions or ()}
    assert all(name.startswith("<https://") for name in names - {""})
    kinds = [own.kind for own in found.lessons[0].named]
    assert kinds == ["country", "country"]


def bordering(*limits: tuple[str, object]) -> dict[str, Any]:
    """The countries whose borders are so many."""
    filters = [{**BORDERS, "count": True, "op": op, "value": value} for op, value in limits]
    return {"start": {"class": "country"}, "filters": filters}


@pytest.mark.parametrize(
    ("question", "query", "said_query"),
    [
        ("countries with more than two borders", bordering((">", 2)), "<GREATER><0>"),
        ("countries with over 1,000 borders", bordering((">", 1000)), "<GREATER><0>"),
        ("countries with zero borders", bordering(("=", 0)), "<EQUAL><0>"),
        (
            "countries of 2,000 people and more than 2 borders",
            bordering((">", 2)),
            "<GREATER><1>",
        ),
        (
            "countries with more than 2 and at most two borders",
            bordering((">", 2), ("<=", 2)),
            "<GREATER><0><WHERE>borders<MANY><ATMOST><1>",
        ),
    ],
)
def test_a_value_that_question_and_query_say_is_a_mention(
    kg: KnowledgeGraph, graph: Graph, question: str, query: object, said_query: str
) -> None:
    asked = corrected(question, query)
    (lesson,) = query_lessons(kg, graph, [asked], 2).lessons
    begin = f"{question} <CLASS>country<WHERE>borders<MANY>"
    assert said(graph, [lesson]) == [begin + said_query]
    assert asked.query == {"query": query, "mentions": []}, "it stays as it was"


def nested_in(depth: int) -> dict[str, Any]:
    query: dict[str, Any] = {"start": {"class": "country"}}
    for _ in range(depth):
        query = {"start": query}
    return query


@pytest.mark.parametrize(
    ("asked", "reason"),
    [
        (corrected("who", {"start": [0], "steps": [{"relation": "likes"}]}, "France"), "graph"),
        (corrected("who", {"start": [0]}, "Atlantis"), "graph"),
        (corrected("who", {"begin": 1}), "graph"),
        (corrected("who", None), "graph"),
        (corrected("who touches it", {"start": {"entity": "France"}}), "graph"),
        (corrected("who touches it", {"start": [0], "steps": [BORDERS]}, "France"), "do not name"),
        (corrected("which of them", {"start": {"last": "answers"}}), "before"),
        (corrected("with some borders", bordering((">", 1))), "graph"),
        (corrected("with many borders", bordering((">", 10**400))), "graph"),
        (corrected("which countries", nested_in(400)), "graph"),
    ],
)
def test_a_query_that_is_no_lesson_says_why(
    kg: KnowledgeGraph, graph: Graph, asked: FileQuestion, reason: str
) -> None:
    found = query_lessons(kg, graph, [asked], 2)
    assert found.lessons == () and found.walks == ()
    ((told, count),) = found.dropped.items()
    assert reason in told and count == 1


def test_characters_that_stand_for_mentions_are_no_mentions(
    kg: KnowledgeGraph, graph: Graph
) -> None:
    asked = corrected("who \ue000 touches\ue001 France \uf8ff", {"start": [0]}, "France")
    (lesson,) = query_lessons(kg, graph, [asked], 1).lessons
    assert [own.text for own in lesson.words] == ["who", "touches", "\ue000", "\uf8ff"]


def test_queries_are_found_by_answers(kg: KnowledgeGraph, graph: Graph) -> None:
    asked = [
        answered("what is the capital of [France]", "Paris"),
        answered("how many borders has [Germany]", "2"),
        answered("is there money in [Iceland]", "yes"),
        answered("who borders both [Spain] and [Poland]", "Nobody"),
        answered("who has money like [Euro] and borders [Poland]", "Germany"),
        answered("does [Spain] share borders with [France]", "yes"),
        answered("does [Spain] share borders with [Poland]", "no"),
    ]
    found = query_lessons(kg, graph, asked, 2)
    assert said(graph, found.lessons) == [
        "what is the capital of France <0><STEP>capital",
        "how many borders has Germany <0><STEP>borders<COUNT>",
        "is there money in Iceland <0><STEP>money<YESNO>",
        "who has money like Euro and borders Poland <1><STEP>borders",
        "does Spain share borders with France <0><STEP>borders<AND><1><END><YESNO>",
        "does Spain share borders with Poland <0><STEP>borders<AND><1><END><YESNO>",
    ]
    assert {own.text for own in found.walks} == {asked[0].text, asked[3].text, asked[4].text}


def written(folder: Path, *rows: dict[str, Any]) -> Path:
    """A file of questions."""
    file = folder / "corrections.jsonl"
    file.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    return file


CORRECTION = {
    "question": "all who touch France but Spain",
    "query": {"start": [0], "steps": [BORDERS], "not": [{"start": [1]}]},
    "mentions": ["France", "Spain"],
}
ANSWERED = {"question": "the capital of Poland", "topics": ["Poland"], "answers": ["Warsaw"]}


def gathered(kg: KnowledgeGraph, file: Path, *formats: str) -> Material:
    """What a training of a file is given."""
    return gather(kg, kg.source, Recipe(questions=file, formats=formats, hops=1))


def test_a_file_of_both_is_mixed_into_the_stream(kg: KnowledgeGraph, tmp_path: Path) -> None:
    material = gathered(kg, written(tmp_path, CORRECTION, ANSWERED), "path", "query")
    assert [own.text for own in material.lessons] == ["the capital of \ufffc"]
    queries = material.queries
    assert queries is not None and len(queries.lessons) == 2
    drawn = list(islice(queries.stream(0), 1500))
    actions = [own.actions for own in queries.lessons]
    taught = [own for own in drawn if own.actions in actions]
    texts = {text_of(own.words) for own in taught if own.actions == actions[0]}
    clear = replace(queries, lessons=())
    other = sum(own.actions in actions for own in islice(clear.stream(0), 1500)) / 1500
    assert TAUGHT <= len(taught) / 1500 < TAUGHT + other + 0.05
    assert len(texts) > 40  # noise
    assert all(own.earlier is None for own in query_samples(queries, 0))
    judged = [own.question for own in query_samples(queries, 0)]
    assert judged == [own.question for own in query_samples(clear, 0)], "no lesson is judged"


def test_a_file_of_queries_alone_leaves_walks_to_the_graph(
    kg: KnowledgeGraph, tmp_path: Path
) -> None:
    material = gathered(kg, written(tmp_path, CORRECTION), "path", "query")
    assert material.supervision is None and material.lessons == ()
    assert material.queries is not None and len(material.queries.lessons) == 1
    assert next(material.samples(0)).question


def test_what_is_not_used_is_told(kg: KnowledgeGraph, tmp_path: Path) -> None:
    other = {**CORRECTION, "mentions": ["France", "Atlantis"]}
    material = gathered(kg, written(tmp_path, other, ANSWERED), "path", "query")
    assert material.supervision is not None and material.supervision.dropped.total() == 1
    with pytest.raises(DatasetError, match="no question is of use.*1 whose query"):
        gathered(kg, written(tmp_path, other), "path", "query")


def test_a_query_needs_the_format(kg: KnowledgeGraph, tmp_path: Path) -> None:
    file = written(tmp_path, ANSWERED, CORRECTION)
    with pytest.raises(InputError, match="corrections.jsonl:2: a query is learnt with the format"):
        gathered(kg, file, "path")
    recipe = Recipe(questions=file, formats=("path", "query"))
    assert [own.query is None for own in asked_questions(recipe)] == [True, False]


def test_a_question_that_is_no_text_is_told(kg: KnowledgeGraph, tmp_path: Path) -> None:
    with pytest.raises(DatasetError, match=":1: is not a question"):
        gathered(kg, written(tmp_path, {**CORRECTION, "question": 3}), "path", "query")


def test_without_the_format_answers_teach_walks_as_before(
    kg: KnowledgeGraph, tmp_path: Path
) -> None:
    material = gathered(kg, written(tmp_path, ANSWERED), "path")
    assert material.queries is None and len(material.lessons) == 1
    assert QueryLessons().lessons == ()
