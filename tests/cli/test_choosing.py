"""Which entity is meant, asked back by `chat` and `ask` on a terminal and where nobody types."""

import io
import subprocess
from pathlib import Path
from typing import Any, cast

import pytest
from groundwalk.agent.linking.mention import asking
from groundwalk.agent.records import Entity
from groundwalk.cli.choosing import choose
from rich.console import Console

from ..warm import command
from .chat.session import environment
from .chat.terminal import Terminal

_MAIN = "from groundwalk.cli.main import main; main()"
WHICH = "Which Korea do you mean?"
KOREA = "capital of Korea?"


def code(*arguments: str) -> str:
    return f"import sys; sys.argv = ['groundwalk', *{arguments!r}]; {_MAIN}"


def say(terminal: Terminal, line: str, prompt: str) -> str:
    """Type a line at the prompt where the cursor is; what is on the screen at the next one."""
    above = terminal.screen.cursor.y
    terminal.type(f"{line}\r")
    terminal.wait_for_prompt(prompt, after=above)
    return "\n".join(terminal.text().splitlines()[above:])


def test_a_choice_on_the_terminal_of_a_chat_has_no_dead_end(tmp_path: Path) -> None:
    with Terminal(code("chat"), environment(tmp_path), tmp_path) as terminal:
        terminal.wait_for_prompt("you > ", after=-1)
        assert WHICH in say(terminal, KOREA, "> ")
        assert "Seoul [1]" in say(terminal, "south", "you > ")
        say(terminal, KOREA, "> ")
        assert "Pyongyang [1]" in say(terminal, "north", "you > ")
        say(terminal, KOREA, "> ")
        assert "that fits 2 of them" in say(terminal, "korea", "> ")
        assert "a part of a name or description" in say(terminal, "", "> ")
        shown = say(terminal, "/kg", "> ")
        assert "11,275 triples" in shown and WHICH in shown.split("triples")[1]
        shown = say(terminal, "What is the capital of Peru?", "you > ")
        assert f"the question is dropped: {KOREA}" in shown and "Lima [1]" in shown
        say(terminal, KOREA, "> ")
        terminal.type("\x04")
        terminal.wait_for_prompt("you > ", after=terminal.screen.cursor.y)
        say(terminal, KOREA, "> ")
        shown = say(terminal, "/clear", "you > ")
        assert "The conversation begins anew." in shown and "is dropped" in shown
        say(terminal, KOREA, "> ")
        terminal.type("/qui")
        terminal.wait_for(lambda: "leave, as Ctrl-D does" in terminal.text())
        terminal.type("\t")
        terminal.wait_for(lambda: terminal.before_the_cursor() == "> /quit")
        terminal.type("\r")
        assert terminal.wait_for_the_end() == 0, terminal.text()
        assert "Traceback" not in terminal.text() and "rror" not in terminal.text()


def test_the_name_that_was_asked_about_is_asked_for_again() -> None:
    """Though only one of the options has it in its label."""
    options = [
        Entity(term=f"<urn:{n}>", label=label, kind="", description="", score=1.0)
        for n, label in enumerate(("Netherlands", "Holland (Michigan)"))
    ]
    console, replies = Console(file=io.StringIO()), iter(("holland", "netherlands"))
    chosen = choose(
        {"ask": asking("Holland"), "options": options, "hint": ""},
        kg=cast(Any, None),
        console=console,
        read=lambda _: next(replies),
        command=str,
        others="or a new question",
    )
    assert chosen == "<urn:0>" and not list(replies)
    assert "that fits 2 of them" in cast(io.StringIO, console.file).getvalue()


def test_ask_takes_a_part_of_a_name_on_a_terminal(tmp_path: Path) -> None:
    with Terminal(code("ask", KOREA), environment(tmp_path), tmp_path) as terminal:
        terminal.wait_for_prompt("> ", after=-1)
        assert "commands work in `groundwalk chat` only" in say(terminal, "/kg", "> ")
        assert "that is none of them" in say(terminal, "Narnia", "> ")
        terminal.type("south\r")
        assert terminal.wait_for_the_end() == 0, terminal.text()
        assert "Seoul" in terminal.text()


def test_ask_answers_a_question_instead_of_a_choice(tmp_path: Path) -> None:
    with Terminal(code("ask", KOREA), environment(tmp_path), tmp_path) as terminal:
        terminal.wait_for_prompt("> ", after=-1)
        assert "Which Congo" in say(terminal, "What is the capital of Congo?", "> ")
        terminal.type("brazzaville\r")
        assert terminal.wait_for_the_end() == 0, terminal.text()
        text = terminal.text()
    assert f"the question is dropped: {KOREA}" in text and text.count("Which ") == 2
    assert "\nBrazzaville\n" in text


def test_ask_can_be_left_without_a_choice(tmp_path: Path) -> None:
    with Terminal(code("ask", KOREA), environment(tmp_path), tmp_path) as terminal:
        terminal.wait_for_prompt("> ", after=-1)
        terminal.type("\x04")
        assert terminal.wait_for_the_end() == 2, terminal.text()
        assert "no entity was chosen" in terminal.text()


def test_a_quiet_ask_asks_nothing_back(tmp_path: Path) -> None:
    with Terminal(code("ask", "-q", KOREA), environment(tmp_path), tmp_path) as terminal:
        assert terminal.wait_for_the_end() == 0
        assert "Korea may mean: North Korea" in terminal.text()


@pytest.mark.parametrize("reply", ["spring", "narnia", "ohio"])
def test_names_of_options_steer_no_terminal(tmp_path: Path, reply: str) -> None:
    lines = ["@prefix e: <urn:> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> ."]
    for state in ("ohio", "texas"):
        lines.append(f'e:{state} rdfs:label "\\u001B[2J{state}\\u0007" .')
        lines.append(
            f'e:s-{state} rdfs:label "Springfield" ; e:in e:{state} ; '
            f'rdfs:comment "in \\u001B]0;owned\\u0007\\u009B31m {state}[red]" .'
        )
    (tmp_path / "twins.ttl").write_text("\n".join(lines), encoding="utf-8")
    ended = subprocess.run(
        [*command(), "chat", "--kg", "twins.ttl"],
        input=f"Where is Springfield?\n{reply}\n/quit\n",
        capture_output=True,
        text=True,
        env=environment(tmp_path),
        cwd=tmp_path,
        timeout=600,
    )
    assert ended.returncode == 0 and ended.stderr == ""
    assert "Which Springfield do you mean?" in ended.stdout and "owned" in ended.stdout
    assert all(line.isprintable() for line in ended.stdout.split("\n"))
    assert ("that fits 2 of them" in ended.stdout) == (reply == "spring")
    assert ("that is none of them" in ended.stdout) == (reply == "narnia")
