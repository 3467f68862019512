"""The conversation: line after line, until the user leaves."""

import os
from typing import TYPE_CHECKING, Protocol, cast

from ...agent.errors import GroundwalkError
from ...agent.kg.names import one_line
from .commands import perform
from .talk import Talk

if TYPE_CHECKING:
    from ...agent.state import State


class Reader(Protocol):
    """Where lines come from."""

    def question(self) -> str | None:
        """The next question or command; None at the end."""
        ...

    def choice(self, prompt: str) -> str:
        """A reply to what the graph asked back. Raises KeyboardInterrupt and EOFError."""
        ...


def converse(talk: Talk, reader: Reader) -> None:
    """Answer lines; an error is told in one of its own, and an interrupt ends a turn only."""
    from ..main import internal

    typed: str | None = None
    while not talk.over:
        line = reader.question() if typed is None else typed
        typed = None
        if line is None:
            return
        try:
            if line.strip().startswith("/"):
                perform(talk, line)
            elif line.strip():
                typed = _ask(talk, line, reader)
        except KeyboardInterrupt:
            talk.console.print("\nstopped", style="dim")
        except EOFError:
            return
        except GroundwalkError as error:
            _tell(talk, error)
        except Exception as error:
            if os.environ.get("GROUNDWALK_DEBUG"):
                raise
            _tell(talk, internal(error))


def _tell(talk: Talk, error: GroundwalkError) -> None:
    hint = f" ({error.hint})" if error.hint else ""
    talk.console.print(one_line(f"{error.message}{hint}"), style="yellow")


def _ask(talk: Talk, question: str, reader: Reader) -> str | None:
    """Answer a question; what the user typed instead, where it was to be made clearer."""
    session = talk.session()
    from ..evidence import origin_of
    from ..render import Changed
    from ..session import run
    from .screen import ChatScreen

    screen = ChatScreen(console=talk.console, read=reader.choice)
    origin = origin_of(talk.kg, talk.wanted.model)
    try:
        for event in screen.watched(run(session, question, talk.thread, screen.choose), "thinking"):
            if "event" in event:
                screen.event(event)
            else:
                state = cast("State", event)
                talk.remember(state, origin)
                screen.result(state, talk.kg)
    except Changed as changed:
        return changed.line
    return None
