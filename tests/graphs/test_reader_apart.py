"""A model that writes walks only, over any graph: the reader takes questions apart for it."""

from collections.abc import Iterator
from typing import Any

import pytest
from groundwalk.agent.kg import KnowledgeGraph, Triple, open_kg
from groundwalk.agent.linking import LabelLinker
from groundwalk.agent.options import Options
from groundwalk.agent.state import State
from groundwalk.graphs.ground import Parts
from groundwalk.graphs.methods import METHODS
from groundwalk.graphs.skeleton import skeleton

from ..whole import build_graph
from .families import labels, random_local
from .prompting import never

FILMS = """
@prefix : <http://example.org/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:Film rdfs:label "film" . :Person rdfs:label "person" .
:director rdfs:label "director" . :actor rdfs:label "actor" .
:ada a :Person ; rdfs:label "Ada Lind" . :ben a :Person ; rdfs:label "Ben Moor" .
:cleo a :Person ; rdfs:label "Cleo Ray" .
:rain a :Film ; rdfs:label "Rain" ; :director :ada ; :actor :ben , :cleo .
:snow a :Film ; rdfs:label "Snow" ; :director :ada ; :actor :cleo .
:wind a :Film ; rdfs:label "Wind" ; :director :ben ; :actor :ada .
"""


@pytest.fixture(scope="module")
def kg(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KnowledgeGraph]:
    folder = tmp_path_factory.mktemp("films")
    (folder / "films.ttl").write_text(FILMS, encoding="utf-8")
    opened = open_kg(str(folder / "films.ttl"), cache=folder / "cache")
    yield opened
    opened.close()


def ask(kg: KnowledgeGraph, question: str, **options: Any) -> State:
    graph: Any = build_graph("gcr", kg=kg, generator=random_local(), checkpointer=False)
    own: dict[str, Any] = {"on_ambiguous": "best", "confidence": 0.0, **options}
    return graph.invoke({"question": question}, context=Options(**own))


def is_proved(kg: KnowledgeGraph, state: State) -> bool:
    """Whether the store has every triple behind the answers, and there are some."""
    chains = [chain for answer in state.get("answers", []) for chain in answer["chains"]]
    steps = [step for chain in chains for step in chain]
    triples = [
        Triple(step["head"]["term"], step["relation"]["term"], step["tail"]["term"])
        for step in steps
    ]
    return bool(steps) and all(kg.store.holds(triples))


def test_the_method_answers_the_walk_and_its_ends_are_counted(kg: KnowledgeGraph) -> None:
    state = ask(kg, "How many films have the actor Cleo Ray?", hops=1)
    operation, result = state.get("operation"), state.get("result")
    assert operation is not None and operation["kind"] == "count"
    assert [part["question"] for part in state.get("parts", [])] == [
        "every film whose actor is Cleo Ray"
    ]
    assert result is not None and result["value"] == 2 and labels(state) == {"Rain", "Snow"}
    assert result["how"] == "computed over verified answers" and is_proved(kg, state)


def test_what_something_is_not_is_read_as_that(kg: KnowledgeGraph) -> None:
    state = ask(kg, "Which films were not directed by Ada Lind?", hops=1)
    assert state.get("status") == "answered" and labels(state) == {"Wind"}


def test_two_are_compared(kg: KnowledgeGraph) -> None:
    state = ask(kg, "Which film has more actors, Rain or Snow?")
    assert state.get("status") == "answered" and labels(state) == {"Rain"}


def test_a_walk_is_answered_as_it_is(kg: KnowledgeGraph) -> None:
    state = ask(kg, "Who directed Rain?")
    assert state.get("operation") is None and state.get("question") == "Who directed Rain?"
    assert state.get("candidates") and state.get("readings") and is_proved(kg, state)


def test_a_paper_asks_no_reader(kg: KnowledgeGraph) -> None:
    state = ask(kg, "How many films have the actor Cleo Ray?", queries=False)
    assert state.get("operation") is None and state.get("readings") == []


@pytest.mark.parametrize("method", ["plan", "dog", "rog", "tog", "retrieve", "direct"])
def test_every_method_has_a_reader(kg: KnowledgeGraph, method: str) -> None:
    """What has no walk is answered before the method is asked, whatever model it has."""
    parts = Parts(kg, LabelLinker(kg.labels), random_local().settings, never)
    graph: Any = skeleton(method, METHODS[method], parts, checkpointer=False)
    state = graph.invoke({"question": "How many films are there?"}, context=Options(confidence=0.0))
    assert state["result"]["value"] == 3
    assert f"computed over the whole graph, not over what {method} verified" in state["notes"]
