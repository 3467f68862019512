"""What a question is answered over: the graph within the question's bounds, and the models.

A KG at hand that is small enough is indexed once, whole. An endpoint, or a KG of millions of facts,
is looked up where the walk goes, through a bounded view of its own for each question.
"""

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from pathlib import Path
from threading import Lock
from typing import Any, TypeVar

from langchain_core.language_models import BaseChatModel

from ..agent.answers.question import Question
from ..agent.caching import once
from ..agent.decoding.graph_index import GraphIndex, Units
from ..agent.decoding.growing import GrowingIndex, NameTokens
from ..agent.decoding.index import (
    TokenIndex,
    entity_openings,
    is_indexed,
    open_index,
    relation_openings,
)
from ..agent.decoding.units import wire_tokens
from ..agent.decoding.wire import Wire
from ..agent.errors import ServiceError
from ..agent.events import Event
from ..agent.kg import KnowledgeGraph, local_name
from ..agent.kg.stores.sparql.store import SparqlStore
from ..agent.kg.walking.view import GraphView, NeighbourCache, ViewLimits
from ..agent.linking import Linker
from ..agent.llm.bag_of_words import Baselines, Scope, no_baselines
from ..agent.llm.local import LocalModel
from ..agent.llm.model_folder import ModelSettings
from ..agent.query.word_reader import NoAccount, WordReader
from ..agent.reader.weights import GeneralReader

Made = TypeVar("Made")

MOST_WHOLE = 2_000_000
"""Facts of a KG that is indexed whole; indexing more would take minutes and gigabytes."""
_MOST_FACTS = 20_000
"""Stored triples that a question's view of them shows: these are ranked for prompts."""
_SECONDS = 60.0
"""How long what walks read of an endpoint holds."""


@dataclass(frozen=True)
class Parts:
    """What a compiled graph is made of. `generator` loads the local model when first called."""

    kg: KnowledgeGraph
    linker: Linker
    settings: ModelSettings
    generator: Callable[[], LocalModel]
    llm: BaseChatModel | None = None
    prompts: Path | None = None
    baselines: Callable[[], Baselines] = no_baselines
    """Those beside the local model's weights; raises ModelError where there are none."""
    scope: Callable[[], Scope | None] = lambda: None
    """What the words of a question say for an answer; from beside the weights too."""
    reader: GeneralReader | None = None
    """The reader of questions, where not the local model or the bundled one is it."""
    account: Callable[[], WordReader] = NoAccount
    """What a query makes of the words of its question; from beside the weights too."""
    is_known: bool = True
    """Whether the local model was trained on this graph, or on another version of it."""


@dataclass(frozen=True)
class Ground:
    """What one question is answered over.

    The views count their requests and remember what they left out: the harness tells both.
    """

    question: Question
    shared: "Shared"
    emit: Callable[[Event], None]
    """Writes an event into the stream of the graph."""

    @property
    def parts(self) -> Parts:
        """What the graph is made of."""
        return self.shared.parts

    @property
    def kg(self) -> KnowledgeGraph:
        """The KG."""
        return self.parts.kg

    @property
    def local(self) -> LocalModel:
        """The local model, loaded."""
        return self.parts.generator()

    @property
    def llm(self) -> BaseChatModel | None:
        """The chat LLM, where there is one."""
        return self.parts.llm

    @property
    def prompts(self) -> Path | None:
        """The user's folder of prompts."""
        return self.parts.prompts

    def index(self, wire: Wire | None = None) -> GraphIndex:
        """The index that walks are decoded over: the whole KG's, or one that grows over `walks`.

        Raises ConstraintError, before anything is indexed, where the model has no tags for `wire`.
        """
        if wire is not None:
            wire_tokens(self.local.tokenizer, wire)
        if self.kg.pinned and self.shared.is_small():
            return self.shared.whole()
        return GrowingIndex(self.walks, self.shared.name_tokens())

    def entity_openings(self, index: GraphIndex) -> Units:
        """How a triple may begin: the entities of an index by the tokens of their names."""
        if isinstance(index, GrowingIndex):
            return index.entity_openings
        return self.shared.made(_entity_openings)

    def relation_openings(self, index: GraphIndex) -> Units:
        """How a relation path may begin: the relations of an index by the tokens of their names."""
        if isinstance(index, GrowingIndex):
            return index.relation_openings
        return self.shared.made(_relation_openings)

    @cached_property
    def walks(self) -> GraphView:
        """The KG as it is read, looked up where walks go."""
        kg, options = self.kg, self.question.options
        limits = ViewLimits(options.max_triples, options.max_degree, self.question.inverse)
        text, cache = self.question.text, self.shared.walked
        store, ahead = kg.store, None
        if isinstance(store, SparqlStore) and kg.reading.plain:
            ahead = store.look_ahead
        return GraphView(kg.walks, kg.walk_labels, limits, text, cache=cache, look_ahead=ahead)

    @cached_property
    def facts(self) -> GraphView:
        """The triples as they are stored."""
        kg, options = self.kg, self.question.options
        most = min(options.max_triples, _MOST_FACTS)
        limits = ViewLimits(most, options.max_degree, self.question.inverse)
        return GraphView(kg.store, kg.labels, limits, self.question.text, cache=self.shared.stored)

    @property
    def requests(self) -> int:
        """How often the KG was asked through the views."""
        return sum(view.requests for view in self._opened)

    def cut_notes(self, *, facts: bool) -> list[str]:
        """What the view of walks left out, in words; and that of stored triples with `facts`."""
        hidden = None if facts else self.__dict__.get("facts")
        bounds = [view for view in self._opened if view is not hidden]
        return [note for view in bounds for note in _cut_of_view(self.kg, view)]

    @property
    def _opened(self) -> list[GraphView]:
        return [self.__dict__[name] for name in ("walks", "facts") if name in self.__dict__]


