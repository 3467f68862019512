"""The names that a query may use: each can be bound, those around an entity are all there."""

import json
from importlib import resources
from pathlib import Path
from typing import Any

import pytest
from groundwalk.agent.kg import KnowledgeGraph, open_kg
from groundwalk.agent.kg.store import metered
from groundwalk.agent.query import vocabulary
from groundwalk.agent.query.binding import bind
from groundwalk.agent.query.tree import read_query
from groundwalk.agent.query.vocabulary import (
    MOST_CLASSES,
    MOST_RELATIONS,
    proposal_schema,
    vocabulary_around,
)
from hypothesis import given, settings
from hypothesis import strategies as st
from rdflib import RDF, RDFS, Graph, Literal
from rdflib.util import from_n3

from ...faults.servers import world_endpoint


@pytest.fixture(scope="module")
def world() -> Graph:
    file = resources.files("groundwalk.data.world") / "world.ttl"
    return Graph().parse(data=file.read_text(encoding="utf-8"), format="turtle")


@given(st.data())
@settings(max_examples=15, deadline=None)
def test_every_name_binds_and_what_an_entity_has_is_listed(
    kg: KnowledgeGraph, world: Graph, data: st.DataObject
) -> None:
    subject = data.draw(st.sampled_from(sorted({*world.subjects(RDF.type)}, key=str)))
    term = subject.n3()
    names = vocabulary_around(kg, [term], "What is it?")
    assert len(names.relations) <= MOST_RELATIONS and len(names.classes) <= MOST_CLASSES
    for own in names.relations:
        bind(kg, read_query({"start": [0], "steps": [{"relation": own.name}]}), ["Germany"])
    for name in names.classes:
        bind(kg, read_query({"start": {"class": name}}))
    used = {str(own.term) for own in kg.walk_labels.relations()}
    at = {*world.predicates(subject, None), *world.predicates(None, subject)}
    around = {own.n3() for own in at} & used
    listed = [own.name for own in names.relations][: len(around)]
    assert set(listed) == set(kg.walk_labels.names(sorted(around)))


def test_what_relations_hold_is_what_the_graph_says(kg: KnowledgeGraph, world: Graph) -> None:
    names = vocabulary_around(kg, [], "")
    for own in names.relations:
        (term,) = kg.walk_labels.named(own.name, relation=True)
        predicate: Any = from_n3(term)
        tails = {*world.objects(None, predicate)}
        assert ("number" in own.reaches) == any(isinstance(tail, Literal) for tail in tails)
        kinds = {str(world.value(world.value(tail, RDF.type), RDFS.label)) for tail in tails}
        assert {*own.reaches} - {"number"} <= kinds, own
    units = {own.name: own.unit for own in names.relations if own.unit}
    assert units == {"height in metres": "metres", "length in kilometres": "kilometres"}


def test_an_endpoint_is_asked_for_what_is_around(kg: KnowledgeGraph, tmp_path: Path) -> None:
    (germany,) = kg.labels.named("Germany")
    with world_endpoint() as served:
        opened = open_kg(served.url, cache=tmp_path)
        with metered() as meter:
            names = vocabulary_around(opened, [germany], "Which countries border Germany?")
        opened.close()
    here = vocabulary_around(kg, [germany], "Which countries border Germany?")
    assert {own.name for own in names.relations} == {own.name for own in here.relations}
    assert next(own for own in names.relations if own.name == "borders").leaves == ("country",)
    assert 0 < meter.requests < 40


def test_of_many_those_at_the_entity_and_those_of_the_question_are_listed(tmp_path: Path) -> None:
    lines = [f"<http://e.x/a> <http://e.x/near{i}> <http://e.x/b> ." for i in range(100)]
    lines += [f"<http://e.x/b> <http://e.x/far{i}> <http://e.x/c> ." for i in range(100)]
    lines += ["<http://e.x/d> <http://e.x/yodels> <http://e.x/e> ."]
    (tmp_path / "g.nt").write_text("\n".join(lines), encoding="utf-8")
    opened = open_kg(str(tmp_path / "g.nt"), cache=tmp_path / "cache")
    names = [
        own.name
        for own in vocabulary_around(opened, ["<http://e.x/a>"], "who yodels at near77?").relations
    ]
    opened.close()
    assert len(names) == MOST_RELATIONS and {"near77", "yodels"} <= {*names}
    assert sum(name.startswith("near") for name in names) == vocabulary._MOST_NEAR  # pyright: ignore[reportPrivateUsage]


def test_the_schema_has_no_more_than_what_can_be_proposed(kg: KnowledgeGraph) -> None:
    names = vocabulary_around(kg, [], "")
    schema = proposal_schema(names, 2)
    assert schema == proposal_schema(names, 2), "what is trimmed once stays"
    text = json.dumps(schema)
    assert "title" not in text and "default" not in text and '"id"' not in text
    references = {part.split('"')[0] for part in text.split("#/$defs/")[1:]}
    assert references == {*schema["$defs"]}
    assert not any("oneOf" in json.dumps(own) for own in schema["$defs"].values())
    assert json.dumps(proposal_schema(names, 0)).count('"items": {"enum"') == 0
