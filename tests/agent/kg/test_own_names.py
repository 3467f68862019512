"""What a vocabulary calls the property that names things is found out."""

from pathlib import Path

import pytest
from groundwalk.agent.kg import open_kg
from groundwalk.agent.kg.labels.names import normalise
from groundwalk.agent.linking import LabelLinker
from groundwalk.agent.reader.values import LabelsWithValues

_BEGIN = """
@prefix : <https://x.example/> . @prefix dct: <http://purl.org/dc/terms/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
@prefix foaf: <http://xmlns.com/foaf/0.1/> . @prefix schema: <https://schema.org/> .
@prefix vcard: <http://www.w3.org/2006/vcard/ns#> .
"""


@pytest.mark.parametrize(
    ("turtle", "name"),
    [
        (':one a :Person ; :name "Maria" ; :knows :two .', "Maria"),
        (':one a :Person ; :full_name "Maria" ; :title "Dr" ; :knows :two .', "Maria"),
        (':one a :Book ; dct:title "Emma" ; :title "E." ; :by :two .', "Emma"),
        (':one a :Person ; rdfs:label "Maria" ; dct:title "Dr" ; :knows :two .', "Maria"),
        (':one a :Book ; dct:title "Emma" ; :by :two .', "Emma"),
        (':one a :Person ; rdfs:label "Maria" ; :name "M." ; :knows :two .', "Maria"),
        (":one a :Person ; :name :two ; :knows :two .", "one"),
        (':one a :Supplier ; :supplier_name "Acme" ; :knows :two .', "Acme"),
        (':one a :RawMaterial ; :rawMaterialName "Tin" ; :knows :two .', "Tin"),
        (':one a :Supplier ; :supplier_name "Acme" ; :name "Acme Ltd" .', "Acme Ltd"),
        (':one a :Supplier ; :supplier_name "Acme" . :two a :Part ; :supplier_name "A" .', "one"),
        (':one a :Part ; :supplier_name "Acme" . :two a :Supplier .', "one"),
        (":one a <https://x.example/A%3EB%5EC> ; :knows :two .", "one"),
        (
            ':one a :User ; :user_name "jdoe" ; :first_name "Jo" ; :last_name "Doe" ; :in :x .',
            "Jo Doe",
        ),
        (':one :name "Maria" ; :knows :two .', "one"),
    ],
)
def test_what_a_thing_is_called(tmp_path: Path, turtle: str, name: str) -> None:
    (tmp_path / "x.ttl").write_text(_BEGIN + turtle, encoding="utf-8")
    kg = open_kg(str(tmp_path / "x.ttl"), cache=tmp_path / "cache")
    term = "<https://x.example/one>"
    assert kg.labels.describe([term])[0].label == name
    assert kg.labels.named(name) == [term] or name == "one"


@pytest.mark.parametrize(
    ("turtle", "name"),
    [
        (':one a :Person ; :firstName "Ann" ; :lastName "Lee" .', "Ann Lee"),
        (':one a :Person ; :last_name "Lee" ; :first_name "Ann" .', "Ann Lee"),
        (':one a :Person ; :familyName "Lee" .', "Lee"),
        (':one foaf:givenName "Ann" ; foaf:familyName "Lee" .', "Ann Lee"),
        (':one foaf:firstName "Ann" , "Bea" ; foaf:lastName "Lee" ; foaf:age 3 .', "Ann Lee"),
        (':one schema:givenName "Anna"@de, "Ann"@en ; schema:familyName "Lee"@fr .', "Ann Lee"),
        (':one vcard:given-name "Ann" .', "Ann"),
        (
            ':one a :Person ; rdfs:label "A. Lee"@fr ; :firstName "Ann" ; :lastName "Lee" .',
            "A. Lee",
        ),
        (':one a :Person ; :name "A. Lee" ; :firstName "Ann" ; :lastName "Lee" .', "A. Lee"),
        (":one a :Person ; :firstName :ann ; :lastName :lee .", "one"),
    ],
)
def test_what_has_no_name_is_called_by_its_given_and_family_name(
    tmp_path: Path, turtle: str, name: str
) -> None:
    (tmp_path / "x.ttl").write_text(_BEGIN + turtle, encoding="utf-8")
    kg = open_kg(str(tmp_path / "x.ttl"), cache=tmp_path / "cache")
    term = "<https://x.example/one>"
    assert kg.labels.describe([term])[0].label == name
    assert [hit.term for hit in kg.labels.lookup(normalise(name))] == [term]


def test_a_composed_name_is_in_no_triple_and_links(tmp_path: Path) -> None:
    people = ':one a :Person ; :firstName "Ann" ; :lastName "Lee" ; :age 3 .'
    (tmp_path / "x.ttl").write_text(_BEGIN + people, encoding="utf-8")
    kg = open_kg(str(tmp_path / "x.ttl"), cache=tmp_path / "cache")
    (mention,) = LabelLinker(LabelsWithValues(kg)).link("How old is Ann Lee?")
    assert [candidate.name for candidate in mention.candidates] == ["Ann Lee"]
    (steps,) = kg.walks.neighbours([mention.candidates[0].term])
    assert {step.target for step in steps if step.target.endswith('"')} == {'"Ann"', '"Lee"'}


