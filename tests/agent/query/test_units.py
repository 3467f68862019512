"""The unit of a relation's numbers, which the graph states of the relation."""

from pathlib import Path

import pytest
from groundwalk.agent.kg import open_kg
from groundwalk.agent.query.binding import Mention, bind
from groundwalk.agent.query.execute import execute
from groundwalk.agent.query.facts import Facts
from groundwalk.agent.query.tree import read_query
from groundwalk.agent.query.values import unit_in_name

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
    ],
)
def test_the_unit_in_the_name_of_a_relation(name: str, unit: str) -> None:
    assert unit_in_name(name) == unit
