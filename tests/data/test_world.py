"""The bundled world graph: its form, its consistency and facts that anyone can check."""

from __future__ import annotations

import shutil
from collections import Counter
from functools import cache
from importlib.resources import files
from pathlib import Path

import pytest
from groundwalk.data.world import build
from rdflib import RDF, RDFS, Graph, Literal, Namespace, URIRef
from rdflib.namespace import SKOS

WORLD = "https://groundwalk.example/world/"
V = Namespace(f"{WORLD}vocab#")
SCHEMA_DESCRIPTION = URIRef("https://schema.org/description")
PROPERTY_LABELS = {
    "capital": "capital",
    "country": "country",
    "continent": "continent",
    "subregion": "subregion",
    "partOf": "part of",
    "borders": "borders",
    "officialLanguage": "official language",
    "currency": "currency",
}
CLASS_LABELS = {
    "Country": "country",
    "City": "city",
    "Language": "language",
    "Currency": "currency",
    "Continent": "continent",
    "Subregion": "subregion",
    "Region": "region",
}


@cache
def graph() -> Graph:
    text = files("groundwalk.data.world").joinpath("world.ttl").read_text(encoding="utf-8")
    return Graph().parse(data=text, format="turtle")


def iri(curie: str) -> URIRef:
    return URIRef(WORLD + curie.replace(":", "/"))


def targets(subject: str, relation: str) -> set[str]:
    """The keys a relation leads to from an entity."""
    return {str(o).rsplit("/", 1)[1] for o in graph().objects(iri(subject), V[relation])}


def sources(relation: str, target: str) -> set[str]:
    """The keys of the entities a relation leads from to an entity."""
    return {str(s).rsplit("/", 1)[1] for s in graph().subjects(V[relation], iri(target))}


def instances(class_key: str) -> list[URIRef]:
    return [s for s in graph().subjects(RDF.type, V[class_key]) if isinstance(s, URIRef)]


# --- Form ---


def test_counts_by_class() -> None:
    assert len(instances("Country")) == 193
    assert len(instances("Continent")) == 7
    assert len(instances("Subregion")) == 22
    assert len(instances("City")) > 193
    assert len(instances("Currency")) > 130
    assert len(instances("Language")) > 150
    assert len(instances("Region")) > 5


def test_the_file_is_what_the_tables_give() -> None:
    text = build.render(build.load())
    assert files("groundwalk.data.world").joinpath("world.ttl").read_bytes() == text.encode()
    assert build.render(build.load()) == text


def test_everything_in_our_namespace_has_one_type_and_one_label() -> None:
    terms = {t for triple in graph() for t in triple if str(t).startswith(WORLD)}
    assert len(terms) > 700
    for term in terms:
        assert len(list(graph().objects(term, RDF.type))) == 1, term
        assert len(list(graph().objects(term, RDFS.label))) == 1, term


def test_there_are_no_blank_nodes_and_all_text_is_english() -> None:
    for subject, _, term in graph():
        assert isinstance(subject, URIRef)
        assert isinstance(term, (URIRef, Literal))
        if isinstance(term, Literal):
            assert term.language == "en"
            assert str(term).strip()


def test_every_entity_has_a_description() -> None:
    for class_key in CLASS_LABELS:
        for entity in instances(class_key):
            assert len(list(graph().objects(entity, SCHEMA_DESCRIPTION))) == 1, entity


def test_an_alternative_name_differs_from_the_label() -> None:
    for entity, alternative in graph().subject_objects(SKOS.altLabel):
        assert alternative != graph().value(entity, RDFS.label), entity


def test_vocabulary() -> None:
    for key, label in PROPERTY_LABELS.items():
        assert (V[key], RDF.type, RDF.Property) in graph()
        assert str(graph().value(V[key], RDFS.label)) == label
        assert graph().value(V[key], RDFS.comment) is not None
    for key, label in CLASS_LABELS.items():
        assert (V[key], RDF.type, RDFS.Class) in graph()
        assert str(graph().value(V[key], RDFS.label)) == label
        assert graph().value(V[key], RDFS.comment) is not None
    assert set(graph().subjects(RDF.type, RDF.Property)) == {V[key] for key in PROPERTY_LABELS}


