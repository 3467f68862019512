"""Follow-ups on a small graph of a user's own: what they are about, and what they ask again."""

from pathlib import Path
from typing import Any

import pytest
from groundwalk.agent.kg import open_kg
from langgraph.checkpoint.memory import InMemorySaver

from ..whole import build_graph, labels

SERVERS = """
@prefix : <https://example.org/> .
:web-01 a :Server ; :memory_gb 64 ; :ip_address "10.0.4.12" ; :owned_by :Data ; :located_in :fra1 .
:web-02 a :Server ; :memory_gb 128 ; :ip_address "10.0.4.13" ; :owned_by :Data ; :located_in :fra1 .
:web-03 a :Server ; :memory_gb 32 ; :ip_address "10.0.7.2" ; :owned_by :Web ; :located_in :ams3 .
:Data a :Team . :Web a :Team . :fra1 a :DataCenter . :ams3 a :DataCenter .
"""
FAMILY = """
@prefix : <https://example.org/> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
:Ada a :Person ; :birth_date "1950-03-02"^^xsd:date ; :parent_of :Ben ; :lives_in :Oslo .
:Ben a :Person ; :birth_date "1975-07-09"^^xsd:date ; :parent_of :Cleo ; :lives_in :Bergen .
:Cleo a :Person ; :birth_date "2001-01-20"^^xsd:date ; :lives_in :Oslo ; :married_to :Dan .
:Dan a :Person ; :birth_date "1999-11-30"^^xsd:date ; :lives_in :Bergen .
:Oslo a :City ; :population 700000 . :Bergen a :City ; :population 290000 .
"""
OF_DATA = "Which servers are owned by Data?"
MOST = "which of them has the most memory?"


def graph_of(text: str, folder: Path) -> Any:
    (folder / "own.ttl").write_text(text, encoding="utf-8")
    kg = open_kg(folder / "own.ttl", cache=folder / "cache")
    return build_graph(kg=kg, checkpointer=InMemorySaver())


@pytest.fixture(scope="module")
def servers(tmp_path_factory: pytest.TempPathFactory) -> Any:
    return graph_of(SERVERS, tmp_path_factory.mktemp("servers"))


@pytest.fixture(scope="module")
def family(tmp_path_factory: pytest.TempPathFactory) -> Any:
    return graph_of(FAMILY, tmp_path_factory.mktemp("family"))


def said(graph: Any, *questions: str) -> Any:
    """The state after the last of some questions in a thread of their own."""
    state: Any = None
    for question in questions:
        config = {"configurable": {"thread_id": " / ".join(questions)}}
        state = graph.invoke({"question": question}, config)
    return state


@pytest.mark.parametrize(
    ("question", "answer"),
    [("and its owner?", "Data"), ("who owns it?", "Data"), ("where is it located?", "fra1")],
)
def test_it_is_the_one_that_was_chosen(servers: Any, question: str, answer: str) -> None:
    state = said(servers, OF_DATA, MOST, question)
    assert labels(state) == [answer] and "web-02" in state["reading"]


@pytest.mark.parametrize(
    ("before", "they"),
    [
        ((OF_DATA, "what are their ip addresses?"), "web-01 or web-02"),
        (("What are the ip addresses of the servers?",), "web-01 or web-02 or web-03"),
    ],
)
def test_after_values_they_are_what_has_these(
    servers: Any, before: tuple[str, ...], they: str
) -> None:
    reading = said(servers, *before, "where are they located?")["readings"][0]["words"]
    assert reading == f"what ({they}) is located in"


def test_an_extreme_after_values_is_of_what_has_them(servers: Any) -> None:
    of_values = OF_DATA, "how much memory do they have?", "which is the largest?"
    assert labels(said(servers, *of_values)) == ["web-02"]


@pytest.mark.parametrize(
    "questions",
    [
        (OF_DATA, "how many?", "how many are there?"),
        (OF_DATA, "how many are there?", "how many are there?"),
        ("How many servers are owned by Data?", "how many are there?"),
    ],
)
def test_how_many_may_be_asked_again(servers: Any, questions: tuple[str, ...]) -> None:
    state = said(servers, *questions)
    assert state["status"] == "answered" and state["result"]["value"] == 2


def test_a_follow_up_may_be_asked_again(servers: Any) -> None:
    addresses = "what are their ip addresses?"
    state = said(servers, OF_DATA, addresses, addresses)
    assert labels(state) == ["10.0.4.12", "10.0.4.13"]


@pytest.mark.parametrize(
    ("questions", "answers"),
    [
        (("When was Ada born?", "and Ben?"), ["9 July 1975"]),
        (("When was Ada born?", "and Ben?", "what about Cleo?"), ["20 January 2001"]),
        (("When was Ada born?", "why?", "and Dan?"), ["30 November 1999"]),
        (("What is the population of Oslo?", "and Bergen?"), ["290,000"]),
        (("Who lives in Oslo?", "and in Bergen?"), ["Ben", "Dan"]),
    ],
)
def test_another_name_asks_the_question_before_of_that(
    family: Any, questions: tuple[str, ...], answers: list[str]
) -> None:
    assert labels(said(family, *questions)) == answers


def test_a_name_of_another_class_or_with_words_of_its_own_asks_something_else(family: Any) -> None:
    of_oslo = said(family, "Where does Ada live?", "and Oslo?")
    assert of_oslo["readings"][0]["words"] == "every Person that lives in Oslo"
    assert labels(said(family, "Who lives in Oslo?", "and to Bergen?")) == []
    assert "birth date" in said(family, "Where does Ada live?", "when was Ben born?")["reading"]
