"""The conversation: line after line, until the user leaves."""

import io
import os
import sys
from collections import deque
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Any, Protocol

from ...agent.errors import GroundwalkError
from ...agent.kg.labels.names import normalise, one_line
from ..terminal import in_one_line, internal_error
from .commands import perform
from .readings import NONE, offer
from .showing import is_mark
from .talk import Talk


class Lines:
    """The lines of standard input."""

    def __init__(self) -> None:
        if isinstance(sys.stdin, io.TextIOWrapper):
            sys.stdin.reconfigure(errors="surrogateescape")  # a broken line ends no conversation

    def question(self) -> str | None:
        """The next line; None at the end."""
        try:
            return input()
        except (EOFError, KeyboardInterrupt):
            return None

    def choice(self, prompt: str) -> str:
        """The next line, as a reply. Raises EOFError at the end."""
        return input()


class Reader(Protocol):
    """Where lines come from."""

    def question(self) -> str | None:
        """The next question or command, or a paste of several, a line each; None at the end."""
        ...

    def choice(self, prompt: str) -> str:
        """A reply to what was asked back. Raises KeyboardInterrupt and EOFError."""
        ...


def converse(talk: Talk, reader: Reader) -> None:
    """Answer lines; an error is told in one of its own, and an interrupt ends a turn only.

    Questions that were pasted at once are asked in turn, and an interrupt drops their rest.
    """
    lines, pasted = deque[str](), False

    def reply(prompt: str) -> str:
        nonlocal pasted
        first, *rest = [line for line in reader.choice(prompt).split("\n") if line.strip()] or [""]
        lines.extendleft(reversed(_lines("\n".join(rest))))
        pasted = pasted or bool(rest)
        return first

    talk.reply = reply
    while not talk.over:
        if not lines:
            read = reader.question()
            if read is None:
                return
            lines.extend(_lines(read))
            pasted = len(lines) > 1
            continue
        line = lines.popleft()
        if pasted:
            talk.console.print(f"\nyou > {one_line(line)}", style="bold")
        try:
            with _reported(talk):
                command = _command(talk, line)
                if line.strip():
                    talk.withdraw()
                if command:
                    perform(talk, command)
                elif instead := _ask(talk, line):
                    lines.appendleft(instead)
        except KeyboardInterrupt:
            left = f"; pasted lines left out: {len(lines)}" if lines else ""
            talk.console.print(f"\nstopped{left}", style="dim")
            lines.clear()
        except EOFError:
            talk.console.print("\nthe question is dropped", style="dim")


def _command(talk: Talk, line: str) -> str:
    """The command that a line is or stands for; empty for a question.

    A number, or a yes, takes the reading that was just offered. Else a number is the mark of a
    chain of the last answer.
    """
    from ...agent.conversation.courtesies import leaves, place_of

    text = line.strip()
    if text.startswith("/"):
        return text
    if leaves(spoken := normalise(line)):
        return "/quit"
    number = place_of(spoken) if talk.offered else None
    if number == 0 or talk.offers(str(number)):
        return f"/readings {number or NONE}"
    return f"/why {text}" if is_mark(talk, text) else ""


def _lines(text: str) -> list[str]:
    """A text as questions and commands: a line each where the lines are plainly such.

    Any other text of several lines is one question, as one that was wrapped.
    """
    lines = [line for line in text.split("\n") if line.strip()]
    if not lines or all(
        line.rstrip().endswith(("?", "？")) or line.startswith("/") for line in lines
    ):
        return lines
    return [" ".join(line.strip() for line in lines)]


@contextmanager
def _reported(talk: Talk) -> Generator[None]:
    """Print an error in a line of its own; the end of the lines is none."""
    try:
        yield
    except EOFError:
        raise
    except GroundwalkError as error:
        talk.console.print(in_one_line(error), style="yellow")
    except Exception as error:
        if os.environ.get("GROUNDWALK_DEBUG"):
            raise
        talk.console.print(in_one_line(internal_error(error)), style="yellow")


def _ask(talk: Talk, question: str) -> str | None:
    """Answer a question; the line that takes its place where the user chose nothing."""
    talk.session()
    from ..choosing import Changed, choose
    from .screen import ChatScreen, answer

    screen = ChatScreen(console=talk.console, trace=talk.wanted.trace)

    def chosen(asked: dict[str, Any]) -> str:
        screen.pause()
        return choose(
            asked,
            kg=talk.kg,
            console=talk.console,
            read=talk.reply,
            command=_meanwhile(talk, question),
            others="a new question or a /command; Ctrl-D drops this one",
        )

    try:
        answer(talk, screen, question, chosen)
        offer(talk)
    except Changed as changed:
        if changed.line != question and not talk.over:
            talk.console.print(f"the question is dropped: {one_line(question)}", style="dim")
        return changed.line
    return None


def _meanwhile(talk: Talk, question: str) -> Callable[[str], str]:
    """Carries out commands while a choice is due.

    It raises Changed after those that make the choice pointless: where the user leaves, another
    conversation began, or the question is to be answered with other parts.
    """
    from ..choosing import Changed

    wanted, begun = talk.wanted, talk.begun

    def carry_out(line: str) -> str:
        with _reported(talk):
            perform(talk, line)
        if talk.over or talk.begun != begun:
            raise Changed("")
        if talk.wanted != wanted:
            raise Changed(question)
        return ""

    return carry_out
