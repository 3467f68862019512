"""The bundled world graph: its form, its consistency and facts that anyone can check."""

from __future__ import annotations

from collections import Counter
from functools import cache
from importlib.resources import files

import pytest
from groundwalk.data.world import build as turtle
from groundwalk.data.world import reading
from rdflib import RDF, RDFS, Graph, Literal, Namespace, URIRef
from rdflib.namespace import SKOS

WORLD = "https://groundwalk.example/world/"
V = Namespace(f"{WORLD}vocab#")
INTEGER = URIRef("http://www.w3.org/2001/XMLSchema#integer")
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
    "largestCity": "largest city",
    "coast": "coast",
    "memberOf": "member of",
    "flowsThrough": "flows through",
    "mouth": "mouth",
    "onRiver": "on river",
    "range": "mountain range",
    "rangeIn": "range in",
    "lakeIn": "lake in",
    "mountainIn": "mountain in",
    "height": "height in metres",
    "length": "length in kilometres",
}
CLASS_LABELS = {
    "Country": "country",
    "City": "city",
    "Language": "language",
    "Currency": "currency",
    "Continent": "continent",
    "Subregion": "subregion",
    "Region": "region",
    "Sea": "sea",
    "Ocean": "ocean",
    "Lake": "lake",
    "River": "river",
    "Mountain": "mountain",
    "MountainRange": "mountain range",
    "Organisation": "organisation",
}
MEASURES = {"height", "length"}


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


def keys(class_key: str) -> set[str]:
    return {str(s).rsplit("/", 1)[1] for s in instances(class_key)}


def number(subject: str, relation: str) -> int | None:
    """The number a relation gives of an entity."""
    value = graph().value(iri(subject), V[relation])
    return None if value is None else int(str(value))


def joined(countries: set[str]) -> bool:
    """Whether one can go from each country to each other one across borders between them."""
    reached: set[str] = set()
    fringe = set(sorted(countries)[:1])
    while fringe:
        reached |= fringe
        borders = (targets(f"country:{country}", "borders") for country in fringe)
        fringe = (set[str]().union(*borders) & countries) - reached
    return reached == countries


# --- Form ---


def test_counts_by_class() -> None:
    assert len(instances("Country")) == 193
    assert len(instances("Continent")) == 7
    assert len(instances("Subregion")) == 22
    assert len(instances("City")) >= 320
    assert len(instances("Currency")) > 130
    assert len(instances("Language")) > 150
    assert len(instances("Region")) > 5
    assert len(instances("River")) >= 90
    assert len(instances("Mountain")) >= 70
    assert len(instances("MountainRange")) >= 25
    assert len(instances("Lake")) >= 40
    assert len(instances("Sea")) >= 30
    assert len(instances("Ocean")) == 5
    assert len(instances("Organisation")) == len(MEMBER_COUNTS)
    assert len(graph()) >= 9000


def test_the_file_is_what_the_tables_give() -> None:
    text = turtle.render(reading.load())
    assert files("groundwalk.data.world").joinpath("world.ttl").read_bytes() == text.encode()
    assert turtle.render(reading.load()) == text


def test_everything_in_our_namespace_has_one_type_and_one_label() -> None:
    terms = {t for triple in graph() for t in triple if str(t).startswith(WORLD)}
    assert len(terms) > 700
    for term in terms:
        assert len(list(graph().objects(term, RDF.type))) == 1, term
        assert len(list(graph().objects(term, RDFS.label))) == 1, term


def test_there_are_no_blank_nodes_and_all_text_is_english() -> None:
    for subject, relation, term in graph():
        assert isinstance(subject, URIRef)
        assert isinstance(term, (URIRef, Literal))
        if relation in {V[key] for key in MEASURES}:
            assert isinstance(term, Literal) and term.datatype == INTEGER
        elif isinstance(term, Literal):
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
    ranges = set(graph().objects(V[relation], RDFS.range)) or set(
        graph().objects(V[relation], URIRef("https://schema.org/rangeIncludes"))
    )
    pairs = list(graph().subject_objects(V[relation]))
    assert pairs
    assert {graph().value(s, RDF.type) for s, _ in pairs} == domains
    assert {
        o.datatype if isinstance(o, Literal) else graph().value(o, RDF.type) for _, o in pairs
    } == ranges
    assert all(
        len(list(graph().objects(V[relation], predicate))) != 1
        for predicate in (
            URIRef("https://schema.org/domainIncludes"),
            URIRef("https://schema.org/rangeIncludes"),
        )
    )


