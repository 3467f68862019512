"""What the chat prints of a result."""

import io
from typing import Any, cast

import pytest
from groundwalk.agent.answers.computed import result_record
from groundwalk.agent.kg import open_kg
from groundwalk.agent.state import State
from groundwalk.cli.chat.screen import ChatScreen
from rich.console import Console


def shown(**state: Any) -> str:
    console = Console(file=io.StringIO(), width=100)
    screen = ChatScreen(console=console)
    screen.result(
        cast(State, {"answers": [], "topics": [], "notes": [], **state}), open_kg("world")
    )
    return cast(io.StringIO, console.file).getvalue()


def test_what_a_question_was_read_as_is_shown_where_it_differs() -> None:
    result = result_record("list", "lari", "as asked")
    read = {"asked": "What is the currency of Tbilisi?", "operation": {}, "result": result}
    assert "asked: What is the currency of Tbilisi?" in shown(question="and its currency?", **read)
    assert "asked:" not in shown(question="What is the currency of Tbilisi?", **read)


@pytest.mark.parametrize("kind", ["list", "count", "why"])
def test_an_empty_computed_answer_has_its_headline(kind: Any) -> None:
    result = result_record(kind, "None that the graph says.", "0 of 1 earlier answers")
    lines = shown(result=result).splitlines()
    assert lines[:3] == ["", "None that the graph says.", "  computed: 0 of 1 earlier answers"]


def test_what_was_not_understood_stands_above_and_the_reading_below() -> None:
    word = {"text": "friendly", "start": 0, "end": 8, "used_by": "unread"}
    lines = shown(
        status="partial",
        account=[word],
        answers=[{"term": "<urn:a>", "label": "Rhine", "score": 1.0, "chains": []}],
        reading="every river",
        notes=['not understood: "friendly"', "cut"],
        query_tree={"start": {"class": "river"}},
    ).splitlines()
    assert lines[1:4] == ['not understood: "friendly"', "Rhine", "  read as: every river"]
    assert [line for line in lines if "friendly" in line] == [lines[1]]
    assert "  cut" in lines


def test_a_table_is_shown() -> None:
    rows = [[{"term": "<urn:a>", "label": "Asia"}, 49]]
    assert "Asia" in shown(result={**result_record("table", "1 row", "counted"), "rows": rows})
