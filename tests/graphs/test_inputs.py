"""What goes into a run, and what is open in a thread."""

import asyncio
import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from groundwalk.agent.conversation.saver import ThreadSaver
from groundwalk.agent.errors import InputError, QuestionError
from groundwalk.agent.kg import open_kg
from groundwalk.agent.options import Options
from groundwalk.graphs import describe_graph
from groundwalk.graphs.nesting import CompiledGraph
from langchain_core.messages import HumanMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
from langgraph.types import Command

from ..whole import build_graph

KENYA = "What is the capital of Kenya?"
KOREA = "What is the capital of Korea?"


@pytest.fixture(scope="module")
def graph() -> CompiledGraph:
    return build_graph(checkpointer=InMemorySaver())


def thread(name: str) -> Any:
    return {"configurable": {"thread_id": name}}


def runs(graph: CompiledGraph, given: Any, config: Any) -> Iterator[Any]:
    """The error of each way to run the graph; None where there is none."""

    async def streamed() -> None:
        async for _ in graph.astream(given, config):
            pass

    for run in (
        lambda: graph.invoke(given, config),
        lambda: list(graph.stream(given, config)),
        lambda: asyncio.run(graph.ainvoke(given, config)),
        lambda: asyncio.run(streamed()),
    ):
        try:
            run()
            yield None
        except QuestionError as error:
            yield error.with_hint


@pytest.mark.parametrize(
    "given, said",
    [
        ({}, 'no question is given (give one: {"question": "..."})'),
        ({"question": None}, 'no question is given (give one: {"question": "..."})'),
        ({"question": 5}, "a question is a text, and no int (put it in words)"),
        ({"question": " "}, "the question is empty (ask about something in the graph)"),
        ({"qestion": KENYA}, "there is no input 'qestion' (did you mean question?)"),
        (
            {"question": KENYA, "user": 7},
            "there is no input 'user' (give a question, messages or a query)",
        ),
        (KENYA, 'the input is no mapping: str (give a question: {"question": "..."})'),
        (None, "nothing is asked in this thread (ask a question first)"),
        (Command(resume="1"), "nothing is asked in this thread (ask a question first)"),
    ],
    ids=str,
)
def test_what_is_no_question(graph: CompiledGraph, given: Any, said: str) -> None:
    assert list(runs(graph, given, thread("none"))) == [said] * 4
    assert not graph.get_state(thread("none")).values


def test_the_hint_on_a_long_question_is_no_option_of_a_command(graph: CompiledGraph) -> None:
    with pytest.raises(QuestionError) as error:
        graph.invoke({"question": "x" * 5_000}, thread("long"))
    assert "5,000 characters" in error.value.message and "--" not in error.value.hint


def test_a_whole_state_may_go_in_again(graph: CompiledGraph) -> None:
    state: Any = graph.with_state().invoke({"question": KENYA}, thread("again"))
    whole: Any = {**state, "turns": []}
    again: Any = graph.invoke(whole, thread("once more"))
    assert again["status"] == "answered"
    assert graph.invoke({"messages": [HumanMessage(KENYA)]}, thread("m"))["status"] == "answered"


@pytest.mark.parametrize("config", [None, {}, {"configurable": {}}], ids=str)
def test_a_checkpointer_wants_a_thread(graph: CompiledGraph, config: Any) -> None:
    said = (
        "the graph has a checkpointer, and no thread is named "
        '(give config={"configurable": {"thread_id": "..."}})'
    )
    assert list(runs(graph, {"question": KENYA}, config)) == [said] * 4


def test_a_thread_that_is_bound_to_the_graph_is_named(graph: CompiledGraph) -> None:
    bound: Any = graph.with_config(configurable={"thread_id": "bound"})
    assert bound.invoke({"question": KENYA})["status"] == "answered"


def test_without_a_checkpointer_there_is_nothing_to_resume() -> None:
    graph = build_graph()
    assert graph.invoke({"question": KENYA})["status"] == "answered"
    said = "nothing is asked in this thread (ask a question first)"
    assert list(runs(graph, Command(resume="1"), None)) == [said] * 4


def test_after_its_answer_a_thread_waits_for_no_reply(graph: CompiledGraph) -> None:
    state: Any = graph.invoke({"question": KOREA}, thread("k"))
    assert state["status"] == "ambiguous" and not state["answers"]
    (mention,) = state["mentions"]
    (interrupt,) = state["__interrupt__"]
    assert mention["candidates"] == interrupt.value["options"]
    assert [c["label"] for c in mention["candidates"]] == ["North Korea", "South Korea"]
    again: Any = graph.invoke(Command(resume="neither"), thread("k"))
    assert again["status"] == "ambiguous" and "__interrupt__" in again
    state = graph.invoke(Command(resume="2"), thread("k"))
    assert (state["status"], state["answers"][0]["label"]) == ("answered", "Seoul")
    for given in (Command(resume="2"), None):
        assert set(runs(graph, given, thread("k"))) == {
            "nothing is asked in this thread (ask a question first)"
        }


