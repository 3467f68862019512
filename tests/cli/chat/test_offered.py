"""Which of the readings of a question without an answer are offered."""

import io
from typing import Any, cast

from groundwalk.agent.evidence import Origin
from groundwalk.agent.kg import open_kg
from groundwalk.agent.options import Options
from groundwalk.agent.state import State
from groundwalk.cli.chat.loop import converse
from groundwalk.cli.chat.talk import Talk, Wanted
from rich.console import Console

from .test_commands import Said


def test_what_is_hardly_likely_is_not_offered() -> None:
    wanted = Wanted("gcr", "bundled", "none", "cpu", "auto", None, Options(), (), False, None)
    talk = Talk(open_kg("world"), wanted, Console())
    readings = [
        {"query": {}, "words": f"reading {share}", "probability": share}
        for share in (0.3, 0.1, 0.09, 0.05)
    ]
    state: Any = {"question": "What?", "readings": readings, "status": "unsure"}
    talk.remember(cast(State, state), Origin())
    assert talk.offered == 2


def test_a_yes_to_nothing_is_one_line() -> None:
    wanted = Wanted("gcr", "bundled", "none", "cpu", "auto", None, Options(), (), False, None)
    talk = Talk(open_kg("world"), wanted, Console(file=io.StringIO(), width=100))
    converse(talk, Said("tell me about Peru", "yes", "no"))
    lines = cast(io.StringIO, talk.console.file).getvalue().rstrip().splitlines()
    nothing = "There is nothing to say yes or no to. Ask anything, or help for what may be asked."
    assert lines[-3:] == [nothing, "", nothing]
