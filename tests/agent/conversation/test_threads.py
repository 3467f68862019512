"""The database of threads: private, listed, exported, deleted."""

import json
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from groundwalk.agent.conversation.threads import (
    close_threads,
    delete_thread,
    export_thread,
    list_threads,
    open_threads,
    thread_turns,
    threads_file,
)
from groundwalk.agent.errors import InputError
from groundwalk.agent.state import MOST_TURNS, State
from langchain_core.messages import HumanMessage
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.graph import END, START, StateGraph

from .naming import entity, turn

VIENNA = entity("Vienna](https://x.invalid) <b>", "city")


@pytest.fixture
def threads(tmp_path: Path) -> Iterator[SqliteSaver]:
    saver = open_threads(tmp_path / "deep" / "threads.sqlite")
    yield saver
    close_threads(saver)


def converse(saver: SqliteSaver, thread: str, count: int) -> None:
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
        compiled.invoke(turns, {"configurable": {"thread_id": thread}}, durability="exit")


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