def test_borders_are_symmetric_and_never_with_oneself() -> None:
    borders = set(graph().subject_objects(V.borders))
    assert all((b, a) in borders and a != b for a, b in borders)


def test_a_capital_is_a_city_of_its_country() -> None:
    for country, city in graph().subject_objects(V.capital):
        assert (city, RDF.type, V.City) in graph()
        assert list(graph().objects(city, V.country)) == [country]


def test_a_largest_city_is_a_city_of_its_country() -> None:
    for country, city in graph().subject_objects(V.largestCity):
        assert list(graph().objects(city, V.country)) == [country]
        assert list(graph().objects(country, V.largestCity)) == [city]


def test_countries_without_a_largest_city_are_those_in_dispute() -> None:
    without = {c for c in keys("Country") if not targets(f"country:{c}", "largestCity")}
    assert without == set(NO_LARGEST_CITY.split())


def test_every_country_but_the_landlocked_has_a_coast() -> None:
    without = {c for c in keys("Country") if not targets(f"country:{c}", "coast")}
    assert len(LANDLOCKED.split()) == 43
    assert without == set(LANDLOCKED.split())


def test_every_sea_has_a_coast_except_those_without_a_country() -> None:
    without = {sea for sea in keys("Sea") if not sources("coast", f"sea:{sea}")}
    assert without == {"ross-sea", "sargasso-sea", "weddell-sea"}


def test_every_sea_is_part_of_an_ocean_except_two_that_lie_between() -> None:
    without = {sea for sea in keys("Sea") if len(targets(f"sea:{sea}", "partOf")) != 1}
    assert without == {"hudson-bay", "norwegian-sea"}


def test_a_coast_on_an_arm_of_the_mediterranean_is_one_on_it() -> None:
    for sea in ("adriatic-sea", "aegean-sea", "ionian-sea", "tyrrhenian-sea"):
        assert sources("coast", f"sea:{sea}") < sources("coast", "sea:mediterranean-sea")


@pytest.mark.parametrize(
    ("class_key", "relation"),
    [("River", "flowsThrough"), ("Lake", "lakeIn"), ("MountainRange", "rangeIn")],
)
def test_the_countries_of_a_river_lake_or_range_are_joined_by_borders(
    class_key: str, relation: str
) -> None:
    for entity in instances(class_key):
        curie = str(entity).removeprefix(WORLD).replace("/", ":")
        countries = targets(curie, relation)
        assert countries and joined(countries), curie


def test_the_countries_of_a_mountain_are_neighbours() -> None:
    for mountain in keys("Mountain"):
        countries = targets(f"mountain:{mountain}", "mountainIn")
        assert 1 <= len(countries) <= 3
        for country in countries:
            others = countries - {country}
            assert others <= targets(f"country:{country}", "borders"), mountain


def test_a_mountain_lies_in_countries_of_its_range() -> None:
    for mountain, mountain_range in graph().subject_objects(V.range):
        assert set(graph().objects(mountain, V.mountainIn)) <= set(
            graph().objects(mountain_range, V.rangeIn)
        ), mountain


def test_mountains_and_rivers_have_sensible_measures() -> None:
    heights = {key: number(f"mountain:{key}", "height") for key in keys("Mountain")}
    lengths = {key: number(f"river:{key}", "length") for key in keys("River")}
    assert all(500 <= height <= 8849 for height in heights.values() if height is not None)
    assert [key for key, height in heights.items() if height == 8849] == ["mount-everest"]
    assert all(50 <= length <= 6650 for length in lengths.values() if length is not None)
    assert [key for key, length in lengths.items() if length == 6650] == ["nile"]


def test_the_eight_thousanders_are_there() -> None:
    heights = {key: number(f"mountain:{key}", "height") or 0 for key in keys("Mountain")}
    assert sum(height > 8000 for height in heights.values()) == 14
    assert all(
        targets(f"mountain:{key}", "range") <= {"himalayas", "karakoram"}
        for key, height in heights.items()
        if height > 8000
    )


