"""`ask` where the answer leaves words of the question out."""

import json
from types import SimpleNamespace
from typing import Any

import pytest
from groundwalk.agent.kg import KnowledgeGraph, open_kg
from groundwalk.cli import ask, session
from groundwalk.cli.main import app
from langchain_core.messages import AIMessage
from typer.testing import CliRunner

LINE = 'not understood: "friendly"'


@pytest.fixture(scope="module")
def world() -> KnowledgeGraph:
    return open_kg("world")


@pytest.fixture(autouse=True)
def _answers(monkeypatch: pytest.MonkeyPatch, world: KnowledgeGraph) -> None:
    word = {"text": "friendly", "start": 6, "end": 14, "used_by": "unread"}
    state: Any = {
        "status": "partial",
        "answers": [{"term": "<urn:b>", "label": "Rhine", "score": 1.0, "chains": []}],
        "account": [word],
        "reading": "every river",
        "notes": [LINE],
        "result": None,
        "messages": [AIMessage("Rhine")],
    }
    opened = SimpleNamespace(kg=world)
    monkeypatch.setattr(session, "open_session", lambda *_, **__: opened)  # pyright: ignore
    monkeypatch.setattr(ask, "_answered", lambda *_: state)  # pyright: ignore


def run(*options: str) -> Any:
    ended = CliRunner().invoke(app, ["ask", "Which friendly rivers?", *options])
    assert ended.exit_code == 0, ended.output
    return ended


def test_it_is_shown_with_what_it_leaves_out_above() -> None:
    lines = run().stdout.splitlines()
    assert lines[1:4] == [LINE, "Rhine", "  read as: every river"] and lines.count(LINE) == 1


def test_programs_see_the_status_and_the_words() -> None:
    printed = json.loads(run("--json").stdout)
    assert (printed["schema"], printed["status"]) == (2, "partial")
    assert [own["used_by"] for own in printed["account"]] == ["unread"]


def test_a_quiet_one_tells_it_beside_the_answer() -> None:
    ended = run("--quiet")
    assert ended.stdout == "Rhine\n" and ended.stderr == f"{LINE}\n"


@pytest.mark.parametrize("form", ["tree", "html", "turtle"])
def test_evidence_has_it_among_its_notes(form: str) -> None:
    ended = run("--explain", form)
    assert "friendly" in ended.stdout and ended.stderr == ""


@pytest.mark.parametrize("form", ["mermaid", "sparql"])
def test_it_is_told_beside_evidence_without_notes(form: str) -> None:
    assert run("--explain", form).stderr == f"{LINE}\n"
