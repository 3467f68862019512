"""Short texts that a graph keeps as values are named in questions as things are."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from groundwalk.agent.kg import KnowledgeGraph, open_kg
from groundwalk.agent.linking import LabelLinker
from groundwalk.agent.reader.values import LabelsWithValues

LONG = "a very long description of what the pump is for " * 3
TURTLE = f"""
@prefix : <https://shop.example/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:acme rdfs:label "Acme" ; :city "Graz" ; :status "in review" ; :founded "1950" ;
    :note "{LONG}" ; :price 12 .
:bolt rdfs:label "Bolt" ; :city "Graz" ; :twin "Linz"@de ; :owner :linz .
:linz rdfs:label "Linz" .
:pump :address "10.0.4.12" ; :version "2.10.3" ; :isbn "978-0-452-28423-4" ;
    :phone "+43 316 555-101" ; :size "2004.7" ; :count "42" .
:ada :lives_in "Wels" .
:hall :place "Wels" .
"""

MUSIC = """
@prefix : <https://shop.example/> .
@prefix dc: <http://purl.org/dc/elements/1.1/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:r a :Record ; dc:title "Lanterns" ; :sold 3 . :t a :Track ; dc:title "Lanterns" ; :on :r .
:u a :Track ; rdfs:label "Low Tide (single)" ; dc:title "Tide" ; :on :r .
"""


@pytest.fixture(scope="module")
def kg(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KnowledgeGraph]:
    file = tmp_path_factory.mktemp("shop") / "shop.ttl"
    file.write_text(TURTLE, encoding="utf-8")
    kg = open_kg(str(file))
    yield kg
    kg.close()


def linked(kg: KnowledgeGraph, question: str) -> list[tuple[str, str, str]]:
    found = LabelLinker(LabelsWithValues(kg)).link(question)
    return [
        (question[own.start : own.end], own.candidates[0].term, own.candidates[0].kind)
        for own in found
    ]


def test_a_value_is_a_mention_of_the_kind_that_its_relation_is(kg: KnowledgeGraph) -> None:
    assert linked(kg, "Who is in Graz?") == [("Graz", '"Graz"', "city")]
    assert linked(kg, "which are in review") == [("in review", '"in review"', "status")]


def test_a_value_of_several_relations_is_of_no_kind(kg: KnowledgeGraph) -> None:
    assert linked(kg, "Who is in Wels?") == [("Wels", '"Wels"', "")]


def test_a_thing_comes_before_a_value_of_the_same_name(kg: KnowledgeGraph) -> None:
    (mention,) = linked(kg, "Who owns Linz?")
    assert mention[1] == "<https://shop.example/linz>"


def test_what_names_things_is_no_value_beside_them(tmp_path: Path) -> None:
    file = tmp_path / "music.ttl"
    file.write_text(MUSIC, encoding="utf-8")
    with open_kg(str(file)) as music:
        linker = LabelLinker(LabelsWithValues(music))
        (mention,) = linker.link("units sold of Lanterns")
        terms = {candidate.term for candidate in mention.candidates}
        assert terms == {"<https://shop.example/r>", "<https://shop.example/t>"}
        (mention,) = linker.link("units sold of Tide")
        assert {candidate.term for candidate in mention.candidates} == {'"Tide"'}


def test_numbers_and_descriptions_are_no_names(kg: KnowledgeGraph) -> None:
    labels = LabelsWithValues(kg)
    assert labels.known(["1950", "12", LONG.strip(), "graz"]) == {"graz"}


def test_without_values_nothing_is_named_so(kg: KnowledgeGraph) -> None:
    assert not LabelLinker(kg.labels).link("Who is in Graz?")


@pytest.mark.parametrize(
    ("question", "code"),
    [
        ("Which one has the address 10.0.4.12?", "10.0.4.12"),
        ("what runs version 2.10.3", "2.10.3"),
        ("Which book has the ISBN 978-0-452-28423-4?", "978-0-452-28423-4"),
        ("Who has the telephone +43 316 555-101?", "43 316 555-101"),
    ],
)
def test_codes_of_digits_are_values(kg: KnowledgeGraph, question: str, code: str) -> None:
    ((text, term, _),) = linked(kg, question)
    assert text == code and code in term


def test_plain_numbers_are_no_values_of_texts(kg: KnowledgeGraph) -> None:
    assert linked(kg, "What has the size 2004.7 or the count 42?") == []


def test_a_text_of_a_relation_that_leads_mostly_to_things_is_a_value(tmp_path: Path) -> None:
    name = "<http://www.w3.org/2000/01/rdf-schema#label>"
    lines = [
        f'<urn:jug{n}> <urn:acquired_from> <urn:dealer{n}> . <urn:dealer{n}> {name} "Ann {n}" .'
        for n in range(5)
    ]
    lines.append('<urn:urn> <urn:acquired_from> "Baron de Witt" .')
    (tmp_path / "x.ttl").write_text("\n".join(lines), encoding="utf-8")
    labels = LabelsWithValues(open_kg(str(tmp_path / "x.ttl"), cache=tmp_path / "cache"))
    assert [hit.text for hit in labels.lookup("baron de witt")] == ["Baron de Witt"]
