"""The label index: names of terms, terms of names, typos, and the KG's vocabulary."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from groundwalk.agent.errors import KGError
from groundwalk.agent.kg import Hit, KnowledgeGraph, LabelIndex, Similar, TermInfo, open_kg

E = "http://example.org/"
GRAPH = f"""
@prefix : <{E}> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix schema: <https://schema.org/> .
@prefix skos: <http://www.w3.org/2004/02/skos/core#> .

:Country a owl:Class ; rdfs:label "country"@en ; skos:altLabel "nation"@en .
:Place a rdfs:Class .
:birthPlace a owl:ObjectProperty ; rdfs:domain :Person .
:capital rdfs:label "capital"@en ; skos:altLabel "capital city"@en .

:ge a :Place, :Country, owl:NamedIndividual ;
    rdfs:label "Georgia"@en, "Géorgie"@fr ; skos:altLabel "Sakartvelo"@en, "Georgien"@de ;
    schema:description "country in the Caucasus"@en ; :capital :tb ; :borders :tr .
:ga a :Place ; rdfs:label "Georgia"@en ; schema:description "U.S. state, in the south"@en ;
    :partOf :us .
:tb a :Place ; rdfs:label "Tbilisi" ; schema:name "Tiflis"@en ; skos:hiddenLabel "Tiblisi"@en .
:tr a :Place ; rdfs:label "Türkei"@de ; :borders :ge .
:us :code "US" .
:stalin :birthPlace :ge ; :died 1953 ; :motto "1953" .
"""


@pytest.fixture(scope="module")
def kg(tmp_path_factory: pytest.TempPathFactory) -> KnowledgeGraph:
    folder = tmp_path_factory.mktemp("labels")
    (folder / "kg.ttl").write_text(GRAPH, encoding="utf-8")
    return open_kg(str(folder / "kg.ttl"), cache=folder / "cache")


def iri(name: str) -> str:
    return f"<{E}{name}>"


def test_names_are_unique_and_readable(kg: KnowledgeGraph) -> None:
    year = '"1953"^^<http://www.w3.org/2001/XMLSchema#integer>'
    terms = ["ge", "ga", "tb", "tr", "us", "stalin", "birthPlace", "capital", "nowhere_else"]
    assert kg.labels.names([iri(term) for term in terms]) == [
        "Georgia",
        "Georgia (U.S. state)",
        "Tbilisi",
        "Türkei",
        "us",
        "stalin",
        "birth Place",
        "capital",
        "nowhere else",
    ]
    assert kg.labels.names(['"1953"', year, '"never seen"@en']) == [
        "1953",
        "1953 (integer)",
        "never seen",
    ]
    assert kg.labels.names([]) == []


def test_describe(kg: KnowledgeGraph) -> None:
    assert kg.labels.describe([iri("ge"), iri("nowhere"), iri("ge")]) == [
        TermInfo(iri("ge"), "Georgia", "Georgia", "country in the Caucasus", "country", 4),
        TermInfo(iri("nowhere"), "nowhere", "nowhere", "", "", 0),
        TermInfo(iri("ge"), "Georgia", "Georgia", "country in the Caucasus", "country", 4),
    ]


def test_lookup_knows_labels_aliases_and_hidden_names(kg: KnowledgeGraph) -> None:
    assert kg.labels.lookup("georgia") == [
        Hit(iri("ge"), "Georgia", "label", 4),
        Hit(iri("ga"), "Georgia", "label", 1),
    ]
    assert kg.labels.lookup("sakartvelo") == [Hit(iri("ge"), "Sakartvelo", "alias", 4)]
    assert kg.labels.lookup("tiflis") == [Hit(iri("tb"), "Tiflis", "alias", 1)]
    assert kg.labels.lookup("tiblisi") == [Hit(iri("tb"), "Tiblisi", "hidden", 1)]
    assert kg.labels.lookup("turkei") == [Hit(iri("tr"), "Türkei", "label", 2)]
    assert kg.labels.lookup("stalin") == [Hit(iri("stalin"), "stalin", "local", 3)]


@pytest.mark.parametrize("norm", ["georgien", "country", "capital", "person", "1953", ""])
def test_other_languages_schema_and_values_are_no_topics(kg: KnowledgeGraph, norm: str) -> None:
    assert kg.labels.lookup(norm) == []


def test_known_tells_which_texts_name_something(kg: KnowledgeGraph) -> None:
    many = [f"word {i}" for i in range(2000)]
    assert kg.labels.known([*many, "georgia", "tiflis", "capital"]) == {"georgia", "tiflis"}


def test_named_finds_by_name_then_by_label(kg: KnowledgeGraph) -> None:
    assert kg.labels.named("Georgia (U.S. state)") == [iri("ga")]
    assert kg.labels.named("Georgia") == [iri("ge")]
    assert kg.labels.named("1953 (integer)") == [
        '"1953"^^<http://www.w3.org/2001/XMLSchema#integer>'
    ]
    assert kg.labels.named("capital", relation=True) == [iri("capital")]
    assert kg.labels.named("capital") == kg.labels.named("Georgia", relation=True) == []


def test_similar_is_by_edit_distance(kg: KnowledgeGraph) -> None:
    assert kg.labels.similar("goergia") == [Similar("georgia", 1)]
    assert kg.labels.similar("tbilisi")[:2] == [Similar("tbilisi", 0), Similar("tiblisi", 1)]
    assert kg.labels.similar("tbilisi", 1) == [Similar("tbilisi", 0)]
    assert kg.labels.similar("gorgi", distance=1) == []
    assert kg.labels.similar("") == [Similar("us", 2)]


def test_relations_and_vocabulary(kg: KnowledgeGraph) -> None:
    assert [(r.name, r.facts) for r in kg.labels.relations()] == [
        ("borders", 2),
        ("birth Place", 1),
        ("capital", 1),
        ("code", 1),
        ("died", 1),
        ("motto", 1),
        ("part Of", 1),
    ]
    words = {(word.text, word.relation) for word in kg.labels.vocabulary()}
    assert {("country", False), ("nation", False), ("capital city", True)} <= words
    assert ("Georgia", False) not in words


def test_longest_counts_words(kg: KnowledgeGraph) -> None:
    assert kg.labels.longest() == 1


def test_a_term_that_is_relation_and_entity(tmp_path: Path) -> None:
    text = f"""@prefix : <{E}> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
    :r rdfs:label "r" ; :inverse :s . :a :r :b . :s rdfs:label "r" . :x rdfs:label "inverse" .
    :a :knows :x ."""
    (tmp_path / "kg.ttl").write_text(text, encoding="utf-8")
    kg = open_kg(str(tmp_path / "kg.ttl"), cache=tmp_path / "cache")
    assert kg.labels.names([iri(n) for n in ("r", "s", "x", "inverse")]) == [
        "r",
        "r (s)",
        "inverse",
        "inverse",
    ]


def test_threads_share_an_index(kg: KnowledgeGraph) -> None:
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(kg.labels.lookup, ["georgia", "tiflis"] * 200))
    assert found == [kg.labels.lookup("georgia"), kg.labels.lookup("tiflis")] * 200


def test_what_is_no_index_is_refused(tmp_path: Path) -> None:
    (tmp_path / "labels.sqlite").write_bytes(b"not a database" * 100)
    for name in ("labels.sqlite", "missing.sqlite"):
        with pytest.raises(KGError, match="is not a label index"):
            LabelIndex.open(tmp_path / name)