def test_no_two_things_share_label_and_description() -> None:
    seen: Counter[tuple[str, str]] = Counter()
    for subject, label in graph().subject_objects(RDFS.label):
        about = graph().value(subject, SCHEMA_DESCRIPTION) or graph().value(subject, RDFS.comment)
        seen[str(label).casefold(), str(about).casefold()] += 1
    assert [pair for pair, count in seen.items() if count > 1] == []


# --- Consistency ---


@pytest.mark.parametrize("relation", sorted(PROPERTY_LABELS))
def test_relations_connect_their_domain_and_range(relation: str) -> None:
    domains = set(graph().objects(V[relation], RDFS.domain)) or set(
        graph().objects(V[relation], URIRef("https://schema.org/domainIncludes"))
    )
    ranges = set(graph().objects(V[relation], RDFS.range))
    pairs = list(graph().subject_objects(V[relation]))
    assert pairs
    assert {graph().value(s, RDF.type) for s, _ in pairs} == domains
    assert {graph().value(o, RDF.type) for _, o in pairs} == ranges


def test_borders_are_symmetric_and_never_with_oneself() -> None:
    borders = set(graph().subject_objects(V.borders))
    assert all((b, a) in borders and a != b for a, b in borders)


def test_a_capital_is_a_city_of_its_country() -> None:
    for country, city in graph().subject_objects(V.capital):
        assert (city, RDF.type, V.City) in graph()
        assert list(graph().objects(city, V.country)) == [country]


@pytest.mark.parametrize("relation", ["capital", "continent", "officialLanguage", "currency"])
def test_every_country_has_at_least_one(relation: str) -> None:
    for country in instances("Country"):
        assert any(graph().objects(country, V[relation])), country


def test_every_country_has_one_subregion_on_one_of_its_continents() -> None:
    for country in instances("Country"):
        (subregion,) = graph().objects(country, V.subregion)
        (continent,) = graph().objects(subregion, V.partOf)
        assert (country, V.continent, continent) in graph(), country


@pytest.mark.parametrize(
    ("class_key", "relation"), [("Language", "officialLanguage"), ("Currency", "currency")]
)
def test_every_language_and_currency_belongs_to_a_country(class_key: str, relation: str) -> None:
    for entity in instances(class_key):
        assert any(graph().subjects(V[relation], entity)), entity


# --- Facts ---

NEIGHBOUR_COUNTS = {
    "algeria": 6,
    "argentina": 5,
    "austria": 8,
    "brazil": 10,
    "china": 14,
    "democratic-republic-of-the-congo": 9,
    "germany": 9,
    "hungary": 7,
    "india": 6,
    "iran": 7,
    "mali": 7,
    "niger": 7,
    "poland": 7,
    "russia": 14,
    "saudi-arabia": 7,
    "serbia": 7,
    "sudan": 7,
    "tanzania": 8,
    "turkey": 8,
    "ukraine": 7,
    "zambia": 8,
}


@pytest.mark.parametrize(("country", "count"), sorted(NEIGHBOUR_COUNTS.items()))
def test_number_of_neighbours(country: str, count: int) -> None:
    assert len(targets(f"country:{country}", "borders")) == count


NEIGHBOURS = {
    "azerbaijan": "armenia georgia iran russia turkey",
    "canada": "denmark united-states",
    "denmark": "canada germany",
    "france": "andorra belgium brazil germany italy luxembourg monaco netherlands spain suriname"
    " switzerland",
    "ireland": "united-kingdom",
    "italy": "austria france san-marino slovenia switzerland",
    "lesotho": "south-africa",
    "mauritania": "algeria mali senegal",
    "morocco": "algeria spain",
    "namibia": "angola botswana south-africa zambia",
    "nepal": "china india",
    "north-korea": "china russia south-korea",
    "papua-new-guinea": "indonesia",
    "peru": "bolivia brazil chile colombia ecuador",
    "portugal": "spain",
    "switzerland": "austria france germany italy liechtenstein",
    "uruguay": "argentina brazil",
}


@pytest.mark.parametrize(("country", "neighbours"), sorted(NEIGHBOURS.items()))
def test_neighbours(country: str, neighbours: str) -> None:
    assert targets(f"country:{country}", "borders") == set(neighbours.split())


@pytest.mark.parametrize(
    "country",
    ["australia", "cuba", "cyprus", "iceland", "japan", "madagascar", "malta", "new-zealand"]
    + ["philippines", "singapore", "sri-lanka", "tonga"],
)
def test_island_states_have_no_land_border(country: str) -> None:
    assert (iri(f"country:{country}"), RDF.type, V.Country) in graph()
    assert targets(f"country:{country}", "borders") == set()


