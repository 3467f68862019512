"""A query by hand says its values; as a lesson it points at the words of its question."""

from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from groundwalk import build_graph
from groundwalk.agent.kg import KnowledgeGraph, open_kg
from groundwalk.agent.query.actions import spell
from groundwalk.training.asked.question_files import FileQuestion
from groundwalk.training.queries.lessons import query_lessons
from groundwalk.training.queries.mentioned import with_mentions
from groundwalk.training.queries.typed import typed_question
from groundwalk.training.questions.graph import load_graph

HALLS = """
@prefix : <https://halls.example/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:h1 a :Hall ; rdfs:label "Boathouse" ; :city "Bergen" ; :open true ; :seats 80 .
:h2 a :Hall ; rdfs:label "Old Granary" ; :city "Bergen" ; :open false ; :seats 300 .
:h3 a :Hall ; rdfs:label "Lantern Hall" ; :city "Lund" ; :open true ; :seats 900 .
:c1 a :Choir ; rdfs:label "Larks" ; :rehearsesIn :h1 ; :style "folk" .
:c2 a :Choir ; rdfs:label "Dunmorrow Chorale" ; :rehearsesIn :h3 ; :style "folk" .
:c3 a :Choir ; rdfs:label "Owls" ; :rehearsesIn :h2 ; :style "gospel" .
"""
_CITY = {"relation": "city", "op": "=", "value": "Bergen"}


@pytest.fixture(scope="module")
def kg(tmp_path_factory: pytest.TempPathFactory) -> KnowledgeGraph:
    folder = tmp_path_factory.mktemp("halls")
    (folder / "halls.ttl").write_text(HALLS, encoding="utf-8")
    return open_kg(str(folder / "halls.ttl"), cache=folder / "cache")


CASES: list[tuple[str, dict[str, Any], list[str], str]] = [
    (
        "halls of Bergen",
        {"start": {"class": "Hall"}, "filters": [_CITY]},
        [],
        "<0><STEP>^city<CLASS>Hall",
    ),
    (
        "what is there in Bergen",
        {"start": {"domain": "city"}, "filters": [_CITY]},
        [],
        "<0><STEP>^city",
    ),
    (
        "choirs that rehearse in Bergen",
        {
            "start": {"class": "Choir"},
            "filters": [{**_CITY, "via": [{"relation": "rehearses in"}]}],
        },
        [],
        "<0><STEP>^city<STEP>^rehearses in<CLASS>Choir",
    ),
    (
        "halls of folk choirs in Bergen",
        {
            "start": {"class": "Choir"},
            "filters": [{"relation": "style", "op": "=", "value": "folk"}],
            "and": [
                {
                    "start": {"class": "Choir"},
                    "filters": [{**_CITY, "via": [{"relation": "rehearses in"}]}],
                }
            ],
        },
        [],
        "<0><STEP>^style<CLASS>Choir<AND><1><STEP>^city<STEP>^rehearses in<CLASS>Choir<END>",
    ),
    (
        "open halls of Bergen with under 100 seats",
        {
            "start": {"class": "Hall"},
            "filters": [
                _CITY,
                {"relation": "open", "op": "=", "value": True},
                {"relation": "seats", "op": "<", "value": 100},
            ],
        },
        [],
        "<0><STEP>^city<CLASS>Hall<WHERE>open<EXISTS><WHERE>seats<LESS><1>",
    ),
    (
        "where does the Dunmorrow choir rehearse",
        {"start": [0], "steps": [{"relation": "rehearses in"}]},
        ["Dunmorrow Chorale"],
        "<0><STEP>rehearses in",
    ),
    (
        "is the Boathouse in Bergen",
        {"start": [0], "filters": [_CITY], "answer": "yesno"},
        ["Boathouse"],
        "<0><AND><1><STEP>^city<END><YESNO>",
    ),
]


@pytest.mark.parametrize(("question", "query", "names", "spelled"), CASES)
def test_a_query_by_hand_as_readers_write_it(
    kg: KnowledgeGraph, question: str, query: dict[str, Any], names: list[str], spelled: str
) -> None:
    graph = load_graph(kg)
    asked = FileQuestion(question, (), (), 1, {"query": query, "mentions": names})
    (lesson,) = query_lessons(kg, graph, [asked], 2).lessons
    typed = typed_question(lesson)
    assert typed is not None and typed.actions is not None
    called = dict(zip(graph.relations, graph.labels, strict=True))
    called |= {f"<https://halls.example/{kind}>": kind for kind in ("Hall", "Choir")}
    assert spell(typed.actions, called)[7:-8] == spelled


@pytest.mark.parametrize(("question", "query", "names", "_"), CASES)
def test_it_comes_to_the_same_answers(
    tmp_path: Path, question: str, query: dict[str, Any], names: list[str], _: str
) -> None:
    """`exists` of a truth is left out: only readings mean it as true."""
    (tmp_path / "halls.ttl").write_text(HALLS, encoding="utf-8")
    graph = build_graph(kg=str(tmp_path / "halls.ttl"))

    def answers(tree: dict[str, Any], mentions: list[str]) -> set[str]:
        told = graph.invoke({"query": {"query": tree, "mentions": mentions}})
        return {answer["label"] for answer in told["answers"]}

    by_hand = _without_truths(query)
    written = deepcopy(by_hand)
    said = with_mentions(written, question, [(0, 0) for _ in names])
    texts = [question[slice(*one.spot)] for one in said]
    assert answers(written, [*names, *texts]) == answers(by_hand, names) != set()


def test_a_text_that_the_question_does_not_say_stays_a_value(kg: KnowledgeGraph) -> None:
    query = {"start": {"class": "Hall"}, "filters": [_CITY]}
    asked = FileQuestion("halls by the sea", (), (), 1, {"query": query, "mentions": []})
    found = query_lessons(kg, load_graph(kg), [asked], 2)
    assert not found.lessons and found.dropped.total() == 1


def _without_truths(query: dict[str, Any]) -> dict[str, Any]:
    kept = [one for one in query.get("filters", ()) if one.get("value") is not True]
    return {**query, "filters": kept} if "filters" in query else query
