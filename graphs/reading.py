"""Reading questions as queries with the local model, where it can."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..agent.llm.local import ModelSettings
from ..agent.nodes import Node
from .method import Parts

if TYPE_CHECKING:
    from ..agent.nodes.read import ReadWith

FORMAT = "query"
"""The wire format of queries, as `ModelSettings.formats` names it."""


def reads_queries(settings: ModelSettings) -> bool:
    """Whether such a model reads questions as queries."""
    return FORMAT in settings.formats


def read_with(parts: Parts) -> "ReadWith":
    """What the local model reads questions with."""
    from ..agent.nodes.read import ReadWith
    from ..agent.query.reader import QueryReader

    reader = QueryReader(parts.kg, parts.generator, parts.prompts)
    least = parts.settings.threshold(FORMAT)
    return ReadWith(parts.kg, parts.linker, reader, parts.account, least)


def plain_questions(parts: Parts, method: str, told: Sequence[str]) -> Node | None:
    """A node that takes questions apart for a method; None where the model does not read them so.

    `told` are notes of every question.
    """
    if not reads_queries(parts.settings):
        return None
    from ..agent.nodes.read_parts import read_parts

    return read_parts(read_with(parts), method, told)
