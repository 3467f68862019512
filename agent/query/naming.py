"""A query of terms with the names of its graph in their places, as people write it.

A term stays beside its name only where the name alone could mean another one.
"""

from collections.abc import Callable
from functools import cache
from typing import Any, cast

from ..kg import KnowledgeGraph
from ..kg.terms import Term, is_iri
from .tree import Query, read_query, write_query


class Naming:
    """The names of relations and classes of a graph, each looked up once."""

    def __init__(self, kg: KnowledgeGraph) -> None:
        self._kg = kg
        self._relation = cache(self._named_relation)
        self._class = cache(self._named_class)

    def named(self, query: Query) -> Query:
        """The same query with names. Raises ServiceError."""
        tree = write_query(query)
        self._name(tree)
        return read_query(tree)

    def _name(self, value: object) -> None:
        if isinstance(value, list):
            for own in cast("list[object]", value):
                self._name(own)
        elif isinstance(value, dict):
            node = cast("dict[str, Any]", value)
            for own in node.values():
                self._name(own)
            _write(node, "relation", "id", self._relation)
            _write(node, "domain", "id", self._relation)
            _write(node, "class", "class_id" if "start" in node else "id", self._class)

    def _named_relation(self, term: Term) -> tuple[str, bool]:
        labels = self._kg.walk_labels
        (name,) = labels.names([term])
        return name, labels.named(name, relation=True) == [term]

    def _named_class(self, term: Term) -> tuple[str, bool]:
        (name,) = self._kg.walk_labels.names([term])
        words = self._kg.labels.vocabulary()
        meant = {own.term for own in words if not own.relation and own.text == name}
        return name, meant == {term}


def _write(
    node: dict[str, Any], key: str, beside: str, named: Callable[[Term], tuple[str, bool]]
) -> None:
    """Put the name of a term in its place, and the term beside it where that is not sure."""
    term = node.get(key)
    if not isinstance(term, str) or not is_iri(term) or not term.endswith(">"):
        return
    name, is_sure = named(term)
    node[key] = name
    if not is_sure:
        node[beside] = term
