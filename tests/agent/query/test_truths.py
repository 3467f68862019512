"""What has a yes-or-no property is what it is true of."""

from pathlib import Path
from typing import Any

import pytest
from groundwalk.agent.kg import open_kg
from groundwalk.agent.query.automaton import actions_of
from groundwalk.agent.query.binding import Mention, TermNames
from groundwalk.agent.query.execute import execute
from groundwalk.agent.query.facts import Facts
from groundwalk.agent.query.question import Mentions
from groundwalk.agent.query.reader import distinct_queries
from groundwalk.agent.query.tree import read_query

HALLS = """
@prefix : <https://halls.example/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:Elm a :Hall ; :lift true ; :stage :Large .
:Oak a :Hall ; :lift false ; :stage :Small .
:Ash a :Hall ; :lift true , false .
:Fir a :Hall .
:Elm :ramp "a steep one" . :Oak :ramp true .
:Oak :bar true .
:Elm :heating "Yes" . :Oak :heating "no" . :Ash :heating "yes"@en , "NO" .
:Elm :attic "False" . :Oak :attic "false" . :Elm :shop false . :Elm :code "no" .
:Elm :garden "yes" . :Oak :garden "Y" . :Elm :cellar "ja" . :Oak :cellar "a small one" .
"""
LIFT, STAGE, RAMP, BAR, HEATING, GARDEN, CELLAR, ATTIC, SHOP, CODE = (
    f"<https://halls.example/{name}>"
    for name in (
        *("lift", "stage", "ramp", "bar", "heating"),
        *("garden", "cellar", "attic", "shop", "code"),
    )
)
HALL = {"class": "<https://halls.example/Hall>"}


def asked(folder: Path, tree: dict[str, Any], *named: str) -> Any:
    """What comes of a query that was read: its members by name, or its value."""
    file = folder / "halls.ttl"
    file.write_text(HALLS, encoding="utf-8")
    with open_kg(str(file)) as kg:
        bound = tuple(Mention(name, f"<https://halls.example/{name}>") for name in named)
        (read,) = distinct_queries(
            kg, TermNames(kg), [actions_of(read_query(tree))], [1.0], Mentions((), bound)
        )
        outcome = execute(Facts(kg), read.bound)
        for proof in outcome.proofs.values():
            assert all(kg.store.holds([step.triple])[0] for step in proof)
    if outcome.form != "members":
        return outcome.value
    return {member.rpartition("/")[2].removesuffix(">") for member in outcome.members}


def has(relation: str, op: str, **more: Any) -> list[dict[str, Any]]:
    return [{"relation": relation, "op": op, **more}]


@pytest.mark.parametrize(
    ("tree", "expected"),
    [
        ({"start": HALL, "filters": has(LIFT, "exists")}, {"Elm", "Ash"}),
        ({"start": HALL, "filters": has(LIFT, "not exists")}, {"Oak", "Ash"}),
        ({"start": {"domain": LIFT}}, {"Elm", "Ash"}),
        ({"start": HALL, "filters": has(STAGE, "not exists")}, {"Ash", "Fir"}),
        ({"start": HALL, "not": [{"start": {"domain": LIFT}}]}, {"Oak", "Fir"}),
        ({"start": HALL, "filters": has(LIFT, "exists"), "answer": "count"}, 2),
        ({"start": HALL, "filters": has(RAMP, "exists")}, {"Elm", "Oak"}),
        ({"start": HALL, "filters": has(RAMP, "not exists")}, {"Ash", "Fir"}),
        ({"start": HALL, "filters": has(BAR, "exists")}, {"Oak"}),
        ({"start": HALL, "filters": has(BAR, "not exists")}, {"Elm", "Ash", "Fir"}),
        ({"start": HALL, "filters": has(HEATING, "exists")}, {"Elm", "Ash"}),
        ({"start": HALL, "filters": has(HEATING, "not exists")}, {"Oak", "Ash"}),
        ({"start": {"domain": HEATING}}, {"Elm", "Ash"}),
        ({"start": HALL, "filters": has(GARDEN, "exists")}, {"Elm", "Oak"}),
        ({"start": HALL, "filters": has(ATTIC, "exists")}, set()),
        ({"start": HALL, "filters": has(ATTIC, "not exists")}, {"Elm", "Oak"}),
        ({"start": {"domain": ATTIC}}, set()),
        ({"start": HALL, "filters": has(SHOP, "exists")}, set()),
        ({"start": HALL, "filters": has(SHOP, "not exists")}, {"Elm"}),
        ({"start": HALL, "filters": has(CODE, "exists")}, {"Elm"}),
        ({"start": HALL, "filters": has(CELLAR, "exists")}, {"Elm", "Oak"}),
    ],
)
def test_a_property_is_what_it_is_true_of(
    tree: dict[str, Any], expected: object, tmp_path: Path
) -> None:
    assert asked(tmp_path, tree) == expected


@pytest.mark.parametrize(
    ("name", "expected"), [("Elm", True), ("Oak", False), ("Ash", True), ("Fir", False)]
)
def test_yes_or_no_is_what_the_value_says(name: str, expected: bool, tmp_path: Path) -> None:
    step = {"start": [0], "steps": [{"relation": LIFT}], "answer": "yesno"}
    presence = {"start": [0], "filters": has(LIFT, "exists"), "answer": "yesno"}
    for tree in (step, presence):
        assert asked(tmp_path, tree, name) is expected


@pytest.mark.parametrize(
    ("name", "relation", "expected"),
    [
        ("Elm", LIFT, True),
        ("Oak", LIFT, False),
        ("Fir", LIFT, set()),
        ("Elm", HEATING, True),
        ("Oak", HEATING, False),
        ("Elm", GARDEN, {'"yes"'}),
        ("Oak", RAMP, {'"true"^^<http://www.w3.org/2001/XMLSchema#boolean>'}),
        ("Oak", STAGE, {"Small"}),
    ],
)
def test_the_value_of_one_thing_is_yes_or_no_where_it_has_one(
    name: str, relation: str, expected: object, tmp_path: Path
) -> None:
    value = {"start": [0], "steps": [{"relation": relation}]}
    answer = asked(tmp_path, value, name)
    if isinstance(expected, set) and isinstance(answer, set):
        expected = {one.rpartition("/")[2].removesuffix(">") for one in expected}
    assert answer == expected


def test_other_relations_mean_what_they_did(tmp_path: Path) -> None:
    step = {"start": [0], "steps": [{"relation": STAGE}], "answer": "yesno"}
    assert asked(tmp_path, step, "Oak") is True
    assert asked(tmp_path, {"start": {"domain": STAGE}}) == {"Elm", "Oak"}
