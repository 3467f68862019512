"""What a query comes to over a small graph, with what it rests on and what is told."""

import contextlib
from pathlib import Path
from typing import Any

import pytest
from groundwalk.agent.errors import QuestionError, ShortageError
from groundwalk.agent.kg import KnowledgeGraph, open_kg
from groundwalk.agent.kg.derived import reading_of
from groundwalk.agent.kg.profile import load_profile
from groundwalk.agent.query import facts as facts_module
from groundwalk.agent.query.binding import bind
from groundwalk.agent.query.execute import execute
from groundwalk.agent.query.facts import Facts
from groundwalk.agent.query.members import Outcome
from groundwalk.agent.query.tree import read_query
from groundwalk.agent.stopping import watched

GRAPH = """
@prefix : <http://w.example/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix dbt: <http://dbpedia.org/datatype/> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .

:Tower rdfs:label "tower" . :Town rdfs:label "town" .
:height rdfs:label "height" . :floors rdfs:label "floors" . :in rdfs:label "stands in" .
:opened rdfs:label "opened" . :closed rdfs:label "closed" .
:twin rdfs:label "twin of" . :width rdfs:label "width in metres" .

:a a :Tower ; rdfs:label "Alto" ; :height "100"^^dbt:metre ; :floors 30 ; :in :x ; :width 20 ;
   :opened "1999-12-31"^^xsd:date ; :closed "2020-07-10T18:30:00"^^xsd:dateTime .
:b a :Tower ; rdfs:label "Brisk"@en, "Flink"@de ; :height "0.2"^^dbt:kilometre ; :floors 30, 45 ;
   :in :x ; :opened "2001"^^xsd:gYear ; :closed "2020-07-11T00:00:00"^^xsd:dateTime .
:c a :Tower ; rdfs:label "Castle Tower" ; :floors "12.0"^^xsd:decimal ; :in :y ; :twin :a .
:d a :Tower ; rdfs:label "Dusk" ; :height "90"^^dbt:metre ; :in :y ;
   :opened "2001-05-05"^^xsd:date .
:x a :Town ; rdfs:label "Xanten" . :y a :Town ; rdfs:label "Ypern" .
:z a :Town ; rdfs:label "Zell" .
:x owl:sameAs :xx . :xx rdfs:label "Old Xanten" .
"""

TOWERS = {"start": {"class": "tower"}}
FLOORS = {"relation": "floors", "count": True}
AS_BRISK = {"start": {"entity": "Brisk"}, "steps": [{"relation": "floors"}], "answer": "count"}
MANY_FLOORS = {**TOWERS, "filters": [{**FLOORS, "op": "=", "value": AS_BRISK}]}
FEW_FLOORS = {**TOWERS, "filters": [{**FLOORS, "op": "!=", "value": AS_BRISK}]}
"""How many there are, compared with how many of another one there are."""


@pytest.fixture(scope="module")
def kg(tmp_path_factory: pytest.TempPathFactory) -> KnowledgeGraph:
    file = tmp_path_factory.mktemp("towers") / "towers.ttl"
    file.write_text(GRAPH, encoding="utf-8")
    return open_kg(str(file))


def asked(kg: KnowledgeGraph, tree: dict[str, Any], *mentions: str, **more: Any) -> Outcome:
    return execute(Facts(kg), bind(kg, read_query(tree), mentions), **more)


def members(outcome: Outcome) -> str:
    return "".join(term.removeprefix("<http://w.example/").rstrip(">") for term in outcome.members)


