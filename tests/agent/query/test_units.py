"""The unit of a relation's numbers, which the graph states of it or which their datatype has."""

from pathlib import Path
from typing import Any

import pyoxigraph as ox
import pytest
from groundwalk.agent.answers.queries import executed, shown_sparql
from groundwalk.agent.kg import open_kg
from groundwalk.agent.query.binding import Mention, bind
from groundwalk.agent.query.endpoint import execute_anywhere
from groundwalk.agent.query.execute import execute
from groundwalk.agent.query.facts import Facts
from groundwalk.agent.query.schema_tables import GraphTables
from groundwalk.agent.query.tree import read_query
from groundwalk.agent.query.values import unit_in_iri, unit_in_name
from groundwalk.agent.records import NOT_COMPARED

from ..kg.sparql.endpoint import Endpoint

BELLS = """
@prefix : <https://bells.example/> .
@prefix qudt: <http://qudt.org/schema/qudt/> .
@prefix unit: <http://qudt.org/vocab/unit/> .
@prefix schema: <https://schema.org/> .
:weight {unit} .
:Ann :weight 0.4 . :Bea :weight 2 .
"""


def light(folder: Path, unit: str) -> tuple[set[str], str]:
    """The bells of under 1,500 grams, and what is noted of units."""
    file = folder / "bells.ttl"
    file.write_text(BELLS.replace("{unit}", unit), encoding="utf-8")
    condition = {"relation": "weight", "op": "<", "value": 1500, "unit": "grams"}
    query = read_query({"start": {"domain": "weight"}, "filters": [condition]})
    with open_kg(str(file)) as kg:
        outcome = execute(Facts(kg), bind(kg, query, []))
    names = {member.rpartition("/")[2].removesuffix(">") for member in outcome.members}
    return names, " ".join(outcome.notes)


@pytest.mark.parametrize(
    "unit",
    ["qudt:unit unit:KiloGM", "qudt:hasUnit unit:KiloGM", 'schema:unitText "kilograms"'],
)
def test_a_stated_unit_is_converted(unit: str, tmp_path: Path) -> None:
    names, notes = light(tmp_path, unit)
    assert names == {"Ann"}
    assert "was converted from" in notes


@pytest.mark.parametrize(
    "unit",
    [
        'schema:unitText "stars"',
        'schema:unitText "as"',
        "qudt:unit unit:PT",
        "qudt:unit unit:KiloGM , unit:LB",
        "a :Way",
    ],
)
def test_what_is_no_unit_is_told(unit: str, tmp_path: Path) -> None:
    names, notes = light(tmp_path, unit)
    assert names == {"Ann", "Bea"}
    assert "without a unit that is known" in notes


def test_the_value_of_another_thing_has_the_unit_of_its_relation(tmp_path: Path) -> None:
    file = tmp_path / "bells.ttl"
    more = ":load qudt:unit unit:GM . :Cat :load 500 . :Dot :load 5000 ."
    file.write_text(BELLS.replace("{unit}", "qudt:unit unit:KiloGM") + more, encoding="utf-8")
    weight = {"start": [0], "steps": [{"relation": "weight"}]}
    condition = {"relation": "load", "op": ">", "value": weight}
    query = read_query({"start": {"domain": "load"}, "filters": [condition]})
    with open_kg(str(file)) as kg:
        bea = Mention("Bea", "<https://bells.example/Bea>")
        outcome = execute(Facts(kg), bind(kg, query, [bea]))
    assert list(outcome.members) == ["<https://bells.example/Dot>"]


