"""What the Turtle says, read by rdflib and by Oxigraph."""

from typing import Any

import pyoxigraph as ox
import pytest
import rdflib
from groundwalk.agent.evidence import Origin, Reply, explain
from groundwalk.agent.kg import Term
from groundwalk.agent.kg.nodes import to_node
from hypothesis import given, settings
from hypothesis import strategies as st
from rdflib import PROV, RDF, RDFS

from ..kg import graphs
from .replies import HOSTILE, answer, border, iri, named, reply, step
from .test_sparql import GRAPHS, triples_of, walk

ORIGIN = Origin("places.ttl", "ab" * 32, (iri("g"),), "bundled", "1.2", "2025-01-31T09:00:00+00:00")


def by_rdflib(text: str) -> rdflib.Graph:
    return rdflib.Graph().parse(data=text, format="turtle")


def by_oxigraph(text: str) -> list[ox.Triple]:
    read = ox.parse(text.encode(), format=ox.RdfFormat.TURTLE)
    return [quad.triple for quad in read]


def statements(graph: rdflib.Graph) -> list[tuple[Any, ...]]:
    parts = (RDF.subject, RDF.predicate, RDF.object)
    return [
        tuple(graph.value(own, part) for part in parts)
        for own in graph.subjects(RDF.type, RDF.Statement)
        if (own, RDF.type, PROV.Entity) in graph
    ]


@settings(max_examples=60)
@given(GRAPHS, st.data())
def test_every_shown_triple_is_in_it_as_the_graph_holds_it(
    triples: list[tuple[str, str, str]], data: st.DataObject
) -> None:
    told = walk(data, triples)
    text, shown = explain("turtle", told), triples_of(told)
    written = by_oxigraph(text)
    for triple in shown:
        if not any(part.startswith("_:") for part in triple):
            assert ox.Triple(*map(to_node, triple)) in written  # pyright: ignore
    graph = by_rdflib(text)
    assert len(statements(graph)) == len(shown)
    assert all(triple in graph for triple in statements(graph))


@settings(max_examples=30)
@given(st.lists(graphs.LITERALS, min_size=1, max_size=4, unique=True))
def test_literals_are_as_the_graph_has_them(literals: list[Term]) -> None:
    ada, says = named("ada"), named("says")
    values = [named(term, term) for term in literals]
    told = reply([answer(own, [step(ada, says, own)]) for own in values], ada)
    held = {
        str(t.object)
        for t in by_oxigraph(explain("turtle", told))
        if str(t.predicate) == iri("says")
    }
    assert held == {str(to_node(term)) for term in literals}


def test_provenance() -> None:
    told = border()
    told["notes"] = ["not sure"]
    graph = by_rdflib(explain("turtle", told, ORIGIN))
    (question,) = graph.subjects(RDF.type, PROV.Activity)
    assert str(graph.value(question, RDFS.label)) == told["question"]
    assert str(graph.value(question, PROV.startedAtTime)) == "2025-01-31T09:00:00+00:00"
    assert [str(note) for note in graph.objects(question, RDFS.comment)] == ["not sure"]
    used = {str(graph.value(own, RDFS.label)) for own in graph.objects(question, PROV.used)}
    assert used == {"places.ttl", "bundled"}
    (agent,) = graph.objects(question, PROV.wasAssociatedWith)
    assert str(graph.value(agent, RDFS.label)) == "groundwalk 1.2"
    plan = graph.value(graph.value(question, PROV.qualifiedAssociation), PROV.hadPlan)
    assert str(graph.value(plan, RDFS.label)) == "gcr"
    spain = rdflib.URIRef(iri("Spain")[1:-1])
    (found_answer,) = graph.subjects(RDF.value, spain)
    (chain,) = graph.objects(found_answer, PROV.wasDerivedFrom)
    walked = [graph.value(chain, RDF[f"_{place}"]) for place in (1, 2)]
    assert set(graph.objects(chain, PROV.wasDerivedFrom)) == set(walked)
    source = graph.value(walked[0], PROV.hadPrimarySource)
    assert source in set(graph.objects(question, PROV.used))
    assert graph.value(walked[1], RDF.object) == spain


def test_the_same_reply_is_the_same_text() -> None:
    assert explain("turtle", border(), ORIGIN) == explain("turtle", border(), ORIGIN)


def test_only_what_is_supported_is_said_to_be_so() -> None:
    told = border()
    told["answers"][0]["chains"][0][1]["verdict"] = "unknown"
    graph = by_rdflib(explain("turtle", told))
    held = [triple for triple in statements(graph) if triple in graph]
    assert len(held) == 1 and len(statements(graph)) == 2


def test_triples_about_triples_are_described() -> None:
    """RDF 1.1 has no triple terms, so such a triple is not written itself."""
    about = named("«a b c»", f'<<( {iri("a")} {iri("b")} <<( {iri("a")} {iri("b")} "c" )>> )>>')
    year, directed = named("1990", '"1990"'), named("x", '"x"@en--rtl')
    reifies = named("reifies", "<http://www.w3.org/1999/02/22-rdf-syntax-ns#reifies>")
    chain = [
        step(named("r"), reifies, about, inverse=True),
        step(named("r"), named("since"), year),
        step(named("r"), named("called"), directed),
    ]
    graph = by_rdflib(explain("turtle", reply([answer(year, chain)], named("a"))))
    assert len(list(graph.subjects(RDF.type, RDF.Statement))) == 5
    assert (None, rdflib.URIRef(reifies["term"][1:-1]), None) not in graph and len(
        statements(graph)
    ) == 3
    assert [triple in graph for triple in statements(graph)].count(True) == 1


@pytest.mark.parametrize("text", HOSTILE)
def test_names_and_questions_are_data(text: str) -> None:
    told: Reply = border(text, text)
    told["question"] = told["method"] = text
    told["notes"] = [text]
    written = explain("turtle", told, Origin(source=text, model=text))
    assert all(c.isprintable() or c in "\n\t" for c in written)
    graph = by_rdflib(written)
    calm = border()
    calm["notes"] = ["calm"]
    assert len(graph) == len(by_rdflib(explain("turtle", calm, Origin(source="a", model="b"))))
    labels = {str(own) for own in graph.objects(None, RDFS.label)}
    assert labels == {text, "groundwalk"}


def test_nothing_to_explain() -> None:
    graph = by_rdflib(explain("turtle", reply([])))
    (question,) = graph.subjects(RDF.type, PROV.Activity)
    assert str(graph.value(question, RDFS.comment)) == "The graph does not say."
