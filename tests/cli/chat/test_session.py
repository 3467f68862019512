"""A conversation of ten turns on a terminal, against the screen that is kept of it."""

import json
import os
import subprocess
from pathlib import Path

import pytest

from ...warm import command
from .session import KEPT, THREAD, environment, masked, play

STOPPED = "What is the capital of Peru?"


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("home")


@pytest.fixture(scope="module")
def screen(home: Path) -> str:
    return play(home)


def plain(home: Path, *arguments: str, say: str) -> str:
    run = subprocess.run(
        [*command(), "chat", *arguments],
        input=say,
        capture_output=True,
        text=True,
        env=environment(home),
        cwd=home,
        timeout=600,
    )
    assert run.returncode == 0 and run.stderr == "", run.stderr
    return run.stdout


def test_the_screen_is_the_one_that_is_kept(screen: str) -> None:
    assert masked(screen) == KEPT.read_text(encoding="utf-8"), "python -m tests.cli.chat.session"


def test_a_stopped_turn_ends_alone(screen: str) -> None:
    before, after = screen.split("\nstopped\n")
    assert before.rstrip().endswith("^C") and f"you > {STOPPED}" in before
    assert f"you > {STOPPED}" in after and "Lima [1]" in after


def test_the_export_has_what_was_answered(screen: str, home: Path) -> None:
    text = (home / "trip.md").read_text(encoding="utf-8")
    assert text.startswith(f"# {THREAD}\n") and text.count(f"## {STOPPED}") == 1
    assert text.count("\n## ") == 9, "ten questions, of which one was stopped"
    assert "Read as: capital of Peru, confidence " in text


def test_the_thread_goes_on_in_another_process(screen: str, home: Path) -> None:
    said = "/thread\nand Bolivia?\n/export trip.json\n"
    shown = plain(home, "--thread", THREAD, say=said)
    assert STOPPED in shown and "capital of Bolivia" in shown and "Sucre" in shown
    turns = json.loads((home / "trip.json").read_text(encoding="utf-8"))["turns"]
    assert [turn["number"] for turn in turns] == list(range(1, 11))
    assert "trip" in plain(home, say="/threads\n")
    said = f"/clear\n/threads\n/delete {THREAD}\nyes\n/threads\n"
    cleared, deleted = plain(home, "--thread", THREAD, say=said).split("Type yes")
    assert f"new thread, {THREAD}-2" in cleared and f"  {THREAD}  " in cleared
    assert f"{THREAD} is deleted (10 turns)" in deleted and "No thread is kept" in deleted


def test_what_was_typed_is_for_the_user_only(screen: str, home: Path) -> None:
    history = home / "cache" / "history"
    assert STOPPED in history.read_text(encoding="utf-8")
    for file in (history, home / "threads.sqlite"):
        assert os.stat(file).st_mode & 0o777 == 0o600
