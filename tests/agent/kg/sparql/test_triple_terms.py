"""Triples about triples at an endpoint: of SPARQL 1.2, and of SPARQL 1.1, which rejects them."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from groundwalk.agent.errors import ServiceError
from groundwalk.agent.kg import GENERIC, OxigraphStore, Step, Triple
from groundwalk.agent.kg.stores.sparql import SparqlLabels, SparqlStore
from groundwalk.agent.kg.stores.sparql.client import read_rows
from groundwalk.agent.kg.terms import REIFIES, is_triple_term, triple_term
from hypothesis import given, settings
from hypothesis import strategies as st

from .asking import client, iri, turtle
from .endpoint import Endpoint, Handler

TEXT = """
:ada rdfs:label "Ada" ; :knows :ben ~ :r {| :since "1990"@en |} ~ _:x .
:ben rdfs:label "Ben" . :knows rdfs:label "knows" .
:archive :says <<( :ada :claims <<( :ben :age "7\\\\u0022" )>> )>>, <<( :ben :knows _:x )>>, :ben .
"""
KNOWN = Triple(iri("ada"), iri("knows"), iri("ben"))
TOLD = Triple(iri("r"), REIFIES, triple_term(KNOWN))
NESTED = triple_term(
    Triple(iri("ada"), iri("claims"), triple_term(Triple(iri("ben"), iri("age"), r'"7\\u0022"')))
)
QUOTED = Triple(iri("archive"), iri("says"), NESTED)
FALSE = TOLD._replace(tail=triple_term(KNOWN._replace(tail=iri("ada"))))
BLANK = TOLD._replace(tail=triple_term(KNOWN._replace(tail="_:x")))


@pytest.fixture(scope="module")
def endpoint() -> Iterator[Endpoint]:
    with Endpoint(turtle(TEXT)) as running:
        yield running


def of_sparql_1_1(handler: Handler) -> bool:
    if "<<(" not in handler.endpoint.asked[-1].query:
        return False
    handler.reply(400, b"syntax error", "text/plain")
    return True


def test_they_are_verified_and_followed(endpoint: Endpoint) -> None:
    endpoint.misbehaviour = None
    with client(endpoint.url) as connected:
        store = SparqlStore(connected)
        asked = [KNOWN, TOLD, QUOTED, FALSE, BLANK]
        assert store.holds(asked) == [True, True, True, False, None]
        assert store.follow([iri("ada"), iri("ben")], REIFIES, True) == [[Step(TOLD, True)], []]
        assert store.follow([iri("r")], REIFIES, False) == [[Step(TOLD)]]
        assert [*store.statements(REIFIES)] == [TOLD]


def test_they_are_no_facts(endpoint: Endpoint) -> None:
    endpoint.misbehaviour = None
    local = OxigraphStore(endpoint.store)
    nodes = [*map(iri, ("ada", "ben", "r", "archive")), TOLD.tail]
    with client(endpoint.url) as connected:
        store = SparqlStore(connected)
        assert store.neighbours(nodes) == local.neighbours(nodes)
        for inverse in (False, True):
            found = store.follow(nodes, QUOTED.relation, inverse)
            assert found == local.follow(nodes, QUOTED.relation, inverse)
        facts = set(store.facts())
        assert facts == set(local.facts()) and len(facts) == 3
        assert not any(map(is_triple_term, (term for fact in facts for term in fact)))


def test_they_are_named(endpoint: Endpoint) -> None:
    endpoint.misbehaviour = None
    with client(endpoint.url) as connected:
        labels = SparqlLabels(connected, profile=GENERIC)
        before = len(endpoint.asked)
        assert labels.names([iri("ada"), TOLD.tail]) == ["Ada", "«Ada knows Ben»"]
        assert not any("<<(" in asked.query for asked in endpoint.asked[before:])


def test_an_endpoint_that_rejects_them_leaves_them_unknown(endpoint: Endpoint) -> None:
    endpoint.misbehaviour = of_sparql_1_1
    missing = KNOWN._replace(tail=iri("ada"))
    with client(endpoint.url) as connected:
        store = SparqlStore(connected)
        found = store.holds([TOLD, KNOWN, FALSE, missing, QUOTED])
        assert found == [None, True, None, False, None]
        assert store.neighbours([iri("ada")]) == [[Step(KNOWN)]]
        with pytest.raises(ServiceError):
            store.follow([iri("ada")], REIFIES, True)


def triple(**parts: object) -> dict[str, object]:
    return {"type": "triple", "value": parts}


URI = {"type": "uri", "value": "urn:a"}


def _nested(subject: object, predicate: object, inner: object, kind: str) -> dict[str, object]:
    return {"type": kind, "value": {"subject": subject, "predicate": predicate, "object": inner}}


ANY: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.text(max_size=3) | st.just(URI) | st.just({"type": "bnode", "value": "b"}),
    lambda inner: st.builds(_nested, inner, inner, inner, st.sampled_from(["triple", "uri"])),
)


@pytest.mark.parametrize(
    ("value", "term"),
    [
        (triple(subject=URI, predicate=URI, object=URI), "<<( <urn:a> <urn:a> <urn:a> )>>"),
        (triple(subject=URI, predicate=URI, object={"type": "bnode", "value": "b"}), None),
        (triple(subject={"type": "literal", "value": "a"}, predicate=URI, object=URI), None),
        (triple(s=URI, p=URI, o=URI), None),
        ({"type": "triple"}, None),
        (
            triple(
                subject=URI,
                predicate=URI,
                object=triple(subject=URI, predicate=URI, object={"type": "literal", "value": ")"}),
            ),
            '<<( <urn:a> <urn:a> <<( <urn:a> <urn:a> ")" )>> )>>',
        ),
    ],
)
def test_triples_in_results(value: object, term: str | None) -> None:
    assert read_rows(body(value), ("x",)) == [(term,)]


@settings(deadline=None)
@given(ANY)
def test_broken_triples_in_results_are_one_error(value: object) -> None:
    try:
        read_rows(body(value), ("x",))
    except ValueError as error:
        assert type(error) is ValueError


def body(value: object) -> bytes:
    return json.dumps({"head": {"vars": ["x"]}, "results": {"bindings": [{"x": value}]}}).encode()
