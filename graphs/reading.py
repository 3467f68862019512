"""Reading questions as queries: with the general reader, or the local model where it can."""

from collections import defaultdict
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..agent.kg import KnowledgeGraph
from ..agent.kg.names import normalise
from ..agent.kg.terms import Term
from ..agent.llm.local import ModelSettings
from ..agent.nodes import Node
from .method import Parts

if TYPE_CHECKING:
    from ..agent.nodes.read import ReadWith
    from ..agent.reader.weights import GeneralReader

FORMAT = "query"
"""The wire format of queries, as `ModelSettings.formats` names it."""


_MOSTLY = 0.9
"""The share of the relations of a graph that a model has to know."""


def knows_graph(settings: ModelSettings, kg: KnowledgeGraph) -> bool:
    """Whether such a model was trained on a graph, or on one with nearly the same relations."""
    if settings.kg in ("", kg.digest):
        return True
    known = set(settings.relations)
    called = relation_texts(kg).values() if known else ()
    return bool(called) and sum(map(bool, map(known.intersection, called))) >= _MOSTLY * len(called)


def relation_texts(kg: KnowledgeGraph) -> dict[Term, set[str]]:
    """What each relation is called, normalised; of an endpoint those that it lists quickly."""
    texts = defaultdict[Term, set[str]](set)
    for word in kg.labels.vocabulary():
        if word.relation:
            texts[word.term].add(normalise(word.text))
    return texts


def reads_queries(parts: Parts) -> bool:
    """Whether questions are read as queries."""
    return parts.reader is not None or FORMAT in parts.settings.formats


def read_with(parts: Parts) -> "ReadWith":
    """What questions are read with."""
    from ..agent.nodes.read import ReadWith

    if parts.reader is not None:
        return _general(parts, parts.reader)
    from ..agent.query.reader import QueryReader

    reader = QueryReader(parts.kg, parts.generator, parts.prompts)
    least = parts.settings.threshold(FORMAT)
    return ReadWith(parts.kg, parts.linker, reader, parts.account, least)


def _general(parts: Parts, own: "GeneralReader") -> "ReadWith":
    from ..agent.nodes.read import ReadWith
    from ..agent.reader.account import LabelAccount
    from ..agent.reader.reader import LabelReader
    from ..agent.reader.tools import reading_tools

    tools = reading_tools(parts.kg, own.load)
    account, least = LabelAccount(tools), own.settings.threshold
    return ReadWith(parts.kg, parts.linker, LabelReader(tools), lambda: account, least)


def plain_questions(parts: Parts, method: str, told: Sequence[str]) -> Node | None:
    """A node that takes questions apart for a method; None where nothing reads them so.

    `told` are notes of every question.
    """
    if not reads_queries(parts):
        return None
    from ..agent.nodes.read_parts import read_parts

    return read_parts(read_with(parts), method, told)