@pytest.mark.parametrize(
    ("tree", "mentions", "expected"),
    [
        (TOWERS, (), "abcd"),
        ({"start": [0], "steps": [{"relation": "stands in", "inverse": True}]}, ("Ypern",), "cd"),
        ({"start": {"domain": "twin of"}}, (), "c"),
        ({"start": {"any": [{"start": [0]}, {"start": [1]}]}}, ("Zell", "Dusk"), "dz"),
        ({**TOWERS, "and": [{"start": {"domain": "opened"}}]}, (), "abd"),
        ({**TOWERS, "not": [{"start": {"domain": "opened"}}]}, (), "c"),
        ({**TOWERS, "filters": [{"relation": "height", "op": "not exists"}]}, (), "c"),
        ({**TOWERS, "filters": [{"relation": "floors", "op": "=", "value": 12}]}, (), "c"),
        ({**TOWERS, "filters": [{"relation": "floors", "op": ">", "value": "40"}]}, (), "b"),
        ({**TOWERS, "filters": [{"relation": "floors", "op": "!=", "value": 30}]}, (), "c"),
        ({**TOWERS, "filters": [{"op": "contains", "value": "TOWER"}]}, (), "c"),
        ({**TOWERS, "filters": [{"op": "starts", "value": "flink"}]}, (), ""),
        ({**TOWERS, "filters": [{"op": "=", "value": "dusk"}]}, (), "d"),
        (
            {**TOWERS, "filters": [{"relation": "stands in", "op": "=", "mention": 0}]},
            ("Xanten",),
            "ab",
        ),
        (
            {**TOWERS, "filters": [{"relation": "stands in", "op": "=", "value": "xanten"}]},
            (),
            "ab",
        ),
        (
            {
                **TOWERS,
                "filters": [{"relation": "opened", "op": "=", "value": "2001", "of": "year"}],
            },
            (),
            "bd",
        ),
        ({**TOWERS, "filters": [{"relation": "opened", "op": "=", "value": "2001"}]}, (), "b"),
        ({**TOWERS, "filters": [{"relation": "opened", "op": "=", "value": "199X"}]}, (), "a"),
        ({**TOWERS, "filters": [{"relation": "opened", "op": ">", "value": "199X"}]}, (), "bd"),
        ({**TOWERS, "filters": [{"relation": "opened", "op": "<=", "value": "19XX"}]}, (), "a"),
        (
            {**TOWERS, "filters": [{"relation": "closed", "op": "=", "value": "2020-07-10"}]},
            (),
            "a",
        ),
        (
            {**TOWERS, "filters": [{"relation": "closed", "op": ">", "value": "2020-07-10"}]},
            (),
            "b",
        ),
        ({**TOWERS, "filters": [{"relation": "closed", "op": "<=", "value": "2020-07"}]}, (), "ab"),
        (
            {**TOWERS, "filters": [{"relation": "opened", "op": "<", "value": "2000-01-01"}]},
            (),
            "a",
        ),
        (
            {**TOWERS, "filters": [{"relation": "floors", "count": True, "op": "=", "value": 0}]},
            (),
            "d",
        ),
        (
            {**TOWERS, "filters": [{"relation": "floors", "count": True, "op": ">=", "value": 2}]},
            (),
            "b",
        ),
        (
            {**TOWERS, "filters": [{"relation": "height", "op": ">", "value": 150, "unit": "m"}]},
            (),
            "b",
        ),
        (
            {**TOWERS, "filters": [{"relation": "height", "op": "<", "value": 310, "unit": "ft"}]},
            (),
            "d",
        ),
        (
            {
                **TOWERS,
                "filters": [{"relation": "width in metres", "op": ">", "value": 60, "unit": "ft"}],
            },
            (),
            "a",
        ),
        ({**TOWERS, "extreme": {"relation": "height", "most": True}}, (), "b"),
        ({**TOWERS, "extreme": {"relation": "height", "most": True, "place": 2}}, (), "a"),
        ({**TOWERS, "extreme": {"relation": "height", "most": False, "n": 2}}, (), "da"),
        ({**TOWERS, "extreme": {"relation": "height", "most": True, "place": 9}}, (), ""),
        ({**TOWERS, "extreme": {"relation": "floors", "count": True, "most": False}}, (), "d"),
        ({"start": [0, 1], "extreme": {"relation": "height", "most": True}}, ("Alto", "Dusk"), "a"),
        (
            {
                "start": {"class": "town"},
                "extreme": {"relation": "stands in", "inverse": True, "count": True, "most": True},
            },
            (),
            "xy",
        ),
        (
            {
                **TOWERS,
                "group": [{"relation": "stands in"}],
                "extreme": {"agg": "max", "of": [{"relation": "floors"}], "most": False},
            },
            (),
            "y",
        ),
        (
            {
                **TOWERS,
                "group": [{"relation": "stands in"}],
                "having": [{"agg": "sum", "of": [{"relation": "floors"}], "op": ">", "value": 70}],
            },
            (),
            "x",
        ),
        (
            {"start": {"class": "anything"}, "filters": [{"relation": "twin of", "op": "exists"}]},
            (),
            "c",
        ),
    ],
)
def test_members(
    kg: KnowledgeGraph, tree: dict[str, Any], mentions: tuple[str, ...], expected: str
) -> None:
    assert members(asked(kg, tree, *mentions)) == expected