@pytest.mark.parametrize(
    ("relation", "label", "unit"),
    [
        (":size", "length (ms)", "ms"),
        (":size", "length in ms", "ms"),
        (":size", "age (year)", "year"),
        (":sizeSeconds", "", "seconds"),
        (":size", "release year", ""),
        (":size", "size", ""),
        (":weight", "load", "kg"),
    ],
)
def test_a_number_has_the_unit_that_its_relation_says(
    relation: str, label: str, unit: str, tmp_path: Path
) -> None:
    file = tmp_path / "bells.ttl"
    name = f'{relation} <http://www.w3.org/2000/01/rdf-schema#label> "{label}" .' if label else ""
    sizes = f":Cat {relation} 500 . :Dot {relation} 300 ."
    file.write_text(BELLS.replace("{unit}", "qudt:unit unit:KiloGM") + name + sizes)
    iri = f"<https://bells.example/{relation[1:]}>"
    with open_kg(str(file)) as kg:
        for answer in ("sum", "avg", "min", "max"):
            tree = {"start": {"domain": iri}, "steps": [{"relation": iri}], "answer": answer}
            assert execute(Facts(kg), bind(kg, read_query(tree), [])).unit == unit


@pytest.mark.parametrize(
    ("name", "unit"),
    [
        ("height (m)", "m"),
        ("height [m]", "m"),
        ("height in metres", "metres"),
        ("length mm", "mm"),
        ("length in mm", "mm"),
        ("length Mm", "mm"),
        ("weight in g", "g"),
        ("weight_kg", "kg"),
        ("power in W", "W"),
        ("lead time in days", "days"),
        ("born in", ""),
        ("opened at", ""),
        ("grade A", ""),
        ("size L", ""),
        ("what it is in", ""),
        ("seats", ""),
        ("", ""),
        ("price per kg", ""),
        ("Preis pro kg", ""),
        ("price in EUR per kg", ""),
        ("salary min", ""),
        ("time in min", "min"),
        ("status cd", ""),
        ("score pc", ""),
        ("points pt", ""),
        ("total pa", ""),
        ("founded yr", ""),
        ("release year", ""),
        ("pressure Pa", "Pa"),
        ("torque or wavelength Nm", ""),
        ("length Kilometres", "kilometres"),
    ],
)
def test_the_unit_in_the_name_of_a_relation(name: str, unit: str) -> None:
    assert unit_in_name(name) == unit


@pytest.mark.parametrize(
    ("name", "unit"),
    [
        ("length_m", "m"),
        ("halfLife_h", "h"),
        ("weight_g", "g"),
        ("volume_l", "l"),
        ("run_s", "s"),
        ("weight_kg", "kg"),
        ("size_L", ""),
        ("sizeL", ""),
        ("grade_A", ""),
        ("grade_a", ""),
        ("born_in", ""),
        ("length", ""),
        ("m", ""),
        ("x_m", ""),
        ("price_per_kg", ""),
        ("price_per_m", ""),
        ("salary_min", ""),
        ("status_cd", ""),
        ("item_ct", ""),
        ("score_pc", ""),
        ("points_pt", ""),
        ("total_pa", ""),
        ("founded_yr", ""),
        ("lang_de", ""),
        ("fk_pk", ""),
        ("price_eur", "eur"),
    ],
)
def test_the_unit_after_an_underscore(name: str, unit: str) -> None:
    assert unit_in_iri(f"<https://ex.example/{name}>") == unit


def test_a_unit_of_one_letter_in_a_name_is_converted(tmp_path: Path) -> None:
    file = tmp_path / "drugs.ttl"
    file.write_text("@prefix : <https://ex.example/> . :Asa :halfLife_h 1 . :Vanc :halfLife_h 6 .")
    life = "<https://ex.example/halfLife_h>"
    condition = {"relation": life, "op": ">", "value": 90, "unit": "minutes"}
    query = read_query({"start": {"domain": life}, "filters": [condition]})
    with open_kg(str(file)) as kg:
        outcome = execute(Facts(kg), bind(kg, query, []))
    assert list(outcome.members) == ["<https://ex.example/Vanc>"]
    assert outcome.notes == ("half life h was converted from h to minutes",)


FEES = """
@prefix : <https://fees.example/> .
:Ann a :Gate ; :fee "€18" ; :size "5 kg" ; :heat "-80 °C" .
:Bea a :Gate ; :fee "£19.50" ; :size "2 m" ; :heat "4 °C" .
:Cat a :Gate ; :fee "€12" ; :size "7000 g" ; :heat "21 °F" .
:Dot a :Gate ; :fee "£3" ; :size "3 m" ; :heat "-20°C" .
"""


