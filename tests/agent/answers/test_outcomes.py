"""Readings of a question, by what they come to."""

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from groundwalk.agent.answers.outcomes import (
    apart_from_itself,
    narrowed,
    of_each_alone,
    weighed,
)
from groundwalk.agent.kg import KnowledgeGraph, open_kg
from groundwalk.agent.query.actions import Action
from groundwalk.agent.query.binding import Mention, bind
from groundwalk.agent.query.execute import execute
from groundwalk.agent.query.facts import Facts
from groundwalk.agent.query.prompt import Numbered
from groundwalk.agent.query.question import Asked, Before, Mentions, mentions_of
from groundwalk.agent.query.reader import ReadQuery
from groundwalk.agent.query.tree import read_query

FULL: dict[str, Any] = {"start": [0], "steps": [{"relation": "owns"}]}
EMPTY: dict[str, Any] = {"start": [0], "steps": [{"relation": "owns", "inverse": True}]}
NONE: dict[str, Any] = {**EMPTY, "answer": "count"}


@pytest.fixture
def kg(tmp_path: Path) -> Iterator[KnowledgeGraph]:
    file = tmp_path / "g.tsv"
    file.write_text("Ann\towns\tboat\nBea\towns\tcar\n")
    with closing(open_kg(str(file))) as opened:
        yield opened


def order(kg: KnowledgeGraph, *readings: tuple[dict[str, Any], float]) -> list[tuple[int, float]]:
    """The readings as they are weighed: the number of each, and its probability."""
    queries = [ReadQuery(bind(kg, read_query(tree), ("Ann",)), (), p) for tree, p in readings]
    bounds = [query.bound for query in queries]
    found = weighed(Facts(kg), queries, Asked("?", mentions_of("?", [])))
    return [(bounds.index(query.bound), round(query.probability, 4)) for query in found]


def test_what_comes_to_nothing_is_less_likely(kg: KnowledgeGraph) -> None:
    assert order(kg, (EMPTY, 0.4), (FULL, 0.3)) == [(1, 0.5), (0, 0.2)]
    assert order(kg, (EMPTY, 0.9), (FULL, 0.06)) == [(0, 0.7855), (1, 0.1745)]


def test_a_count_of_none_and_unlikely_readings_stay(kg: KnowledgeGraph) -> None:
    assert order(kg, (NONE, 0.4), (FULL, 0.3)) == [(0, 0.4), (1, 0.3)]
    assert order(kg, (EMPTY, 0.4), (FULL, 0.01)) == [(0, 0.4), (1, 0.01)]
    assert order(kg, (EMPTY, 0.4)) == [(0, 0.4)]


HOLDS = {"relation": "owns"}
OWNERS: dict[str, Any] = {"start": {"domain": "owns"}}
TIED = {**OWNERS, "extreme": {**HOLDS, "count": True, "most": True}}
BOTH = {**OWNERS, "extreme": {**HOLDS, "count": True, "most": True, "n": 2}}


@pytest.mark.parametrize(("tree", "is_likely"), [(TIED, False), (BOTH, True), (OWNERS, True)])
def test_an_extreme_that_all_share_is_hardly_asked(
    kg: KnowledgeGraph, tree: dict[str, Any], is_likely: bool
) -> None:
    (first, _), _ = order(kg, (tree, 0.6), (FULL, 0.3))
    assert first == (0 if is_likely else 1)


def test_an_extreme_that_all_share_is_unlikely_alone(kg: KnowledgeGraph) -> None:
    assert order(kg, (TIED, 0.9)) == [(0, 0.09)]
    assert order(kg, (BOTH, 0.9)) == [(0, 0.9)]
    assert order(kg, (TIED, 0.5), (TIED | {"answer": "count"}, 0.4)) == [(0, 0.05), (1, 0.04)]


@pytest.mark.parametrize(("tree", "is_likely"), [(OWNERS, True), (TIED, True), (FULL, False)])
def test_what_is_not_in_a_set_is_hardly_taken_away(
    kg: KnowledgeGraph, tree: dict[str, Any], is_likely: bool
) -> None:
    without_ann = {**tree, "not": [{"start": [0]}]}
    (first, _), _ = order(kg, (without_ann, 0.4), (FULL, 0.3))
    assert first == (0 if is_likely else 1)


