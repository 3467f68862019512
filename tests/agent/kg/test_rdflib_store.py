"""A graph of rdflib says the same as Oxigraph with the same triples."""

from typing import Any

import pyoxigraph as ox
import pytest
import rdflib
from groundwalk.agent.errors import ServiceError
from groundwalk.agent.kg import OxigraphStore, Step, Triple
from groundwalk.agent.kg.nodes import to_node, to_term
from groundwalk.agent.kg.store import Store
from groundwalk.agent.kg.stores.rdflib_graph import RdflibStore
from hypothesis import given
from hypothesis import strategies as st

E = "http://example.org/"
IRIS = st.sampled_from([f"<{E}{name}>" for name in ("a", "b", "%3E", "é")])
BLANKS = st.sampled_from(["_:x", "_:y"])
RELATIONS = st.sampled_from([f"<{E}p>", f"<{E}q>", "<http://www.w3.org/2000/01/rdf-schema#label>"])


def literal(text: str, tag: str) -> str:
    """A text with a language (`@en`), a datatype or neither."""
    if tag.startswith("@"):
        return to_term(ox.Literal(text, language=tag[1:]))
    return to_term(ox.Literal(text, datatype=ox.NamedNode(tag) if tag else None))


LITERALS = st.builds(
    literal,
    st.text(max_size=4) | st.sampled_from(['"', "\\u0041", "a\nb", ""]),
    st.sampled_from(["@en", "@en-GB", f"{E}own", "http://www.w3.org/2001/XMLSchema#string"]),
)
HEADS, TAILS = IRIS | BLANKS, IRIS | BLANKS | LITERALS
TRIPLES = st.builds(Triple, HEADS, RELATIONS, TAILS)
QUADS = st.lists(st.tuples(TRIPLES, st.sampled_from(["", f"{E}g", f"{E}h"])), max_size=15)
ODD = st.sampled_from(["no term", "<no iri>", '"x', '"a"@en--ltr'])


def in_rdflib(term: str) -> Any:
    """By rdflib's own parser, and not by the code under test; blank nodes keep their names."""
    if term.startswith("_:"):
        return rdflib.BNode(term[2:])
    graph = rdflib.Graph().parse(data=f"<urn:s> <urn:p> {term} .", format="nt")
    return next(graph.objects())


def both(quads: list[tuple[Triple, str]], dataset: bool) -> tuple[OxigraphStore, RdflibStore]:
    inner = ox.Store()
    graph = rdflib.Dataset() if dataset else rdflib.Graph()
    for triple, name in quads:
        head, relation, tail = (to_node(term) for term in triple)
        where: Any = ox.NamedNode(name) if name else ox.DefaultGraph()
        inner.add(ox.Quad(head, relation, tail, where))  # pyright: ignore[reportArgumentType]
        part = graph.graph(name) if isinstance(graph, rdflib.Dataset) and name else graph
        part.add(tuple(map(in_rdflib, triple)))  # pyright: ignore[reportArgumentType]
    return OxigraphStore(inner), RdflibStore(graph)


@given(QUADS, st.booleans(), st.lists(TAILS | ODD), RELATIONS | TAILS, st.booleans())
def test_it_walks_as_oxigraph_does(
    quads: list[tuple[Triple, str]],
    dataset: bool,
    nodes: list[str],
    relation: str,
    inverse: bool,
) -> None:
    expected, found = both(quads, dataset)
    nodes += [term for triple, _ in quads for term in (triple.head, triple.tail)]
    assert found.neighbours(nodes, inverse=inverse) == expected.neighbours(nodes, inverse=inverse)
    assert found.follow(nodes, relation, inverse) == expected.follow(nodes, relation, inverse)


@given(QUADS, st.booleans(), st.lists(st.builds(Triple, TAILS | ODD, RELATIONS | TAILS, TAILS)))
def test_it_holds_what_oxigraph_holds(
    quads: list[tuple[Triple, str]], dataset: bool, others: list[Triple]
) -> None:
    expected, found = both(quads, dataset)
    asked = [triple for triple, _ in quads] + others
    assert found.holds(asked) == expected.holds(asked)
    assert sorted(found.facts()) == sorted(expected.facts())
    label = "<http://www.w3.org/2000/01/rdf-schema#label>"
    assert sorted(found.statements(label)) == sorted(set(expected.statements(label)))
    distinct = len({triple for triple, _ in quads})
    assert found.counts() == expected.counts()._replace(triples=distinct)


def test_it_is_read_as_it_is_now() -> None:
    graph = rdflib.Graph()
    store: Store = RdflibStore(graph, source="mine")
    triple = Triple(f"<{E}a>", f"<{E}p>", f"<{E}b>")
    assert store.holds([triple]) == [False]
    graph.parse(data=f"{' '.join(triple)} .", format="nt")
    assert store.holds([triple]) == [True]
    assert store.neighbours([triple.tail]) == [[Step(triple, True)]]
    assert store.neighbours([triple.tail], inverse=False) == [[]]
    assert store.source == "mine"


def test_hubs_are_capped_in_each_direction() -> None:
    lines = "".join(f"<{E}hub> <{E}p> <{E}a{i}> . <{E}b{i}> <{E}p> <{E}hub> . " for i in range(50))
    store = RdflibStore(rdflib.Graph().parse(data=lines, format="turtle"))
    (steps,) = store.neighbours([f"<{E}hub>"], limit=7)
    assert [step.inverse for step in steps].count(True) == 7
    assert len(steps) == 14
    assert len(store.follow([f"<{E}hub>"], f"<{E}p>", False, limit=7)[0]) == 7


def test_what_has_no_spelling_is_left_out() -> None:
    graph = rdflib.Graph()
    a, p = rdflib.URIRef(f"{E}a"), rdflib.URIRef(f"{E}p")
    for tail in (rdflib.URIRef(f"{E}a b"), rdflib.Variable("x"), rdflib.BNode("not a label")):
        graph.add((a, p, tail))
    graph.add((a, p, rdflib.Literal(1)))
    assert RdflibStore(graph).neighbours([f"<{E}a>"]) == [
        [Step(Triple(f"<{E}a>", f"<{E}p>", '"1"^^<http://www.w3.org/2001/XMLSchema#integer>'))]
    ]


def test_a_graph_that_fails_is_a_service_error(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: object) -> None:
        raise OSError("disk gone")

    graph = rdflib.Graph()
    monkeypatch.setattr(graph, "triples", fails)
    with pytest.raises(ServiceError, match="disk gone"):
        RdflibStore(graph).holds([Triple(f"<{E}a>", f"<{E}p>", f"<{E}b>")])
