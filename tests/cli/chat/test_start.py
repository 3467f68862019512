"""What happens before the first prompt, and where nobody types."""

import subprocess
from importlib.util import find_spec
from pathlib import Path

import pytest

from ...warm import command
from .session import environment
from .terminal import Terminal

_CHAT = "from groundwalk.cli.main import main; main()"
_TOLD = """
import sys
from groundwalk.cli.chat.prompt import Typed

def told(self):
    from groundwalk.cli.chat.loop import _command

    _command(self._talk, "What is the capital of Peru?")
    heavy = {"torch", "transformers", "langgraph", "langchain_core"} & sys.modules.keys()
    print("HEAVY", sorted(heavy))

Typed.question = told
sys.argv = ["groundwalk", "chat"]
from groundwalk.cli.main import main
main()
"""
"""The chat, which tells what it has imported once the first question is typed, and leaves."""


_SLOW = """
import sys, time
from pathlib import Path
import groundwalk.cli.chat.threads as threads

def slow(talk):
    Path("begun").touch()
    while not Path("typed").exists():
        time.sleep(0.01)

threads.last_turns = slow
sys.argv = ["groundwalk", "chat", "--thread", "trip"]
from groundwalk.cli.main import main
main()
"""
"""The chat, which takes until there is a file `typed` before it shows its first prompt."""


def run(home: Path, *arguments: str, say: str | bytes = "") -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [*command(), "chat", *arguments],
        input=say.encode() if isinstance(say, str) else say,
        capture_output=True,
        env=environment(home),
        cwd=home,
        timeout=600,
    )


def test_nothing_heavy_is_imported_where_ctrl_c_would_interrupt_it(tmp_path: Path) -> None:
    with Terminal(_TOLD, environment(tmp_path), tmp_path, rows=24) as terminal:
        assert terminal.wait_for_the_end() == 0
        assert "HEAVY []" in terminal.text(), terminal.text()


def test_leaving_while_the_model_loads_is_clean(tmp_path: Path) -> None:
    with Terminal(
        f"import sys; sys.argv = ['groundwalk', 'chat']\n{_CHAT}", environment(tmp_path), tmp_path
    ) as terminal:
        terminal.wait_for_prompt("you > ", after=-1)
        terminal.type("/entity Vaduz\r")
        terminal.wait_for_prompt("you > ", after=terminal.screen.cursor.y)
        terminal.type("\x03\x04")
        assert terminal.wait_for_the_end() == 0, terminal.text()
        shown = terminal.text()
    assert "Vaduz" in shown and "Traceback" not in shown and "rror" not in shown


def test_what_is_typed_before_the_prompt_waits_for_it(tmp_path: Path) -> None:
    with Terminal(_SLOW, environment(tmp_path), tmp_path, rows=24) as terminal:
        terminal.wait_for((tmp_path / "begun").exists)
        terminal.type("Which\x1b\rrivers?")
        (tmp_path / "typed").touch()
        terminal.wait_for(lambda: terminal.before_the_cursor() == "  ... rivers?")
        _, *lines = terminal.text().splitlines()
        assert lines[:3] == ["", "you > Which", "  ... rivers?"], "seen once, and in two lines"
        terminal.type("\x03\x04")
        assert terminal.wait_for_the_end() == 0


def test_what_cannot_be_loaded_is_told_at_the_first_question(tmp_path: Path) -> None:
    code = f"import sys; sys.argv = ['groundwalk', 'chat', '--method', 'paths']\n{_CHAT}"
    with Terminal(code, environment(tmp_path), tmp_path) as terminal:
        terminal.wait_for_prompt("you > ", after=-1)
        terminal.type("What is the capital of Peru?\r")
        terminal.wait_for_prompt("you > ", after=terminal.screen.cursor.y)
        assert "paths needs a file" in terminal.text()
        terminal.type("/method gcr\r")
        terminal.wait_for_prompt("you > ", after=terminal.screen.cursor.y)
        terminal.type("What is the capital of Peru?\r")
        terminal.wait_for_prompt("you > ", after=terminal.screen.cursor.y)
        assert "Lima [1]" in terminal.text()


def test_plain_lines_get_plain_text(tmp_path: Path) -> None:
    ended = run(tmp_path, say=b"What is the capital of Peru?\n\xff?\n/kg\n")
    assert ended.returncode == 0 and ended.stderr == b""
    said = ended.stdout.decode()
    assert "Lima [1]" in said and "\x1b" not in said and "not UTF-8" in said and "borders" in said


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--method", "gcrr"), "no method"),
        (("--model", "/no/such"), "no such model"),
        (("--kg", "/no/such"), "no such file"),
        (("--on-ambiguous", "never"), "none of ask"),
    ],
)
def test_where_nobody_types_errors_end_it(
    tmp_path: Path, arguments: tuple[str, ...], words: str
) -> None:
    ended = run(tmp_path, *arguments)
    assert ended.returncode == 2 and len(ended.stderr.splitlines()) == 1
    assert words in ended.stderr.decode()


@pytest.mark.skipif(find_spec("bitsandbytes") is not None, reason="it is installed")
def test_a_quantised_model_names_the_library_that_it_lacks(tmp_path: Path) -> None:
    ended = run(tmp_path, "--dtype", "4bit")
    assert ended.returncode == 2 and b"bitsandbytes" in ended.stderr
    assert len(ended.stderr.splitlines()) == 1


def test_a_paste_is_a_line_each(tmp_path: Path) -> None:
    code = f"import sys; sys.argv = ['groundwalk', 'chat']\n{_CHAT}"
    with Terminal(code, environment(tmp_path), tmp_path) as terminal:
        terminal.wait_for_prompt("you > ", after=-1)
        terminal.type("\x1b[200~/entity Vaduz\n/entity Lima\x1b[201~\r")
        terminal.wait_for(lambda: "Peru" in terminal.text())
        terminal.wait_for_prompt("you > ", after=-1)
        shown = terminal.text()
        terminal.type("\x04")
        assert terminal.wait_for_the_end() == 0, shown
    assert "you > /entity Vaduz\n" in shown and "you > /entity Lima\n" in shown
