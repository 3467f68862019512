"""A question that only names another thing asks the query of the question before of that."""

from collections.abc import Sequence
from dataclasses import replace

from ..errors import QuestionError
from ..kg import KnowledgeGraph
from ..kg.labels.names import normalise
from ..query.automaton import actions_of
from ..query.binding import bind, tree_in_terms
from ..query.prompt import Numbered
from ..query.question import Asked, mentions_of
from ..query.reader import ReadQuery
from ..query.tree import (
    compared_mentions,
    read_query,
    refers_back,
    starting_mentions,
)
from ..records import SILENT, Turn
from .courtesies import conversation_words


def with_that_of_another(
    kg: KnowledgeGraph, turns: Sequence[Turn], asked: Asked, queries: Sequence[ReadQuery]
) -> list[ReadQuery]:
    """What a question may be, with the query before where it only names another thing of a class.

    That is the likeliest, and at least as sure as it was then, where it was answered.
    """
    before = next((turn for turn in reversed(turns) if turn["alone"]), None)
    query_of_another = None if before is None else _asked_of_another(kg, before, asked)
    if query_of_another is None:
        return list(queries)
    other_queries = [
        query for query in queries if query.bound.query != query_of_another.bound.query
    ]
    likely = max((query.probability for query in queries), default=0.0)
    chance = max(likely, query_of_another.probability)
    query_of_another = replace(query_of_another, probability=chance)
    total = sum(query.probability for query in other_queries)
    share = min((1.0 - chance) / total, 1.0) if total else 1.0
    return [
        query_of_another,
        *(replace(other, probability=other.probability * share) for other in other_queries),
    ]


def _asked_of_another(kg: KnowledgeGraph, before: Turn, asked: Asked) -> ReadQuery | None:
    """The query before, where it is of one thing, of what a question names in the place of that."""
    tree, status = before.get("query"), before["status"]
    linked = [mention for mention in before["mentions"] if mention["candidates"]]
    earlier, own = mentions_of(before["asked"], linked).numbered, asked.mentions.numbered
    if tree is None or status == "abstained" or not len(earlier) == len(own) == 1:
        return None
    *_, word = ("", *_spoken(before["asked"][: earlier[0].start]).split())
    if own[0].kind != earlier[0].kind or not _only_names(asked.question, own[0], word):
        return None
    query = read_query(tree)
    if starting_mentions(query) | compared_mentions(query) != frozenset((0,)) or refers_back(query):
        return None
    try:
        bound = replace(bind(kg, query, asked.pointed.bound), earlier=asked.before.terms())
        actions = actions_of(read_query(tree_in_terms(bound)))
    except QuestionError:  # one that was proposed may be none that actions can say
        return None
    sure = 0.0 if status in SILENT else before["confidence"]
    return ReadQuery(bound, actions, sure, sure=sure)


def _only_names(question: str, mention: Numbered, before: str) -> bool:
    """Whether a question has no words of meaning beside what it names.

    The word `before` the name in the question before may stand there again: *and in Chile?*
    """
    words = conversation_words()
    opening, ending = _spoken(question[: mention.start]), _spoken(question[mention.end :])
    openings = ("", *words["of_another"])
    again = (f"{known} {before}".strip() for known in openings)
    return opening in (*openings, *again) and ending in ("", *words["after_another"])


def _spoken(text: str) -> str:
    """The words of a text, without any mark around them."""
    return normalise(text) if any(map(str.isalnum, text)) else ""
