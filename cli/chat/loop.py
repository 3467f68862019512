"""The conversation: line after line, until the user leaves."""

import os
from collections import deque
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
        """The next question or command, or a paste of several, a line each; None at the end."""
        ...

    def choice(self, prompt: str) -> str:
        """A reply to what the graph asked back. Raises KeyboardInterrupt and EOFError."""
        ...


def converse(talk: Talk, reader: Reader, *, typing: bool = False) -> None:
    """Answer lines; an error is told in one of its own, and an interrupt ends a turn only.

    Where somebody is `typing`, a reply that is no choice is asked for again; else it is a line of
    its own. Lines that were pasted at once are asked in turn, and an interrupt drops their rest.
    """
    from ..main import internal

    lines, pasted = deque[str](), False
    while not talk.over:
        if not lines:
            read = reader.question()
            if read is None:
                return
            lines.extend(line for line in read.split("\n") if line.strip())
            pasted = len(lines) > 1
            continue
        line = lines.popleft()
        if pasted:
            talk.console.print(f"\nyou > {one_line(line)}", style="bold")
        try:
            if line.strip().startswith("/"):
                perform(talk, line)
            elif typed := _ask(talk, line, reader, typing=typing):
                lines.appendleft(typed)
        except KeyboardInterrupt:
            left = f"; pasted lines left out: {len(lines)}" if lines else ""
            talk.console.print(f"\nstopped{left}", style="dim")
            lines.clear()
        except EOFError:
            talk.console.print("\nthe question is dropped", style="dim")
        except GroundwalkError as error:
            _tell(talk, error)
        except Exception as error:
            if os.environ.get("GROUNDWALK_DEBUG"):
                raise
            _tell(talk, internal(error))


def _tell(talk: Talk, error: GroundwalkError) -> None:
    hint = f" ({error.hint})" if error.hint else ""
    talk.console.print(one_line(f"{error.message}{hint}"), style="yellow")


def _ask(talk: Talk, question: str, reader: Reader, *, typing: bool) -> str | None:
    """Answer a question; what the user typed instead, where it was to be made clearer."""
    session = talk.session()
    from ..evidence import origin_of
    from ..render import Changed
    from ..session import run
    from .screen import ChatScreen

    screen = ChatScreen(console=talk.console, read=reader.choice, again=typing)
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
        talk.console.print("the question is dropped", style="dim")
        return changed.line
    return None
