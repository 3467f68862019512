"""Answering questions: what a run answers with, opened once for many questions.

A setup names it in plain values, so that any process can open it: a KG, a model, and the methods.
Where the dataset brings a graph for each question, that is opened instead.
"""

import contextlib
import re
import sqlite3
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import partial
from hashlib import sha256
from itertools import groupby
from pathlib import Path
from queue import SimpleQueue
from threading import Event
from time import perf_counter
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias, cast

import pyoxigraph as ox

from ...agent.errors import GroundwalkError, InputError, QuestionError
from ...agent.kg import (
    GENERIC,
    KnowledgeGraph,
    LabelIndex,
    OnBroken,
    OxigraphStore,
    Reading,
    load_profile,
    name_iri,
    open_kg,
)
from ...agent.kg.labels.indexing import build_labels
from ...agent.kg.profile import UNLABELLED
from ...agent.options import Options
from ...agent.state import State
from ..records import Asked, Labels, Record, answered, failed
from ..samples import Sample
from .config import Topics

if TYPE_CHECKING:
    from ...graphs.nesting import CompiledGraph


PROFILE = replace(GENERIC, name="names", nodes=(UNLABELLED,))
"""How such a KG is read; only raw Freebase ids have no label, and they are mediators (CVTs)."""

_RAW_ID = re.compile(r"(?:m\.0|g\.1)[0-9a-z_]*")
_FREEBASE_RELATION = re.compile(r"[a-z0-9_]+(?:\.[a-z0-9_]+)+")
_LABEL = ox.NamedNode("http://www.w3.org/2000/01/rdf-schema#label")


def open_sample_graph(sample: Sample) -> KnowledgeGraph:
    """The `graph` of a sample as a KG in memory; close it after use.

    A name stands for the same term as in a `head|relation|tail` file, and is its label. A raw
    Freebase id (`m.0cr320w`) gets no label, and a Freebase relation its words: all of
    `people.person.place_of_birth` as `people person place of birth`, since its last words alone
    are not unique, and which relation kept them would change from one question's graph to the
    next. The same triples make the same digest in any order. Raises InputError for a sample
    without a graph.
    """
    if sample.graph is None:
        raise InputError(f"the question {sample.id} has no graph of its own", "name one: --kg")
    triples = sorted(set(sample.graph))
    store, connection = ox.Store(), sqlite3.connect(":memory:", check_same_thread=False)
    store.extend(_quads(triples))
    counts = build_labels(connection, store, PROFILE)
    source = f"the graph of {sample.id}"
    return KnowledgeGraph(
        store=OxigraphStore(store, source=source, profile=PROFILE, counts=counts),
        labels=LabelIndex(connection),
        profile=PROFILE,
        source=source,
        digest=sha256(repr(triples).encode()).hexdigest(),
        folder=None,
    )


def _quads(triples: list[tuple[str, str, str]]) -> Iterator[ox.Quad]:
    labels = {name: name for head, _, tail in triples for name in (head, tail)}
    relations = {relation for _, relation, _ in triples}
    labels |= {relation: _relation_label(relation) for relation in sorted(relations)}
    nodes = {name: ox.NamedNode(name_iri(name)) for name in labels}
    for name, label in labels.items():
        if not _RAW_ID.fullmatch(name):
            yield ox.Quad(nodes[name], _LABEL, ox.Literal(label))
    for head, relation, tail in triples:
        yield ox.Quad(nodes[head], nodes[relation], nodes[tail])


def _relation_label(name: str) -> str:
    if _FREEBASE_RELATION.fullmatch(name):
        return name.replace(".", " ").replace("_", " ")
    return name


@dataclass(frozen=True)
class Setup:
    """The methods, and what they answer over and with.

    `kg` is what `--kg` takes; None where every question brings its own graph. With `sample_graphs`
    those that bring one are asked over that.
    """

    dataset: str
    split: str
    methods: tuple[str, ...]
    kg: str | None
    model: str
    profile: str = "auto"
    graphs: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    reading: Reading = Reading()
    on_broken: OnBroken = "fail"
    """What becomes of a broken statement of the KG's files."""
    sample_graphs: bool = False
    llm: str = "none"
    device: str = "cpu"
    dtype: str = "auto"
    prompts: Path | None = None
    topics: Topics = "linked"
    options: Options = field(default_factory=Options)
    paper: bool = False
    """Whether options that are not set are those of the method's paper."""
    user_set: frozenset[str] = frozenset()
    """Options that are set, though it may be to what they are by default."""
    reader: str = ""
    """What reads questions; empty for what suits the model and the graph."""
    batch: int = 1
    """Questions that are decoded at once."""


def open_shared(setup: Setup) -> KnowledgeGraph | None:
    """The KG of all questions, if they have one. Raises KGError and ServiceError."""
    if setup.kg is None:
        return None
    return open_kg(
        setup.kg,
        profile=load_profile(setup.profile),
        graphs=setup.graphs,
        languages=setup.languages,
        reading=setup.reading,
        on_broken=setup.on_broken,
    )


class Task(NamedTuple):
    """A question for a method."""

    sample: Sample
    method: str


Ask: TypeAlias = Callable[[Sequence[Task]], Generator[Record]]
"""Answers tasks, in whatever order, one record each.

Raises InputError for what would meet every question.
"""

OpenAsk: TypeAlias = Callable[[], contextlib.AbstractContextManager[Ask]]
"""Opens what answers. One that is to be sent to another process can be pickled."""


