"""What the keys do at the prompt."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import pytest
from groundwalk.agent.kg import open_kg
from groundwalk.agent.options import Options
from groundwalk.cli.chat.prompt import Typed
from groundwalk.cli.chat.talk import Talk, Wanted
from groundwalk.cli.preparing import Prepared
from prompt_toolkit.application import create_app_session
from prompt_toolkit.input import PipeInput, create_pipe_input
from prompt_toolkit.output import DummyOutput
from rich.console import Console

PERU, CHILE = "What is the capital of Peru?", "What is the capital of Chile?"
CTRL_C, CTRL_D, CTRL_R = "\x03", "\x04", "\x12"


@pytest.fixture
def keys(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[PipeInput]:
    monkeypatch.setenv("GROUNDWALK_CACHE", str(tmp_path))
    with create_pipe_input() as pipe, create_app_session(input=pipe, output=DummyOutput()):
        yield pipe


@pytest.fixture
def typed(keys: PipeInput) -> Typed:
    """A prompt at which two questions were typed before."""
    wanted = Wanted("gcr", "bundled", "none", "cpu", "auto", None, Options(), (), False, None)
    talk = Talk(open_kg("world"), wanted, Console())
    talk.loading = Prepared(lambda: cast(Any, None))
    talk.loading.get()
    prompt = Typed(talk)
    for question in (PERU, CHILE):
        keys.send_text(f"{question}\r")
        assert prompt.question() == question
    return prompt


@pytest.mark.parametrize(
    ("pressed", "asked"),
    [
        (f"{CTRL_R}Peru\r", PERU),
        (f"{CTRL_R}capital\r", CHILE),
        (f"{CTRL_R}capital{CTRL_R}\r", PERU),
        (f"{CTRL_R}Peru{CTRL_D}and Bolivia?\r", "and Bolivia?"),
        (f"{CTRL_R}Peru{CTRL_C}and Bolivia?\r", "and Bolivia?"),
    ],
)
def test_a_search_of_what_was_typed_before(
    typed: Typed, keys: PipeInput, pressed: str, asked: str
) -> None:
    keys.send_text(pressed)
    assert typed.question() == asked


def test_enter_after_a_backslash_begins_a_line(typed: Typed, keys: PipeInput) -> None:
    keys.send_text("one\\\rtwo\r")
    assert typed.question() == "one\ntwo"


@pytest.mark.parametrize("enter", ["\r", "\n"])
def test_alt_enter_begins_a_line_also_as_typed_before_the_prompt(
    typed: Typed, keys: PipeInput, enter: str
) -> None:
    keys.send_text(f"one\x1b{enter}two\r")
    assert typed.question() == "one\ntwo"


def test_ctrl_c_empties_the_line_and_says_how_to_leave(
    typed: Typed, keys: PipeInput, capsys: pytest.CaptureFixture[str]
) -> None:
    keys.send_text(CTRL_C)
    keys.send_text(f"and Boliv{CTRL_C}")
    keys.send_text("and Chile?\r")
    assert typed.question() == "and Chile?"
    assert capsys.readouterr().out.splitlines() == ["Ctrl-D or /quit leaves"] * 2


def test_ctrl_d_on_an_empty_line_leaves(typed: Typed, keys: PipeInput) -> None:
    keys.send_text(CTRL_D)
    assert typed.question() is None
