"""Names in somebody's triples as terms, where several things share a name or none has it."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from groundwalk.agent.errors import ServiceError
from groundwalk.agent.kg import KnowledgeGraph, Triple, open_kg
from groundwalk.agent.llm.written_triples import WrittenTriple
from groundwalk.agent.records import Named
from groundwalk.graphs.prompted.claims import understanding

CITIES = """
@prefix : <http://example.org/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:p1 rdfs:label "Paris" ; :in :france ; :twin :rome .
:p2 rdfs:label "Paris" ; :in :texas ; :river :red .
:france rdfs:label "France" . :texas rdfs:label "Texas" . :red rdfs:label "Red River" .
:rome rdfs:label "Rome" ; :age 2778 .
:in rdfs:label "lies in" . :riverMouth rdfs:label "mouth" . :twin rdfs:label "twin city" .
"""


@pytest.fixture(scope="module")
def kg(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KnowledgeGraph]:
    folder: Path = tmp_path_factory.mktemp("written")
    (folder / "cities.ttl").write_text(CITIES, encoding="utf-8")
    opened = open_kg(str(folder / "cities.ttl"), cache=folder / "cache")
    yield opened
    opened.close()


def meant(
    kg: KnowledgeGraph, *written: tuple[str, str, str], topics: Sequence[Named] = ()
) -> list[tuple[list[str], bool | None]]:
    """The terms of each triple, without their namespace, and whether it is held."""
    found = understanding(kg)([WrittenTriple(*names) for names in written], [], topics)
    return [
        ([step[part]["term"].split("/")[-1].strip(">") for part in ("head", "relation", "tail")], h)
        for step, h in zip(found.steps, found.held, strict=True)
    ]


def test_of_two_things_of_a_name_the_one_that_the_graph_holds_is_meant(kg: KnowledgeGraph) -> None:
    assert meant(kg, ("Paris", "lies in", "Texas")) == [(["p2", "in", "texas"], True)]
    assert meant(kg, ("Paris", "lies in", "France")) == [(["p1", "in", "france"], True)]


def test_a_name_goes_on_to_mean_what_it_meant(kg: KnowledgeGraph) -> None:
    second = ("Paris", "lies in", "Rome")
    assert meant(kg, ("Paris", "lies in", "Texas"), second)[1] == (["p2", "in", "rome"], False)
    assert meant(kg, ("Paris", "twin city", "Rome"), second)[1] == (["p1", "in", "rome"], False)


def test_topics_come_first(kg: KnowledgeGraph) -> None:
    topic = Named(term="<http://example.org/p2>", label="Paris")
    assert meant(kg, ("Paris", "twin city", "Rome"), topics=[topic]) == [
        (["p2", "twin", "rome"], False)
    ]


def test_a_relation_may_differ_in_case_and_punctuation(kg: KnowledgeGraph) -> None:
    assert meant(kg, ("Paris", "Lies_In", "Texas"))[0][1] is True
    assert meant(kg, ("Paris", "river", "Red River"))[0] == (["p2", "river", "red"], True)


def test_what_nothing_is_called_stands_for_itself(kg: KnowledgeGraph) -> None:
    assert meant(kg, ("Mars", "orbits", "Sun")) == [(["?Mars", "?orbits", "?Sun"], False)]
    assert meant(kg, ("Rome", "lies in", "paris, france")) == [
        (["rome", "in", "?paris, france"], False)
    ]


def test_terms_are_taken_as_they_are(kg: KnowledgeGraph) -> None:
    number = '"2778"^^<http://www.w3.org/2001/XMLSchema#integer>'
    rome, age = "<http://example.org/rome>", "<http://example.org/age>"
    found = understanding(kg)([WrittenTriple(rome, age, number)], [], [])
    assert found.held == [True] and found.steps[0]["tail"]["term"] == number
    odd = WrittenTriple(number, '"a"', "_:b")
    assert understanding(kg)([odd, WrittenTriple("<a b>", "<", '"')], [], []).held == [False] * 2


class Silent:
    def holds(self, triples: Sequence[Triple]) -> list[bool | None]:
        raise ServiceError("nobody there")


def test_a_source_that_does_not_answer_leaves_it_open(kg: KnowledgeGraph) -> None:
    silent: object = Silent()
    found = meant(replace(kg, store=silent), ("Rome", "lies in", "Texas"), ("x", "y", "z"))  # type: ignore[arg-type]
    assert [held for _, held in found] == [None, False]
