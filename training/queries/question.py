"""A question with the query that it asks, its names and numbers still apart from its words."""

from random import Random
from typing import NamedTuple

from ...agent.kg.terms import is_literal
from ...agent.query.actions import Action
from ...agent.query.values import value_of
from ..questions.graph import Graph, Node
from .labelled import Words


class Named(NamedTuple):
    """What a sign stands for: a text of the question, and the class of what it names.

    The class is `number` or `text` where that is a value.
    """

    text: str
    kind: str


class Earlier(NamedTuple):
    """What came before: classes of topics and answers, or the question before."""

    topics: str = ""
    answers: str = ""
    many: bool = False
    question: Words = ()


class QueryQuestion(NamedTuple):
    """A question and the actions of its query; `None` where the graph cannot answer it.

    Pointers are the numbers of `named`, whose signs stand in the words.
    """

    words: Words
    named: tuple[Named, ...]
    actions: tuple[Action, ...] | None
    earlier: Earlier | None = None


def class_told(graph: Graph, node: Node) -> str:
    """The class that the agent tells of what came before, or the kind of value that it was."""
    term = graph.terms[node]
    if not is_literal(term):
        return graph.kinds[node] or "entity"
    value = value_of(term)
    if value is None:
        return "text"
    return "date" if value.unit == "date" else "number"


def in_digits(number: float, rng: Random) -> str:
    """A round number near another one, as people write it."""
    digits = max(0, len(str(int(abs(number)))) - 2)
    size = round(number, -digits) if digits else round(number)
    size = int(size) or 1
    return f"{size:,}" if abs(size) >= 1000 and rng.random() < 0.4 else str(size)
