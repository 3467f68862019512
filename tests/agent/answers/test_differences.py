"""Entities of one name and one description, told apart by a fact."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from groundwalk.agent.answers.topics import linked
from groundwalk.agent.kg import KnowledgeGraph, open_kg
from groundwalk.agent.linking import LabelLinker
from groundwalk.agent.linking.mention import listed_names

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
:f1 a :Person ; rdfs:label "Fay Orr" . :f2 a :Person ; rdfs:label "Fay Orr" ; :lives_in :oslo .
:f1 :knows :lima . :f2 :knows :lima .
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
        ("Fay Orr", ["Person", "Person; lives in: Oslo"]),
    ],
)
def test_a_fact_that_differs_is_told(kg: KnowledgeGraph, name: str, told: list[str]) -> None:
    (mention,) = linked(LabelLinker(kg.labels), kg, f"Where does {name} live?").mentions
    assert mention["ambiguous"]
    options = sorted(mention["candidates"], key=lambda own: own["term"])
    assert [own["description"] for own in options] == told


@pytest.mark.parametrize("name", ["Ben Ito", "Cleo Roy", "Dan Poe", "Eve Ash", "Fay Orr"])
def test_each_is_meant_by_what_it_is_listed_as(kg: KnowledgeGraph, name: str) -> None:
    """In brackets: with its description, with its unique name before that, by its term."""
    linker = LabelLinker(kg.labels)
    (mention,) = linked(linker, kg, f"Where does {name} live?").mentions
    options = mention["candidates"]
    for option, listed in zip(options, listed_names(options), strict=True):
        forms = [option["term"], option["term"][1:-1], listed]
        forms.append(f"{option['label']} ({option['description'] or option['term']})")
        if option["label"] != name:
            forms.append(option["label"])
        for form in forms:
            question = f"Where does [{form}] live?"
            (meant,) = linked(linker, kg, question).mentions
            assert meant["candidates"][0]["term"] == option["term"], form
            assert not meant["ambiguous"] and question[meant["start"] :].startswith(form)


def test_a_part_of_what_an_entity_is_listed_as_is_enough(kg: KnowledgeGraph) -> None:
    (meant,) = linked(LabelLinker(kg.labels), kg, "Who is [Ben Ito (lives in: Lima)]?").mentions
    assert [own["term"] for own in meant["candidates"]] == ["<http://example.org/b2>"]


def test_what_nothing_is_described_as_means_none_or_is_asked_about(kg: KnowledgeGraph) -> None:
    linker = LabelLinker(kg.labels)
    (meant,) = linked(linker, kg, "Who is [Ben Ito (a cook)]?").mentions
    assert meant["ambiguous"] and len(meant["candidates"]) == 2
    found = linked(linker, kg, "Who is [Acme (a cook, 40)]?")
    assert not found.mentions and found.notes == ["nothing in the graph is Acme (a cook, 40)"]


@pytest.mark.parametrize(
    ("text", "is_known"), [("Mercury (planet)", True), ("Mercury (element)", False)]
)
def test_an_alias_with_brackets_in_it_is_a_name(tmp_path: Path, text: str, is_known: bool) -> None:
    (tmp_path / "planets.ttl").write_text(
        """@prefix : <http://example.org/> .
        @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
        @prefix skos: <http://www.w3.org/2004/02/skos/core#> .
        :m a :Body ; rdfs:label "Mercury" ; skos:altLabel "Mercury (planet)" ; :near :v .
        :v a :Body ; rdfs:label "Venus" ."""
    )
    kg = open_kg(str(tmp_path / "planets.ttl"))
    found = linked(LabelLinker(kg.labels), kg, f"What is near [{text}]?")
    assert bool(found.mentions) == is_known
    assert bool(found.notes) != is_known
    kg.close()
