"""Answering questions: a KG, a model and the graphs of some methods, opened once for many."""

import contextlib
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from itertools import groupby
from queue import SimpleQueue
from threading import Event
from time import perf_counter
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, cast

from ..agent.errors import GroundwalkError, InputError, QuestionError
from ..agent.kg import KnowledgeGraph
from ..agent.options import Options
from ..agent.state import State
from .records import Asked, Labels, Record, answered, failed
from .samples import Sample
from .setup import Setup, open_shared

if TYPE_CHECKING:
    from ..graphs.skeleton import Compiled


class Task(NamedTuple):
    """A question for a method."""

    sample: Sample
    method: str


class Ask(Protocol):
    """Answers tasks, in whatever order; one record each."""

    def __call__(self, tasks: Sequence[Task]) -> Generator[Record]:
        """Raises InputError for what would meet every question."""
        ...


OpenAsk = Callable[[], contextlib.AbstractContextManager[Ask]]
"""Opens what answers. One that is to be sent to another process can be pickled."""


@contextlib.contextmanager
def open_setup(setup: Setup) -> Generator[Ask]:
    """Open what a setup names. Raises InputError (KGError, ModelError) and ServiceError."""
    from ..agent.llm.chat import chat_model
    from ..agent.llm.local import load_generator
    from ..agent.reader.weights import open_reader
    from ..graphs.build import build_graph

    options = method_options(setup)
    local = load_generator(setup.model, device=setup.device, dtype=setup.dtype)
    llm = chat_model(setup.llm)
    reader = open_reader(setup.reader) if setup.reader else None

    def opened(kg: KnowledgeGraph) -> _Opened:
        graphs = {
            method: build_graph(
                method,
                kg=kg,
                generator=local,
                llm=llm,
                prompts=setup.prompts,
                reader=reader,
            )
            for method in setup.methods
        }
        return _Opened(kg, graphs)

    with contextlib.ExitStack() as stack:
        stack.callback(_send_traces)
        shared: _Opened | None = None
        if (kg := open_shared(setup)) is not None:
            stack.callback(kg.close)
            shared = opened(kg)
        asking = _Asking(setup, options, shared, opened)
        yield asking if setup.batch == 1 else partial(_in_threads, asking, setup.batch)


def method_options(setup: Setup) -> dict[str, Options]:
    """The options of each method. Raises InputError for those that it cannot be asked with."""
    from ..graphs import asked_with

    own = partial(asked_with.method_options, options=setup.options, kept=setup.kept)
    return {name: own(name, paper=setup.paper) for name in setup.methods}


class _Opened(NamedTuple):
    """A KG and the graphs of the methods over it."""

    kg: KnowledgeGraph
    graphs: dict[str, "Compiled"]


class _Asking:
    """Asks one question after the other."""

    def __init__(
        self,
        setup: Setup,
        options: dict[str, Options],
        shared: _Opened | None,
        opened: Callable[[KnowledgeGraph], _Opened],
    ) -> None:
        self._setup, self._options, self._shared, self._opened = setup, options, shared, opened

    def __call__(self, tasks: Sequence[Task]) -> Generator[Record]:
        for _, own in groupby(tasks, key=lambda task: task.sample.id):
            yield from self._of_one(list(own))

    def _of_one(self, tasks: Sequence[Task]) -> Generator[Record]:
        """The records of tasks about the same question."""
        from .sample_graph import open_sample_graph

        sample = tasks[0].sample
        if self._shared is not None and not (self._setup.own_graphs and sample.graph is not None):
            for task in tasks:
                yield self._record(task, self._shared)
            return
        since = perf_counter()
        try:
            kg = open_sample_graph(sample)
        except Exception as error:
            for task in tasks:
                yield self._failed(task, of_question(error, own_graph=True), since)
            return
        with contextlib.closing(kg):
            opened = self._opened(replace(kg, reading=self._setup.reading.settled(kg.profile)))
            for task in tasks:
                yield self._record(task, opened, own_graph=True)

    def _record(self, task: Task, opened: _Opened, *, own_graph: bool = False) -> Record:
        sample = task.sample
        turn: Any = {"question": sample.question, "id": sample.id}
        if self._setup.topics == "given":
            turn["given"] = list(sample.topics)
        if sample.choices:
            turn["choices"] = list(sample.choices)
        since = perf_counter()
        try:
            graph, options = opened.graphs[task.method], self._options[task.method]
            state = graph.invoke(turn, context=options)
            seconds, labels = perf_counter() - since, _own_labels(opened.kg)
            asked, stands = self._asked(task), opened.kg.representatives
            return answered(sample, asked, cast("State", state), seconds, labels, stands)
        except Exception as error:
            return self._failed(task, of_question(error, own_graph=own_graph), since)

    def _failed(self, task: Task, error: GroundwalkError, since: float) -> Record:
        return failed(task.sample, self._asked(task), error, perf_counter() - since)

    def _asked(self, task: Task) -> Asked:
        return Asked(self._setup.dataset, self._setup.split, task.method)


def _send_traces() -> None:
    """Wait until LangSmith has all, where the user's variables have the runs traced."""
    from langchain_core.tracers.langchain import wait_for_all_tracers

    wait_for_all_tracers()


def _in_threads(ask: Ask, count: int, tasks: Sequence[Task]) -> Generator[Record]:
    """Ask as many questions as there are threads at once, and decode them together."""
    from ..agent.decoding.gathering import Gathering

    gathering, said = Gathering(), SimpleQueue[Record | Exception]()
    stopped = Event()

    def work(own: Sequence[Task]) -> None:
        if stopped.is_set():
            return
        try:
            with gathering.taking_part():
                for record in ask(own):
                    said.put(record)
        except Exception as error:
            said.put(error)

    with ThreadPoolExecutor(count) as threads:
        for _, own in groupby(tasks, key=lambda task: task.sample.id):
            threads.submit(work, list(own))
        try:
            for _ in tasks:
                if isinstance(found := said.get(), Exception):
                    raise found
                yield found
        finally:
            stopped.set()


def of_question(error: Exception, *, own_graph: bool = False) -> GroundwalkError:
    """The error as that of one question.

    Raises it as it is where it would meet every question: one in what the user gave for the run.
    With its `own_graph`, a question meets errors by itself.
    """
    if isinstance(error, InputError) and not isinstance(error, QuestionError) and not own_graph:
        raise error
    if isinstance(error, GroundwalkError):
        return error
    line = " ".join(str(error).split())[:300]
    return GroundwalkError(f"{type(error).__name__}: {line}")


def _own_labels(kg: KnowledgeGraph) -> Labels:
    """The labels as the KG states them, without what keeps display names apart."""
    return lambda terms: [info.label for info in kg.labels.describe(list(terms))]