@contextlib.contextmanager
def open_setup(setup: Setup) -> Generator[Ask]:
    """Open what a setup names. Raises InputError (KGError, ModelError) and ServiceError."""
    from langchain_core.tracers.langchain import wait_for_all_tracers

    from ...agent.llm.chat import chat_model
    from ...agent.llm.local import load_generator
    from ...agent.reader.weights import open_reader
    from ...graphs.build import build_graph

    options = method_options(setup)
    local = load_generator(setup.model, device=setup.device, dtype=setup.dtype)
    llm = chat_model(setup.llm)
    reader = open_reader(setup.reader) if setup.reader else None
    prompts = setup.prompts

    def over(kg: KnowledgeGraph) -> _OverKG:
        common: dict[str, Any] = {"kg": kg, "generator": local, "llm": llm}
        graphs = {
            method: build_graph(method, **common, prompts=prompts, reader=reader)
            .with_state()
            .without_line()
            for method in setup.methods
        }
        return _OverKG(kg, graphs)

    with contextlib.ExitStack() as stack:
        stack.callback(wait_for_all_tracers)
        shared: _OverKG | None = None
        if (kg := open_shared(setup)) is not None:
            stack.callback(kg.close)
            shared = over(kg)
        asking = _Asking(setup, options, shared, over)
        yield asking if setup.batch == 1 else partial(_in_threads, asking, setup.batch)


def method_options(setup: Setup) -> dict[str, Options]:
    """The options of each method. Raises InputError for those that it cannot be asked with."""
    from ...graphs import methods

    return {
        name: methods.method_options(
            name, setup.options, paper=setup.paper, user_set=setup.user_set
        )
        for name in setup.methods
    }


class _OverKG(NamedTuple):
    """A KG and the graphs of the methods over it."""

    kg: KnowledgeGraph
    graphs: dict[str, "CompiledGraph"]


@dataclass(frozen=True)
class _Asking:
    """Asks one question after the other; `over` opens the methods over a question's own KG."""

    setup: Setup
    options: dict[str, Options]
    shared: _OverKG | None
    over: Callable[[KnowledgeGraph], _OverKG]

    def __call__(self, tasks: Sequence[Task]) -> Generator[Record]:
        for _, group in groupby(tasks, key=lambda task: task.sample.id):
            yield from self._of_one_question(list(group))

    def _of_one_question(self, tasks: Sequence[Task]) -> Generator[Record]:

        sample, setup = tasks[0].sample, self.setup
        if self.shared is not None and not (setup.sample_graphs and sample.graph is not None):
            for task in tasks:
                yield self._record(task, self.shared)
            return
        since = perf_counter()
        try:
            kg = open_sample_graph(sample)
        except Exception as error:
            for task in tasks:
                yield self._failed(task, of_question(error, has_sample_kg=True), since)
            return
        with contextlib.closing(kg):
            over = self.over(replace(kg, reading=setup.reading.settled(kg.profile)))
            for task in tasks:
                yield self._record(task, over, has_sample_kg=True)

    def _record(self, task: Task, over: _OverKG, *, has_sample_kg: bool = False) -> Record:
        sample, kg = task.sample, over.kg
        turn: Any = {"question": sample.question, "id": sample.id}
        if self.setup.topics == "given":
            turn["given"] = list(sample.topics)
        if sample.choices:
            turn["choices"] = list(sample.choices)
        since = perf_counter()
        try:
            graph, options = over.graphs[task.method], self.options[task.method]
            state = cast("State", graph.invoke(turn, context=options))
            seconds, asked = perf_counter() - since, self._asked(task)
            return answered(sample, asked, state, seconds, _stated_labels(kg), kg.representatives)
        except Exception as error:
            return self._failed(task, of_question(error, has_sample_kg=has_sample_kg), since)

    def _failed(self, task: Task, error: GroundwalkError, since: float) -> Record:
        return failed(task.sample, self._asked(task), error, perf_counter() - since)

    def _asked(self, task: Task) -> Asked:
        return Asked(self.setup.dataset, self.setup.split, task.method)


def _in_threads(ask: Ask, count: int, tasks: Sequence[Task]) -> Generator[Record]:
    """Ask as many questions as there are threads at once, and decode them together."""
    from ...agent.decoding.search import Gathering

    gathering, outcomes = Gathering(), SimpleQueue[Record | Exception]()
    stopped = Event()

    def work(group: Sequence[Task]) -> None:
        if stopped.is_set():
            return
        try:
            with gathering.taking_part():
                for record in ask(group):
                    outcomes.put(record)
        except Exception as error:
            outcomes.put(error)

    with ThreadPoolExecutor(count) as threads:
        for _, group in groupby(tasks, key=lambda task: task.sample.id):
            threads.submit(work, list(group))
        try:
            for _ in tasks:
                if isinstance(outcome := outcomes.get(), Exception):
                    raise outcome
                yield outcome
        finally:
            stopped.set()


def of_question(error: Exception, *, has_sample_kg: bool = False) -> GroundwalkError:
    """The error as that of one question.

    Raises it as it is where it would meet every question: one in what the user gave for the run.
    A question with a KG of its own meets errors by itself.
    """
    if isinstance(error, InputError) and not isinstance(error, QuestionError) and not has_sample_kg:
        raise error
    if isinstance(error, GroundwalkError):
        return error
    line = " ".join(str(error).split())[:300]
    return GroundwalkError(f"{type(error).__name__}: {line}")


def _stated_labels(kg: KnowledgeGraph) -> Labels:
    """The labels as the KG states them, without what keeps display names apart."""
    return lambda terms: [info.label for info in kg.labels.describe(list(terms))]