BAND = """
@prefix : <http://band.example/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:Player rdfs:label "player" . :Singer rdfs:label "singer" . :from rdfs:label "comes from" .
:Town rdfs:label "town" . :lives rdfs:label "lives with" .
:ann a :Player ; rdfs:label "Ann" ; :from :graz . :bo a :Player ; rdfs:label "Bo" ; :from :graz .
:cy a :Singer ; rdfs:label "Cy" ; :from :graz ; :lives :ann . :graz a :Town ; rdfs:label "Graz" .
:has rdfs:label "player" . :graz :has :ann, :cy .
:dee a :Player ; rdfs:label "Dee" ; :lives :ann .
"""
FROM = {"start": [0], "steps": [{"relation": "comes from", "inverse": True}]}
HAS = {"start": [0], "steps": [{"relation": "player"}]}
PLAYERS = {"start": {"class": "player"}}
WITH = {"start": [0], "steps": [{"relation": "lives with", "inverse": True}]}


@pytest.mark.parametrize(
    ("question", "name", "tree", "class_"),
    [
        ("Which players come from Graz?", "Graz", FROM, "player"),
        ("How many players come from Graz?", "Graz", {**FROM, "answer": "count"}, "player"),
        ("Who comes from Graz?", "Graz", FROM, ""),
        ("Which players and singers come from Graz?", "Graz", FROM, ""),
        ("Which town do they come from?", "Graz", FROM, ""),
        ("Who lives with the player Ann?", "Ann", WITH, ""),
        ("Which players does Graz have?", "Graz", HAS, ""),
        ("Which Graz players are there?", "Graz", FROM, "player"),
        ("Who comes from Graz but is no player?", "Graz", FROM, ""),
        ("Which players come from Graz?", "Graz", {**FROM, "not": [PLAYERS]}, ""),
    ],
)
def test_a_walk_is_narrowed_to_the_class_that_a_question_names(
    tmp_path: Path, question: str, name: str, tree: dict[str, Any], class_: str
) -> None:
    _check_narrowed(BAND, tmp_path, question, name, tree, class_)


@pytest.mark.parametrize(
    ("question", "class_"),
    [
        ("Which players come from Graz?", "jazz player"),
        ("Which jazz players come from Graz?", "jazz player"),
        ("Which jazz comes from Graz?", ""),
    ],
)
def test_a_walk_is_narrowed_to_the_class_that_ends_in_a_word(
    tmp_path: Path, question: str, class_: str
) -> None:
    band = BAND.replace(':Player rdfs:label "player"', ':Player rdfs:label "jazz player"')
    _check_narrowed(band, tmp_path, question, "Graz", FROM, class_)


def _check_narrowed(
    band: str, tmp_path: Path, question: str, name: str, tree: dict[str, Any], class_: str
) -> None:
    file = tmp_path / "band.ttl"
    file.write_text(band, encoding="utf-8")
    actions = (Action("pointer", number=0), Action("step", "x", True), Action("end"))
    with closing(open_kg(str(file))) as kg:
        at = question.find(name)
        spans = (Numbered(at, at + len(name), "town"),) if at >= 0 else ()
        facts, asked = Facts(kg), Asked(question, Mentions(spans))
        read = ReadQuery(bind(kg, read_query(tree), (name,)), actions, 0.6)
        again = replace(read, probability=0.3)
        only, *_ = queries = narrowed(facts, [read, again], asked)
        assert only.bound.query.of_class == class_
        assert sum(query.probability for query in queries) == pytest.approx(0.9)
        assert [action.kind for action in only.actions].count("class") == bool(class_)
        members = execute(facts, only.bound).members
        walked = execute(facts, read.bound).members
        assert set(members) == {term for term in walked if not class_ or not term.endswith("cy>")}


KNOWS = {"relation": "knows"}
KNOWN_BY = {"relation": "knows", "inverse": True}
KNOWING: dict[str, Any] = {"start": {"domain": "knows"}}
ACQUAINTED = "Ann\tknows\tBea\nBea\tknows\tCy\nCy\tknows\tBea\nEve\tknows\tBea\nDan\towns\tcar\n"


@pytest.mark.parametrize(
    ("tree", "others"),
    [
        ({**KNOWING, "not": [{"start": [0], "steps": [KNOWS]}]}, {"Cy", "Eve"}),
        ({**KNOWING, "not": [{"start": [0], "steps": [KNOWS]}], "answer": "count"}, {"Cy", "Eve"}),
        ({**KNOWING, "not": [{"start": [0, 1], "steps": [KNOWS]}]}, {"Eve"}),
        ({**KNOWING, "not": [{"start": [0], "steps": [KNOWS] * 2}]}, None),
        ({**KNOWING, "not": [{"start": {"domain": "owns"}}]}, None),
        (
            {"start": [1], "steps": [KNOWN_BY], "not": [{"start": [0], "steps": [KNOWN_BY]}]},
            None,
        ),
        (
            {
                **KNOWING,
                "not": [{"start": [0], "steps": [KNOWS]}],
                "extreme": {**KNOWS, "count": True, "most": True},
            },
            {"Cy", "Eve"},
        ),
    ],
)
def test_what_something_is_not_related_to_are_others(
    tmp_path: Path, tree: dict[str, Any], others: set[str] | None
) -> None:
    file = tmp_path / "g.tsv"
    file.write_text(ACQUAINTED)
    with closing(open_kg(str(file))) as kg:
        facts, query = Facts(kg), ReadQuery(bind(kg, read_query(tree), ("Ann", "Bea")), (), 0.6)
        apart = apart_from_itself(facts, query, Before())
        members = execute(facts, apart.bound).members
        assert (apart == query) == (others is None)
        if others is not None:
            assert set(kg.labels.names(members)) == others


