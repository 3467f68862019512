"""Evidence for what was computed of answers: how many there are, whether something is so."""

import pytest
import rdflib
from groundwalk.agent.evidence import FORMS, Form, explain
from groundwalk.agent.evidence.sparql import check_query
from rdflib import PROV, RDF, RDFS

from .replies import counted, iri
from .test_sparql import YES, engines

HELD = [
    (iri("Spain"), iri("borders"), iri("France")),
    (iri("Spain"), iri("borders"), iri("Portugal")),
    (iri("Portugal"), iri("borders"), iri("Spain")),
]


@pytest.mark.parametrize("form", FORMS)
def test_it_is_said_in_every_form(form: Form) -> None:
    assert "Yes, 2." in explain(form, counted()).replace("#44;", ",")


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
    told = counted()
    told["answers"] = []
    for _, ask in engines(HELD):
        assert ask(explain("sparql", told)) == set()
        assert ask(check_query(told)) == {(*HELD[2], YES)}
    assert "Yes, 2." in explain("html", told)
