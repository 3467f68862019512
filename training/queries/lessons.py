"""Questions of a file as questions with queries: those that come with one, and those with answers.

A query that comes with its question is used as it is; for answers alone one is searched for.
"""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, cast

from ...agent.answers.queries import given_query
from ...agent.errors import QuestionError
from ...agent.kg import KnowledgeGraph
from ...agent.query.actions import Action
from ...agent.query.automaton import actions_of
from ...agent.query.binding import Bound
from ...agent.query.tree import Last, Part, Query, nested, read_query, write_query
from ..asked.lessons import nodes_named, positions, topics_of
from ..asked.question_files import FileQuestion
from ..asked.supervision import settle
from ..questions.graph import Graph
from ..trainer.watched import Unwatched, Watcher, counted
from .question import Named, QueryQuestion, sign, words_of
from .search import Found, Gold, queries_giving
from .typed import typed_question

_TRUTHS = {"yes": True, "no": False, "true": True, "false": False}
_COUNT = re.compile(r"\d{1,9}")
_SIGNS = re.compile("[\ue000-\ue0ff]")
_WALKED = frozenset({"pointer", "step", "and", "end"})
"""The actions of walks, and of two that are joined, which the other formats say too."""
Place = tuple[int, int]


@dataclass(frozen=True)
class QueryLessons:
    """Questions with queries; those that are left for the formats of walks; and how many gave none.

    What a walk cannot say is left to queries.
    """

    lessons: tuple[QueryQuestion, ...] = ()
    walks: tuple[FileQuestion, ...] = ()
    dropped: Counter[str] = field(default_factory=lambda: Counter[str]())
    missed: Counter[str] = field(default_factory=lambda: Counter[str]())
    """Of those that are left for walks, how many gave no query, by reason."""


class _Searched(NamedTuple):
    """A question with answers, where it names its topics, and the queries that give them."""

    asked: FileQuestion
    places: tuple[Place, ...]
    named: tuple[Named, ...]
    found: list[Found]
    lacks: str
    """Why there are none."""


def query_lessons(
    kg: KnowledgeGraph,
    graph: Graph,
    asked: Sequence[FileQuestion],
    hops: int,
    watcher: Watcher | None = None,
) -> QueryLessons:
    """The lessons of all questions; `hops` is the longest walk that is tried for answers."""
    watcher, total = watcher or Unwatched(), len(asked)
    dropped, missed, lessons = Counter[str](), Counter[str](), list[QueryQuestion]()
    for own in asked:
        if own.given is not None:
            lesson = _given(kg, graph, own)
            if isinstance(lesson, str):
                dropped[lesson] += 1
            else:
                lessons.append(lesson)
    returning = replace(graph, returns=True)
    searched = [
        _searched(kg, returning, own, hops)
        for own in counted(asked, total, "looking for the queries of questions", watcher)
        if own.given is None
    ]
    found = [own for own in searched if own.found]
    missed.update(own.lacks for own in searched if not own.found)
    walks = [own.asked for own in searched if not own.found]
    for own, actions in zip(found, _settled(graph, found), strict=True):
        lessons.append(_question(own.asked.text, own.places, own.named, actions))
        if all(action.kind in _WALKED for action in actions):
            walks.append(own.asked)
    return QueryLessons(tuple(lessons), tuple(walks), dropped, missed)


# Answers


def _searched(kg: KnowledgeGraph, graph: Graph, asked: FileQuestion, hops: int) -> _Searched:
    topics = topics_of(kg, graph, asked)
    nodes = [topic.nodes[0] for topic in topics]
    places = tuple((own.place, own.place + len(own.mention)) for own in topics)
    named = (
        Named(own.mention.removeprefix("[").removesuffix("]"), graph.kinds[node])
        for own, node in zip(topics, nodes, strict=True)
    )
    gold = _gold(kg, graph, asked.answers)
    found = queries_giving(graph, nodes, gold, hops) if nodes and gold else []
    return _Searched(asked, places, tuple(named), found, _lacks(nodes, gold))


