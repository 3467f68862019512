"""How a question was understood: other readings of it, and the query that it should have been."""

import io
import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, cast

import pytest
from groundwalk.agent.conversation.threads import close_threads
from groundwalk.agent.errors import GroundwalkError
from groundwalk.agent.evidence import Origin
from groundwalk.agent.kg import open_kg
from groundwalk.agent.options import Options
from groundwalk.agent.records import SILENT
from groundwalk.agent.state import State
from groundwalk.cli.chat.commands import perform
from groundwalk.cli.chat.loop import converse
from groundwalk.cli.chat.prompt import Completing
from groundwalk.cli.chat.readings import corrections_file, offer
from groundwalk.cli.chat.talk import Talk, Wanted
from prompt_toolkit.completion import CompleteEvent
from prompt_toolkit.document import Document
from rich.console import Console

from .session import environment
from .terminal import Terminal
from .test_commands import Said

QUESTION = "Which friendly countries are next to Portugal?"
BORDERS = {
    "query": {"start": [0], "steps": [{"relation": "borders"}]},
    "mentions": [{"text": "Portugal"}],
}
CAPITAL = {
    "query": {"start": [0], "steps": [{"relation": "capital"}]},
    "mentions": [{"text": "Portugal"}],
}
READINGS = [
    {"query": CAPITAL, "words": "capital of Portugal", "probability": 0.7},
    {"query": BORDERS, "words": "borders of Portugal", "probability": 0.25},
]


@pytest.fixture(scope="module")
def shared() -> Talk:
    wanted = Wanted("gcr", "bundled", "none", "cpu", "auto", None, Options(), (), False, None)
    return Talk(open_kg("world"), wanted, Console())


@pytest.fixture
def talk(shared: Talk, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Talk]:
    """A conversation in which a question was just answered by the likeliest of two readings."""
    monkeypatch.setenv("GROUNDWALK_THREADS", str(tmp_path / "own" / "threads.sqlite"))
    for variable in ("VISUAL", "EDITOR"):
        monkeypatch.delenv(variable, raising=False)
    shared.console = Console(
        file=io.StringIO(), width=100, markup=False, highlight=False, soft_wrap=True
    )
    answered(shared, READINGS)
    yield shared
    if opened := shared._engine._threads.pop(True, None):  # pyright: ignore[reportPrivateUsage]
        close_threads(opened)
    perform(shared, "/clear")


def answered(talk: Talk, readings: list[Any], status: str = "answered") -> None:
    state: Any = {"question": QUESTION, "answers": [], "readings": readings, "status": status}
    talk.remember(cast(State, state), Origin())


def shown(talk: Talk) -> str:
    file = cast(io.StringIO, talk.console.file)
    text = file.getvalue()
    file.seek(0)
    file.truncate()
    return text


def kept() -> list[Any]:
    file = corrections_file()
    return (
        [json.loads(line) for line in file.read_text("utf-8").splitlines()] if file.exists() else []
    )


