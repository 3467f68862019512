"""What the chat prints of a result."""

import io
from typing import Any, cast

import pytest
from groundwalk.agent.kg import open_kg
from groundwalk.agent.nodes.computed import told
from groundwalk.agent.state import State
from groundwalk.cli.chat.screen import ChatScreen
from rich.console import Console


def shown(**state: Any) -> str:
    console = Console(file=io.StringIO(), width=100)
    screen = ChatScreen(console=console, read=input)
    screen.result(
        cast(State, {"answers": [], "topics": [], "notes": [], **state}), open_kg("world")
    )
    return cast(io.StringIO, console.file).getvalue()


@pytest.mark.parametrize("kind", ["list", "count", "why"])
def test_an_empty_computed_answer_has_its_headline(kind: Any) -> None:
    result = told(kind, "None that the graph says.", "0 of 1 earlier answers")
    lines = shown(result=result).splitlines()
    assert lines[:3] == ["", "None that the graph says.", "  computed: 0 of 1 earlier answers"]