@pytest.mark.parametrize(
    ("tree", "value"),
    [
        ({**TOWERS, "answer": "count"}, 4),
        ({**TOWERS, "class": "town", "answer": "count"}, 0),
        ({**TOWERS, "steps": [{"relation": "floors"}], "answer": "sum"}, 87),
        ({**TOWERS, "steps": [{"relation": "floors"}], "answer": "min"}, 12),
        ({**TOWERS, "steps": [{"relation": "floors"}], "answer": "avg"}, 29),
        ({**TOWERS, "steps": [{"relation": "height"}], "answer": "max"}, 200),
        ({"start": {"class": "town"}, "steps": [{"relation": "floors"}], "answer": "sum"}, None),
        ({**TOWERS, "answer": "yesno"}, True),
        ({**MANY_FLOORS, "answer": "count"}, 1),
        ({**FEW_FLOORS, "answer": "count"}, 3),
        ({**TOWERS, "answer": "yesno", "all": [{**TOWERS, "class": "town"}]}, False),
    ],
)
def test_values(kg: KnowledgeGraph, tree: dict[str, Any], value: object) -> None:
    assert asked(kg, tree).value == value


def test_numbers_that_are_too_large_to_sum_are_told(tmp_path: Path) -> None:
    file = tmp_path / "large.ttl"
    lines = [f"<urn:{n}> <urn:size> 1e308 ; <urn:in> <urn:x> ." for n in range(3)]
    file.write_text("\n".join(lines), encoding="utf-8")
    kg, size = open_kg(str(file)), {"relation": "<urn:size>"}
    total = asked(kg, {"start": {"domain": "<urn:size>"}, "steps": [size], "answer": "sum"})
    assert total.value is None and total.notes == ("the numbers are too large to compute with",)
    group = {"group": [{"relation": "<urn:in>"}], "columns": [{"agg": "sum", "of": [size]}]}
    rows = asked(kg, {"start": {"domain": "<urn:size>"}, **group}).rows
    assert rows == (("<urn:x>", None),)


def test_rows_have_a_line_for_every_combination_and_gaps_are_empty(kg: KnowledgeGraph) -> None:
    tree = {
        **TOWERS,
        "columns": [{"steps": [{"relation": "floors"}]}, {"steps": [{"relation": "height"}]}],
    }
    found = asked(kg, tree)
    cells = [
        tuple(str(cell).split('"')[1] if cell else None for cell in row[1:]) for row in found.rows
    ]
    assert cells == [("30", "100"), ("30", "0.2"), ("45", "0.2"), ("12", None), (None, "90")]
    assert "1 of 4 have no height in the graph" in found.notes


def test_what_is_missing_or_converted_is_told(kg: KnowledgeGraph) -> None:
    found = asked(kg, {**TOWERS, "extreme": {"relation": "height", "most": True}})
    assert "1 of 4 have no height in the graph" in found.notes
    found = asked(
        kg, {**TOWERS, "filters": [{"relation": "height", "op": ">", "value": 1, "unit": "mi"}]}
    )
    assert any("converted from km to mi" in note for note in found.notes)
    found = asked(
        kg, {**TOWERS, "filters": [{"relation": "floors", "op": ">", "value": 1, "unit": "mi"}]}
    )
    assert any("as it is" in note for note in found.notes)


def test_absence_and_what_there_is_instead_are_told(kg: KnowledgeGraph) -> None:
    found = asked(kg, {**TOWERS, "filters": [{"relation": "height", "op": "not exists"}]})
    (absent,) = found.absent
    assert absent.startswith("that they have no height cannot be shown by a triple")
    tree = {
        "start": [0],
        "steps": [{"relation": "stands in"}],
        "and": [{"start": [1]}],
        "answer": "yesno",
    }
    found = asked(kg, tree, "Alto", "Ypern")
    assert (found.value, found.instead) == (False, ("<http://w.example/x>",))
    (step,) = found.proofs["<http://w.example/x>"]
    assert step.triple.head == "<http://w.example/a>"


def test_a_connection_is_the_shortest(kg: KnowledgeGraph) -> None:
    tree = {"start": [0], "to": {"start": [1]}, "answer": "connection"}
    found = asked(kg, tree, "Castle Tower", "Xanten")
    assert (found.value, members(found)) == (2, "x")
    assert asked(kg, tree, "Zell", "Xanten").members == ()


