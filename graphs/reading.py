"""Reading questions as queries: with the local model where it can, else the general reader."""

from collections import defaultdict
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..agent.kg import KnowledgeGraph
from ..agent.kg.labels.names import normalise
from ..agent.kg.terms import Term
from ..agent.llm.model_folder import ModelSettings
from ..agent.nodes import Node
from ..agent.reader.weights import GeneralReader, open_reader
from .ground import Parts

if TYPE_CHECKING:
    from ..agent.answers.readings import ReadWith

FORMAT = "query"
"""The wire format of queries, as `ModelSettings.formats` names it."""


_MOSTLY = 0.9
"""The share of the relations of a graph that a model has to know."""


def knows_graph(settings: ModelSettings, kg: KnowledgeGraph) -> bool:
    """Whether such a model was trained on a graph, or on one with nearly the same relations.

    Nearly all relations of the graph are known to the model then, and most that it knows are there:
    a graph with `member of` alone is not the one of all countries.
    """
    if settings.kg in ("", kg.digest):
        return True
    known = set(settings.relations)
    called = relation_texts(kg).values() if known else ()
    shared = [known & texts for texts in called]
    are_known = sum(map(bool, shared)) >= _MOSTLY * len(shared)
    return are_known and 2 * len(set[str]().union(*shared)) >= len(known) > 0


def relation_texts(kg: KnowledgeGraph) -> dict[Term, set[str]]:
    """What each relation is called, normalised; of an endpoint those that it lists quickly."""
    texts = defaultdict[Term, set[str]](set)
    for word in kg.labels.vocabulary():
        if word.relation:
            texts[word.term].add(normalise(word.text))
    return texts


def reads_itself(settings: ModelSettings, *, is_known: bool) -> bool:
    """Whether a local model reads questions as queries, over a graph that is known to it."""
    return FORMAT in settings.formats and is_known


def read_with(parts: Parts) -> "ReadWith":
    """What questions are read with: a reader that is given, the local model, or the bundled one."""
    from ..agent.answers.readings import ReadWith

    if parts.reader is not None or not reads_itself(parts.settings, is_known=parts.is_known):
        return _general(parts, parts.reader or open_reader())
    from ..agent.query.reader import QueryReader

    reader = QueryReader(parts.kg, parts.generator, parts.prompts)
    least = parts.settings.threshold(FORMAT)
    return ReadWith(parts.kg, parts.linker, reader, parts.account, least)


def _general(parts: Parts, general: GeneralReader) -> "ReadWith":
    from ..agent.answers.readings import ReadWith
    from ..agent.reader.account import LabelAccount
    from ..agent.reader.graph import reading_tools
    from ..agent.reader.search import LabelReader

    tools = reading_tools(parts.kg, general.load)
    account, least = LabelAccount(tools), general.settings.threshold
    reader = LabelReader(tools)
    return ReadWith(
        parts.kg,
        parts.linker,
        reader,
        lambda: account,
        least,
        is_general=True,
        likeness=account.likeness,
        weights=general.settings.sureness,
    )


def plain_questions(parts: Parts, method: str, notes: Sequence[str] = ()) -> Node:
    """A node that takes questions apart for a method. `notes` are those of every question."""
    from ..agent.nodes.read_parts import read_parts

    return read_parts(read_with(parts), method, notes)