def test_every_river_ends_in_a_sea_an_ocean_or_a_lake() -> None:
    for river in keys("River"):
        water, seen = iri(f"river:{river}"), set[URIRef]()
        while (water, RDF.type, V.River) in graph():
            assert water not in seen, river
            seen.add(water)
            (mouth,) = graph().objects(water, V.mouth)
            assert isinstance(mouth, URIRef)
            water = mouth
        if (water, RDF.type, V.Lake) in graph():
            assert str(water).rsplit("/", 1)[1] in {*ENDORHEIC, *DRAINED}, river


def test_a_river_reaches_a_water_of_one_of_its_countries() -> None:
    for river, mouth in graph().subject_objects(V.mouth):
        there = {
            *graph().objects(mouth, V.lakeIn),
            *graph().objects(mouth, V.flowsThrough),
            *graph().subjects(V.coast, mouth),
        }
        assert there.intersection(graph().objects(river, V.flowsThrough)), river


def test_a_city_on_a_river_is_in_a_country_of_it() -> None:
    for city, river in graph().subject_objects(V.onRiver):
        assert set(graph().objects(city, V.country)) <= set(
            graph().objects(river, V.flowsThrough)
        ), city


def test_every_country_is_a_member_of_the_united_nations() -> None:
    assert sources("memberOf", "organisation:united-nations") == keys("Country")


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

LANDLOCKED = """
afghanistan andorra armenia austria azerbaijan belarus bhutan bolivia botswana burkina-faso burundi
central-african-republic chad czechia eswatini ethiopia hungary kazakhstan kyrgyzstan laos lesotho
liechtenstein luxembourg malawi mali moldova mongolia nepal niger north-macedonia paraguay rwanda
san-marino serbia slovakia south-sudan switzerland tajikistan turkmenistan uganda uzbekistan zambia
zimbabwe
"""
NO_LARGEST_CITY = """
cameroon equatorial-guinea eswatini india israel malta nauru san-marino sudan syria
trinidad-and-tobago
"""
ENDORHEIC = {"aral-sea", "caspian-sea", "dead-sea", "lake-balkhash", "lake-chad"}
DRAINED = {"lake-baikal", "lake-winnipeg"}  # by the Angara and the Nelson River
MEMBER_COUNTS = {
    "african-union": 54,
    "alliance-of-sahel-states": 3,
    "andean-community": 4,
    "apec": 21 - 2,  # without Hong Kong and Taiwan
    "arab-league": 22 - 1,  # without Palestine
    "arab-maghreb-union": 5,
    "asean": 11,
    "benelux": 3,
    "bimstec": 7,
    "brics": 10,
    "caricom": 15 - 1,  # without Montserrat
    "central-american-integration-system": 8,
    "commonwealth-of-nations": 56,
    "council-of-europe": 46,
    "cplp": 9,
    "east-african-community": 8,
    "ecowas": 15 - 3,  # without Burkina Faso, Mali and Niger
    "efta": 4,
    "eurasian-economic-union": 5,
    "european-union": 27,
    "g20": 19,
    "g7": 7,
    "gulf-cooperation-council": 6,
    "mercosur": 5,
    "nato": 32,
    "nordic-council": 5,
    "oecd": 38,
    "oic": 57 - 1,  # without Palestine
    "opec": 12 - 1,  # without the United Arab Emirates
    "organization-of-turkic-states": 5,
    "pacific-islands-forum": 18 - 4,  # without Cook Islands, French Polynesia, Niue, New Caledonia
    "saarc": 8,
    "sadc": 16,
    "shanghai-cooperation-organisation": 10,
    "united-nations": 193,
    "visegrad-group": 4,
}


@pytest.mark.parametrize(("organisation", "count"), sorted(MEMBER_COUNTS.items()))
def test_number_of_members(organisation: str, count: int) -> None:
    assert len(sources("memberOf", f"organisation:{organisation}")) == count


