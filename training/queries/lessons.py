"""Questions of a file as questions with queries: those that come with one, and those with answers.

A query that comes with its question is used as it is; for answers alone one is searched for.
"""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import NamedTuple

from ...agent.answers.queries import given_query
from ...agent.errors import QuestionError
from ...agent.kg import KnowledgeGraph
from ...agent.linking import LabelLinker, Linker
from ...agent.query.actions import Action
from ...agent.query.automaton import actions_of
from ...agent.query.binding import Mention, tree_in_terms
from ...agent.query.tree import Last, Part, nested, read_query
from ..asked.lessons import nodes_named, positions, topics_of
from ..asked.question_files import FileQuestion
from ..asked.supervision import settle
from ..questions.graph import Graph
from ..trainer.watched import Watcher, counted
from .mentioned import Spot, is_free, with_mentions
from .question import Named, QueryQuestion, sign, words_of
from .search import Candidate, Gold, queries_giving
from .typed import typed_question

_TRUTHS = {"yes": True, "no": False, "true": True, "false": False}
_COUNT = re.compile(r"\d{1,9}")
_SIGNS = re.compile("[\ue000-\ue0ff]")
_WALKED = frozenset({"pointer", "step", "and", "end"})
"""The actions of walks, and of two that are joined, which the other formats say too."""


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
    positions: tuple[Spot, ...]
    named: tuple[Named, ...]
    candidates: list[Candidate]
    reason: str
    """Why there are none, where there are none."""


def query_lessons(
    kg: KnowledgeGraph,
    graph: Graph,
    asked: Sequence[FileQuestion],
    hops: int,
    watcher: Watcher | None = None,
) -> QueryLessons:
    """The lessons of all questions; `hops` is the longest walk that is tried for answers."""
    lessons, dropped = list[QueryQuestion](), Counter[str]()
    linker = LabelLinker(kg.labels)
    for question in asked:
        if question.query is None:
            continue
        lesson = _with_query(kg, graph, linker, question)
        if isinstance(lesson, str):
            dropped[lesson] += 1
        else:
            lessons.append(lesson)
    answered, unanswered = _searched_all(kg, graph, asked, hops, watcher or Watcher())
    walks = [one.asked for one in unanswered]
    for one, actions in zip(answered, _settled(graph, answered), strict=True):
        lessons.append(_question(one.asked.text, one.positions, one.named, actions))
        if all(action.kind in _WALKED for action in actions):
            walks.append(one.asked)
    missed = Counter(one.reason for one in unanswered)
    return QueryLessons(tuple(lessons), tuple(walks), dropped, missed)


# Answers


def _searched_all(
    kg: KnowledgeGraph, graph: Graph, asked: Sequence[FileQuestion], hops: int, watcher: Watcher
) -> tuple[list[_Searched], list[_Searched]]:
    """The questions with answers that some query gives, and those for which there is none."""
    returning, what = replace(graph, returns=True), "looking for the queries of questions"
    searched = [
        _searched(kg, returning, question, hops)
        for question in counted(asked, len(asked), what, watcher)
        if question.query is None
    ]
    answered = [one for one in searched if one.candidates]
    return answered, [one for one in searched if not one.candidates]


def _searched(kg: KnowledgeGraph, graph: Graph, asked: FileQuestion, hops: int) -> _Searched:
    topics = topics_of(kg, graph, asked)
    nodes = [topic.nodes[0] for topic in topics]
    named = (
        Named(topic.mention.removeprefix("[").removesuffix("]"), graph.kinds[node])
        for topic, node in zip(topics, nodes, strict=True)
    )
    gold = _gold(kg, graph, asked.answers)
    candidates = queries_giving(graph, nodes, gold, hops) if nodes and gold else []
    at = tuple((topic.start, topic.end) for topic in topics)
    return _Searched(asked, at, tuple(named), candidates, _why_none(nodes, gold))


def _why_none(topics: Sequence[int], gold: Gold | None) -> str:
    """Why no query gives the answers, where none does."""
    if not topics:
        return "whose topic the graph or the question does not name"
    return "whose answers no query gives" if gold else "whose answers the graph does not hold"


def _gold(kg: KnowledgeGraph, graph: Graph, answers: Sequence[str]) -> Gold | None:
    """What the answers are; None where some are nothing that a query comes to."""
    by_name = [nodes_named(kg, graph, name) for name in answers]
    nodes = frozenset(chain.from_iterable(by_name)) if all(by_name) else None
    text = answers[0].strip().lower() if len(answers) == 1 else ""
    number = float(text) if _COUNT.fullmatch(text) else None
    gold = Gold(nodes or frozenset(), number, _TRUTHS.get(text))
    return gold if gold != Gold() else None


def _settled(graph: Graph, answered: Sequence[_Searched]) -> list[tuple[Action, ...]]:
    """Of the queries of each question the one whose relations are likeliest meant."""
    texts = [one.asked.text for one in answered]
    ties = [{query.moves: query.actions for query in reversed(one.candidates)} for one in answered]
    chosen = settle(graph, texts, [list(queries) for queries in ties])
    return [queries[moves] for queries, moves in zip(ties, chosen, strict=True)]


# Queries


def _with_query(
    kg: KnowledgeGraph, graph: Graph, linker: Linker, asked: FileQuestion
) -> QueryQuestion | str:
    """A question with its own query, or why it is no lesson."""
    try:
        bound, _ = given_query(kg, asked.query)
        sets = (bound.query, *nested(bound.query))
        if any(isinstance(one.start, Last | Part) for one in sets):
            return "whose query is about what came before"
        at = _places(linker, asked.text, bound.mentions)
        tree = tree_in_terms(bound)
        said = with_mentions(tree, asked.text, at)
        actions = actions_of(read_query(tree))
    except QuestionError:
        return "whose query this graph cannot say, or not by what the question names"
    named = list[Named]()
    for mention, spot in zip(bound.mentions, at, strict=True):
        text = asked.text[slice(*spot)] if spot else mention.text
        node = None if mention.term is None else graph.by_term.get(mention.term)
        named.append(Named(text, "text" if node is None else graph.kinds[node]))
    labels = dict(zip(graph.relations, graph.labels, strict=True))
    named += [Named(asked.text[slice(*one.spot)], labels.get(one.relation, "text")) for one in said]
    lesson = _question(asked.text, [*at, *(one.spot for one in said)], named, actions)
    return lesson if typed_question(lesson) else "that do not name what their query mentions"


def _places(linker: Linker, text: str, mentions: Sequence[Mention]) -> list[Spot | None]:
    """Where a text names each mention: the first place that no mention before it has.

    What it does not name in full it may name in part.
    """
    at, linked = list[Spot | None](), linker.link(text)
    for mention in mentions:
        spots = positions(text, mention.text) if mention.text else []
        spots += [
            (other.start, other.end)
            for other in linked
            if any(candidate.term == mention.term for candidate in other.candidates)
        ]
        at.append(next((spot for spot in spots if is_free(spot, at)), None))
    return at


# Words


def _question(
    text: str,
    named_at: Sequence[Spot | None],
    named: Sequence[Named],
    actions: tuple[Action, ...],
) -> QueryQuestion:
    """A question with signs for what it names."""
    signed, end = "", 0
    known = [(at, number) for number, at in enumerate(named_at) if at is not None]
    for (start, stop), number in sorted(known):
        signed += _plain(text[end:start]) + sign(number)
        end = stop
    return QueryQuestion(words_of(signed + _plain(text[end:])), tuple(named), actions)


def _plain(text: str) -> str:
    """A text without characters that could be taken for signs."""
    return _SIGNS.sub(" ", text)
