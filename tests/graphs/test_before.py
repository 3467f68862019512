"""A question that only names another thing asks the query of the question before."""

from typing import Any

from groundwalk.agent.kg import open_kg
from groundwalk.agent.nodes.before import before_of
from groundwalk.agent.state import Turn

PERU, CHILE = (f"<https://groundwalk.example/world/country/{name}>" for name in ("peru", "chile"))
CAPITAL = {"start": [0], "steps": [{"relation": "capital"}]}
BORDERS = {"start": [0], "steps": [{"relation": "borders"}]}


def turn(number: int, asked: str, name: str, term: str, query: Any) -> Turn:
    entity: Any = {"term": term, "label": name, "kind": "country", "description": "", "score": 1.0}
    start = asked.index(name)
    mention: Any = {"text": name, "start": start, "end": start + len(name), "ambiguous": False}
    known: Any = {
        **{"number": number, "question": asked, "asked": asked, "alone": True, "query": query},
        **{"status": "answered", "mentions": [{**mention, "candidates": [entity]}]},
        **{"topics": [entity], "answers": [], "cut": False, "confidence": 1.0, "notes": []},
        "text": "",
    }
    return known


def test_the_question_before_is_told_in_full() -> None:
    kg = open_kg("world")
    whole = turn(1, "What is the capital of Peru?", "Peru", PERU, CAPITAL)
    other = turn(2, "and Chile?", "Chile", CHILE, CAPITAL)
    before = before_of(kg, [whole, other])
    assert before.asked.question == "What is the capital of Peru?"
    assert [own.term for own in before.mentions.bound] == [CHILE]
    assert before.topics == (CHILE,)


def test_a_question_of_its_own_is_told_as_it_is() -> None:
    kg = open_kg("world")
    whole = turn(1, "What is the capital of Peru?", "Peru", PERU, CAPITAL)
    for query in (BORDERS, None):
        other = turn(2, "Which countries border Chile?", "Chile", CHILE, query)
        assert before_of(kg, [whole, other]).asked.question == "Which countries border Chile?"
