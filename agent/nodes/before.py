"""From the turns of a conversation to what a query of the next question may begin at."""

from collections.abc import Sequence

from ..conversation.turns import last_about, last_answered
from ..kg import KnowledgeGraph
from ..kg.terms import Term, is_literal
from ..query.before import Before
from ..query.mentions import mentions_of
from ..query.prompt import Earlier
from ..query.values import value_of
from ..state import MentionRecord, Turn
from .basis import steps_of


def before_of(kg: KnowledgeGraph, turns: Sequence[Turn]) -> Before:
    """The last question that was about something, its topics, and the last answers."""
    settled = [turn for turn in turns if turn["status"] != "ambiguous"]
    about, answered = last_about(settled), last_answered(settled)
    if about is None:
        return Before()
    text, linked = _in_full(settled, about)
    mentions = mentions_of(text, linked)
    topics = tuple(topic["term"] for topic in about["topics"])
    answers = (
        {} if answered is None else {own["term"]: steps_of(own) for own in answered["answers"]}
    )
    asked = Earlier(
        topics=_class(kg, topics),
        answers=_class(kg, tuple(answers)),
        many=len(answers) > 1,
        question=text,
        mentions=mentions.numbered,
    )
    return Before(asked, mentions, topics, answers, answered is not None and answered["cut"])


def _in_full(turns: Sequence[Turn], about: Turn) -> tuple[str, list[MentionRecord]]:
    """The question of a turn, with its names, as it would be said in full.

    *And Chile?* asks the query of the turn before about another thing: it is told in the words of
    the first of such turns.
    """
    linked = _linked(about)
    text, places = about["asked"], linked
    for turn in reversed([turn for turn in turns if turn["number"] < about["number"]]):
        if turn.get("query") is None or turn.get("query") != about.get("query"):
            break
        if len(found := _linked(turn)) == len(linked):
            text, places = turn["asked"], found
    pairs = zip(places, linked, strict=True)
    return text, [{**place, "candidates": own["candidates"]} for place, own in pairs]


def _linked(turn: Turn) -> list[MentionRecord]:
    return [mention for mention in turn["mentions"] if mention["candidates"]]


def _class(kg: KnowledgeGraph, terms: Sequence[Term]) -> str:
    """The class that most of some terms have, or the kind of value that they are."""
    if not terms:
        return ""
    things = [term for term in terms if not is_literal(term)]
    kinds = [info.kind for info in kg.labels.describe(things) if info.kind]
    kinds += map(_kind_of_value, filter(is_literal, terms))
    return max(dict.fromkeys(kinds), key=kinds.count) if kinds else "entity"


def _kind_of_value(term: Term) -> str:
    value = value_of(term)
    if value is None:
        return "text"
    return "date" if value.unit == "date" else "number"
