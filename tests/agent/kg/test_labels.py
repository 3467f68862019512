"""The label index: names of terms, terms of names, typos, and the KG's vocabulary."""

import sqlite3
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from groundwalk.agent.errors import KGError, ServiceError
from groundwalk.agent.kg import Hit, KnowledgeGraph, LabelIndex, Similar, TermInfo, open_kg
from groundwalk.agent.kg.labels import index as labels
from hypothesis import given, settings
from hypothesis import strategies as st
from rapidfuzz.distance import OSA

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
        "birth place",
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


@settings(max_examples=60, deadline=None)
@given(
    st.sets(st.text("ab c", min_size=1, max_size=9) | st.text("abcdefgh", min_size=1), min_size=1),
    st.text("ab c", max_size=10) | st.text("abcdefgh", max_size=12),
    st.lists(st.tuples(st.integers(0, 9), st.sampled_from("sdia")), max_size=3),
    st.sampled_from([0, 1, 2]),
)
def test_similar_finds_all_that_a_scan_finds(
    norms: set[str], norm: str, typos: list[tuple[int, str]], distance: int
) -> None:
    connection = sqlite3.connect(":memory:", check_same_thread=False)
    connection.executescript(labels.SCHEMA + labels.INDEXES)
    rows = [(each, each, f"<urn:{each}>", "label") for each in norms]
    connection.executemany("INSERT INTO surface VALUES (?, ?, ?, ?)", rows)
    connection.execute("INSERT INTO summary VALUES (1, 1)")
    index = LabelIndex(connection)
    for asked in (norm, misspelt(min(norms), typos)):
        near = {(OSA.distance(asked, each), each) for each in norms}
        assert index.similar(asked, 1000, distance=distance) == [
            Similar(each, edits) for edits, each in sorted(near) if edits <= distance
        ]


WORDS = st.sampled_from(
    [
        "hobbit",
        "the",
        "an",
        "\u0434\u043e\u043c",
        "\u6771\u4eac",
        "7",
        "\u0939\u093f\u0928\u0926\u0940",
    ]
)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.tuples(st.lists(WORDS, min_size=1, max_size=4), st.integers(0, 3)), max_size=12),
    st.lists(WORDS, max_size=3),
    st.integers(0, 6),
)
def test_containing_finds_all_that_a_scan_finds(
    named: list[tuple[list[str], int]], words: list[str], limit: int
) -> None:
    connection = sqlite3.connect(":memory:", check_same_thread=False)
    connection.executescript(labels.SCHEMA)
    for number, (name, degree) in enumerate(named):
        text, term = " ".join(name), f"<urn:{number:02}>"
        row = (term, text, text, "", "", degree, 0, 0)
        connection.execute("INSERT INTO terms VALUES (?, ?, ?, ?, ?, ?, ?, ?)", row)
        connection.execute("INSERT INTO surface VALUES (?, ?, ?, 'label')", (text, text, term))
    connection.executescript(labels.INDEXES)
    connection.execute("INSERT INTO summary VALUES (1, 1)")
    having = [
        Hit(f"<urn:{number:02}>", " ".join(name), "label", degree)
        for number, (name, degree) in enumerate(named)
        if words and set(words) <= set(name)
    ]
    expected = sorted(having, key=lambda hit: -hit.degree) if len(having) <= limit else []
    assert LabelIndex(connection).containing(words, limit) == expected


@pytest.mark.parametrize(
    "words", [[""], ["a b"], ['"'], ["$"], ["OR"], ["norm:x"], ["x*"], ["a-b"], ["NEAR(a b)"]]
)
def test_nothing_but_words_is_contained(kg: KnowledgeGraph, words: list[str]) -> None:
    assert kg.labels.containing(words) == []


def test_containing_is_by_whole_words(kg: KnowledgeGraph) -> None:
    assert [hit.term for hit in kg.labels.containing(["georgia"])] == [iri("ge"), iri("ga")]
    assert kg.labels.containing(["georgia"], 1) == []
    assert kg.labels.containing(["georg"]) == []


def misspelt(text: str, typos: list[tuple[int, str]]) -> str:
    """The text after swaps, deletions, insertions and changes at some places."""
    for place, how in typos:
        i = min(place, len(text))
        one, two = text[i : i + 1], text[i + 1 : i + 2]
        put = {"s": two + one, "d": two, "i": "a" + one + two, "a": "a" + two}[how]
        text = text[:i] + put + text[i + 2 :]
    return text


def test_similar_is_found_among_many(tmp_path: Path) -> None:
    many = "".join(f"film number {i}|in|series {i % 100}\n" for i in range(5_000))
    (tmp_path / "kb.txt").write_text(many)
    kg = open_kg(str(tmp_path / "kb.txt"), cache=tmp_path / "cache")
    assert kg.labels.similar("fiml number 4321", 1) == [Similar("film number 4321", 1)]
    assert kg.labels.similar("seires 99", distance=1) == [Similar("series 99", 1)]


def test_a_label_index_that_is_damaged_inside_is_told(tmp_path: Path) -> None:
    many = "".join(f"film number {i}|in|series\n" for i in range(2_000))
    (tmp_path / "kb.txt").write_text(many)
    kg = open_kg(str(tmp_path / "kb.txt"), cache=tmp_path / "cache")
    assert kg.folder is not None
    kg.close()
    file = kg.folder / "labels.sqlite"
    data = bytearray(file.read_bytes())
    data[8192:] = b"\xff" * (len(data) - 8192)
    file.write_bytes(data)
    with pytest.raises((KGError, ServiceError)) as caught:
        LabelIndex.open(file).lookup("film number 7")
    assert caught.value.hint == "build the KG again"


def test_relations_and_vocabulary(kg: KnowledgeGraph) -> None:
    assert [(r.name, r.facts) for r in kg.labels.relations()] == [
        ("borders", 2),
        ("birth place", 1),
        ("capital", 1),
        ("code", 1),
        ("died", 1),
        ("motto", 1),
        ("part of", 1),
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


def test_of_many_names_with_one_beginning_the_best_known_are_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also one that the alphabet puts behind all names that are looked at."""
    facts = [f':n{n} rdfs:label "Name {n:03}" ; :by :x .' for n in range(50)]
    facts += [f":y{n} :near :zoe ." for n in range(9)]
    text = f"@prefix : <{E}> .\n@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .\n"
    text += "\n".join([*facts, ':zoe rdfs:label "Name of Zoe" .'])
    (tmp_path / "names.ttl").write_text(text, encoding="utf-8")
    kg = open_kg(str(tmp_path / "names.ttl"), cache=tmp_path / "cache")
    assert isinstance(kg.labels, LabelIndex)
    everything = kg.labels.starting("name", 3)
    assert everything[0] == iri("zoe")
    monkeypatch.setattr(labels, "_MOST_BEGINNING", 20)
    assert kg.labels.starting("name", 3) == everything