@pytest.fixture
def editor(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[[str], None]:
    """Sets an editor that is a line of shell, in which $1 is the file."""

    def set_to(script: str) -> None:
        file = tmp_path / "my editor"
        file.write_text(f"#!/bin/sh\n{script}\n")
        file.chmod(0o700)
        monkeypatch.setenv("EDITOR", f"'{file}'")

    return set_to


def test_readings_are_listed_by_number(talk: Talk) -> None:
    perform(talk, "/readings")
    first, second, hint = shown(talk).splitlines()
    assert first == "  1  capital of Portugal  probability 0.70"
    assert second == "  2  borders of Portugal  probability 0.25"
    assert "/readings N" in hint


def test_another_reading_answers(talk: Talk) -> None:
    converse(talk, Said("/readings 2", "/readings", "/thread"))
    text = shown(talk)
    assert "Spain [1]" in text and "read as: borders of Portugal" in text
    assert "  1  capital of Portugal" in text, "the readings are still those of the question"
    assert f"  1  {QUESTION}" in text and kept() == []


@pytest.mark.parametrize("status", sorted(SILENT))
def test_where_no_reading_is_sure_enough_one_is_asked_for_by_its_number(
    talk: Talk, status: str
) -> None:
    answered(talk, READINGS, status)
    offer(talk)
    _, first, *listed = shown(talk).splitlines()
    assert "Type 1 to 2" in first and listed[1] == "  2  borders of Portugal", "and no number"
    converse(talk, Said(" 2 "))
    assert "Spain [1]" in shown(talk)
    assert not talk.offers("2")


def test_nothing_is_offered_beside_an_answer(talk: Talk) -> None:
    offer(talk)
    assert shown(talk) == "" and not talk.offers("1")
    answered(talk, READINGS, "abstained")
    assert not any(map(talk.offers, ("0", "3", "one", "", "12")))
    answered(talk, [], "abstained")
    offer(talk)
    assert shown(talk) == "" and not talk.offers("1")


@pytest.mark.parametrize("number", ["0", "3", "-1", "two", "9" * 5000, "²"])
def test_a_number_that_no_reading_has_is_told(talk: Talk, number: str) -> None:
    converse(talk, Said(f"/readings {number}", f"/wrong {number}"))
    lines = shown(talk).splitlines()
    assert len(lines) == 2 and all(
        "no reading of the question (give 1 to 2" in own for own in lines
    )
    assert kept() == []


def test_an_answer_is_no_reading(talk: Talk) -> None:
    converse(talk, Said("/wrong Lisbon"))
    hint = "(give 1 to 2, edit or a query: /wrong takes what was meant, and no answer)"
    assert shown(talk) == f"Lisbon is no reading of the question {hint}\n" and kept() == []


def test_a_walk_has_no_readings(talk: Talk) -> None:
    answered(talk, [])
    perform(talk, "/readings")
    assert "walks along the graph" in shown(talk)
    converse(talk, Said("/readings 1"))
    assert "there are none" in shown(talk)


def test_before_the_first_question_there_is_nothing_to_correct(talk: Talk) -> None:
    converse(talk, Said("/clear", "/readings", "/wrong 1"))
    assert shown(talk).count("there is no answer yet") == 2


def test_a_correction_is_run_and_kept_for_the_user_only(talk: Talk) -> None:
    converse(talk, Said("/wrong", "2", "/wrong 1"))
    text = shown(talk)
    assert "Type 1 to 2 for a reading" in text and "Spain [1]" in text and "Lisbon [1]" in text
    assert (
        f"Reading 2 was meant: the question and its query are kept in {corrections_file()}." in text
    )
    assert kept() == [{"question": QUESTION, **own} for own in (BORDERS, CAPITAL)]
    assert os.stat(corrections_file()).st_mode & 0o777 == 0o600


@pytest.mark.parametrize("reply", [None, " "])
def test_nothing_is_corrected_without_a_reply(talk: Talk, reply: str | None) -> None:
    talk.reply = Said(*([] if reply is None else [reply])).choice
    perform(talk, "/wrong")
    assert "Nothing was corrected." in shown(talk) and kept() == []


@pytest.mark.parametrize("lines", [("/wrong", "/readings"), ("/wrong /readings",)])
def test_a_command_in_the_place_of_a_reply_is_carried_out(
    talk: Talk, lines: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(talk, "over", False)
    converse(talk, Said(*lines, "/wrong", "/nonsense", "/wrong", "/quit", "/help"))
    text = shown(talk)
    assert text.count("Nothing was corrected.") == 3 and kept() == []
    assert "/readings N later" in text and "/nonsense is no command" in text
    assert talk.over and "Ask in plain words" not in text


def test_a_query_may_be_typed(talk: Talk) -> None:
    converse(talk, Said(f"/wrong {json.dumps(BORDERS['query'])}"))
    assert "Spain [1]" in shown(talk)
    assert kept() == [{"question": QUESTION, **BORDERS}], "the mentions are those of the reading"
    whole = {**BORDERS, "mentions": ["Lesotho"]}
    converse(talk, Said("/wrong", json.dumps(whole)))
    assert "South Africa [1]" in shown(talk) and kept()[1:] == [{"question": QUESTION, **whole}]


@pytest.mark.parametrize("wrong", ["{", '{"query": {}}', "{}", '{"start": {"class": "rivers"}}'])
def test_what_is_no_query_is_told_and_not_kept(talk: Talk, wrong: str) -> None:
    converse(talk, Said(f"/wrong {wrong}"))
    (line,) = shown(talk).splitlines()
    assert line.isprintable() and kept() == []


def test_the_likeliest_reading_may_be_edited(talk: Talk, editor: Callable[[str], None]) -> None:
    editor('sed s/capital/borders/ "$1" > "$1.new" && mv "$1.new" "$1"')
    converse(talk, Said("/wrong edit"))
    assert "Spain [1]" in shown(talk) and kept() == [{"question": QUESTION, **BORDERS}]


def test_a_walk_is_edited_from_its_topics(talk: Talk, editor: Callable[[str], None]) -> None:
    answered(talk, [])
    (portugal,) = talk.kg.labels.named("Portugal")
    talk.last.state["topics"] = [
        {"term": portugal, "label": "Portugal", "kind": "", "description": "", "score": 1.0}
    ]
    editor("""sed 's/"start"/"steps": [{"relation": "borders"}], "start"/' "$1" > "$1.new"
        mv "$1.new" "$1" """)
    converse(talk, Said("/wrong", "edit"))
    assert "Spain [1]" in shown(talk)
    (line,) = kept()
    assert line["mentions"] == [{"text": "Portugal", "term": portugal}]


@pytest.mark.parametrize(
    ("script", "words"),
    [
        (":", "was not changed"),
        ("exit 3", "failed with exit code 3"),
        ('echo "{" > "$1"', "is not JSON"),
        ('printf "\\377" > "$1"', "not UTF-8"),
    ],
)
def test_an_editor_that_leaves_no_query_corrects_nothing(
    talk: Talk, editor: Callable[[str], None], script: str, words: str
) -> None:
    editor(script)
    converse(talk, Said("/wrong edit"))
    assert words in shown(talk) and kept() == []


@pytest.mark.parametrize(
    ("command", "words"),
    [("", "no editor is set"), ("/no/such/editor", "cannot be run"), ("'", "EDITOR is no command")],
)
def test_without_an_editor_it_is_said(
    talk: Talk, monkeypatch: pytest.MonkeyPatch, command: str, words: str
) -> None:
    monkeypatch.setenv("EDITOR", command)
    with pytest.raises(GroundwalkError, match=words):
        perform(talk, "/wrong edit")


def test_a_file_that_cannot_be_written_is_told(talk: Talk) -> None:
    corrections_file().mkdir(parents=True)
    converse(talk, Said("/wrong 2"))
    assert "Spain [1]" in (text := shown(talk)) and "cannot be" in text.splitlines()[-1]


def test_completion_has_the_numbers(talk: Talk) -> None:
    def completions(line: str) -> list[str]:
        event = CompleteEvent(text_inserted=True)
        return [own.text for own in Completing(talk).get_completions(Document(line), event)]

    assert completions("/readings ") == ["1", "2"]
    assert completions("/wrong ") == ["1", "2", "edit"] and completions("/wrong e") == ["edit"]
    perform(talk, "/clear")
    assert completions("/readings ") == []


@pytest.mark.slow
def test_on_a_terminal_the_editor_has_the_screen(tmp_path: Path) -> None:
    editor = tmp_path / "editor"
    given = {"query": {"start": [0], "steps": [{"relation": "capital"}]}, "mentions": ["Peru"]}
    editor.write_text(f"#!/bin/sh\ntest -t 1 && echo '{json.dumps(given)}' > \"$1\"\n")
    editor.chmod(0o700)
    code = (
        "import sys; sys.argv = ['groundwalk', 'chat']\n"
        "from groundwalk.cli.main import main; main()"
    )
    variables = {**environment(tmp_path), "VISUAL": str(editor)}
    with Terminal(code, variables, tmp_path) as terminal:
        line = -1
        for said in ("Which countries border Peru?", "/wrong edit", "/wrong", "edit"):
            terminal.wait_for_prompt("you > " if said != "edit" else "> ", after=line)
            line = terminal.screen.cursor.y
            terminal.type(f"{said}\r")
        terminal.wait_for_prompt("you > ", after=line)
        terminal.type("\x04")
        assert terminal.wait_for_the_end() == 0, terminal.text()
        text = terminal.text()
    file = tmp_path / "corrections.jsonl"
    assert text.count("Lima [1]") == 2 and f"keptin{file}" in "".join(text.split())
    assert len(file.read_text(encoding="utf-8").splitlines()) == 2


def test_what_was_answered_so_is_no_correction(talk: Talk) -> None:
    converse(talk, Said("/wrong", "/wrong 2", "/wrong 2"))
    text = shown(talk)
    assert text.count("Spain [1]") == 1 and "nothing was corrected" in text.splitlines()[-1]
    assert kept() == [{"question": QUESTION, **BORDERS}]
