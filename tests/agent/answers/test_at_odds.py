"""Readings that nobody asks for, or that are about what their question does not name."""

from collections.abc import Sequence
from typing import Any

import pytest
from groundwalk.agent.answers.at_odds import connects_itself, queries_at_odds
from groundwalk.agent.kg import KnowledgeGraph, open_kg
from groundwalk.agent.query.actions import Action
from groundwalk.agent.query.binding import Bound, Mention, bind
from groundwalk.agent.query.question import Asked, Before, Mentions, mentions_of
from groundwalk.agent.query.reader import ReadQuery
from groundwalk.agent.query.tree import read_query
from groundwalk.agent.records import Word

NAMES = ("Austria", "Chile")
TO_CHILE = {"start": [1]}


@pytest.fixture(scope="module")
def kg() -> KnowledgeGraph:
    return open_kg("world")


def bound(kg: KnowledgeGraph, tree: dict[str, Any], names: Sequence[str] = NAMES) -> Bound:
    return bind(kg, read_query(tree), names)


def connection(start: Any, to: Any) -> dict[str, Any]:
    return {"start": start, "to": to, "answer": "connection"}


@pytest.mark.parametrize(
    ("start", "to", "is_itself"),
    [
        ([0], TO_CHILE, False),
        ([0], {"start": [0]}, True),
        ([0, 1], TO_CHILE, True),
        ([0], {"start": {"entity": "Austria"}}, True),
        ([0], {"start": {"entity": "Peru"}}, False),
        ([0], {"start": [0], "steps": [{"relation": "borders"}]}, False),
    ],
)
def test_a_thing_is_not_connected_with_itself(
    kg: KnowledgeGraph, start: Any, to: Any, is_itself: bool
) -> None:
    assert connects_itself(bound(kg, connection(start, to))) == is_itself


def test_neither_is_a_thing_with_itself_under_two_mentions(kg: KnowledgeGraph) -> None:
    assert connects_itself(bound(kg, connection([0], TO_CHILE), ("Austria", "Austria")))
    assert not connects_itself(bound(kg, {"start": [0]}))


def test_a_thing_that_only_the_question_before_names_is_at_odds(kg: KnowledgeGraph) -> None:
    own, earlier = Mention("Austria"), Mention("Iceland")
    mentions = Mentions(mentions_of("near 7000", []).numbered, (own,))
    asked = Asked("near 7000", mentions, Before(mentions=Mentions((), (earlier,))))
    queries = [
        ReadQuery(bound(kg, {"start": [number]}, ("Austria", "Iceland")), actions, 0.4)
        for number in (0, 1)
        if (actions := (Action("pointer", number=number), Action("end")))
    ]
    assert queries_at_odds(kg, asked, queries, []) == queries[1:]


@pytest.mark.parametrize(
    ("question", "account", "is_at_odds"),
    [
        ("Which rivers are old?", [], False),
        ("Which streams are old?", [], False),
        ("Which brooks are old?", [], True),
        ("Which brooks are old?", [Word(text="brooks", start=6, end=12, used_by="river")], False),
    ],
)
def test_a_class_that_no_word_names_is_at_odds(
    kg: KnowledgeGraph, question: str, account: list[Word], is_at_odds: bool
) -> None:
    query = ReadQuery(bound(kg, {"start": {"class": "river"}}, ()), (Action("end"),), 0.4)
    asked = Asked(question, mentions_of(question, []))
    assert queries_at_odds(kg, asked, [query], account) == [query] * is_at_odds