def test_the_ambiguous_name_is_no_choice(graph: CompiledGraph) -> None:
    asked: Any = graph.invoke({"question": "Which country is Córdoba in?"}, thread("cordoba"))
    assert asked["status"] == "ambiguous"
    for reply in ("Córdoba", "cordoba"):
        again: Any = graph.invoke(Command(resume=reply), thread("cordoba"))
        (interrupt,) = again["__interrupt__"]
        assert again["status"] == "ambiguous" and "a number from 1 to" in interrupt.value["hint"]
    state: Any = graph.invoke(Command(resume="Argentina"), thread("cordoba"))
    assert state["answers"][0]["label"] == "Argentina"
    alone: Any = build_graph(checkpointer=InMemorySaver())
    for question in ("Which country is Córdoba in?", "Córdoba", "2"):
        state = alone.invoke(
            {"question": question}, thread("told"), context=Options(on_ambiguous="error")
        )
    assert [answer["label"] for answer in state["answers"]] == ["Argentina"]


def test_the_options_are_in_the_output_of_a_graph_that_cannot_ask() -> None:
    state: Any = build_graph().invoke({"question": KOREA})
    assert state["status"] == "ambiguous"
    assert [len(m["candidates"]) for m in state["mentions"] if m["ambiguous"]] == [2]


def test_events_of_a_question_that_asks_back(graph: CompiledGraph) -> None:
    asked: Any = list(graph.stream({"question": KOREA}, thread("e"), stream_mode="custom"))
    assert asked[-1]["event"] == "ambiguous"
    assert asked[-1]["mentions"] == graph.get_state(thread("e")).values["mentions"]
    assert graph.get_state(thread("e")).values["status"] == "ambiguous"
    goes_on: Any = list(graph.stream(Command(resume="1"), thread("e"), stream_mode="custom"))
    assert [own["event"] for own in goes_on] == ["linked", "linked", "responded"]
    for own in goes_on[:2]:
        assert [topic["label"] for topic in own["topics"]] == ["North Korea"]


@pytest.mark.parametrize("is_async", [False, True])
def test_threads_in_a_database_are_looked_up(is_async: bool, tmp_path: Path) -> None:
    said = "nothing is asked in this thread"

    async def run() -> None:
        async with AsyncSqliteSaver.from_conn_string(str(tmp_path / "t.sqlite")) as saver:
            graph = build_graph(checkpointer=saver)
            with pytest.raises(QuestionError, match=said):
                await graph.ainvoke(Command(resume="1"), thread("1"))
            await graph.ainvoke({"question": KOREA}, thread("1"))
            state: Any = await graph.ainvoke(Command(resume="1"), thread("1"))
            assert state["answers"][0]["label"] == "Pyongyang"

    if is_async:
        asyncio.run(run())
        return
    with ThreadSaver.from_conn_string(str(tmp_path / "t.sqlite")) as saver:
        graph = build_graph(checkpointer=saver)
        graph.invoke({"question": KOREA}, thread("1"))
        state: Any = asyncio.run(graph.ainvoke(Command(resume="1"), thread("1")))
        assert state["answers"][0]["label"] == "Pyongyang"
        with pytest.raises(QuestionError, match=said):
            asyncio.run(graph.ainvoke(Command(resume="1"), thread("1")))


def test_a_reading_is_chosen_and_asked_about_in_its_thread(graph: CompiledGraph) -> None:
    whole = graph.with_state()
    unsure: Any = whole.invoke(
        {"question": "Which friendly countries border Austria?"}, thread("r")
    )
    assert unsure["status"] == "unsure" and not unsure["answers"]
    listing, counting, *_ = unsure["readings"]
    chosen: Any = whole.invoke({"query": listing["query"]}, thread("r"))
    assert chosen["status"] == "answered" and chosen["reading"] == listing["words"]
    counted: Any = whole.invoke({"query": counting["query"]}, thread("r"))
    assert counted["result"]["value"] == len(chosen["answers"]) == 8
    again: Any = whole.invoke({"query": listing["query"]}, thread("r"))
    assert again["answers"] == chosen["answers"]
    followed: Any = whole.invoke({"question": "How many are there?"}, thread("r"))
    assert followed["result"]["value"] == 8


def test_what_a_graph_holds_is_described_a_page_at_a_time() -> None:
    with contextlib.closing(open_kg("world")) as kg:
        first = describe_graph(kg, limit=3)
        assert first["size"] == kg.counts._asdict() and first["source"] == kg.source
        assert [len(first["classes"]), len(first["relations"]), first["more"]] == [3, 3, True]
        assert first["relations"][0].keys() == {"name", "facts", "head", "tail"}
        second = describe_graph(kg, limit=3, page=2)
        assert not {c["name"] for c in first["classes"]} & {c["name"] for c in second["classes"]}
        graph = build_graph(kg=kg, checkpointer=InMemorySaver())
        tried = describe_graph(kg, graph)["questions"]
        options = Options(conversation=False)
        for question in tried:
            state: Any = graph.invoke({"question": question}, thread("d"), context=options)
            assert state["status"] == "answered"
        with pytest.raises(InputError, match="page cannot be 0"):
            describe_graph(kg, page=0)
