"""A conversation as it stands: what the commands show and change."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from rich.console import Console

from ...agent.errors import InputError
from ...agent.kg import KnowledgeGraph
from ..session import Session
from ..terminal import waiting
from .loading import Engine, Loading, Wanted

if TYPE_CHECKING:
    from langgraph.checkpoint.sqlite import SqliteSaver

    from ...agent.evidence import Origin
    from ...agent.state import Reading, State


@dataclass(frozen=True)
class Answered:
    """A question's final state, and what it was asked of and with."""

    state: "State"
    origin: "Origin"


@dataclass(frozen=True)
class Understood:
    """A question and the queries that it may be, the likeliest first; none for a walk.

    They are `offered` where none of them was sure enough, until something else is asked.
    """

    question: str
    readings: tuple["Reading", ...]
    offered: bool = False


def _nobody(_: str) -> str:
    raise EOFError


class Talk:
    """What is talked about, with what, and the last answer; `over` once the user wants to leave.

    `reply` reads what the user replies to a prompt; it raises KeyboardInterrupt, and EOFError where
    nobody replies. `begun` counts the conversations.
    """

    def __init__(self, kg: KnowledgeGraph, wanted: Wanted, console: Console) -> None:
        self.kg = kg
        self.wanted = wanted
        self.console = console
        self.over = False
        self.reply: Callable[[str], str] = _nobody
        self.begun = 1
        self._engine = Engine(kg)
        self._last: Answered | None = None
        self._understood: Understood | None = None
        self._told = set[str]()
        self.loading = Loading(lambda: self._engine.session(self.wanted))

    @property
    def thread(self) -> str:
        """The name of the thread in the checkpointer."""
        return self.wanted.thread or "chat"

    def session(self) -> Session:
        """What answers questions, without notes that an answer had already.

        Raises what went wrong while it was loaded.
        """
        with waiting(self.console, "loading the model"):
            session = self.loading.get()
        return replace(session, notes=tuple(n for n in session.notes if n not in self._told))

    def change(self, **parts: Any) -> None:
        """Want other parts; where they cannot be had, everything stays as it is.

        Raises GroundwalkError.
        """
        wanted = replace(self.wanted, **parts)
        with waiting(self.console, "loading"):
            self.loading.settle()
            session = self._engine.session(wanted)
        self.wanted = wanted
        self.loading = Loading.done(session)

    def threads(self, thread: str | None) -> "SqliteSaver":
        """Where a thread is kept. Raises InputError."""
        with waiting(self.console, "opening the threads"):
            self.loading.settle()
            return self._engine.threads(thread)

    @property
    def last(self) -> Answered:
        """The last answer. Raises InputError where nothing was asked yet."""
        if self._last is None:
            raise InputError("there is no answer yet", "ask something first")
        return self._last

    @property
    def understood(self) -> Understood:
        """How the last question was read. Raises InputError where nothing was asked yet."""
        if self._understood is None:
            raise InputError("there is no answer yet", "ask something first")
        return self._understood

    def offers(self, line: str) -> bool:
        """Whether a line is the number of a reading that is offered."""
        understood = self._understood
        if understood is None or not understood.offered:
            return False
        return line.strip() in map(str, range(1, len(understood.readings) + 1))

    def remember(self, state: "State", origin: "Origin", *, reads: bool = True) -> None:
        """A question was answered, and where the model `reads` it, not by a query of the user's."""
        from ...agent.state import SILENT

        self._last = Answered(state, origin)
        if reads:
            question = state.get("asked") or state.get("question", "")
            readings = tuple(state.get("readings", []))
            offered = bool(readings) and state.get("status") in SILENT
            self._understood = Understood(question, readings, offered)
        elif self._understood:
            self._understood = replace(self._understood, offered=False)
        self._told.update(state.get("notes", []))

    def begin(self, thread: str | None) -> None:
        """Begin a conversation, or go on with one: there is no last answer.

        `change` goes before where one of them is kept and the other is not.
        """
        self.wanted = replace(self.wanted, thread=thread)
        self.begun += 1
        self._last = None
        self._understood = None
