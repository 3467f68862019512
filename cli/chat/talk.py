"""A conversation as it stands: what the commands show and change."""

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console

from ...agent.errors import InputError
from ...agent.kg import KnowledgeGraph
from ...agent.options import Options, names_set
from ..preparing import Prepared
from ..session import Session
from ..terminal import waiting

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel

    from ...agent.conversation.saver import ThreadSaver
    from ...agent.evidence import Origin
    from ...agent.llm.local import LocalModel
    from ...agent.records import Reading, StepRecord
    from ...agent.state import State
    from ...graphs.nesting import CompiledGraph


@dataclass(frozen=True)
class Wanted:
    """What questions are to be answered with; without a `thread` nothing of them is kept."""

    method: str
    model: str
    llm: str
    device: str
    dtype: str
    prompts: Path | None
    options: Options
    pairs: tuple[str, ...]
    """The options that the user set by name, which `paper` leaves alone."""
    paper: bool
    thread: str | None
    is_named: bool = True
    """Whether the user named the method; or else it is that of the model."""
    reader: str = ""
    """What reads questions; empty for what suits the model and the graph."""
    trace: bool = False
    """Whether each step and every chain is shown with an answer."""


class Engine:
    """Makes sessions over one KG; models, graphs and threads are opened once."""

    def __init__(self, kg: KnowledgeGraph) -> None:
        self._kg = kg
        self._model, self._llm = cache(_model), cache(_llm)
        self._graphs: dict[tuple[object, ...], CompiledGraph] = {}
        self._threads: dict[bool, ThreadSaver] = {}

    def session(self, wanted: Wanted) -> Session:
        """What answers as wanted. Raises InputError and ModelError."""
        from ...graphs.methods import method_options, unused

        method, user_set = wanted.method, names_set(wanted.pairs)
        options = method_options(method, wanted.options, paper=wanted.paper, user_set=user_set)
        graph: Any = self._graph(wanted).copy({"checkpointer": self.threads(wanted.thread)})
        notes = unused(method, wanted.options, user_set)
        return Session(self._kg, graph, options, tuple(notes))

    def threads(self, thread: str | None) -> "ThreadSaver":
        """Where a thread is kept: the user's database, or where it has no name, in memory."""
        from ...agent.conversation.threads import open_threads, unkept_threads

        is_named = thread is not None
        if is_named not in self._threads:
            self._threads[is_named] = open_threads() if is_named else unkept_threads()
        return self._threads[is_named]

    def _graph(self, wanted: Wanted) -> "CompiledGraph":
        from ...graphs import build_graph

        key = (wanted.method, wanted.model, wanted.reader, wanted.llm, wanted.device, wanted.dtype)
        if key not in self._graphs:
            self._graphs[key] = build_graph(
                wanted.method,
                kg=self._kg,
                generator=self._model(wanted.model, wanted.device, wanted.dtype),
                reader=wanted.reader or None,
                llm=self._llm(wanted.llm),
                prompts=wanted.prompts,
                checkpointer=self.threads(wanted.thread),
            )
        return self._graphs[key]


def _model(source: str, device: str, dtype: str) -> "LocalModel":
    from ...agent.llm.local import load_generator

    return load_generator(source, device=device, dtype=dtype)


def _llm(spec: str) -> "BaseChatModel | None":
    from ...agent.llm.chat import chat_model

    return chat_model(spec)


@dataclass(frozen=True)
class Answered:
    """A question's final state, and what it was asked of and with."""

    state: "State"
    origin: "Origin"


@dataclass(frozen=True)
class Understood:
    """A question and the queries that it may be, the likeliest first; none for a walk.

    So many of them are `offered` where none was sure enough, until something else is typed.
    """

    question: str
    readings: tuple["Reading", ...]
    offered: int = 0


@dataclass(frozen=True)
class Remembered:
    """A turn that was answered here: its number in the thread, its answer, and its readings.

    The readings are None for a turn of another session, of which they are not kept.
    """

    number: int
    answered: Answered
    understood: Understood | None


_LEAST_OFFERED = 0.1
"""The least probability of a reading that is offered."""
_MOST_REMEMBERED = 50
"""Turns whose answers are at hand again once later ones are taken back."""


def _understood(state: "State") -> Understood:
    """How a question was read, with what is offered of it: nothing that none of its words says."""
    from ...agent.query.account import share_read
    from ...agent.records import SILENT

    readings = _distinct(state.get("readings", []))
    likely = sum(reading["probability"] >= _LEAST_OFFERED for reading in readings)
    is_about_it = share_read(state.get("account", [])) > 0
    offered = likely if state.get("status") in SILENT and is_about_it else 0
    return Understood(state.get("asked") or state.get("question", ""), readings, offered)


def _shows_again(state: "State", earlier: "State") -> bool:
    """Whether a reply to "why?" shows the chains of an earlier answer by the same numbers."""
    operation = state.get("operation")
    is_why = operation is not None and operation["kind"] == "why"
    return is_why and _proof(state) == _proof(earlier)


