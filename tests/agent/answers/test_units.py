"""Answers that are numbers are shown with their unit, and told in the one that was asked for."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from groundwalk.agent.answers.queries import executed
from groundwalk.agent.answers.texts import answers_line, number_text, value_text
from groundwalk.agent.answers.units import converted
from groundwalk.agent.kg import KnowledgeGraph, open_kg
from groundwalk.agent.kg.profile import AUTO
from groundwalk.agent.query.binding import Mention, bind
from groundwalk.agent.query.facts import Facts
from groundwalk.agent.query.named_values import units_in
from groundwalk.agent.query.question import Asked, Mentions
from groundwalk.agent.query.tree import read_query

ANIMALS = """
@prefix : <https://zoo.example/> .
@prefix qudt: <http://qudt.org/schema/qudt/> .
@prefix unit: <http://qudt.org/vocab/unit/> .
:height qudt:unit unit:CentiM .
:Rex a :Animal ; :weight_kg 0.345 ; :height 22.5 ; :age 7 ; :load "2 kg" ; :power "230 W" ;
  :bred_year 1990 ; :born 1990 ; :size_l 4 ; :class_m 5 ; :price_per_kg 3.5 .
:Bea a :Animal ; :weight_kg 1234567.8 ; :height 20.0 ; :age 7.0 ; :load "2 g" .
"""
REX = Mention("Rex", "<https://zoo.example/Rex>")


@pytest.fixture(scope="module")
def zoo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KnowledgeGraph]:
    file: Path = tmp_path_factory.mktemp("zoo") / "zoo.ttl"
    file.write_text(ANIMALS, encoding="utf-8")
    with open_kg(str(file)) as kg:
        yield kg


def of_rex(relation: str) -> Mapping[str, Any]:
    return {"start": [0], "steps": [{"relation": relation}]}


OF_ALL: Mapping[str, Any] = {"start": {"class": "Animal"}, "steps": [{"relation": "weight kg"}]}


@pytest.mark.parametrize(
    ("tree", "question", "text", "notes"),
    [
        (of_rex("weight kg"), "How many grams?", "0.345 kg", ["0.345 kg are 345 grams"]),
        (of_rex("weight kg"), "How much in kilograms?", "0.345 kg", []),
        (of_rex("weight kg"), "How many metres or minutes?", "0.345 kg", []),
        (of_rex("weight kg"), "How many more than 3 grams?", "0.345 kg", []),
        (of_rex("height"), "How many mm?", "22.5 cm", ["22.5 cm are 225 mm"]),
        (of_rex("height"), "How many inches?", "22.5 cm", ["22.5 cm are 8.85827 inches"]),
        (of_rex("power"), "How many kW?", "230 W", ["230 W are 0.23 kW"]),
        (of_rex("age"), "How many years?", "7", []),
        (of_rex("bred year"), "How many days?", "1990", []),
        (of_rex("size l"), "How many ml?", "4", []),
        (of_rex("class m"), "How many cm?", "5", []),
        (of_rex("price per kg"), "How much in grams?", "3.5", []),
        (
            OF_ALL,
            "How many grams?",
            "0.345 kg; 1,234,567.8 kg",
            ["0.345 kg are 345 grams; 1,234,567.8 kg are 1,234,567,800 grams"],
        ),
        (
            {**OF_ALL, "answer": "sum"},
            "How many tonnes?",
            "0.345 kg; 1,234,567.8 kg",
            ["1,234,568.145 kg are 1234.57 tonnes"],
        ),
        (
            {**OF_ALL, "steps": [{"relation": "load"}]},
            "How many milligrams?",
            "2 g; 2 kg",
            ["2 g are 2000 milligrams; 2 kg are 2,000,000 milligrams"],
        ),
        ({**OF_ALL, "steps": [{"relation": "load"}]}, "How many grams?", "2 g; 2 kg", []),
    ],
)
def test_numbers_are_shown_with_their_unit_and_in_the_one_that_is_asked_for(
    tree: Mapping[str, Any], question: str, text: str, notes: list[str], zoo: KnowledgeGraph
) -> None:
    facts, asked = Facts(zoo), Asked(question, Mentions())
    computed = executed(zoo, facts, bind(zoo, read_query(dict(tree)), [REX])).computed
    answers = [answer for answer in computed.answers if answer["term"].startswith('"')]
    if "answer" not in tree:
        assert "; ".join(sorted(answers_line([answer]) for answer in answers)) == text
    assert converted(asked, computed, zoo.profile) == notes


def test_a_few_values_are_converted(tmp_path: Path) -> None:
    file = tmp_path / "zoo.ttl"
    file.write_text("".join(f"<urn:{n}> <urn:x/weight_kg> {n} .\n" for n in range(2, 12)))
    tree = {"start": {"domain": "weight kg"}, "steps": [{"relation": "weight kg"}]}
    with open_kg(str(file)) as kg:
        computed = executed(kg, Facts(kg), bind(kg, read_query(tree), [])).computed
        (note,) = converted(Asked("How many grams?", Mentions()), computed, kg.profile)
    assert note.count(" are ") == 5


def test_the_columns_of_a_table_have_units(zoo: KnowledgeGraph) -> None:
    columns = [{"steps": [{"relation": name}]} for name in ("weight kg", "power", "born")]
    tree = {"start": {"class": "Animal"}, "columns": columns}
    computed = executed(zoo, Facts(zoo), bind(zoo, read_query(tree), [])).computed
    assert computed.result is not None
    assert "Rex | 0.345 kg | 230 W | 1990" in computed.result["text"].split("; ")
    assert computed.result.get("units") == ["", "kg", "", ""]


@pytest.mark.parametrize(
    ("number", "unit", "text"),
    [
        (53_382.2088667, "g", "53,382.2 g"),
        (146.333333333, "°C", "146.333 °C"),
        (-31.3333333333, "°C", "-31.3333 °C"),
        (78_000.1666667, "", "78,000.2"),
        (1_234_567.16667, "", "1,234,567"),
        (0.00123456789012, "", "0.00123457"),
        (1_234_568.145, "kg", "1,234,568.145 kg"),
        (12.3456789, "", "12.3456789"),
        (1_234_567_890.25, "€", "1,234,567,890.25 €"),
        (123_456_789_012, "", "123,456,789,012"),
        (0, "", "0"),
    ],
)
def test_an_average_has_the_digits_that_are_read(number: float, unit: str, text: str) -> None:
    assert number_text(number, unit, AUTO) == text


def test_equal_numbers_are_not_told_apart(zoo: KnowledgeGraph) -> None:
    terms = [f'"7"^^<http://www.w3.org/2001/XMLSchema#{kind}>' for kind in ("integer", "decimal")]
    names = zoo.walk_labels.names(terms)
    assert len({*names}) == 2
    assert {value_text({"term": t, "label": n}) for t, n in zip(terms, names, strict=True)} == {"7"}
    text = {"term": '"7 (of 9)"', "label": "7 (of 9)"}
    assert value_text({"term": text["term"], "label": text["label"]}) == "7 (of 9)"


@pytest.mark.parametrize(
    ("question", "units"),
    [
        ("How many grams does R-03 weigh?", ["grams"]),
        ("How long in mm is it?", ["mm"]),
        ("What is the area in square metres?", ["square metres"]),
        ("Which weigh more than 3 kg?", []),
        ("What's a speed in km/h?", ["km/h"]),
        ("Who is it?", []),
    ],
)
def test_units_that_follow_no_number(question: str, units: list[str]) -> None:
    assert units_in(question) == units


def test_a_name_is_no_unit() -> None:
    assert units_in("How high is Foot?", [(12, 16)]) == []


@pytest.mark.parametrize(
    ("term", "label", "text"),
    [
        ('"Oak"', "Oak (2)", "Oak"),
        ('"Oak"', "Oak", "Oak"),
        ('"Oak (2)"', "Oak (2)", "Oak (2)"),
        ('"Oak"@de', "Oak (de)", "Oak (de)"),
        ("<https://x.example/Oak>", "Oak (2)", "Oak (2)"),
    ],
)
def test_a_text_is_not_numbered(term: str, label: str, text: str) -> None:
    assert value_text({"term": term, "label": label}) == text
