"""Clients of the endpoint of the tests, and graphs whose terms are hard to ask about."""

from collections.abc import Generator, Iterable
from contextlib import contextmanager
from typing import Any

import pyoxigraph as ox
from groundwalk.agent.kg import Step, Triple
from groundwalk.agent.kg.nodes import to_node, to_term
from groundwalk.agent.kg.stores.sparql import EndpointSettings, SparqlStore
from groundwalk.agent.kg.stores.sparql.client import SparqlClient
from hypothesis import strategies as st

E = "http://example.org/"
LABEL = "<http://www.w3.org/2000/01/rdf-schema#label>"
TYPE = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>"

HOSTILE = (
    '" } SELECT * { ?s ?p ?o } #',
    "' . } ; DROP ALL ; {",
    "} UNION { ?s ?p ?o",
    "\\",
    '\\"',
    "\\u0022 } #",
    "\\\\U0000003E",
    "a\nb\r\nc\td\b\f",
    "\0\x7f\x85\u2028\ufeff\uffff\U0001f600",
    "%3E %22 %0A + &query=",
    '"""',
    "$x ?x @en ^^<a> <<( )>>",
    "",
)
TEXTS = st.sampled_from(HOSTILE) | st.text(max_size=6)
IRIS = st.sampled_from(
    [E + name for name in ("a", "b", "c", "%3E", "%20.%20", "é", "a'b()*", "x?q=1&r=%22#f")]
).map(lambda iri: f"<{iri}>")
RELATIONS = st.sampled_from([f"<{E}p>", f"<{E}q%7D>", LABEL, TYPE])


def literal(text: str, tag: str) -> str:
    """A text with a language (`@en`), a datatype or neither."""
    if tag.startswith("@"):
        return to_term(ox.Literal(text, language=tag[1:]))
    return to_term(ox.Literal(text, datatype=ox.NamedNode(tag) if tag else None))


LITERALS = st.builds(
    literal,
    TEXTS,
    st.sampled_from(["", "@en", "@de", "@en-gb", E + "own"]),
)
BLANKS = st.sampled_from(["_:x", "_:y"])
HEADS, TAILS = IRIS | BLANKS, IRIS | BLANKS | LITERALS
GRAPHS = st.lists(st.builds(Triple, HEADS, RELATIONS, TAILS), max_size=15)
QUADS = st.lists(st.tuples(st.builds(Triple, HEADS, RELATIONS, TAILS), st.integers(0, 2)))


def iri(name: str) -> str:
    return f"<{E}{name}>"


def turtle(text: str) -> ox.Store:
    """A store of a Turtle text."""
    inner = ox.Store()
    inner.load(f"PREFIX : <{E}>\nPREFIX rdfs: <{LABEL[1:-6]}>\n{text}", ox.RdfFormat.TURTLE)
    return inner


def loaded(triples: Iterable[Triple]) -> ox.Store:
    """A store of some triples; blank nodes keep their names."""
    inner = ox.Store()
    for triple in triples:
        inner.add(quad(triple, ox.DefaultGraph()))
    return inner


def quad(triple: Triple, graph: Any) -> ox.Quad:
    head, relation, tail = (to_node(term) for term in triple)
    return ox.Quad(head, relation, tail, graph)  # pyright: ignore[reportArgumentType]


def named(steps: Iterable[Step]) -> list[Step]:
    """Steps without blank nodes, which an endpoint cannot be asked about."""
    return [step for step in steps if not any(term.startswith("_:") for term in step.triple)]


@contextmanager
def client(url: str, **given: Any) -> Generator[SparqlClient]:
    settings: dict[str, Any] = {"timeout": 10, "_env_file": None, **given}
    connected = SparqlClient(url, EndpointSettings(**settings))
    try:
        yield connected
    finally:
        connected.close()


@contextmanager
def store(url: str, **given: Any) -> Generator[SparqlStore]:
    with client(url, **given) as connected:
        yield SparqlStore(connected)
