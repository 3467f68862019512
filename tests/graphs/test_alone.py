"""A complete question takes nothing of the one before it; a reading that is chosen is answered."""

from typing import Any

import pytest
from groundwalk.agent.errors import QuestionError
from langgraph.checkpoint.memory import InMemorySaver

from ..whole import build_graph


@pytest.fixture(scope="module")
def graph() -> Any:
    return build_graph(checkpointer=InMemorySaver())


def asked(graph: Any, thread: str, *questions: str) -> Any:
    state: Any = {}
    for question in questions:
        state = graph.invoke({"question": question}, _thread(thread))
    return state


def _thread(name: str) -> Any:
    return {"configurable": {"thread_id": name}}


@pytest.mark.parametrize(
    ("before", "question"),
    [
        ("whats the longest river in africa", "whats the capital of france"),
        (
            "Which countries are members of the European Union and have a coast on the Baltic Sea?",
            "Which countries border Russia?",
        ),
        (
            "Which countries border both Serbia and Greece?",
            "which countries is the Danube in?",
        ),
        ("Is the Nile longer than the Amazon?", "What is the capital of Australia?"),
        ("which countries speak spanish", "whats the highest mountain in the world"),
    ],
)
def test_a_complete_question_is_answered_as_if_it_were_the_first(
    graph: Any, before: str, question: str
) -> None:
    first, after = asked(graph, f"1 {question}", question), asked(graph, before, before, question)
    assert first["answers"]
    assert _terms(after) == _terms(first)
    assert after["reading"] == first["reading"]


def test_what_points_back_is_read_with_what_came_before(graph: Any) -> None:
    state = asked(graph, "back", "Which countries border Austria?", "which of them use the euro?")
    assert {answer["label"] for answer in state["answers"]} == {
        *("Germany", "Italy", "Slovakia", "Slovenia")
    }


def test_a_reading_of_earlier_answers_can_be_chosen(graph: Any) -> None:
    asked(graph, "chosen", "Which countries border Austria?")
    state = asked(graph, "chosen", "which of them use the euro?")
    (first, *_) = state["readings"]
    chosen = graph.invoke({"query": first["query"]}, _thread("chosen"))
    assert _terms(chosen) == _terms(state) != []


def test_a_query_that_fails_is_gone_with_the_next_question(graph: Any) -> None:
    with pytest.raises(QuestionError):
        graph.invoke({"query": {"start": {"last": "answers"}}}, _thread("failed"))
    assert _terms(asked(graph, "failed", "What is the capital of Peru?"))


def _terms(state: Any) -> list[str]:
    return [answer["term"] for answer in state["answers"]]
