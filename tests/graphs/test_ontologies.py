"""Questions over an ontology and a thesaurus: walks are proved by the triples of the files."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from groundwalk.agent.kg import KnowledgeGraph, Triple, open_kg
from groundwalk.agent.options import Options
from groundwalk.graphs import build_graph

FILES = Path(__file__).parents[1] / "agent" / "kg"
SOME = "<http://www.w3.org/2002/07/owl#someValuesFrom>"


@pytest.fixture(scope="module")
def anatomy(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KnowledgeGraph]:
    kg = open_kg(str(FILES / "anatomy.ttl"), cache=tmp_path_factory.mktemp("cache"))
    yield kg
    kg.close()


def answered(kg: KnowledgeGraph, asked: dict[str, Any]) -> Any:
    graph: Any = build_graph("query", kg=kg, checkpointer=False)
    turn: Any = {"question": "", **asked}
    return graph.invoke(turn, context=Options(on_ambiguous="error"))


def proved(kg: KnowledgeGraph, state: Any) -> dict[str, set[Triple]]:
    """The triples that each answer was shown with, all of which the file has."""
    shown: dict[str, set[Triple]] = {}
    for answer in state["answers"]:
        steps = [step for chain in answer["chains"] for step in chain]
        triples = {
            Triple(s["head"]["term"], s["relation"]["term"], s["tail"]["term"]) for s in steps
        }
        assert triples and all(kg.store.holds(sorted(triples)))
        assert all(step["verdict"] == "supported" for step in steps)
        shown[answer["label"]] = triples
    return shown


def step(relation: str, *, inverse: bool = False) -> dict[str, Any]:
    return {"relation": relation, "inverse": inverse}


HEART = {"entity": "Heart", "id": "<https://example.org/anatomy#Heart>"}
BODY = {"entity": "Body", "id": "<https://example.org/anatomy#Body>"}


@pytest.mark.parametrize(
    ("query", "labels"),
    [
        (
            {"start": HEART, "steps": [step("part of (some)")]},
            {"Body", "Cardiovascular system"},
        ),
        (
            {"start": BODY, "steps": [step("part of (some)", inverse=True)]},
            {"Heart", "Liver"},
        ),
        ({"start": {"class": "Organ"}}, {"Heart", "Liver"}),
        (
            {"start": HEART, "steps": [step("kind of"), step("kind of")]},
            {"Anatomical structure"},
        ),
        (
            {
                "start": {"class": "Organ"},
                "filters": [{"relation": "laterality (value)", "op": "=", "value": "right"}],
            },
            {"Liver"},
        ),
    ],
)
def test_a_query_over_what_classes_are(
    anatomy: KnowledgeGraph, query: dict[str, Any], labels: set[str]
) -> None:
    state = answered(anatomy, {"query": query})
    assert state["status"] == "answered", state["notes"]
    assert proved(anatomy, state).keys() == labels


def test_a_question_is_answered_by_restrictions(anatomy: KnowledgeGraph) -> None:
    state = answered(anatomy, {"question": "What is Heart supplied by?"})
    assert state["status"] == "answered", state["notes"]
    shown = proved(anatomy, state)
    assert shown.keys() == {"Coronary artery"}
    assert SOME in {triple.relation for triple in shown["Coronary artery"]}


def test_other_names_find_a_concept_and_are_no_values(tmp_path: Path) -> None:
    kg = open_kg(str(FILES / "cheese.ttl"), cache=tmp_path)
    state = answered(kg, {"question": "What is bleu?"})
    assert [topic["label"] for topic in state["topics"]] == ["blue cheese"]
    assert state["status"] == "answered", state["notes"]
    kg.close()
