"""Profiles: the ones that come with the package read their graphs, a user's own TOML is checked."""

import json
from dataclasses import asdict
from pathlib import Path

import pytest
from groundwalk.agent.errors import KGError
from groundwalk.agent.kg import GENERIC, KnowledgeGraph, Profile, load_profile, open_kg
from groundwalk.agent.kg.profile import UNLABELLED, from_record

WIKIDATA = """
@prefix wd: <http://www.wikidata.org/entity/> .
@prefix wdt: <http://www.wikidata.org/prop/direct/> .
@prefix wdtn: <http://www.wikidata.org/prop/direct-normalized/> .
@prefix p: <http://www.wikidata.org/prop/> .
@prefix ps: <http://www.wikidata.org/prop/statement/> .
@prefix pq: <http://www.wikidata.org/prop/qualifier/> .
@prefix psv: <http://www.wikidata.org/prop/statement/value/> .
@prefix wds: <http://www.wikidata.org/entity/statement/> .
@prefix wikibase: <http://wikiba.se/ontology#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
@prefix schema: <http://schema.org/> .

wd:Q42 rdfs:label "Douglas Adams"@en , "Adams"@de ; skos:altLabel "Douglas Noel Adams"@en ;
    schema:description "English author"@en ; wdt:P31 wd:Q5 ; wdt:P69 wd:Q691283 ;
    wdtn:P214 <http://viaf.org/viaf/113230702> ; wikibase:sitelinks 120 ;
    p:P69 wds:q42-0E9C ; schema:dateModified "2020-01-01" .
wds:q42-0E9C ps:P69 wd:Q691283 ; pq:P582 1974 ; psv:P582 wd:V1 ; a wikibase:Statement ;
    wikibase:rank wikibase:NormalRank .
wd:Q691283 rdfs:label "St John's College"@en .
wd:Q5 rdfs:label "human"@en .
wd:P69 rdfs:label "educated at"@en ; skos:altLabel "alma mater"@en ;
    wikibase:directClaim wdt:P69 .
wd:P582 rdfs:label "end time"@en .
"""
FREEBASE = """
@prefix fb: <http://rdf.freebase.com/ns/> .
fb:m.0f8l9c fb:type.object.name "France"@en ; fb:common.topic.alias "French Republic"@en ;
    fb:type.object.type fb:location.country ; fb:common.topic.topic_equivalent_webpage "x" ;
    fb:location.country.currency_used fb:m.cvt ; <http://rdf.freebase.com/key/en> "france" .
fb:m.cvt fb:measurement.currency fb:m.euro . fb:m.euro fb:type.object.name "Euro"@en .
"""
DBPEDIA = """
@prefix dbr: <http://dbpedia.org/resource/> . @prefix dbo: <http://dbpedia.org/ontology/> .
@prefix dbp: <http://dbpedia.org/property/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
dbr:Bern rdfs:label "Bern"@en ; dbo:country dbr:Switzerland ; dbp:country "CH" ;
    dbo:wikiPageID 4 ; dbo:wikiPageWikiLink dbr:Aare ; dbo:abstract "Capital city. And more."@en .
"""


def opened(folder: Path, text: str, profile: str) -> KnowledgeGraph:
    (folder / "kg.ttl").write_text(text)
    source = str(folder / "kg.ttl")
    return open_kg(source, cache=folder / "cache", profile=load_profile(profile))


def read(kg: KnowledgeGraph) -> set[tuple[str, ...]]:
    """The facts in names, without namespaces."""
    return {tuple(kg.labels.names(triple)) for triple in kg.store.facts()}


def test_a_wikidata_slice(tmp_path: Path) -> None:
    kg = opened(tmp_path, WIKIDATA, "wikidata")
    by_relation = {relation.name: relation.facts for relation in kg.labels.relations()}
    assert by_relation == {
        "educated at": 1,
        "educated at (P69)": 1,
        "educated at (P69 2)": 1,
        "end time": 1,
    }
    assert kg.counts.facts == 4
    (info,) = kg.labels.describe(["<http://www.wikidata.org/entity/Q42>"])
    assert info[1:5] == ("Douglas Adams", "Douglas Adams", "English author", "human")
    assert [hit.kind for hit in kg.labels.lookup("douglas noel adams")] == ["alias"]
    assert kg.labels.lookup("educated at") == kg.labels.lookup("alma mater") == []
    assert ("alma mater", True) in {(w.text, w.relation) for w in kg.labels.vocabulary()}
    (node,) = kg.profile.nodes
    heads = {triple.head for triple in kg.store.facts()}
    assert {head for head in heads if head.startswith(node)} == {
        "<http://www.wikidata.org/entity/statement/q42-0E9C>"
    }


def test_a_freebase_slice(tmp_path: Path) -> None:
    kg = opened(tmp_path, FREEBASE, "freebase")
    assert read(kg) == {
        ("France", "location.country.currency used", "m.cvt"),
        ("m.cvt", "measurement.currency", "Euro"),
    }
    assert [hit.text for hit in kg.labels.lookup("french republic")] == ["French Republic"]
    (info,) = kg.labels.describe(["<http://rdf.freebase.com/ns/m.0f8l9c>"])
    assert info.kind == "location.country"
    assert kg.profile.nodes == (UNLABELLED,)