def test_for_others_only_what_is_likely_is_executed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: Any, **__: Any) -> Any:
        pytest.fail("it was executed")

    file = tmp_path / "g.tsv"
    file.write_text(ACQUAINTED)
    tree = read_query({**KNOWING, "not": [{"start": [0], "steps": [KNOWS]}]})
    with closing(open_kg(str(file))) as kg:
        query = ReadQuery(bind(kg, tree, ("Ann",)), (), 0.01)
        monkeypatch.setattr("groundwalk.agent.answers.outcomes.execute", refuse)
        assert apart_from_itself(Facts(kg), query, Before()) is query


DEALS = """
@prefix : <http://deals.example/> .
:a :state "open" ; :tag "old", "big" ; :buyer :x ; :near :b, :c .
:b :state "lost" ; :tag "new", "big" ; :buyer :y ; :near :a .
:c :state "lost" ; :buyer :y .
"""


@pytest.mark.parametrize(
    ("relation", "inverse", "names", "is_united"),
    [
        ("state", False, "ab", True),
        ("state", False, "bc", False),
        ("tag", False, "ab", False),
        ("tag", False, "ac", False),
        ("buyer", False, "ab", True),
        ("buyer", False, "bc", False),
        ("near", False, "ab", False),
        ("buyer", True, "xy", False),
    ],
)
def test_what_two_things_cannot_share_is_asked_of_each(
    relation: str, inverse: bool, names: str, is_united: bool, tmp_path: Path
) -> None:
    file = tmp_path / "deals.ttl"
    file.write_text(DEALS, encoding="utf-8")
    steps = [{"relation": relation, "inverse": inverse}]
    first, second = ({"start": [number], "steps": steps} for number in (0, 1))
    things = [Mention(name, f"<http://deals.example/{name}>") for name in names]
    with closing(open_kg(str(file))) as kg:
        query = ReadQuery(bind(kg, read_query({**first, "and": [second]}), things), (), 0.9)
        facts = Facts(kg)
        asked = of_each_alone(facts, query, Before())
        assert (asked is not query) == is_united
        counted = replace(
            query, bound=bind(kg, read_query({**first, "and": [second], "answer": "count"}), things)
        )
        assert of_each_alone(facts, counted, Before()) is counted
        of_each = [execute(facts, bind(kg, read_query(tree), things)) for tree in (first, second)]
        united = {member for outcome in of_each for member in outcome.members}
        if is_united:
            assert {*execute(facts, asked.bound).members} == united


WARD = """
@prefix : <http://ward.example/> .
:Anna a :Patient ; :lives_in :Bonn ; :nurse :Jo ; :diet "soft" . :Bonn a :Town . :Jo a :Nurse .
:Icu a :Ward . :Kay a :Nurse . :Ulm a :Town . :Lost :size 3 .
"""


@pytest.mark.parametrize(
    ("relation", "inverse", "start", "other", "is_vain"),
    [
        ("lives_in", False, "Anna", "Icu", True),
        ("lives_in", False, "Anna", "Ulm", False),
        ("lives_in", False, "Anna", "Bonn", False),
        ("lives_in", True, "Bonn", "Icu", True),
        ("nurse", False, "Anna", "Kay", False),
        ("diet", False, "Anna", "Icu", True),
        ("nurse", False, "Anna", "Lost", False),
    ],
)
def test_whether_a_thing_is_among_others_of_another_kind_is_hardly_asked(
    relation: str, inverse: bool, start: str, other: str, is_vain: bool, tmp_path: Path
) -> None:
    file = tmp_path / "ward.ttl"
    file.write_text(WARD, encoding="utf-8")
    steps = [{"relation": relation, "inverse": inverse}]
    tree = {"start": [0], "steps": steps, "and": [{"start": [1]}], "answer": "yesno"}
    things = [Mention(name, f"<http://ward.example/{name}>") for name in (start, other)]
    with closing(open_kg(str(file))) as kg:
        query = ReadQuery(bind(kg, read_query(tree), things), (), 0.9)
        (after,) = weighed(Facts(kg), [query], Asked("?", mentions_of("?", [])))
    assert (after.probability < 0.5) == is_vain
