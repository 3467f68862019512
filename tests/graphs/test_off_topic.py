"""Questions about nothing in the graph, and follow-ups on nothing, get no earlier answer."""

from typing import Any

import pytest
from langgraph.checkpoint.memory import InMemorySaver

from ..whole import build_graph

COUNT = "How many countries border France?"


@pytest.fixture(scope="module")
def graph() -> Any:
    return build_graph(checkpointer=InMemorySaver())


def asked(graph: Any, *questions: str) -> Any:
    state: Any = {}
    for question in questions:
        thread = {"configurable": {"thread_id": " ".join(questions)}}
        state = graph.invoke({"question": question}, thread)
    return state


@pytest.mark.parametrize(
    ("before", "question"),
    [
        (COUNT, "Who wrote Hamlet?"),
        (COUNT, "What is the best pizza?"),
        (COUNT, "Where can I buy shoes?"),
        (COUNT, "What is 2 plus 2?"),
        (COUNT, "How many planets are there?"),
        ("How many lakes are in Finland?", "how old are you"),
        ("What is the highest mountain in Africa?", "How do I tie a tie?"),
        ("Which mountains are in Nepal?", "what is a good present for my mother"),
        ("How many countries border Germany?", "Who composed the Ninth Symphony?"),
    ],
)
def test_a_question_about_something_else_gets_no_earlier_answer(
    graph: Any, before: str, question: str
) -> None:
    state = asked(graph, before, question)
    assert state["status"] in ("abstained", "unsure")
    assert not state["answers"] and state["result"] is None


def test_an_unknown_word_of_meaning_is_named_and_makes_less_sure(graph: Any) -> None:
    state = asked(graph, "Which countries hate the euro?")
    assert state["notes"][0] == 'not understood: "hate"' and not state["answers"]
    assert state["confidence"] == 0.5 < asked(graph, "Which countries use the euro?")["confidence"]


def test_a_word_that_is_taken_for_filler_is_named_beside_the_answer(graph: Any) -> None:
    state = asked(graph, "Over the territory of how many states does the Alpine arc extend?")
    assert (state["status"], state["result"]["value"]) == ("answered", 8)
    assert state["notes"] == ['left out, as it seems to ask nothing: "arc"']


@pytest.mark.parametrize(
    ("turns", "word"),
    [
        (("which rivers flow through it?",), "it"),
        (("What are their capitals?",), "their"),
        (("What is the capital of Kenya?", "Who wrote Hamlet?", "what is its currency?"), "its"),
    ],
)
def test_what_it_is_has_to_be_known(graph: Any, turns: tuple[str, ...], word: str) -> None:
    state = asked(graph, *turns)
    (note,) = state["notes"]
    assert note.startswith(f'I do not know what "{word}" is') and not state["answers"]


@pytest.mark.parametrize(
    ("turns", "answer"),
    [
        (("Which countries border France?", "tell me about Peru", "what is its capital?"), "Lima"),
        (("What is the capital of Kenya?", "Who is the king of Japan?", "its capital?"), "Tokyo"),
        (("Peru", "and its currency?"), "Peruvian sol"),
    ],
)
def test_it_is_what_the_last_question_was_about(
    graph: Any, turns: tuple[str, ...], answer: str
) -> None:
    assert [own["label"] for own in asked(graph, *turns)["answers"]] == [answer]


def test_what_is_next_to_it_is_asked_of_a_card_also_where_it_is_misspelt(graph: Any) -> None:
    turns = ("Which countries border France?", "tell me about Peru")
    state = asked(graph, *turns, "and which countrys are next to it")
    assert {"Brazil", "Chile"} < {own["label"] for own in state["answers"]}


def test_the_one_thing_that_was_talked_about_is_not_counted(graph: Any) -> None:
    state = asked(graph, COUNT, "tell me about Peru", "how many are there?")
    assert state["result"] is None and not state["answers"]


def test_a_reading_of_no_likelihood_is_not_told(graph: Any) -> None:
    state = asked(graph, "Who is the president of Kenya?")
    assert state["confidence"] < 0.05
    assert state["notes"][0] == 'not understood: "president"'
    assert not any("I read" in note for note in state["notes"])