def test_a_dbpedia_slice(tmp_path: Path) -> None:
    kg = opened(tmp_path, DBPEDIA, "dbpedia")
    assert read(kg) == {("Bern", "country", "Switzerland")}
    assert kg.labels.describe(["<http://dbpedia.org/resource/Bern>"])[0].description == (
        "Capital city. And more."
    )


@pytest.mark.parametrize("name", ["generic", "wikidata", "dbpedia", "freebase"])
def test_a_profile_survives_json(name: str) -> None:
    profile = load_profile(name)
    assert profile.name == name
    assert from_record(json.loads(json.dumps(asdict(profile)))) == profile
    assert load_profile(name) == profile
    assert all(profile.skips(predicate) for predicate in GENERIC.skipped)


def test_a_profile_of_ones_own(tmp_path: Path) -> None:
    file = tmp_path / "films.toml"
    file.write_text(
        """
        extends = "generic"
        labels = ["f:title", "<http://www.w3.org/2000/01/rdf-schema#label>"]
        languages = ["DE"]
        skipped_prefixes = ["f:internal_"]
        nodes = ["unlabelled", "f:role_"]
        collapse = true
        inverse_of = ["f:opposite"]
        prefixes = { f = "http://films.example/" }
        """
    )
    profile = load_profile(str(file))
    assert profile.name == "films"
    assert profile.labels[:2] == ("<http://films.example/title>", GENERIC.labels[0])
    assert sorted(profile.labels[1:]) == sorted(GENERIC.labels)
    assert profile.languages == ("de",)
    assert profile.skips("<http://films.example/internal_id>")
    assert not profile.skips("<http://films.example/director>")
    assert profile.nodes == (UNLABELLED, "<http://films.example/role_")
    assert profile.collapse and not GENERIC.collapse
    assert profile.inverse_of == ("<http://films.example/opposite>", *GENERIC.inverse_of)


def test_a_profile_may_stand_alone(tmp_path: Path) -> None:
    (tmp_path / "bare.toml").write_text("")
    assert load_profile(str(tmp_path / "bare.toml")) == Profile("bare")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("labels = [", "is not TOML"),
        ("label = []", "there is no field `label` in a profile"),
        ("name = 'x'", "there is no field `name` in a profile"),
        ("labels = 'rdfs:label'", "`labels` must be a list"),
        ("labels = [1]", "`labels` must hold texts"),
        ("labels = ['rdfs:label']", "`rdfs:label` has no prefix of the table `prefixes`"),
        ("labels = ['<label>']", "`label` is not an IRI"),
        ("labels = ['x:a b']\nprefixes = {x = 'http://x/'}", "`http://x/a b` is not an IRI"),
        ("prefixes = 1", "`prefixes` must be a table"),
        ("prefixes = {x = 1}", "`prefixes` must hold texts"),
        ("relation_labels_from = [['<a:b>']]", "`relation_labels_from` must be pairs"),
        ("collapse = 1", "`collapse` must be true or false"),
        ("names = [['<a:b>']]", "`names` must be pairs of an IRI and a text"),
        ("text_nodes = [['name', '<a:b>', '<a:c>']]", "`text_nodes` must be triples of one of"),
        ("text_nodes = [['labels', '<a:b>']]", "`text_nodes` must be triples of one of"),
        ("patterns = 1", "`patterns` must be a table"),
        ("patterns = {x = 1}", "`patterns.x` must be a table"),
        ("[patterns.x]\nheads = ['<a:b>']", "`patterns.x` needs heads, relations and tails"),
        ("[patterns.x]\nmember_by = '<a:b>'", "`patterns.x` needs heads, relations and tails"),
        ("[patterns.x]\nhead = ['<a:b>']", "there is no field `head` in a pattern"),
        ("[patterns.x]\nopens = 1", "`opens` of `patterns.x` must be true or false"),
        ("[patterns.x]\ncalled = 1", "`patterns.x` must hold texts"),
        ("[patterns.x]\nheads = ['^a b']", "`a b` has no prefix of the table `prefixes`"),
        ("extends = 1", "`extends` must be the name of a profile"),
        ("extends = 'own.toml'", "`extends` must be the name of a profile, no file"),
        ("extends = 'nothing'", "no profile is called 'nothing'; there are dbpedia, freebase"),
    ],
)
def test_profiles_that_are_none(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "own.toml"
    file.write_text(text)
    with pytest.raises(KGError) as caught:
        load_profile(str(file))
    assert message in caught.value.message
    assert "\n" not in caught.value.message and caught.value.hint


def test_profiles_that_cannot_be_read(tmp_path: Path) -> None:
    (tmp_path / "own.toml").write_bytes(b"\xff")
    for name, message in (("own.toml", "is not UTF-8"), ("no.toml", "No such file")):
        with pytest.raises(KGError, match=message):
            load_profile(str(tmp_path / name))
    with pytest.raises(KGError, match="no profile is called '../generic'"):
        load_profile("../generic")


def test_a_slice_of_wikidata_is_known(tmp_path: Path) -> None:
    (tmp_path / "slice.ttl").write_text(WIKIDATA, encoding="utf-8")
    kg = open_kg(str(tmp_path / "slice.ttl"), cache=tmp_path / "cache", languages=("de", "en"))
    assert kg.profile.name == "wikidata"
    assert kg.profile.languages[:2] == ("de", "en")
