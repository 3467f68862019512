"""What answers questions, loaded while the user types, and kept while commands change parts."""

from collections.abc import Callable
from concurrent.futures import Future, wait
from dataclasses import dataclass
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Any

from ...agent.kg import KnowledgeGraph
from ...agent.options import Options, names_set
from ..session import Session

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel
    from langgraph.checkpoint.sqlite import SqliteSaver

    from ...agent.llm.local import LocalModel
    from ...graphs.skeleton import Compiled


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


class Engine:
    """Makes sessions over one KG; models, graphs and threads are opened once."""

    def __init__(self, kg: KnowledgeGraph) -> None:
        self._kg = kg
        self._models: dict[tuple[str, ...], LocalModel] = {}
        self._llms: dict[str, BaseChatModel | None] = {}
        self._graphs: dict[tuple[object, ...], Compiled] = {}
        self._threads: dict[bool, SqliteSaver] = {}

    def session(self, wanted: Wanted) -> Session:
        """What answers as wanted. Raises InputError and ModelError."""
        from ...graphs.asked_with import method_options, unused

        method, kept = wanted.method, names_set(wanted.pairs)
        options = method_options(method, wanted.options, paper=wanted.paper, kept=kept)
        graph: Any = self._graph(wanted).copy({"checkpointer": self.threads(wanted.thread)})
        notes = unused(method, wanted.options, kept)
        return Session(self._kg, graph, options, tuple(notes))

    def threads(self, thread: str | None) -> "SqliteSaver":
        """Where a thread is kept: the user's database, or where it has no name, in memory."""
        from ...agent.conversation.threads import open_threads, unkept_threads

        kept = thread is not None
        if kept not in self._threads:
            self._threads[kept] = open_threads() if kept else unkept_threads()
        return self._threads[kept]

    def _graph(self, wanted: Wanted) -> "Compiled":
        from ...graphs import build_graph

        key = (wanted.method, wanted.model, wanted.reader, wanted.llm, wanted.device, wanted.dtype)
        if key not in self._graphs:
            self._graphs[key] = build_graph(
                wanted.method,
                kg=self._kg,
                generator=self._model(wanted),
                reader=wanted.reader or None,
                llm=self._llm(wanted.llm),
                prompts=wanted.prompts,
                checkpointer=self.threads(wanted.thread),
            )
        return self._graphs[key]

    def _model(self, wanted: Wanted) -> "LocalModel":
        from ...agent.llm.local import load_generator

        key = (wanted.model, wanted.device, wanted.dtype)
        if key not in self._models:
            loaded = load_generator(wanted.model, device=wanted.device, dtype=wanted.dtype)
            self._models[key] = loaded
        return self._models[key]

    def _llm(self, spec: str) -> "BaseChatModel | None":
        from ...agent.llm.chat import chat_model

        if spec not in self._llms:
            self._llms[spec] = chat_model(spec)
        return self._llms[spec]


class Loading:
    """A session that is made in the background; what goes wrong is raised where it is needed."""

    def __init__(self, make: Callable[[], Session]) -> None:
        self._make = make
        self._made: Future[Session] = Future()
        self._thread = Thread(target=self._run, name="loading", daemon=True)

    def start(self) -> None:
        """Begin, if it has not begun."""
        if self._thread.ident is None:
            self._thread.start()

    def get(self) -> Session:
        """The session, once it is there. Raises what making it raised."""
        self.start()
        return self._made.result()

    def settle(self) -> None:
        """Wait until it is done, well or not, if it has begun."""
        if self._thread.ident is not None:
            wait([self._made])

    @classmethod
    def done(cls, session: Session) -> "Loading":
        """One that has nothing to do."""
        loading = cls(lambda: session)
        loading.start()
        return loading

    @property
    def is_at_work(self) -> bool:
        """Whether it has begun and is not done."""
        return self._thread.is_alive()

    def _run(self) -> None:
        try:
            self._made.set_result(self._make())
        except BaseException as error:
            self._made.set_exception(error)