def test_memberships_that_follow_from_others() -> None:
    members = {key: sources("memberOf", f"organisation:{key}") for key in MEMBER_COUNTS}
    assert members["african-union"] == sources("continent", "continent:africa")
    assert members["european-union"] < members["council-of-europe"]
    assert members["efta"].isdisjoint(members["european-union"])
    assert members["g7"] < members["g20"]
    assert members["gulf-cooperation-council"] < members["arab-league"] < members["oic"]
    assert members["alliance-of-sahel-states"].isdisjoint(members["ecowas"])
    assert members["asean"] == sources("subregion", "subregion:south-eastern-asia")
    assert members["gulf-cooperation-council"] - {"saudi-arabia"} < sources(
        "coast", "sea:persian-gulf"
    )


COASTS = {
    "sea:adriatic-sea": "albania bosnia-and-herzegovina croatia italy montenegro slovenia",
    "sea:baltic-sea": "denmark estonia finland germany latvia lithuania poland russia sweden",
    "sea:black-sea": "bulgaria georgia romania russia turkey ukraine",
    "sea:gulf-of-mexico": "cuba mexico united-states",
    "sea:north-sea": "belgium denmark france germany netherlands norway united-kingdom",
    "sea:persian-gulf": "bahrain iran iraq kuwait oman qatar saudi-arabia united-arab-emirates",
    "sea:red-sea": "djibouti egypt eritrea israel jordan saudi-arabia sudan yemen",
    "ocean:arctic-ocean": "canada norway russia united-states",
}


@pytest.mark.parametrize(("water", "countries"), sorted(COASTS.items()))
def test_coasts(water: str, countries: str) -> None:
    assert sources("coast", water) == set(countries.split())


def test_number_of_countries_on_the_mediterranean() -> None:
    assert len(sources("coast", "sea:mediterranean-sea")) == 21


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
        ("country:australia", "largestCity", "sydney"),
        ("country:turkey", "largestCity", "istanbul"),
        ("country:united-states", "largestCity", "new-york-city"),
        ("lake:caspian-sea", "lakeIn", "azerbaijan iran kazakhstan russia turkmenistan"),
        ("lake:lake-victoria", "lakeIn", "kenya tanzania uganda"),
        ("lake:lake-michigan", "lakeIn", "united-states"),
        ("sea:mediterranean-sea", "partOf", "atlantic-ocean"),
        (
            "river:danube",
            "flowsThrough",
            "austria bulgaria croatia germany hungary moldova romania serbia slovakia ukraine",
        ),
        ("river:mekong", "flowsThrough", "cambodia china laos myanmar thailand vietnam"),
        ("river:volga", "mouth", "caspian-sea"),
        ("river:missouri", "mouth", "mississippi"),
        ("city:vienna", "onRiver", "danube"),
        ("city:khartoum", "onRiver", "blue-nile nile white-nile"),
        ("mountain:k2", "mountainIn", "china pakistan"),
        ("mountain:aconcagua", "range", "andes"),
    ],
)
def test_other_facts(subject: str, relation: str, expected: str) -> None:
    assert targets(subject, relation) == set(expected.split())


@pytest.mark.parametrize(
    ("subject", "relation", "expected"),
    [
        ("mountain:kilimanjaro", "height", 5895),
        ("mountain:mount-fuji", "height", 3776),
        ("river:rhine", "length", 1230),
        ("river:thames", "length", 346),
        ("mountain:etna", "height", None),
    ],
)
def test_numbers(subject: str, relation: str, expected: int | None) -> None:
    assert number(subject, relation) == expected


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
        ("South America", {"continent:south-america"}),
        ("Washington", {"city:washington-dc", "region:washington-us-state"}),
        ("Bombay", {"city:mumbai"}),
        ("Everest", {"mountain:mount-everest"}),
        ("EU", {"organisation:european-union"}),
        ("Niger", {"country:niger", "region:niger-nigeria"}),
        ("Sierra Nevada", {"range:sierra-nevada-spain", "range:sierra-nevada-us"}),
    ],
)
def test_names_lead_to_their_entities(name: str, expected: set[str]) -> None:
    text = Literal(name, lang="en")
    found = set(graph().subjects(RDFS.label, text)) | set(graph().subjects(SKOS.altLabel, text))
    assert found == {iri(curie) for curie in expected}
