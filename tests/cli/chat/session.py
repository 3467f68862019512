"""A scripted conversation on a terminal; `python -m tests.cli.chat.session` keeps it as text."""

import os
import re
import tempfile
from pathlib import Path

from .terminal import Terminal

KEPT = Path(__file__).with_name("session.txt")
THREAD = "trip"

_CHAT = f"""
import os, sys, time
from pathlib import Path
import groundwalk.agent.kg.verification.claims as verification
verify = verification.verify_paths

def held(*given, **named):
    if Path("hold").exists():
        Path("held").touch()
        time.sleep(3600)
    return verify(*given, **named)

verification.verify_paths = held
sys.argv = ["groundwalk", "chat", "--thread", "{THREAD}"]
from groundwalk.cli.main import main
main()
"""
"""The chat; while there is a file `hold`, the verification of a turn takes an hour."""

_TURNS = (
    "Which countries border Austria?",
    "how many are there?",
    "which of them use the euro?",
    "What is the capital of Congo?",
    "2",  # the reply to which Congo
    "and its currency?",
    "Is Vienna the capital of Austria?",
    "Who is the president of Kenya?",
    "What is the capital of Peru?",  # stopped
    "What is the capital of Peru?",
    "and Chile?",
    "/why",
    "/verify",
    "/wy",
    "/export trip.md",
)
_STOPPED = _TURNS.index("What is the capital of Peru?")
_CHOICE = _TURNS.index("2")


def environment(home: Path) -> dict[str, str]:
    """That of a user without settings, whose files are all in a folder."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("GROUNDWALK_", "COLUMNS"))}
    settings = {
        "PROMPT_TOOLKIT_NO_CPR": "1",
        "GROUNDWALK_CACHE": str(home / "cache"),
        "GROUNDWALK_THREADS": str(home / "threads.sqlite"),
    }
    return {**kept, **settings, "HF_HUB_OFFLINE": "1", "OMP_NUM_THREADS": "1", "LANG": "C.UTF-8"}


def play(home: Path) -> str:
    """Have the conversation; the screen as it is in the end. The exit code must be 0."""
    with Terminal(_CHAT, environment(home), home) as terminal:
        line = -1
        for number, said in enumerate(_TURNS):
            prompt = "> " if number == _CHOICE else "you > "
            terminal.wait_for_prompt(prompt, after=line)
            line = terminal.screen.cursor.y
            if number == _STOPPED:
                (home / "hold").touch()
            terminal.type(f"{said}\r")
            if number == _STOPPED:
                terminal.wait_for((home / "held").exists)
                (home / "hold").unlink()
                terminal.type("\x03")
        terminal.wait_for_prompt("you > ", after=line)
        terminal.type("\x04")
        assert terminal.wait_for_the_end() == 0, terminal.text()
        return terminal.text()


def masked(screen: str) -> str:
    """A screen without what differs from run to run: times, and what depends on the arithmetic."""
    screen = re.sub(r"\d+ forward pass(es)?", "N forward passes", screen)
    return re.sub(r"\d+\.\d\d\b", "0.00", screen)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        KEPT.write_text(masked(play(Path(folder))), encoding="utf-8")
