"""What a run streams is what `groundwalk.Event` says, and what the reference says of methods."""

import re
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from groundwalk.agent.events import Event
from groundwalk.agent.options import Options
from groundwalk.graphs import METHODS, build_graph
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.types import Command
from pydantic import TypeAdapter

ROOT = Path(__file__).parents[2]
PLAIN = "Which countries border Austria?"
FURTHER = ["How many countries border Austria?", "hello", "What is the capital of Korea?"]
STREAMED: Any = {"stream_mode": "custom", "subgraphs": True}
METHOD = ["query", "gcr", "plan", "dog", "rog", "tog", "tot", "retrieve"]


@cache
def graph(method: str) -> Any:
    return build_graph(method, checkpointer=InMemorySaver())


@cache
def streamed(method: str, given: str, key: str = "question") -> list[Any]:
    retrieved = str(ROOT / "data" / "world" / "retrieved.jsonl") if method == "paths" else ""
    query = {"start": {"entity": given}, "steps": [{"relation": "borders"}], "answer": "count"}
    turn = {key: given if key == "question" else query}
    if method == "paths":
        turn["id"] = "-"
    config: Any = {"configurable": {"thread_id": given}}
    context = Options(retrieved=retrieved)
    return list(graph(method).stream(turn, config, stream_mode="custom", context=context))


def table() -> dict[str, list[str]]:
    """The events of each method, as the page says."""
    page = (
        (ROOT / "docs" / "reference.md").read_text(encoding="utf-8").partition("| its events |")[2]
    )
    rows = re.findall(r"^\| (`.*?) \| (.*?) \|$", page, re.MULTILINE)
    named = [(re.findall(r"`(.*?)`", row), re.findall(r"`(.*?)`", own)) for row, own in rows]
    return {method: own for methods, own in named for method in methods}


@pytest.mark.parametrize("method", METHOD)
def test_every_event_has_its_type(method: str) -> None:
    events = TypeAdapter[Any](Event)
    for question in (PLAIN, *FURTHER):
        own = streamed(method, question)
        assert [events.validate_python(event) for event in own] == own
        is_open = question == FURTHER[-1]
        assert own[-1]["event"] == ("ambiguous" if is_open else "responded")
        assert is_open or sum(event["event"] == "responded" for event in own) == 1


@pytest.mark.parametrize("method", METHODS)
def test_a_method_streams_what_the_page_says(method: str) -> None:
    first, *own, last = dict.fromkeys(event["event"] for event in streamed(method, PLAIN))
    assert (first, last) == ("linked", "responded")
    assert own == table()[method]


def test_the_page_says_it_of_every_method_and_names_every_event() -> None:
    assert table().keys() == METHODS.keys()
    page = (ROOT / "docs" / "reference.md").read_text(encoding="utf-8")
    kinds = [own.__annotations__["event"].__args__[0] for own in Event.__args__]
    assert all(f"`{kind}`" in page for kind in kinds)


def test_a_query_is_computed() -> None:
    own = streamed("query", "Kenya", "query")
    assert [event["event"] for event in own] == ["computed", "responded"]


def test_events_come_out_of_a_graph_around_with_their_namespace() -> None:
    """The question's own are those of the node; after a choice its entities are told twice."""
    around = StateGraph(MessagesState)
    around.add_node("kg", build_graph())
    around.add_edge(START, "kg")
    graph: Any = around.compile(checkpointer=InMemorySaver())
    thread: Any = {"configurable": {"thread_id": "1"}}
    asked = [
        [event["event"] for _, event in graph.stream(given, thread, **STREAMED)]
        for given in ({"messages": [("user", "What is the capital of Korea?")]}, Command(resume=1))
    ]
    assert asked == [["linked", "ambiguous"], ["linked", "linked", "responded"]]
    given: Any = {"messages": [("user", "What is the capital of Kenya?")]}
    assert not list(graph.stream(given, thread, stream_mode="custom"))
    assert {namespace for namespace, _ in graph.stream(given, thread, **STREAMED)} == {("kg",)}