@pytest.mark.parametrize(
    ("tree", "near"),
    [
        ({**TOWERS, "steps": [{"relation": "heigth"}]}, "near it: height"),
        ({"start": {"class": "towers"}}, "near it: tower"),
        ({"start": {"entity": "Castle Towr"}}, "near it: Castle Tower"),
        ({"start": {"entity": "Nowhere"}}, "check the spelling"),
        ({"start": {"class": "Zzz"}}, "it has 2 classes: tower; town; `groundwalk kg info`"),
        (
            {**TOWERS, "steps": [{"relation": "zzz"}]},
            "it has 7 relations, among them floors; stands in; height; `groundwalk kg info`",
        ),
    ],
)
def test_a_name_that_the_graph_lacks_is_told_with_those_like_it(
    kg: KnowledgeGraph, tree: dict[str, Any], near: str
) -> None:
    with pytest.raises(QuestionError) as caught:
        asked(kg, tree)
    assert caught.value.hint.startswith(near)


def test_every_member_has_triples_of_the_graph(kg: KnowledgeGraph) -> None:
    tree = {
        **TOWERS,
        "filters": [{"relation": "stands in", "op": "=", "mention": 0}],
        "and": [{"start": {"domain": "height"}}],
    }
    found = asked(kg, tree, "Xanten")
    for member in found.members:
        steps = found.proofs[member]
        assert all(kg.store.holds([step.triple for step in steps]))
        assert {step.triple.relation.rsplit("/", 1)[-1].rsplit("#", 1)[-1] for step in steps} == {
            "type>",
            "in>",
            "height>",
        }


@pytest.mark.parametrize(
    ("tree", "said"),
    [
        ({"start": {"class": "towers"}}, "no class called 'towers'"),
        ({**TOWERS, "steps": [{"relation": "heigth"}]}, "no relation called 'heigth'"),
        ({"start": {"entity": "Nowhere"}}, "no entity called 'Nowhere'"),
        ({"start": {"domain": "<a b>"}}, "'<a b>' is no term of RDF"),
        ({"start": {"entity": "<line\nbreak>"}}, "is no term of RDF"),
        ({**TOWERS, "odd\nkey": 1}, "'odd\\nkey': Extra"),
        ({**TOWERS, "filters": [{"op": "starts", "value": TOWERS}]}, "compares texts with a text"),
        ({**TOWERS, "filters": [{"count": True, "op": "ends", "value": "1"}]}, "with a text"),
        ({"start": [0]}, "mention 0, and there are 0"),
        ({**TOWERS, "filters": [{"op": "=", "mention": 2}]}, "mention 2, and there are 0"),
        (
            {
                **TOWERS,
                "group": [{"relation": "stands in"}],
                "having": [{"agg": "count", "op": ">", "mention": 3}],
            },
            "mention 3, and there are 0",
        ),
        ({"start": {"last": "answers"}}, "earlier answers"),
        ({**TOWERS, "filters": [{"relation": "stands in", "op": ">", "value": 3}]}, "no order"),
        ({**TOWERS, "extreme": {"relation": "stands in", "most": True}}, "no order"),
        ({**TOWERS, "steps": [{"relation": "stands in"}], "answer": "sum"}, "no order"),
        ({**TOWERS, "steps": [{"relation": "stands in"}], "answer": "max"}, "holds names such as"),
        (
            {**TOWERS, "filters": [{"relation": "floors", "op": "<", "value": "many"}]},
            "'many' is none",
        ),
        (
            {
                **TOWERS,
                "filters": [{"relation": "floors", "count": True, "op": "<", "value": "many"}],
            },
            "number",
        ),
        (
            {
                **TOWERS,
                "filters": [{"relation": "floors", "count": True, "op": "<", "value": "199X"}],
            },
            "compares with a number",
        ),
    ],
)
def test_what_cannot_be_asked_is_told_in_a_line(
    kg: KnowledgeGraph, tree: dict[str, Any], said: str
) -> None:
    with pytest.raises(QuestionError) as error:
        asked(kg, tree)
    assert said in error.value.message
    assert "\n" not in error.value.message


def test_time_and_size_are_bounded(kg: KnowledgeGraph, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ShortageError, match="too long"):
        asked(kg, TOWERS, seconds=-1.0)
    monkeypatch.setattr(facts_module, "MOST_PAIRS", 3)
    with pytest.raises(ShortageError, match=r"a hop along \w[\w ]* comes to more than 3 steps"):
        asked(kg, TOWERS)


