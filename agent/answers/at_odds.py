"""Readings that are at odds with their question: nobody asks that, or it names something else."""

from collections.abc import Collection, Sequence

from ..kg import KnowledgeGraph
from ..kg.terms import Term
from ..query.actions import pointed_at
from ..query.binding import Bound
from ..query.question import Asked
from ..query.reader import ReadQuery
from ..query.tree import Entity, Last, Query, names_only_things
from ..records import Word
from .class_words import class_words


def connects_itself(bound: Bound) -> bool:
    """Whether a query is for the connection of a thing with itself."""
    query = bound.query
    if query.to is None:
        return False
    start = query.model_copy(update={"to": None, "answer": "list"})
    return not _named_terms(bound, start).isdisjoint(_named_terms(bound, query.to))


def _named_terms(bound: Bound, query: Query) -> set[Term]:
    """The things that a set is, where a query only names them."""
    if not names_only_things(query):
        return set()
    match query.start:
        case tuple() as numbers:
            return {term for n in numbers if (term := bound.mentioned(n).term) is not None}
        case Entity(entity=name, id=term):
            return {bound.entities[term or name]}
        case Last(last=earlier):
            return set(bound.earlier.get(earlier, ()))
        case _:
            return set()


def _points_before(query: ReadQuery, asked: Asked) -> bool:
    """Whether a query is about something that only the question before names."""
    count = len(asked.mentions.numbered)
    return any(number >= count for number in pointed_at(query.actions))


def queries_at_odds(
    kg: KnowledgeGraph, asked: Asked, queries: Sequence[ReadQuery], account: Sequence[Word]
) -> list[ReadQuery]:
    """The queries that have a thing or a class which their question does not name.

    A class is named by any of its names, and by a word of which the `account` says so.
    """
    named_classes = {class_ for word in class_words(kg, asked) for class_ in word.classes}
    used_names = {word["used_by"] for word in account}
    return [
        query
        for query in queries
        if _points_before(query, asked) or not _is_named(kg, query.bound, named_classes, used_names)
    ]


def _is_named(
    kg: KnowledgeGraph, bound: Bound, named_classes: Collection[Term], used_names: Collection[str]
) -> bool:
    """Whether all classes of a query are `named_classes`, or have names that are `used_names`."""
    unnamed = [class_ for class_ in set(bound.classes.values()) if class_ not in named_classes]
    return all(name in used_names for name in kg.labels.names(unnamed))