@pytest.mark.parametrize(
    ("relation", "op", "value", "unit", "names", "notes"),
    [
        ("fee", "<", 15, "€", "Cat", ["2 values of fee in £ are left out"]),
        ("fee", "=", 18, "EUR", "Ann", ["2 values of fee in £ are left out"]),
        ("fee", "!=", 18, "EUR", "Bea Cat Dot", []),
        ("fee", "<", 15, "$", "Cat Dot", ["fee is in €: compared with $ as it is"]),
        ("size", ">", 6, "kg", "Cat", ["2 values of size in m are left out"]),
        ("heat", "<", -10, "°C", "Ann Dot", ["1 value of heat in °F is left out"]),
        ("heat", "<", -10, "degrees Celsius", "Ann Dot", ["1 value of heat in °F is left out"]),
        ("heat", "=", 21, "Fahrenheit", "Cat", ["3 values of heat in °C are left out"]),
    ],
)
def test_values_in_another_known_unit_are_left_out(
    relation: str, op: str, value: float, unit: str, names: str, notes: list[str], tmp_path: Path
) -> None:
    file = tmp_path / "fees.ttl"
    file.write_text(FEES, encoding="utf-8")
    condition = {"relation": relation, "op": op, "value": value, "unit": unit}
    tree = {"start": {"class": "Gate"}, "filters": [condition]}
    with open_kg(str(file)) as kg:
        outcome = execute(Facts(kg), bind(kg, read_query(tree), []))
    found = {member.rpartition("/")[2].removesuffix(">") for member in outcome.members}
    assert found == set(names.split())
    assert set(notes) <= set(outcome.notes)
    assert notes or not any("left out" in note for note in outcome.notes)


PRICES = """
@prefix : <https://stall.example/> .
@prefix dbt: <http://dbpedia.org/datatype/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix schema: <https://schema.org/> .
@prefix dbt: <http://dbpedia.org/datatype/> .
:cost rdfs:label "{label}" . {unit}
:Jug :cost {jug} . :Pan :cost {pan} .
"""
AS_IT_IS, BARE = "as it is", "has no currency that is known"
EUROS = 'schema:priceCurrency "EUR" .'


@pytest.mark.parametrize(
    ("label", "unit", "jug", "pan", "wanted", "note"),
    [
        ("price EUR", "", "5", "50", "€", ""),
        ("price eur", "", "5", "50", "Euros", ""),
        ("price in euros", "", "5", "50", "EUR", ""),
        ("price ($)", "", "5", "50", "dollars", ""),
        ("price in CAD", "", "5", "50", "$", ""),
        ("price in GBP", "", "5", "50", "pounds", ""),
        ("price", ':cost schema:unitText "EUR" .', "5", "50", "€", ""),
        ("price", "", '"5"^^dbt:euro', '"50"^^dbt:euro', "€", ""),
        ("price", f":Jug {EUROS} :Pan {EUROS}", "5", "50", "€", ""),
        ("price", "", "5", "50", "€", BARE),
        ("price EUR", "", "5", "50", "$", AS_IT_IS),
        ("price in CAD", "", "5", "50", "US$", AS_IT_IS),
        ("price in euros", "", "5", "50", "kg", AS_IT_IS),
        ("load in kg", "", "5", "50", "€", AS_IT_IS),
        ("price", "", "5", "50", "pounds", AS_IT_IS),
        ("price", "", '"5"^^dbt:euro', '"50"^^dbt:euro', "$", AS_IT_IS),
        ("price", f":Jug {EUROS}", "5", "50", "$", AS_IT_IS),
        ("price", f':Jug {EUROS} :Pan schema:priceCurrency "USD" .', "5", "50", "$", AS_IT_IS),
    ],
)
def test_prices_are_compared_in_their_currency(
    label: str, unit: str, jug: str, pan: str, wanted: str, note: str, tmp_path: Path
) -> None:
    file, text = tmp_path / "stall.ttl", PRICES
    for key, part in {"label": label, "unit": unit, "jug": jug, "pan": pan}.items():
        text = text.replace(f"{{{key}}}", part)
    file.write_text(text, encoding="utf-8")
    cost = "<https://stall.example/cost>"
    condition = {"relation": cost, "op": "<", "value": 10, "unit": wanted}
    query = read_query({"start": {"domain": cost}, "filters": [condition]})
    with open_kg(str(file)) as kg:
        outcome = execute(Facts(kg), bind(kg, query, []))
    assert list(outcome.members) == ["<https://stall.example/Jug>"]
    (said,) = outcome.notes or [""]
    assert note in said and bool(note) == bool(said)


