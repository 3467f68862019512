"""Entities of one name and one description, told apart by a fact."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from groundwalk.agent.answers.topics import linked
from groundwalk.agent.kg import KnowledgeGraph, open_kg
from groundwalk.agent.linking import LabelLinker

PEOPLE = """
@prefix : <http://example.org/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:b1 a :Person ; rdfs:label "Ben Ito" ; :works_for :acme, :bolt ; :born_in :oslo ; :lives_in :oslo .
:b2 a :Person ; rdfs:label "Ben Ito" ; :works_for :bolt ; :born_in :oslo ; :lives_in :lima .
:c1 a :Person ; rdfs:label "Cleo Roy" ; :born_in :oslo .
:c2 a :Person ; rdfs:label "Cleo Roy" ; :born_in :oslo .
:d1 a :Person ; rdfs:label "Dan Poe" . :d2 a :Person ; rdfs:label "Dan Poe" .
:acme :owner :d1 . :bolt :owner :d2 .
:e1 a :Person ; rdfs:label "Eve Ash" ; rdfs:comment "a poet" ; :lives_in :oslo .
:e2 a :Person ; rdfs:label "Eve Ash" ; rdfs:comment "a pilot" ; :lives_in :lima .
:acme rdfs:label "Acme" . :bolt rdfs:label "Bolt" . :oslo rdfs:label "Oslo" .
:lima rdfs:label "Lima" .
"""


@pytest.fixture(scope="module")
def kg(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KnowledgeGraph]:
    folder: Path = tmp_path_factory.mktemp("people")
    (folder / "people.ttl").write_text(PEOPLE, encoding="utf-8")
    opened = open_kg(str(folder / "people.ttl"), cache=folder / "cache")
    yield opened
    opened.close()


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("Ben Ito", ["Person; lives in: Oslo", "Person; lives in: Lima"]),
        ("Cleo Roy", ["", ""]),
        ("Dan Poe", ["Person; ← owner: Acme", "Person; ← owner: Bolt"]),
        ("Eve Ash", ["a poet", "a pilot"]),
    ],
)
def test_a_fact_that_differs_is_told(kg: KnowledgeGraph, name: str, told: list[str]) -> None:
    (mention,) = linked(LabelLinker(kg.labels), kg, f"Where does {name} live?").mentions
    assert mention["ambiguous"]
    options = sorted(mention["candidates"], key=lambda own: own["term"])
    assert [own["description"] for own in options] == told