def test_walks_of_a_hop_are_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Three things lead to one that leads to two: six walks, along no more than three steps."""
    lines = ["a\tr\tm", "b\tr\tm", "c\tr\tm", "m\ts\tx", "m\ts\ty"]
    (tmp_path / "hub.tsv").write_text("\n".join(lines), encoding="utf-8")
    passing = {"relation": "s", "via": [{"relation": "r"}], "op": "exists"}
    with contextlib.closing(open_kg(str(tmp_path / "hub.tsv"), cache=tmp_path)) as hub:
        tree = {"start": {"domain": "r"}, "filters": [passing]}
        assert len(asked(hub, tree).members) == 3
        monkeypatch.setattr(facts_module, "MOST_PAIRS", 5)
        with pytest.raises(ShortageError, match="more than 5 steps"):
            asked(hub, tree)


class Stopped(Exception):
    """What ends the work of a query."""


def test_whoever_waits_can_end_it(kg: KnowledgeGraph) -> None:
    def stop() -> None:
        raise Stopped

    with pytest.raises(Stopped), watched(stop):
        asked(kg, TOWERS)
    assert asked(kg, TOWERS).members


def test_a_hop_the_wrong_way_is_told(kg: KnowledgeGraph) -> None:
    wrong = {**TOWERS, "steps": [{"relation": "stands in", "inverse": True}]}
    assert asked(kg, wrong).notes == (
        "stands in leads from these, not to them: it is walked the other way",
    )


def test_sets_are_followed_alike_one_by_one_and_whole(
    kg: KnowledgeGraph, monkeypatch: pytest.MonkeyPatch
) -> None:
    tree = {
        **TOWERS,
        "steps": [{"relation": "stands in"}, {"relation": "stands in", "inverse": True}],
    }
    few = asked(kg, tree)
    monkeypatch.setattr(facts_module, "_FEW", 0)
    assert asked(kg, tree).members == few.members == asked(kg, TOWERS).members


def test_the_same_entity_is_one_where_the_graph_is_read_so(tmp_path: Path) -> None:
    file = tmp_path / "towers.ttl"
    file.write_text(GRAPH, encoding="utf-8")
    read = open_kg(str(file), reading=reading_of("", "same-as"))
    tree = {"start": [0], "steps": [{"relation": "stands in", "inverse": True}], "answer": "count"}
    assert asked(read, tree, "Old Xanten").value == 2
    assert load_profile("generic") == read.profile


def test_all_answers_of_a_set_are_compared_with(tmp_path: Path) -> None:
    """More than are listed."""
    file, size = tmp_path / "many.ttl", {"relation": "<urn:size>"}
    lines = [f"<urn:{n}> <urn:size> {n} ; <urn:as> {n + 1} ." for n in range(12_000)]
    file.write_text("\n".join(lines), encoding="utf-8")
    kg, every = open_kg(str(file)), {"start": {"domain": "<urn:size>"}}
    sizes = {"start": every, "steps": [size]}
    condition = {"relation": "<urn:as>", "op": "=", "value": sizes}
    assert asked(kg, {**every, "filters": [condition], "answer": "count"}).value == 11_999
    other = {**condition, "op": "!="}
    assert asked(kg, {**every, "filters": [other], "answer": "count"}).value == 1


def test_what_is_counted_or_compared_is_proved(kg: KnowledgeGraph) -> None:
    grouped = asked(
        kg, {**TOWERS, "group": [{"relation": "stands in"}], "columns": [{"agg": "count"}]}
    )
    held = {term: {step.triple.head for step in own} for term, own in grouped.proofs.items()}
    towns = {f"<http://w.example/{own}>" for own in "xy"}
    assert set(held) == towns and all(len(heads) == 2 for heads in held.values())
    counted = {**TOWERS, "columns": [{"agg": "count", "of": [{"relation": "floors"}]}]}
    proofs = asked(kg, counted).proofs
    tails = {step.triple.tail for step in proofs["<http://w.example/b>"]}
    assert len([tail for tail in tails if tail.startswith('"')]) == 2


def test_every_set_of_a_yes_is_proved_and_the_empty_one_of_a_no_is_named(
    kg: KnowledgeGraph,
) -> None:
    twins = {"start": {"domain": "twin of"}}
    yes = asked(kg, {"start": {"entity": "Xanten"}, "answer": "yesno", "all": [twins]})
    assert yes.value and any("twin" in step.triple.relation for step in yes.compared)
    none = {**TOWERS, "class": "town"}
    no = asked(kg, {**TOWERS, "answer": "yesno", "all": [none]})
    assert not no.value and no.instead and set(no.instead) == set(asked(kg, TOWERS).members)
    assert [line for line in no.absent if line.startswith("that they are not among")]


def test_all_of_a_set_are_in_others_or_the_exceptions_are_told(kg: KnowledgeGraph) -> None:
    of_each = {**TOWERS, "answer": "yesno"}
    towers = asked(kg, TOWERS).members
    yes = asked(kg, {**of_each, "all": [TOWERS, {"start": {"domain": "floors"}}]})
    with_floors = asked(kg, {**TOWERS, "and": [{"start": {"domain": "floors"}}]}).members
    assert yes.value is (len(with_floors) == len(towers)) and yes.tested == len(towers)
    same = asked(kg, {**of_each, "all": [TOWERS]})
    assert same.value and same.members == towers and set(same.proofs) >= set(towers)
    few = asked(kg, {**of_each, "all": [FEW_FLOORS]})
    others = set(towers) - set(asked(kg, FEW_FLOORS).members)
    assert not few.value and set(few.instead) == others and few.size == len(others)
    assert few.tested == len(towers) and all(few.proofs[one] for one in few.instead)
    both = asked(kg, {**of_each, "all": [FEW_FLOORS, MANY_FLOORS]})
    assert not both.value and any("they are not among both " in line for line in both.absent)
    none = asked(kg, {**TOWERS, "class": "town", "answer": "yesno", "all": [TOWERS]})
    assert not none.value and any("nothing in the graph is:" in line for line in none.absent)


def test_both_ends_of_a_connection_are_proved(kg: KnowledgeGraph) -> None:
    ends = {"start": {"entity": "Ypern"}}
    found = asked(kg, {**TOWERS, "answer": "connection", "to": ends})
    assert any(step.triple.tail == "<http://w.example/Tower>" for step in found.compared)
    alone = asked(kg, {**ends, "answer": "connection", "to": ends})
    assert not alone.members and "in both sets" in alone.notes[0]


def test_values_that_are_no_numbers_are_told_apart_from_missing_ones(tmp_path: Path) -> None:
    file = tmp_path / "sold.ttl"
    stated = [":a :sold 3 .", ':b :sold "n/a" .', ':c :sold "n/a", 2 .', ":d :in :x ."]
    stated += [f":{one} a :Record ." for one in "abcd"]
    file.write_text("@prefix : <urn:x:> . " + " ".join(stated), encoding="utf-8")
    kg, records = open_kg(str(file)), {"start": {"class": "Record"}}
    sold = {"relation": "sold"}
    notes = ("1 of 4 have no sold in the graph", "1 of 4 have no comparable sold in the graph")
    total = asked(kg, {**records, "steps": [sold], "answer": "sum"})
    assert total.value == 5 and total.notes == notes
    assert asked(kg, {**records, "extreme": {**sold, "most": True}}).notes == notes


def test_values_that_do_not_pass_are_not_missing(kg: KnowledgeGraph) -> None:
    high = {"filters": [{"op": ">", "value": 40}], "answer": "sum"}
    found = asked(kg, {**TOWERS, "steps": [{"relation": "floors"}], **high})
    assert found.value == 45
    assert "1 of 4 have such a floors" in found.notes
    assert "1 of 4 have no floors in the graph" in found.notes


@pytest.mark.parametrize("start", [[0], {"entity": "Dusk"}])
@pytest.mark.parametrize("value", [{"start": [1]}, {"start": {"entity": "Alto"}}])
def test_a_no_about_a_named_thing_has_both_values(
    kg: KnowledgeGraph, start: Any, value: dict[str, Any]
) -> None:
    hop = {"relation": "height"}
    higher = {**hop, "op": ">", "value": {**value, "steps": [hop]}}
    found = asked(kg, {"start": start, "filters": [higher], "answer": "yesno"}, "Dusk", "Alto")
    assert found.value is False
    heads = [step.triple.head for step in found.against]
    assert heads == ["<http://w.example/d>", "<http://w.example/a>"]
