"""The labels of a graph as the reader reads them; each is made once."""

from collections import Counter
from collections.abc import Sequence

from ..kg.terms import Term, is_literal
from ..query.tables import GraphTables
from .inputs import CLASS, INVERSE, Inputs, Label
from .matching import beginnings
from .words import QuestionWord

_AT_ONCE = 120
"""Labels of the graph that a question is read with before any of them may be chosen."""


class GraphLabels:
    """The labels of relations, each in both ways, and of classes."""

    def __init__(self, tables: GraphTables) -> None:
        self._tables = tables
        self._kg = tables.kg
        self._labels: dict[tuple[str, int], Label] = {}
        self._by_word: dict[str, list[tuple[str, int]]] | None = None

    def every(self) -> list[tuple[str, int]]:
        """All labels: each a name and its way."""
        hops = [(name, int(inverse)) for name, inverse in self._tables.hops(None)]
        return [*hops, *((name, CLASS) for name in self._tables.every_class())]

    def near(self, words: Sequence[QuestionWord], inputs: Inputs) -> list[tuple[str, int]]:
        """The labels that a question may be about.

        They are all where the graph has few, else those that have most words in common with it.
        """
        every = self.every()
        if len(every) <= _AT_ONCE:
            return every
        if self._by_word is None:
            self._by_word = {}
            for own in every:
                for word in inputs.entry(self._name(own[0])).known:
                    self._by_word.setdefault(word, []).append(own)
        found = Counter(
            own
            for word in dict.fromkeys(part for own in words for part in own.parts)
            for known in beginnings(word)
            for own in self._by_word.get(known, ())
        )
        return [own for own, _ in found.most_common(_AT_ONCE)]

    def label(self, name: Term, way: int) -> Label:
        """The label of an action, with the class that it leads to."""
        label = self._labels.get((name, way))
        if label is None:
            tail = "" if way == CLASS else self._tail(name, way == INVERSE)
            label = Label(name, way, self._name(name), tail)
            self._labels[label.key] = label
        return label

    def _name(self, term: Term) -> str:
        return self._kg.walk_labels.names([term])[0] if term else ""

    def _tail(self, relation: Term, inverse: bool) -> str:
        """The name of a class at the end of a hop, or the kind of value; empty if not known.

        Of an endpoint it is not: it cannot be read whole.
        """
        if not self._kg.pinned:
            return ""
        things, classes = self._tables.end(relation, inverse)
        if named := self._tables.named(classes):
            return self._name(named[0])
        if measured := self._tables.measures_at(relation, inverse):
            return min(measured)
        few = self._tables.facts.terms(things[:1])
        return "text" if few and is_literal(few[0]) else ""
