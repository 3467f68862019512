"""Ontologies and thesauri are known by what is in them, and read from files as what they say."""

from pathlib import Path

import pytest
import rdflib
from groundwalk import describe_graph
from groundwalk.agent.errors import KGError
from groundwalk.agent.kg import (
    GENERIC,
    KnowledgeGraph,
    Reading,
    build,
    kg_of,
    load_profile,
    open_kg,
    why_no_facts,
)
from groundwalk.agent.kg.profile import AUTO

HERE = Path(__file__).parent
ANATOMY, PIZZA, CHEESE = (HERE / name for name in ("anatomy.ttl", "pizza.owl", "cheese.ttl"))


def read(kg: KnowledgeGraph) -> set[tuple[str, ...]]:
    """Every fact that is walked, by names."""
    return {tuple(kg.walk_labels.names([term])[0] for term in fact) for fact in kg.walks.facts()}


def about(kg: KnowledgeGraph, name: str) -> set[tuple[str, ...]]:
    return {fact[1:] for fact in read(kg) if fact[0] == name}


def test_an_ontology_says_what_its_classes_are(tmp_path: Path) -> None:
    kg = open_kg(str(ANATOMY), cache=tmp_path)
    assert kg.profile.name == "owl" and not why_no_facts(kg)
    assert kg.counts.facts == len(read(kg)) == 24
    assert about(kg, "Heart") == {
        ("kind of", "Organ"),
        ("part of (some)", "Body"),
        ("part of (some)", "Cardiovascular system"),
        ("supplied by (some)", "Coronary artery"),
        ("has chamber (exactly 4)", "Heart chamber"),
        ("other name", "Cor (la)"),
        ("other name", "cardiac organ"),
        ("definition", "A hollow muscular organ that pumps the blood."),
    }
    assert about(kg, "Liver") == {
        ("kind of", "Organ"),
        ("part of (some)", "Body"),
        ("laterality (value)", "right"),
        ("supplied by (only)", "Hepatic artery"),
        ("number of supplied by (at least)", "1"),
    }
    (heart,) = kg.labels.named("Heart")
    assert kg.labels.describe([heart])[0].kind == "Organ"
    assert [hit.term for hit in kg.labels.lookup("cardiac organ")] == [heart]


def test_a_pizza_is_read_from_rdf_xml(tmp_path: Path) -> None:
    kg = open_kg(str(PIZZA), cache=tmp_path)
    assert about(kg, "Margherita") == {
        ("kind of", "Pizza"),
        ("has topping (some)", "Mozzarella"),
        ("has topping (some)", "Tomato"),
    }
    assert about(kg, "Cheesy pizza") == {
        ("kind of", "Pizza"),
        ("has topping (some)", "Topping"),
        ("has topping (some)", "Mozzarella"),
    }
    assert ("number of has base (exactly)", "1") in about(kg, "Pizza")
    assert about(kg, "Mozzarella") == {
        ("kind of", "Topping"),
        ("has country of origin (value)", "Italy"),
    }


def test_questions_call_a_relation_by_its_property(tmp_path: Path) -> None:
    kg = open_kg(str(ANATOMY), cache=tmp_path)
    asked = {kg.asked_as(info.term) for info in kg.walk_labels.relations()}
    assert {"part of", "only supplied by", "has chamber", "kind of"} <= asked


@pytest.mark.parametrize("source", [ANATOMY, PIZZA, CHEESE], ids=lambda path: path.stem)
def test_every_way_to_open_it_is_the_same(source: Path, tmp_path: Path) -> None:
    opened = open_kg(str(source), cache=tmp_path / "cache")
    counts = build(str(source), tmp_path / "built")
    built = open_kg(str(tmp_path / "built"))
    graph = rdflib.Graph().parse(source, format="xml" if source.suffix == ".owl" else "turtle")
    handed = kg_of(graph)
    assert opened.profile == built.profile == handed.profile
    assert read(opened) == read(built) == read(handed)
    assert counts == opened.counts == built.counts


def test_as_it_is_stored_it_has_no_facts_and_says_so(tmp_path: Path) -> None:
    kg = open_kg(str(PIZZA), cache=tmp_path, profile=GENERIC)
    assert not kg.counts.facts and "--profile owl reads" in why_no_facts(kg)
    kept = open_kg(str(PIZZA), cache=tmp_path, reading=Reading("keep"))
    assert {info.name for info in kept.walk_labels.relations()} == {"kind of"}


def test_as_it_is_stored_no_relation_of_a_pattern_has_a_name(tmp_path: Path) -> None:
    for reading, is_named in ((Reading(), True), (Reading("keep"), False)):
        kg = open_kg(ANATOMY, cache=tmp_path, profile="owl", reading=reading)
        assert bool(kg.walk_labels.named("part of (some)", relation=True)) == is_named
        names = [kind["name"] for kind in describe_graph(kg)["relations"]]
        assert ("part of (some)" in names) == is_named
        kg.close()


def test_a_graph_of_things_with_some_classes_is_no_ontology(tmp_path: Path) -> None:
    things = "".join(f":t{n} a :Organ ; :beside :t{n + 1} .\n" for n in range(20))
    (tmp_path / "things.ttl").write_text(ANATOMY.read_text() + things, encoding="utf-8")
    kg = open_kg(str(tmp_path / "things.ttl"), cache=tmp_path)
    assert kg.profile == GENERIC
    asked = open_kg(str(tmp_path / "things.ttl"), cache=tmp_path, profile=load_profile("owl"))
    assert asked.profile.name == "owl" and about(asked, "Heart")
    assert open_kg("world", cache=tmp_path).profile == GENERIC


def test_a_thesaurus_has_its_concepts_in_the_wanted_language(tmp_path: Path) -> None:
    kg = open_kg(str(CHEESE), cache=tmp_path)
    assert kg.profile.name == "skos"
    assert {
        ("Emmental", "broader concept", "hard cheese"),
        ("hard cheese", "scope note", "Cheese of low moisture."),
        ("cheese", "top concept of", "Food thesaurus"),
        ("blue cheese", "other name", "bleu"),
        ("milk", "related to", "cheese"),
    } <= read(kg)
    assert {ends for fact in read(kg) for ends in (fact[0], fact[2])}.isdisjoint({"emmental-en"})
    (emmental,) = kg.labels.named("Emmental")
    assert [hit.term for hit in kg.labels.lookup("swiss cheese")] == [emmental]
    german = open_kg(str(CHEESE), cache=tmp_path, languages=["de"])
    assert german.labels.names([emmental]) == ["Emmentaler"]
    assert ("Emmentaler", "broader concept", "Hartkäse") in read(german)


def test_a_built_folder_keeps_its_profile(tmp_path: Path) -> None:
    build(str(ANATOMY), tmp_path / "built")
    assert open_kg(str(tmp_path / "built"), profile=load_profile("owl")).profile.name == "owl"
    assert open_kg(str(tmp_path / "built"), profile=AUTO).profile.name == "owl"
    with pytest.raises(KGError, match="built with the profile owl"):
        open_kg(str(tmp_path / "built"), profile=load_profile("skos"))