@pytest.mark.parametrize(("wanted", "note"), [("€", ""), ("$", AS_IT_IS)])
def test_another_currency_is_told_at_an_endpoint_too(wanted: str, note: str) -> None:
    store, text = ox.Store(), PRICES.replace("{label}", "price").replace("{unit}", "")
    text = text.replace("{jug}", '"5"^^dbt:euro').replace("{pan}", '"50"^^dbt:euro')
    store.load(text.encode(), format=ox.RdfFormat.TURTLE)
    cost = "<https://stall.example/cost>"
    condition = {"relation": cost, "op": "<", "value": 10, "unit": wanted}
    query = read_query({"start": {"domain": cost}, "filters": [condition]})
    with Endpoint(store) as served, open_kg(served.url) as kg:
        outcome = execute_anywhere(Facts(kg), bind(kg, query))
    assert list(outcome.members) == ["<https://stall.example/Jug>"]
    assert note in " ".join(outcome.notes)


def test_prices_in_two_currencies_have_no_order_with_each_other(tmp_path: Path) -> None:
    file, text = tmp_path / "stall.ttl", PRICES
    parts = {"label": "price", "unit": "", "jug": '"5"^^dbt:euro', "pan": '"50"^^dbt:usDollar'}
    for key, part in parts.items():
        text = text.replace(f"{{{key}}}", part)
    file.write_text(text, encoding="utf-8")
    hop = {"relation": "<https://stall.example/cost>"}
    query = read_query({"start": {"domain": hop["relation"]}, "steps": [hop], "answer": "sum"})
    with open_kg(str(file)) as kg:
        outcome = execute(Facts(kg), bind(kg, query, []))
    assert (outcome.value, outcome.unit) == (5, "EUR")
    assert "1 value of price in USD is left out" in outcome.notes


CALLS = """
@prefix : <https://calls.example/> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
:Ann a :Call ; :length "PT2M28S"^^xsd:duration ; :note "PT9M" .
:Bea a :Call ; :length "PT1H2M5S"^^xsd:duration .
:Cat a :Call ; :length "PT9M31S"^^xsd:dayTimeDuration .
:Dot a :Call ; :length "P1M"^^xsd:duration .
"""
EVERY_CALL = {"start": {"class": "Call"}}
LENGTH = {"relation": "length"}
LENGTHS = {"start": {"domain": "length"}, "steps": [LENGTH]}
OF_ANN = {"start": [0], "steps": [LENGTH]}
ANN, BEA, CAT = (f"<https://calls.example/{name}>" for name in ("Ann", "Bea", "Cat"))


