"""The ways out of entities and their steps, against the triples of a graph."""

from collections.abc import Iterator

import pytest
from groundwalk.agent.kg import KnowledgeGraph
from groundwalk.agent.kg.terms import is_unknown
from groundwalk.agent.records import Named
from groundwalk.graphs.ground import cut_notes
from groundwalk.graphs.prompted import walks as explore
from groundwalk.graphs.prompted.walks import (
    Walk,
    claimed,
    distinct,
    fact_lines,
    spelled_ways,
    steps_along,
    walk_names,
    walked,
    ways_out,
)

from .families import open_family

LINES = """
Ada|mother of|Ben
Ada|mother of|Cleo
Ben|knows|Ada
Zoe|likes|Zoe
"""


@pytest.fixture(scope="module")
def kg(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KnowledgeGraph]:
    opened = open_family(tmp_path_factory.mktemp("family"), LINES)
    yield opened
    opened.close()


def term(kg: KnowledgeGraph, name: str) -> str:
    (found,) = kg.labels.named(name)
    return found


def walk(kg: KnowledgeGraph, name: str) -> Walk:
    return Walk(topic=Named(term=term(kg, name), label=name), steps=[], score=1.0, relevance=1.0)


def test_ways_lead_out_in_both_directions(kg: KnowledgeGraph) -> None:
    ada, zoe = term(kg, "Ada"), term(kg, "Zoe")
    several, requests, cuts = ways_out(kg, [ada, zoe, '"1815"', ada], "?")
    assert [spelled_ways(ways) for ways in several] == [
        ["^knows", "mother of"],
        ["likes", "^likes"],
        [],
        ["^knows", "mother of"],
    ]
    assert requests == 2 and not cuts
    onwards, requests, _ = ways_out(kg, [ada], "?", inverse=False)
    assert spelled_ways(onwards[0]) == ["mother of"] and requests == 1
    assert ways_out(kg, ['"1815"'], "?") == ([[]], 0, [])


def test_of_too_many_ways_those_nearest_to_the_question_are_offered(
    kg: KnowledgeGraph, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(explore, "MOST_WAYS", 1)
    ada = term(kg, "Ada")
    for question, way in (("Who knows Ada?", "^knows"), ("Ada is the mother of?", "mother of")):
        (ways,), _, cuts = ways_out(kg, [ada], question)
        assert spelled_ways(ways) == [way] and cuts == ["1 of the 2 relations of Ada"]


def test_steps_follow_a_way(kg: KnowledgeGraph) -> None:
    ada = term(kg, "Ada")
    (ways,), _, _ = ways_out(kg, [ada], "?")
    (back, onwards), requests, cuts = steps_along(kg, [(ada, way) for way in ways], 2)
    assert requests == 1 and not cuts
    assert fact_lines(back) == ["Ben -> knows -> Ada"] and back[0]["inverse"]
    assert fact_lines(onwards) == ["Ada -> mother of -> Ben", "Ada -> mother of -> Cleo"]
    (one, few), _, cuts = steps_along(kg, [(ada, way) for way in ways], 1)
    assert len(one) == len(few) == 1 and steps_along(kg, [], 1) == ([], 0, [])
    assert cuts == ["1 of the more than 1 facts about Ada along mother of"]
    grown: Walk = {**walk(kg, "Ada"), "steps": [back[0]]}
    assert walk_names(grown) == ["Ada", "^knows", "Ben"]
    assert walked(grown)["text"] == "Ada -> ^knows -> Ben"


def test_claims_name_what_there_is_and_what_there_is_not(kg: KnowledgeGraph) -> None:
    known = claimed(kg, walk(kg, "Ben"), "^mother of")["steps"][0]
    assert known["tail"]["label"] == "Ben" and known["inverse"]
    assert not is_unknown(known["relation"]["term"]) and is_unknown(known["head"]["term"])
    made_up = claimed(kg, walk(kg, "Ben"), "spouse")["steps"][0]
    assert made_up["relation"] == Named(term="?spouse", label="spouse")
    (ways,), _, _ = ways_out(kg, [term(kg, "Ben")], "?", inverse=False)
    true = claimed(kg, walk(kg, "Ben"), ways[0], "Ada")
    assert true["answer"]["term"] == term(kg, "Ada") and true["text"] == "Ben -> knows -> Ada"
    assert is_unknown(claimed(kg, walk(kg, "Ben"), ways[0], "Boris")["answer"]["term"])


def test_what_was_left_out_is_told_once() -> None:
    assert cut_notes([]) == []
    assert cut_notes(["1 of 2", "1 of 2"]) == ["walks could use 1 of 2"]
    assert cut_notes(["1 of 2", "1 of 3"]) == ["walks could use 1 of 2, and parts of 1 more"]


def test_names_that_escaping_made_equal_are_numbered() -> None:
    assert distinct(["a", "a", "b", "a", "a (2)"]) == ["a", "a (2)", "b", "a (3)", "a (2) (2)"]
