"""What a reply shows: as many answers as are wanted, the words left out, and what was no name."""

from typing import Any

import pytest
from groundwalk.agent.options import Options
from groundwalk.graphs.nesting import CompiledGraph
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command

from ..whole import build_graph

BORDERS = "Which countries border Austria?"
KOREA = "What is the capital of Korea?"


@pytest.fixture(scope="module")
def graph() -> CompiledGraph:
    return build_graph(checkpointer=InMemorySaver())


def ask(graph: CompiledGraph, thread: str, question: str, **options: Any) -> Any:
    config: Any = {"configurable": {"thread_id": thread}}
    return graph.invoke({"question": question}, config, context=Options(**options))


def test_no_more_answers_than_wanted_and_how_many_more_there_are(graph: CompiledGraph) -> None:
    state = ask(graph, "few", BORDERS, max_answers=2)
    assert [answer["label"] for answer in state["answers"]] == ["Czechia", "Germany"]
    assert state["notes"] == ["6 more answers are not shown"]
    (message,) = state["messages"][1:]
    assert message.text == "Czechia; Germany; and 6 more"
    assert len(message.response_metadata["answers"]) == 2 and message.response_metadata["cut"]
    assert ask(graph, "all but one", BORDERS, max_answers=7)["notes"] == [
        "1 more answer is not shown"
    ]
    assert not ask(graph, "all", BORDERS, max_answers=8)["notes"]


def test_a_question_about_the_answers_is_about_all_of_them(graph: CompiledGraph) -> None:
    ask(graph, "follow", BORDERS, max_answers=2)
    counted = ask(graph, "follow", "how many are there?", max_answers=2)
    assert counted["result"]["value"] == 8 and len(counted["answers"]) == 2
    assert counted["notes"] == ["6 more answers are not shown"]


def test_the_reply_itself_says_what_it_leaves_out(graph: CompiledGraph) -> None:
    state = ask(graph, "large", "Which large rivers flow through Luxembourg?")
    assert state["status"] == "partial"
    assert state["messages"][-1].text == 'not understood: "large"\nMoselle'
    assert state["turns"][-1]["text"] == "Moselle"


@pytest.mark.parametrize(
    "question", ["Who painted the Mona Lisa?", "foo bar baz", "how many?", "so you contradict me"]
)
def test_where_no_word_is_known_nothing_is_said_to_be_read(
    graph: CompiledGraph, question: str
) -> None:
    state = ask(graph, question, question)
    *words, note = state["notes"]
    assert note.startswith("no word of the question was recognised")
    assert all(text.startswith("not understood: ") for text in words)
    assert (state["status"], state["readings"], state["reading"]) == ("abstained", [], "")
    assert state["messages"][-1].text == "I did not understand that."


@pytest.mark.parametrize("method", ["query", "gcr"])
def test_nothing_is_linked_to_a_name_of_several_before_it_is_asked(method: str) -> None:
    graph = build_graph(method, checkpointer=InMemorySaver())
    threads: Any = [{"configurable": {"thread_id": name}} for name in "12"]
    one, other = threads
    first, *_ = graph.stream({"question": KOREA}, one, stream_mode="custom")
    assert first == {"event": "linked", "topics": []}
    first, *_ = graph.stream(Command(resume="South Korea"), one, stream_mode="custom")
    assert first["event"] == "linked"
    assert [topic["label"] for topic in first["topics"]] == ["South Korea"]
    state = graph.invoke({"question": KOREA}, other, context=Options(on_ambiguous="error"))
    assert (state["status"], state["topics"]) == ("ambiguous", [])