class Shared:
    """What all questions of a compiled graph share: indexes, and neighbours read before."""

    def __init__(self, parts: Parts) -> None:
        self.parts = parts
        seconds = None if parts.kg.pinned else _SECONDS
        self.walked = NeighbourCache(parts.kg.walks, seconds=seconds)
        self.stored = NeighbourCache(parts.kg.store, seconds=seconds)
        self._made: dict[object, Callable[[], Any]] = {}
        self._lock = Lock()

    def made(self, make: Callable[["Shared"], Made]) -> Made:
        """What `make` makes of all this, once for all questions.

        `make` is a function of a module: what it made is known by the function itself.
        """
        with self._lock:
            made = self._made.setdefault(make, once(lambda: make(self)))
        return made()

    def whole(self) -> TokenIndex:
        """The index of the whole KG."""
        return self.made(_whole_index)

    def is_small(self) -> bool:
        """Whether what walks may use, which can be more than the KG's facts, is indexed whole."""
        return self.made(_is_small)

    def name_tokens(self) -> NameTokens:
        """The tokens of names, for indexes that grow."""
        return self.made(_name_tokens)


def _whole_index(shared: Shared) -> TokenIndex:
    return open_index(shared.parts.kg, shared.parts.generator().tokenizer)


def _is_small(shared: Shared) -> bool:
    kg = shared.parts.kg
    if kg.counts.facts > MOST_WHOLE:
        return False
    if kg.reading.plain or is_indexed(kg, shared.parts.generator().tokenizer):
        return True
    return sum(1 for _ in islice(kg.walks.facts(), MOST_WHOLE + 1)) <= MOST_WHOLE


def _name_tokens(shared: Shared) -> NameTokens:
    return NameTokens(shared.parts.generator().tokenizer)


def _entity_openings(shared: Shared) -> Units:
    parts = shared.parts
    return entity_openings(parts.kg, parts.generator().tokenizer, shared.whole())


def _relation_openings(shared: Shared) -> Units:
    parts = shared.parts
    return relation_openings(parts.kg, parts.generator().tokenizer, shared.whole())


def cut_notes(cuts: Sequence[str]) -> list[str]:
    """A note on what walks could not use: the first of it, and how much more there is."""
    first, *others = dict.fromkeys(cuts) or [""]
    return [_cut_note(first, len(others))] if first else []


def _cut_note(first: str, others: int) -> str:
    more = f", and parts of {others} more" if others else ""
    return f"walks could use {first}{more}"


def _cut_of_view(kg: KnowledgeGraph, view: GraphView) -> list[str]:
    cuts = view.cuts
    if not cuts:
        return []
    first = max(cuts, key=lambda cut: (cut.allowed, cut.node))
    name = local_name(first.node)
    with suppress(ServiceError):  # a name is not worth losing an answer for
        (name,) = kg.labels.names([first.node])
    more = "more than " if first.more else ""
    cut = f"{first.shown:,} of the {more}{first.allowed:,} facts about {name}"
    return [_cut_note(cut, len(cuts) - 1)]