def _proof(state: "State") -> "list[list[StepRecord]]":
    """The chains of all answers, then the triples that what was computed rests on."""
    result = state.get("result")
    compared: list[StepRecord] = [
        {**step, "inverse": False} for step in (result["triples"] if result else [])
    ]
    return [*(chain for answer in state.get("answers", []) for chain in answer["chains"]), compared]


def _number(state: "State") -> int:
    """The number of the turn that a final state is about; 0 where it is not kept as one."""
    turns = state.get("turns", [])
    return turns[-1]["number"] if turns else 0


def _distinct(readings: "Sequence[Reading]") -> "tuple[Reading, ...]":
    """The readings that differ in words, the likeliest of those that do not."""
    first: dict[str, Reading] = {}
    for reading in readings:
        first.setdefault(reading["words"], reading)
    return tuple(first.values())


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
        self._turns = deque[Remembered](maxlen=_MOST_REMEMBERED)
        self._shown_notes = set[str]()
        self.loading = Prepared(lambda: self._engine.session(self.wanted))

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
        return replace(session, notes=tuple(n for n in session.notes if n not in self._shown_notes))

    def new_notes(self) -> tuple[str, ...]:
        """The notes that no answer had yet; none will have them."""
        notes = self.session().notes
        self._shown_notes.update(notes)
        return notes

    def change(self, **parts: Any) -> None:
        """Want other parts; where they cannot be had, everything stays as it is.

        Raises GroundwalkError.
        """
        wanted = replace(self.wanted, **parts)
        with waiting(self.console, "loading"):
            self.loading.settle()
            session = self._engine.session(wanted)
        self.wanted = wanted
        self.loading = Prepared(lambda: session)
        self.loading.begin()

    def threads(self, thread: str | None) -> "ThreadSaver":
        """Where a thread is kept. Raises InputError."""
        with waiting(self.console, "opening the threads"):
            self.loading.settle()
            return self._engine.threads(thread)

    @property
    def has_answer(self) -> bool:
        """Whether anything was asked yet, and not taken back."""
        return bool(self._turns)

    @property
    def last(self) -> Answered:
        """The last answer. Raises InputError where nothing was asked yet."""
        return self._turn.answered

    @property
    def understood(self) -> Understood:
        """How the last question was read.

        Raises InputError where nothing was asked yet, or in another session.
        """
        if (understood := self._turn.understood) is None:
            raise InputError("its readings are not kept with the thread", "ask it again")
        return understood

    @property
    def _turn(self) -> Remembered:
        if not self._turns:
            raise InputError("there is no answer yet", "ask something first")
        return self._turns[-1]

    @property
    def offered(self) -> int:
        """How many readings are offered."""
        understood = self._turns[-1].understood if self._turns else None
        return understood.offered if understood else 0

    def offers(self, line: str) -> bool:
        """Whether a line is the number of a reading that is offered."""
        return line.strip() in map(str, range(1, self.offered + 1))

    def offer(self, number: int) -> None:
        """Offer so many of the readings, the likeliest; a number that is typed next means one.

        Raises InputError as `understood` does.
        """
        understood = replace(self.understood, offered=number)
        self._turns[-1] = replace(self._turns[-1], understood=understood)

    def withdraw(self) -> None:
        """Offer no readings any longer: a number that is typed now does not mean one of them."""
        if self.offered:
            self.offer(0)

    def remember(self, state: "State", origin: "Origin", *, reads: bool = True) -> None:
        """A question was answered, and where the model `reads` it, not by a query of the user's.

        A greeting is none: what was answered before it stays the last answer. So does the answer
        that "why?" shows again; and both that and "list them" have the readings of what they are
        about.
        """
        if state.get("status") == "introduced":
            return
        self._shown_notes.update(state.get("notes", []))
        answered, understood = Answered(state, origin), _understood(state)
        if not reads:
            understood = self._turns[-1].understood if self._turns else None
        elif about := self._about(state):
            understood = about.understood
            answered = about.answered if _shows_again(state, about.answered.state) else answered
        self._turns.append(Remembered(_number(state), answered, understood))
        if not reads or self._about(state):
            self.withdraw()

    def _about(self, state: "State") -> Remembered | None:
        """The turn that a request to show an earlier answer again is about."""
        from ...agent.conversation.turns import last_about

        operation = state.get("operation")
        if operation is None or operation["kind"] not in ("why", "list") or "read" in operation:
            return None
        about = last_about(state.get("turns", [])[:-1])
        number = about["number"] if about else 0
        return next((turn for turn in reversed(self._turns) if turn.number == number), None)

    def recall(self, number: int, answered: Answered) -> None:
        """The last answer is that of a turn of another session."""
        self._turns.append(Remembered(number, answered, None))

    def take_back(self, number: int) -> None:
        """The turn of this number was never asked: the last answer is the one before it."""
        self.begun += 1
        while self._turns and self._turns[-1].number >= number:
            self._turns.pop()

    def begin(self, thread: str | None) -> None:
        """Begin a conversation, or go on with one: there is no last answer.

        `change` goes before where one of them is kept and the other is not.
        """
        self.wanted = replace(self.wanted, thread=thread)
        self.begun += 1
        self._turns.clear()