def test_number_of_countries_without_a_land_border() -> None:
    assert sum(not any(graph().objects(c, V.borders)) for c in instances("Country")) == 39


CAPITALS = {
    "australia": "canberra",
    "bolivia": "la-paz sucre",
    "brazil": "brasilia",
    "burundi": "gitega",
    "canada": "ottawa",
    "egypt": "cairo",
    "france": "paris",
    "ivory-coast": "yamoussoukro",
    "japan": "tokyo",
    "kazakhstan": "astana",
    "kenya": "nairobi",
    "malaysia": "kuala-lumpur",
    "myanmar": "naypyidaw",
    "netherlands": "amsterdam",
    "new-zealand": "wellington",
    "nigeria": "abuja",
    "palau": "ngerulmud",
    "south-africa": "bloemfontein cape-town pretoria",
    "sri-lanka": "sri-jayawardenepura-kotte",
    "switzerland": "bern",
    "tanzania": "dodoma",
    "turkey": "ankara",
    "ukraine": "kyiv",
    "united-states": "washington-dc",
}


@pytest.mark.parametrize(("country", "cities"), sorted(CAPITALS.items()))
def test_capitals(country: str, cities: str) -> None:
    assert targets(f"country:{country}", "capital") == set(cities.split())


@pytest.mark.parametrize(
    ("subject", "relation", "expected"),
    [
        ("country:belgium", "officialLanguage", "dutch french german"),
        ("country:india", "officialLanguage", "english hindi"),
        ("country:brazil", "officialLanguage", "portuguese"),
        ("country:switzerland", "officialLanguage", "french german italian romansh"),
        ("country:singapore", "officialLanguage", "chinese english malay tamil"),
        ("country:panama", "currency", "panamanian-balboa us-dollar"),
        ("country:ecuador", "currency", "us-dollar"),
        ("country:bulgaria", "currency", "euro"),
        ("country:japan", "currency", "japanese-yen"),
        ("country:russia", "continent", "asia europe"),
        ("country:egypt", "continent", "africa asia"),
        ("country:mexico", "subregion", "central-america"),
        ("subregion:micronesia", "partOf", "oceania"),
        ("region:georgia-us-state", "country", "united-states"),
    ],
)
def test_other_facts(subject: str, relation: str, expected: str) -> None:
    assert targets(subject, relation) == set(expected.split())


@pytest.mark.parametrize(
    ("country", "count"),
    [("bolivia", 37), ("zimbabwe", 16), ("mali", 13), ("south-africa", 12)],
)
def test_long_lists_of_languages_are_complete(country: str, count: int) -> None:
    assert len(targets(f"country:{country}", "officialLanguage")) == count


@pytest.mark.parametrize(
    ("subregion", "count"),
    [
        ("northern-africa", 6),
        ("western-africa", 16),
        ("middle-africa", 9),
        ("eastern-africa", 18),
        ("southern-africa", 5),
        ("caribbean", 13),
        ("central-america", 8),
        ("northern-america", 2),
        ("south-america", 12),
        ("central-asia", 5),
        ("eastern-asia", 5),
        ("south-eastern-asia", 11),
        ("southern-asia", 9),
        ("western-asia", 17),
        ("eastern-europe", 10),
        ("northern-europe", 10),
        ("southern-europe", 14),
        ("western-europe", 9),
        ("australia-and-new-zealand", 2),
        ("melanesia", 4),
        ("micronesia", 5),
        ("polynesia", 3),
    ],
)
def test_number_of_countries_in_a_subregion(subregion: str, count: int) -> None:
    assert len(sources("subregion", f"subregion:{subregion}")) == count


def test_shared_currencies() -> None:
    assert len(sources("currency", "currency:east-caribbean-dollar")) == 6
    assert len(sources("currency", "currency:west-african-cfa-franc")) == 8
    assert len(sources("currency", "currency:central-african-cfa-franc")) == 6
    assert len(sources("currency", "currency:euro")) == 21 + 4  # the euro area and four others


