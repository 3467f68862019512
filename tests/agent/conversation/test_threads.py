"""The database of threads: private, listed, exported, deleted."""

import json
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import pytest
from groundwalk.agent.conversation import threads as module
from groundwalk.agent.conversation.threads import (
    close_threads,
    delete_thread,
    export_thread,
    list_threads,
    next_name,
    open_threads,
    thread_turns,
    threads_file,
)
from groundwalk.agent.errors import InputError
from groundwalk.agent.records import Answer, Named, StepRecord, Turn
from groundwalk.agent.state import MOST_MESSAGES, MOST_TURNS, State, last_messages
from langchain_core.messages import HumanMessage
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.graph import END, START, StateGraph
from langgraph.types import interrupt

from .naming import entity, turn

VIENNA = entity("Vienna](https://x.invalid) <b>", "city")


@pytest.fixture
def threads(tmp_path: Path) -> Iterator[SqliteSaver]:
    saver = open_threads(tmp_path / "deep" / "threads.sqlite")
    yield saver
    close_threads(saver)


def converse(saver: SqliteSaver, thread: str, count: int, durability: str = "exit") -> None:
    def node(state: State) -> dict[str, Any]:
        asked = turn("What is the capital of <:Austria>?", VIENNA)
        number = max((t["number"] for t in state.get("turns", [])), default=0) + 1
        return {"turns": [{**asked, "number": number, "question": f"{number} _what_?"}]}

    graph: Any = StateGraph(State)
    graph.add_node("only", node)
    graph.add_edge(START, "only")
    graph.add_edge("only", END)
    compiled = graph.compile(checkpointer=saver)
    for number in range(count):
        turns = {"messages": [HumanMessage(f"{number + 1} _what_?")]}
        compiled.invoke(turns, {"configurable": {"thread_id": thread}}, durability=durability)


def test_only_the_user_may_read_them(threads: SqliteSaver, tmp_path: Path) -> None:
    file = tmp_path / "deep" / "threads.sqlite"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700


def test_threads_are_listed_exported_and_deleted(threads: SqliteSaver) -> None:
    assert list_threads(threads) == []
    converse(threads, "one", 1)
    converse(threads, "two", MOST_TURNS + 3)
    newest, older = list_threads(threads)
    assert (newest.id, newest.turns, newest.first) == ("two", MOST_TURNS + 3, "1 _what_?")
    assert (older.id, older.turns) == ("one", 1) and older.time < newest.time
    numbers = [own["number"] for own in thread_turns(threads, "two")]
    assert numbers == list(range(1, MOST_TURNS + 4))
    exported = json.loads(export_thread(threads, "two", "json"))
    assert exported["thread"] == "two" and len(exported["turns"]) == MOST_TURNS + 3
    text = export_thread(threads, "one")
    assert text.startswith("# one\n") and "## 1 \\_what\\_?" in text
    assert "Vienna\\](https" in text and "\\<b\\>" in text and "<b>" not in text
    delete_thread(threads, "two")
    assert [info.id for info in list_threads(threads)] == ["one"]


def test_the_next_name_is_free_and_counts_on(threads: SqliteSaver) -> None:
    assert next_name(threads, "demo") == "demo-2"
    for name in ("demo", "demo-2", "trip-2024"):
        converse(threads, name, 1)
    assert next_name(threads, "demo") == next_name(threads, "demo-2") == "demo-3"
    assert next_name(threads, "trip-2024") == "trip-2024-2", "there is no thread trip"
    assert next_name(threads, "demo-" + "9" * 5000) == "demo-" + "9" * 5000 + "-2"


@pytest.mark.parametrize("durability", ["exit", "sync"])
def test_a_thread_keeps_its_turns_and_few_checkpoints(
    threads: SqliteSaver, durability: str
) -> None:
    count = 3 * MOST_TURNS + 5
    converse(threads, "long", count, durability)
    converse(threads, "other", 2, durability)
    with threads.cursor(transaction=False) as cursor:
        (kept,) = cursor.execute("SELECT count(*) FROM checkpoints").fetchone()
        (writes,) = cursor.execute("SELECT count(*) FROM writes").fetchone()
    assert kept <= 3 + 2 and writes <= 2 * 3
    assert [own["number"] for own in thread_turns(threads, "long")] == [*range(1, count + 1)]
    long = next(info for info in list_threads(threads) if info.id == "long")
    assert (long.turns, long.first) == (count, "1 _what_?")