def test_a_name_is_a_fact_too_and_a_profile_that_is_given_stays(tmp_path: Path) -> None:
    (tmp_path / "x.ttl").write_text(_BEGIN + ':one a :Person ; :name "Maria" .', encoding="utf-8")
    kg = open_kg(str(tmp_path / "x.ttl"), cache=tmp_path / "cache")
    name = "<https://x.example/name>"
    assert [
        step.triple.relation for step in kg.walks.neighbours(["<https://x.example/one>"])[0]
    ] == [name]
    plain = open_kg(str(tmp_path / "x.ttl"), cache=tmp_path / "cache", profile="generic")
    assert name in kg.profile.titles and name not in plain.profile.titles


def test_a_title_that_many_share_names_none_that_has_a_name(tmp_path: Path) -> None:
    persons = "".join(
        f':p{n} a :Person ; rdfs:label "Person {n}" ; dct:title "Engineer" . ' for n in range(3)
    )
    (tmp_path / "x.ttl").write_text(_BEGIN + persons, encoding="utf-8")
    kg = open_kg(str(tmp_path / "x.ttl"), cache=tmp_path / "cache")
    assert kg.labels.named("Engineer") == ['"Engineer"'] and not kg.labels.lookup("engineer")


def test_of_several_vocabularies_the_same_names_a_thing_each_time(tmp_path: Path) -> None:
    begin = "@prefix a: <https://a.example/> . @prefix b: <https://b.example/> . "
    (tmp_path / "x.ttl").write_text(f'{begin} a:x a a:T, b:U ; a:name "A" ; b:name "B" .')
    kg = open_kg(str(tmp_path / "x.ttl"), cache=tmp_path / "cache")
    assert kg.labels.describe(["<https://a.example/x>"])[0].label == "A"


@pytest.mark.parametrize(
    ("stated", "shown"),
    [
        (':street "Ring 1" ; :code "8010" ; :town "Graz"', "8010, Ring 1, Graz"),
        (':unit "kg" ; :value 4.2', "4.2 kg"),
        (':called "Bob" ; :age 30', "30, Bob"),
        (':value 4.2 ; :note "as told by the maker"', "4.2, as told by the maker"),
        ('rdfs:label "The old ring" ; :town "Graz"', "The old ring"),
        (":end '2015'^^xsd:gYear ; :since '2012'^^xsd:gYear", "2012, 2015"),
        (":who :ada ; :since '2012'^^xsd:gYear ; :pay 3 ; :next [ :pay 4 ]", "Ada Lam, 3, 2012"),
        (":unit :Stone ; :value 4.2", "4.2 Stone"),
        (":unit :Grade ; :value 76", "76 °C"),
        (":unit <http://qudt.org/vocab/unit/DEG_F> ; :value 76", "76 °F"),
        (":who :ada ; :list ()", "Ada Lam (2)"),
    ],
)
def test_a_blank_node_without_a_name_is_shown_by_its_values(
    tmp_path: Path, stated: str, shown: str
) -> None:
    text = f'{_BEGIN} :one :at [ {stated} ] . :ada rdfs:label "Ada Lam" ; :in :Stone .'
    text += ' :Grade rdfs:label "grade" ; <http://qudt.org/schema/qudt/symbol> "°C" .'
    (tmp_path / "x.ttl").write_text(text, encoding="utf-8")
    kg = open_kg(str(tmp_path / "x.ttl"), cache=tmp_path / "cache")
    ((step,),) = kg.walks.neighbours(["<https://x.example/one>"])
    assert kg.labels.names([step.triple.tail]) == [shown]


def test_blank_nodes_that_are_shown_alike_are_numbered(tmp_path: Path) -> None:
    text = f"{_BEGIN} :one :at [ :who :ada ] , [ :who :ada ] , [ a :Post ; :who :ada ] ."
    (tmp_path / "x.ttl").write_text(text, encoding="utf-8")
    kg = open_kg(str(tmp_path / "x.ttl"), cache=tmp_path / "cache")
    (steps,) = kg.walks.neighbours(["<https://x.example/one>"])
    names = kg.labels.names([step.triple.tail for step in steps])
    assert sorted(names) == ["ada (2)", "ada (3)", "ada (Post)"]


def test_a_thing_keeps_its_name_beside_a_blank_node_that_is_shown_by_it(tmp_path: Path) -> None:
    text = f"{_BEGIN} :one :at _:b . :two :at _:b . _:b :who :ada . :ada :age 3 ."
    (tmp_path / "x.ttl").write_text(text, encoding="utf-8")
    kg = open_kg(str(tmp_path / "x.ttl"), cache=tmp_path / "cache")
    assert kg.labels.names(["<https://x.example/ada>"]) == ["ada"]


def test_blank_nodes_in_a_circle_keep_their_identifiers(tmp_path: Path) -> None:
    text = f"{_BEGIN} :one :at _:b . _:b :near _:c . _:c :near _:b ."
    (tmp_path / "x.ttl").write_text(text, encoding="utf-8")
    kg = open_kg(str(tmp_path / "x.ttl"), cache=tmp_path / "cache")
    ((step,),) = kg.walks.neighbours(["<https://x.example/one>"])
    assert kg.labels.names([step.triple.tail])[0].startswith("_:")