def test_antarctica_has_no_country() -> None:
    assert (iri("continent:antarctica"), RDF.type, V.Continent) in graph()
    assert sources("continent", "continent:antarctica") == set()


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("USA", {"country:united-states"}),
        ("Holland", {"country:netherlands"}),
        ("Burma", {"country:myanmar"}),
        ("Czech Republic", {"country:czechia"}),
        ("Côte d'Ivoire", {"country:ivory-coast"}),
        ("Türkiye", {"country:turkey"}),
        ("Kiev", {"city:kyiv"}),
        ("greenback", {"currency:us-dollar"}),
        ("Farsi", {"language:persian"}),
        ("Korea", {"country:north-korea", "country:south-korea"}),
        (
            "Congo",
            {"country:democratic-republic-of-the-congo", "country:republic-of-the-congo"},
        ),
        ("Georgia", {"country:georgia", "region:georgia-us-state"}),
        ("Micronesia", {"country:micronesia", "subregion:micronesia"}),
        ("South America", {"continent:south-america", "subregion:south-america"}),
        ("Washington", {"city:washington-dc", "region:washington-us-state"}),
    ],
)
def test_names_lead_to_their_entities(name: str, expected: set[str]) -> None:
    text = Literal(name, lang="en")
    found = set(graph().subjects(RDFS.label, text)) | set(graph().subjects(SKOS.altLabel, text))
    assert found == {iri(curie) for curie in expected}


# --- What the builder refuses ---


@pytest.mark.parametrize(
    ("file", "old", "new", "message"),
    [
        ("countries.tsv", "\tkabul\t", "\tkabull\t", r"countries\.tsv:2: .*city .*'kabull'"),
        ("countries.tsv", "\tkabul\t", "\tparis\t", r"countries\.tsv:2: .*'paris' .*'france'"),
        ("countries.tsv", "\tkabul\t", "\t\t", r"countries\.tsv:2: .*'capitals' is empty"),
        ("countries.tsv", "albania\t", "afghanistan\t", r"countries\.tsv:3: .*already on line 2"),
        ("countries.tsv", "\tasia\t", "\teurope\t", r"countries\.tsv:2: .*not a continent of"),
        ("countries.tsv", "key\t", "id\t", r"countries\.tsv:1: the columns"),
        ("countries.tsv", "Albania\t", "Albania\t\t", r"countries\.tsv:3: 10 cells"),
        ("countries.tsv", "Albania\t", "Albania \t", r"countries\.tsv:3: stray white space"),
        ("countries.tsv", "pashto; dari", "pashto;dari", r"countries\.tsv:2: .*'pashto;dari'"),
        ("countries.tsv", "pashto; dari", "dari; dari", r"countries\.tsv:2: .*twice"),
        ("borders.tsv", "afghanistan\tchina", "afghanistan\tchna", r"borders\.tsv:2: .*'chna'"),
        ("borders.tsv", "afghanistan\tiran", "china\tafghanistan", r"borders\.tsv:3: .*line 2"),
        ("borders.tsv", "afghanistan\tchina", "china\tchina", r"borders\.tsv:2: .*itself"),
        ("regions.tsv", "state of Brazil", "department of Peru", r"regions\.tsv:4: label and desc"),
        ("relations.tsv", "\tCountry\tCity", "\tCity\tCity", r"relations\.tsv:\d+: 'capital'"),
        ("classes.tsv", "Language\t", "Tongue\t", r"the class 'Language' is missing|'Language'"),
    ],
)
def test_a_mistake_in_a_table_is_named(
    tmp_path: Path, file: str, old: str, new: str, message: str
) -> None:
    folder = tmp_path / "tables"
    shutil.copytree(build.TABLES, folder)
    text = (folder / file).read_text(encoding="utf-8")
    assert old in text
    (folder / file).write_text(text.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(build.WorldError, match=message):
        build.load(folder)


def test_a_missing_table_is_named(tmp_path: Path) -> None:
    with pytest.raises(build.WorldError, match=r"classes\.tsv:1: "):
        build.load(tmp_path)


def test_text_is_escaped() -> None:
    assert build.Text('a "b" \\ c').turtle() == '"a \\"b\\" \\\\ c"@en'


def test_check_says_whether_the_file_is_current(tmp_path: Path) -> None:
    path = tmp_path / "world.ttl"
    assert not build.is_current("text", path)
    path.write_text("other", encoding="utf-8")
    assert not build.is_current("text", path)
    path.write_text("text", encoding="utf-8")
    assert build.is_current("text", path)
    assert build.main(["--check"]) == 0