@pytest.mark.parametrize(
    ("tree", "members", "value", "unit"),
    [
        (
            {**EVERY_CALL, "filters": [{**LENGTH, "op": ">", "value": 5, "unit": "minutes"}]},
            {BEA, CAT},
            None,
            "",
        ),
        ({**EVERY_CALL, "filters": [{**LENGTH, "op": "<", "value": 571}]}, {ANN}, None, ""),
        ({**EVERY_CALL, "filters": [{**LENGTH, "op": ">", "value": OF_ANN}]}, {BEA, CAT}, None, ""),
        ({**EVERY_CALL, "extreme": {**LENGTH, "most": True}}, {BEA}, None, ""),
        ({**EVERY_CALL, "extreme": {**LENGTH, "most": False}}, {ANN}, None, ""),
        ({**LENGTHS, "answer": "sum"}, {ANN, BEA, CAT}, 4_444, "seconds"),
        ({**LENGTHS, "answer": "max"}, {ANN, BEA, CAT}, 3_725, "seconds"),
        (
            {**LENGTHS, "filters": [{"op": ">", "value": 571}]},
            {'"PT1H2M5S"^^<http://www.w3.org/2001/XMLSchema#duration>'},
            None,
            "",
        ),
    ],
)
def test_durations_are_compared_here_and_at_an_endpoint(
    tree: dict[str, Any], members: set[str], value: float | None, unit: str, tmp_path: Path
) -> None:
    file, store = tmp_path / "calls.ttl", ox.Store()
    file.write_text(CALLS, encoding="utf-8")
    store.load(CALLS.encode(), format=ox.RdfFormat.TURTLE)
    with open_kg(str(file)) as kg, Endpoint(store) as served, open_kg(served.url) as there:
        facts, query = Facts(kg), read_query(tree)
        bound = bind(kg, query, [Mention("Ann", ANN)])
        assert not shown_sparql(kg, facts, bound)
        remote = execute_anywhere(Facts(there), bind(there, query, [Mention("Ann", ANN)]))
        for outcome in (execute(facts, bound), remote):
            assert {*outcome.members} == members
            assert (outcome.value, outcome.unit) == (value, unit)


def test_a_relation_of_durations_leads_to_numbers(tmp_path: Path) -> None:
    file = tmp_path / "calls.ttl"
    file.write_text(CALLS, encoding="utf-8")
    with open_kg(str(file)) as kg:
        facts = Facts(kg)
        bound = bind(kg, read_query(LENGTHS))
        assert GraphTables(facts).measures_at(bound.relations["length"], False) == {"number"}
        assert shown_sparql(kg, facts, bound), "what is only listed can be said in SPARQL"


PARTS = """
@prefix : <https://parts.example/> .
@prefix qudt: <http://qudt.org/schema/qudt/> .
@prefix unit: <http://qudt.org/vocab/unit/> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:height qudt:unit unit:MilliM . :length rdfs:label "length mm" .
:Nut a :Part ; :weight_kg 4 ; :length 10 ; :height 3 ; :year 1990 ; :made_by :Acme ;
  :test_time "PT2M"^^xsd:duration ; :gauge 1 .
:Pin a :Part ; :weight_kg 5 ; :length 20000 ; :height 4 ; :year 1992 ; :made_by :Acme ;
  :test_time "PT3M"^^xsd:duration ; :gauge 3 .
"""


@pytest.mark.parametrize(
    ("relation", "agg", "unit", "text"),
    [
        ("weight kg", "avg", "kg", "Acme | 4.5 kg"),
        ("length mm", "sum", "mm", "Acme | 20,010 mm"),
        ("height", "max", "mm", "Acme | 4 mm"),
        ("test time", "sum", "seconds", "Acme | 5 minutes"),
        ("year", "min", "", "Acme | 1990"),
        ("gauge", "avg", "", "Acme | 2"),
        ("weight kg", "count", "", "Acme | 2"),
        ("", "count", "", "Acme | 2"),
    ],
)
def test_numbers_beside_the_keys_of_a_group_have_the_unit_of_their_values(
    relation: str, agg: str, unit: str, text: str, tmp_path: Path
) -> None:
    file = tmp_path / "parts.ttl"
    file.write_text(PARTS, encoding="utf-8")
    column = {"agg": agg, "of": [{"relation": relation}] if relation else []}
    group = {"group": [{"relation": "made by"}], "columns": [column]}
    with open_kg(str(file)) as kg:
        facts, bound = Facts(kg), bind(kg, read_query({"start": {"class": "Part"}, **group}))
        computed = executed(kg, facts, bound).computed
    assert computed.result is not None
    assert computed.result["text"] == text
    assert computed.result.get("units", ["", ""]) == ["", unit]


LAMPS = """
@prefix : <https://lamps.example/> .
:Ann a :Lamp ; :power "230 W" ; :price "€1,200" ; :area "10 m2" ; :off "12%" ; :note "230 W" .
:Bea a :Lamp ; :power "1.2 kW" ; :price "€ 99" ; :area "9 m2" ; :off "5 %" ; :note "by hand" .
:Cat a :Lamp ; :power "45 W" ; :price "EUR 250" ; :area "12 m2" ; :off "20%" .
"""
EVERY_LAMP = {"start": {"class": "Lamp"}}