def test_questions_that_stop_leave_no_more_than_their_last(threads: SqliteSaver) -> None:
    def node(state: State) -> dict[str, Any]:
        if state.get("question") == "stops":
            raise KeyboardInterrupt
        if state.get("question") == "asks":
            interrupt("which?")
        earlier = state.get("turns", [])
        number = earlier[-1]["number"] + 1 if earlier else 1
        asked = turn(f"question {number}", VIENNA)
        return {"turns": [{**asked, "number": number, "question": f"question {number}"}]}

    graph: Any = StateGraph(State)
    graph.add_node("only", node)
    graph.add_edge(START, "only")
    compiled = graph.compile(checkpointer=threads)
    config: Any = {"configurable": {"thread_id": "one"}}
    for number in range(1, 2 * MOST_TURNS + 2):
        for _ in range(3):
            with pytest.raises(KeyboardInterrupt):
                compiled.invoke({"question": "stops"}, config, durability="exit")
            asked = compiled.invoke({"question": "asks"}, config, durability="exit")
            assert asked["__interrupt__"]
        state = compiled.invoke({"question": "answered"}, config, durability="exit")
        assert state["turns"][-1]["number"] == number
    with threads.cursor(transaction=False) as cursor:
        (kept,) = cursor.execute("SELECT count(*) FROM checkpoints").fetchone()
    assert kept <= 2 + 2
    assert len(thread_turns(threads, "one")) == 2 * MOST_TURNS + 1
    assert list_threads(threads)[0].first == "question 1"


def test_a_database_of_langgraph_itself_is_gone_on_with(tmp_path: Path) -> None:
    file = tmp_path / "threads.sqlite"
    with SqliteSaver.from_conn_string(str(file)) as before:
        converse(before, "old", MOST_TURNS + 2)
    saver = open_threads(file)
    converse(saver, "old", 3)
    assert len(thread_turns(saver, "old")) == MOST_TURNS + 5
    assert list_threads(saver)[0].first == "1 _what_?"
    close_threads(saver)


def test_a_state_holds_the_last_messages() -> None:
    said: Any = [HumanMessage(str(n)) for n in range(MOST_MESSAGES + 3)]
    held: Any = []
    for message in said:
        held = last_messages(held, [message])
    assert [own.content for own in held] == [own.content for own in said[3:]]
    again = HumanMessage("changed", id=held[5].id)
    assert [m.content for m in cast("list[Any]", last_messages(held, again))][5] == "changed"


def test_what_is_not_there_is_said(threads: SqliteSaver, tmp_path: Path) -> None:
    for use in (thread_turns, export_thread, delete_thread):
        with pytest.raises(InputError, match="no thread 'x'"):
            use(threads, "x")
    (tmp_path / "text").write_text("no database" * 200, encoding="utf-8")
    with pytest.raises(InputError, match="cannot be opened"):
        open_threads(tmp_path / "text")


def test_the_file_is_where_the_user_says(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", "/data")
    monkeypatch.delenv("GROUNDWALK_THREADS", raising=False)
    assert threads_file() == Path("/data/groundwalk/threads.sqlite")
    monkeypatch.setenv("GROUNDWALK_THREADS", "/mine.sqlite")
    assert threads_file() == Path("/mine.sqlite")


def named(label: str) -> Named:
    return Named(term=f"<urn:{label}>", label=label)


def fact(head: str, relation: str, tail: str) -> StepRecord:
    ends = {"head": named(head), "relation": named(relation), "tail": named(tail)}
    return StepRecord(**ends, inverse=False, verdict="supported")


def test_the_document_has_what_was_compared_and_tells_nothing_twice(
    threads: SqliteSaver, monkeypatch: pytest.MonkeyPatch
) -> None:
    nile, flows = entity("Nile", "river"), fact("Nile", "flows through", "Egypt")
    answer = Answer(**named("Nile"), score=1.0, chains=[[flows]])
    longest: Turn = {
        **turn("Which is the longest?", nile),
        "answers": [answer],
        "triples": [flows, fact("Nile", "length", "6650")],
        "reading": "longest river",
    }
    why: Turn = {**longest, "question": "why?", "alone": False}
    chosen: Turn = {**longest, "asked": "longest river", "given": True, "confidence": 1.0}
    told = list[str]()
    for own in (longest, why, chosen):
        monkeypatch.setattr(module, "thread_turns", lambda _saver, _thread, own=own: [own])  # pyright: ignore
        told.append(export_thread(threads, "any"))
    assert (
        told[0].count("flows through") == 1 and "  - Nile - length -> 6650 (supported)" in told[0]
    )
    assert "confidence 1.00" in told[0]
    assert "Nile" not in told[1] and "looked up again" in told[1]
    assert "as it was chosen" in told[2] and "confidence" not in told[2]