def _lacks(topics: Sequence[int], gold: Gold | None) -> str:
    """Why no query gives the answers, where none does."""
    if not topics:
        return "whose topic the graph or the question does not name"
    return "whose answers no query gives" if gold else "whose answers the graph does not hold"


def _gold(kg: KnowledgeGraph, graph: Graph, answers: Sequence[str]) -> Gold | None:
    """What the answers are; None where some are nothing that a query comes to."""
    found = [nodes_named(kg, graph, name) for name in answers]
    nodes = frozenset(node for several in found for node in several) if all(found) else None
    text = answers[0].strip().lower() if len(answers) == 1 else ""
    number = float(text) if _COUNT.fullmatch(text) else None
    gold = Gold(nodes or frozenset(), number, _TRUTHS.get(text))
    return gold if gold != Gold() else None


def _settled(graph: Graph, found: Sequence[_Searched]) -> list[tuple[Action, ...]]:
    """Of the queries of each question the one whose relations are likeliest meant."""
    ties = [{own.moves: own.actions for own in reversed(one.found)} for one in found]
    chosen = settle(graph, [own.asked.text for own in found], [list(own) for own in ties])
    return [own[moves] for own, moves in zip(ties, chosen, strict=True)]


# Queries


def _given(kg: KnowledgeGraph, graph: Graph, asked: FileQuestion) -> QueryQuestion | str:
    """A question with its own query, or why it is no lesson."""
    try:
        bound, _ = given_query(kg, asked.given)
        if any(isinstance(own.start, Last | Part) for own in (bound.query, *nested(bound.query))):
            return "whose query is about what came before"
        actions = actions_of(_in_terms(bound))
    except QuestionError:
        return "whose query this graph cannot say, or not by what the question names"
    places, named = list[Place | None](), list[Named]()
    for own in bound.mentions:
        found = positions(asked.text, own.text) if own.text else []
        at = next((at for at in found if not any(_meet(at, other) for other in places)), None)
        places.append(at)
        text = asked.text[slice(*at)] if at else own.text
        node = None if own.term is None else graph.by_term.get(own.term)
        named.append(Named(text, "text" if node is None else graph.kinds[node]))
    lesson = _question(asked.text, places, named, actions)
    return lesson if typed_question(lesson) else "that do not name what their query mentions"


def _in_terms(bound: Bound) -> Query:
    """The query with terms in the places of names."""
    tree = write_query(bound.query)
    _write_terms(tree, bound)
    return read_query(tree)


def _write_terms(value: object, bound: Bound) -> None:
    if isinstance(value, list):
        for own in cast("list[object]", value):
            _write_terms(own, bound)
    elif isinstance(value, dict):
        node = cast("dict[str, Any]", value)
        for own in node.values():
            _write_terms(own, bound)
        beside = "class_id" if "start" in node else "id"
        for key, terms, more in (
            ("relation", bound.relations, "id"),
            ("domain", bound.relations, "id"),
            ("class", bound.classes, beside),
        ):
            if name := node.get(more) or node.get(key):
                if key in node:
                    node[key] = terms.get(name, name)
                    node.pop(more, None)


# Words


def _question(
    text: str,
    places: Sequence[Place | None],
    named: Sequence[Named],
    actions: tuple[Action, ...],
) -> QueryQuestion:
    """A question with signs for what stands at some places."""
    signed, end = "", 0
    known = [(at, number) for number, at in enumerate(places) if at is not None]
    for (start, stop), number in sorted(known):
        signed += _plain(text[end:start]) + sign(number)
        end = stop
    return QueryQuestion(words_of(signed + _plain(text[end:])), tuple(named), actions)


def _plain(text: str) -> str:
    """A text without characters that could be taken for signs."""
    return _SIGNS.sub(" ", text)


def _meet(one: Place, other: Place | None) -> bool:
    return other is not None and one[0] < other[1] and other[0] < one[1]