def lamps_where(relation: str, op: str, value: float, unit: str = "") -> dict[str, Any]:
    condition = {"relation": relation, "op": op, "value": value, **({"unit": unit} if unit else {})}
    return {**EVERY_LAMP, "filters": [condition]}


@pytest.mark.parametrize(
    ("tree", "names", "value", "unit"),
    [
        (lamps_where("power", ">", 100, "W"), "Ann Bea", None, ""),
        (lamps_where("power", ">", 1, "kW"), "Bea", None, ""),
        (lamps_where("power", "=", 1_200, "watts"), "Bea", None, ""),
        (lamps_where("price", "<", 300, "euros"), "Bea Cat", None, ""),
        (lamps_where("price", "<", 300), "Bea Cat", None, ""),
        (lamps_where("area", ">=", 10), "Ann Cat", None, ""),
        (lamps_where("off", ">", 10), "Ann Cat", None, ""),
        (lamps_where("note", "=", 230, "W"), "Ann", None, ""),
        ({**EVERY_LAMP, "extreme": {"relation": "power", "most": True}}, "Bea", None, ""),
        (
            {**EVERY_LAMP, "steps": [{"relation": "power"}], "answer": "sum"},
            "Ann Bea Cat",
            1_475,
            "W",
        ),
    ],
)
def test_amounts_that_are_texts_are_compared_here_and_at_an_endpoint(
    tree: dict[str, Any], names: str, value: float | None, unit: str, tmp_path: Path
) -> None:
    file, store = tmp_path / "lamps.ttl", ox.Store()
    file.write_text(LAMPS, encoding="utf-8")
    store.load(LAMPS.encode(), format=ox.RdfFormat.TURTLE)
    query = read_query(tree)
    with open_kg(str(file)) as kg, Endpoint(store) as served, open_kg(served.url) as there:
        for outcome in (
            execute_anywhere(Facts(kg), bind(kg, query)),
            execute_anywhere(Facts(there), bind(there, query)),
        ):
            assert {*outcome.members} == {f"<https://lamps.example/{n}>" for n in names.split()}
            assert (outcome.value, outcome.unit) == (value and pytest.approx(value), unit)


@pytest.mark.parametrize(
    ("values", "is_noted"),
    [
        (("3 kg", "85 g"), True),
        (("3 kg", "4"), True),
        (("3 kg", "4 kilograms"), False),
        (("€3", "4 EUR"), False),
        (("3", "4"), False),
    ],
)
def test_a_bare_number_is_not_compared_unnoticed_with_several_units(
    values: tuple[str, str], is_noted: bool, tmp_path: Path
) -> None:
    file = tmp_path / "bags.ttl"
    bags = (f'<{n}> :load "{value}" .' for n, value in enumerate(values))
    file.write_text(f"@prefix : <https://bags.example/> . {' '.join(bags)}", encoding="utf-8")
    condition = {"relation": "load", "op": ">", "value": 2}
    query = read_query({"start": {"domain": "load"}, "filters": [condition]})
    with open_kg(str(file)) as kg:
        outcome = execute(Facts(kg), bind(kg, query))
    assert len(outcome.members) == 2
    assert any(note.endswith("as it is") for note in outcome.notes) == is_noted


def test_texts_without_amounts_are_compared_at_an_endpoint_itself() -> None:
    store = ox.Store()
    store.load(LAMPS.replace("230 W", "Room 12").encode(), format=ox.RdfFormat.TURTLE)
    with Endpoint(store) as served, open_kg(served.url) as kg:
        facts = Facts(kg)
        assert not facts.must_read("<https://lamps.example/note>")
        assert facts.must_read("<https://lamps.example/price>")


