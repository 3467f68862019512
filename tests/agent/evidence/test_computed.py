"""Evidence for what was computed of answers: how many there are, whether something is so."""

import re
from html import unescape
from typing import Any

import pyoxigraph as ox
import pytest
import rdflib
from groundwalk.agent.answers.computed import result_record
from groundwalk.agent.evidence import FORMS, Form, Reply, explain
from groundwalk.agent.evidence.sparql import check_query, main_query
from groundwalk.agent.kg import Triple
from groundwalk.agent.records import Kind
from rdflib import PROV, RDF, RDFS

from ..kg import graphs
from ..kg.sparql.asking import loaded
from .replies import counted, iri, unread
from .test_sparql import YES, engines

HELD = [
    (iri("Spain"), iri("borders"), iri("France")),
    (iri("Spain"), iri("borders"), iri("Portugal")),
    (iri("Portugal"), iri("borders"), iri("Spain")),
]


@pytest.mark.parametrize("form", FORMS)
def test_it_is_said_in_every_form(form: Form) -> None:
    assert "Yes, 2." in explain(form, counted()).replace("#44;", ",")


@pytest.mark.parametrize("form", FORMS)
def test_the_reading_is_said_in_every_form(form: Form) -> None:
    told = explain(form, unread())
    for part in ("read as: borders of Portugal · confidence 0.74", "not understood: "):
        assert part in unescape(re.sub(r"#(\d+);", r"&#\1;", told))


def test_the_members_are_found_and_all_triples_checked() -> None:
    for _, ask in engines(HELD):
        assert ask(explain("sparql", counted())) == {(iri("France"),), (iri("Portugal"),)}
        assert ask(check_query(counted())) == {(*triple, YES) for triple in HELD}


def test_the_tree_shows_what_it_rests_on_besides() -> None:
    lines = explain("tree", counted()).splitlines()
    assert lines[-3:] == ["✓ Portugal ─ borders → Spain", "", "counted them"]


def test_it_is_derived_from_answers_and_triples() -> None:
    graph = rdflib.Graph().parse(data=explain("turtle", counted()), format="turtle")
    (result,) = graph.subjects(RDFS.label, rdflib.Literal("Yes, 2."))
    sources = set(graph.objects(result, PROV.wasDerivedFrom))
    assert len(sources) == 3
    assert len(sources & set(graph.subjects(RDF.type, RDF.Statement))) == 1


def test_without_members_only_the_triples_are_asked() -> None:
    result_record = counted()
    result_record["answers"] = []
    for _, ask in engines(HELD):
        assert ask(explain("sparql", result_record)) == set()
        assert ask(check_query(result_record)) == {(*HELD[2], YES)}
    assert "Yes, 2." in explain("html", result_record)


def computed(kind: Kind, value: bool | None) -> Reply:
    made = counted()
    made["result"] = result_record(kind, "what it came to", "over verified answers", value=value)
    return made


@pytest.mark.parametrize("held", [HELD, HELD[1:]])
def test_yes_is_asked(held: list[Any]) -> None:
    """It is so where a chain of any answer is held whole."""
    query = main_query(computed("truth", value=True))
    store = loaded(Triple(*triple) for triple in held)
    found = store.query(query)
    assert isinstance(found, ox.QueryBoolean) and bool(found) is True
    graph: Any = rdflib.Graph().parse(data=graphs.ntriples(held), format="nt")
    assert graph.query(query).askAnswer is True
    assert not ox.Store().query(query)
    assert "Computed: yes or no." in explain("sparql", computed("truth", value=True))


def test_what_no_query_asks_is_told() -> None:
    counting, no = computed("count", None), computed("truth", value=False)
    assert "What was computed of them is not asked" in explain("sparql", counting)
    assert "COUNT" not in explain("sparql", counting)
    assert "No query says what the graph does not say" in explain("sparql", no)


def test_conditions_that_are_not_in_the_query_are_told() -> None:
    walk: dict[str, Any] = {"start": [0], "steps": [{"relation": "borders"}]}
    longer = {"relation": "length", "op": ">", "value": 3, "unit": "km"}
    within = {"start": {**walk, "filters": [longer]}, "steps": [{"relation": "capital"}]}
    for tree, is_told in ((walk, False), ({**walk, "filters": [longer]}, True), (within, True)):
        reply: Any = {**counted(), "result": None, "query": tree, "sparql": ""}
        assert ("Its conditions are not in this query" in explain("sparql", reply)) == is_told


def test_the_proof_of_an_earlier_answer_is_what_it_was() -> None:
    again = explain("sparql", computed("why", None))
    assert "not asked" not in again and "No query" not in again
    for _, ask in engines(HELD):
        assert ask(again) == {(iri("France"),), (iri("Portugal"),)}
