"""One graph as the reader reads it: its labels, each made once, and its facts and tables."""

from collections import Counter
from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from ..caching import Pool
from ..kg import KnowledgeGraph
from ..kg.terms import Term, is_literal
from ..query.binding import TermNames
from ..query.execute import SECONDS
from ..query.facts import Facts
from ..query.schema_tables import GraphTables
from .inputs import CLASS, INVERSE, Batch, Inputs, Label, PartialReading
from .lexicon import QuestionWord
from .matching import beginnings
from .network import Read
from .weights import ReaderWeights

_AT_ONCE = 120
"""Labels of the graph that a question is read with before any of them may be chosen."""


class GraphLabels:
    """The labels of relations, each in both ways, and of classes."""

    def __init__(self, tables: GraphTables) -> None:
        self._tables = tables
        self._kg = tables.kg
        self._labels: dict[tuple[str, int], Label] = {}
        self._class_names: frozenset[str] | None = None
        self._by_word: dict[str, list[tuple[str, int]]] | None = None

    def all_labels(self) -> list[tuple[str, int]]:
        """All labels: each a name and its way."""
        hops = [(name, int(inverse)) for name, inverse in self._tables.hops(None)]
        return [*hops, *((name, CLASS) for name in self._tables.every_class())]

    def near(self, words: Sequence[QuestionWord], inputs: Inputs) -> list[tuple[str, int]]:
        """The labels that a question may be about.

        They are all where the graph has few, else those that have most words in common with it.
        """
        all_labels = self.all_labels()
        if len(all_labels) <= _AT_ONCE:
            return all_labels
        if self._by_word is None:
            self._by_word = {}
            for name, way in all_labels:
                for word in inputs.entry(self._name(name)).match_keys:
                    self._by_word.setdefault(word, []).append((name, way))
        parts = dict.fromkeys(part for word in words for part in word.parts)
        common = Counter(
            key
            for part in parts
            for known in beginnings(part)
            for key in self._by_word.get(known, ())
        )
        return [key for key, _ in common.most_common(_AT_ONCE)]

    def class_names(self) -> frozenset[str]:
        """The names of all classes, read once; an endpoint is not asked for them."""
        if self._class_names is None:
            classes = self._tables.every_class() if self._kg.pinned else ()
            self._class_names = frozenset(map(self._name, classes))
        return self._class_names

    def label(self, name: Term, way: int) -> Label:
        """The label of an action, with the class that it leads to."""
        label = self._labels.get((name, way))
        if label is None:
            tail = "" if way == CLASS else self._tail(name, way == INVERSE)
            label = Label(name, way, self._name(name), tail)
            self._labels[label.key] = label
        return label

    def _name(self, term: Term) -> str:
        return self._kg.asked_as(term) if term else ""

    def _tail(self, relation: Term, inverse: bool) -> str:
        """The name of a class at the end of a hop, or the kind of value; empty if not known.

        Of an endpoint it is not: it cannot be read whole.
        """
        if not self._kg.pinned:
            return ""
        entities, classes = self._tables.end(relation, inverse)
        if named := self._tables.named(classes):
            return self._name(named[0])
        if measured := self._tables.measures_at(relation, inverse):
            return min(measured)
        few = self._tables.facts.terms(entities[:1])
        if not few or not is_literal(few[0]):
            return ""
        return "boolean" if self._kg.truths.of(relation) else "text"


class ReadingTools:
    """The facts, tables and labels of a graph, and the network. Not safe to share.

    The `hidden_relations` are never read, as if the graph lacked them.
    """

    def __init__(
        self,
        kg: KnowledgeGraph,
        weights: ReaderWeights,
        hidden_relations: frozenset[Term] = frozenset(),
    ) -> None:
        self.facts = Facts(kg)
        self.tables = GraphTables(self.facts, hidden_relations)
        self.naming = TermNames(kg)
        self.labels = GraphLabels(self.tables)
        self.network, self.judge = weights.network, weights.judge
        self.is_tuned = weights.settings.kg != ""
        self.is_foreign = weights.settings.kg not in ("", kg.digest)
        self.unread = weights.settings.unread
        self.inputs = Inputs(weights.lexicon)
        self._newest: tuple[object, tuple[Batch, Read]] | None = None

    def start_clock(self) -> None:
        """Give the next question the time that it may take."""
        self.facts.limit(SECONDS)

    def read(
        self,
        words: Sequence[QuestionWord],
        labels: Sequence[Label],
        matches: npt.NDArray[np.float32] | None = None,
    ) -> tuple[Batch, Read]:
        """A question as it is read with some labels before any action; the newest is kept.

        `matches` are those of its words and labels, where they are known.
        """
        key = tuple(words), tuple(labels)
        if self._newest is None or self._newest[0] != key:
            batch = self.inputs.batch([PartialReading(words, labels, matches=matches)])
            self._newest = key, (batch, self.network.read(batch))
        return self._newest[1]


def reading_tools(
    kg: KnowledgeGraph,
    weights: Callable[[], ReaderWeights],
    hidden_relations: frozenset[Term] = frozenset(),
) -> Pool[ReadingTools]:
    """Tools for each thread that reads; the weights are loaded when the first are made."""
    return Pool(lambda: ReadingTools(kg, weights(), hidden_relations))