CRATES = """
@prefix : <https://crates.example/> .
@prefix qudt: <http://qudt.org/schema/qudt/> .
@prefix unit: <http://qudt.org/vocab/unit/> .
@prefix schema: <https://schema.org/> .
:Ann a :Crate ; :heat [ qudt:numericValue 194 ; qudt:unit unit:DEG_C ] ;
  schema:weight [ a schema:QuantitativeValue ; schema:value 1.2 ; schema:unitCode "KGM" ] ;
  :cost [ schema:price 9.5 ; schema:priceCurrency "EUR" ] .
:Bea a :Crate ; :heat [ qudt:numericValue 76 ; qudt:unit unit:DEG_C ] ;
  schema:weight [ a schema:QuantitativeValue ; schema:value 900 ; schema:unitCode "GRM" ] ;
  :cost [ schema:price 20 ; schema:priceCurrency "EUR" ] .
:Cat a :Crate .
:Dan a :Crate ; :heat [ qudt:numericValue 76 ; qudt:unit unit:DEG_C ] ;
  schema:weight [ schema:value 1234567.5 ; schema:unitCode "KGM" ] .
"""


@pytest.mark.parametrize(
    ("tree", "names", "value", "unit"),
    [
        ({"extreme": {"relation": "heat", "most": True}}, "Ann", None, ""),
        ({"extreme": {"relation": "heat", "most": False}}, "Bea Dan", None, ""),
        ({"extreme": {"relation": "weight", "most": True}}, "Dan", None, ""),
        (
            {"filters": [{"relation": "heat", "op": ">", "value": 100, "unit": "°C"}]},
            "Ann",
            None,
            "",
        ),
        (
            {"filters": [{"relation": "weight", "op": "<", "value": 1, "unit": "kg"}]},
            "Bea",
            None,
            "",
        ),
        (
            {"filters": [{"relation": "cost", "op": "<", "value": 10, "unit": "€"}]},
            "Ann",
            None,
            "",
        ),
        ({"steps": [{"relation": "heat"}], "answer": "sum"}, "Ann Bea Dan", 346, "°C"),
    ],
)
@pytest.mark.parametrize("language", ["en", "de"])
def test_nodes_of_a_number_and_its_unit_are_compared(
    tree: dict[str, Any],
    names: str,
    value: float | None,
    unit: str,
    language: str,
    tmp_path: Path,
) -> None:
    file = tmp_path / "crates.ttl"
    file.write_text(CRATES, encoding="utf-8")
    with open_kg(str(file), languages=[language]) as kg:
        facts, query = Facts(kg), read_query({"start": {"class": "Crate"}, **tree})
        outcome = execute(facts, bind(kg, query))
        heat = "<https://crates.example/heat>"
        assert GraphTables(facts).measures_at(heat, False) == {"number"}
    assert {*outcome.members} == {f"<https://crates.example/{name}>" for name in names.split()}
    assert (outcome.value, outcome.unit) == (value, unit)


WORKS = """
@prefix : <https://works.example/> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
:Ann :made "c. 1640" . :Bea :made "1889"^^xsd:gYear . :Cat :made "1912"^^xsd:gYear .
:Ann :age "unknown" . :Bea :age 8 . :Cat :age 12 .
:Ann :cost "€9" . :Bea :cost "£8" . :Cat :cost 7 .
"""


@pytest.mark.parametrize(("relation", "is_told"), [("made", True), ("age", False), ("cost", True)])
def test_what_may_be_a_number_is_not_left_out_unnoticed(
    relation: str, is_told: bool, tmp_path: Path
) -> None:
    file = tmp_path / "works.ttl"
    file.write_text(WORKS, encoding="utf-8")
    start = {"start": {"domain": relation}}
    bound = 1900 if relation == "made" else 10
    condition = {"relation": relation, "op": "<", "value": bound}
    extreme = {"relation": relation, "most": True}
    trees = [{**start, "extreme": extreme}]
    trees += [] if relation == "cost" else [{**start, "filters": [condition]}]
    with open_kg(str(file)) as kg:
        for tree in trees:
            outcome = execute(Facts(kg), bind(kg, read_query(tree)))
            assert any(note.endswith(NOT_COMPARED) for note in outcome.notes) == is_told
