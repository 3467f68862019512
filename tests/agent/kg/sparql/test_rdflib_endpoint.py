"""Another engine behind another server: rdflib's, asked all that an endpoint is asked."""

import socket
import threading
import time
from collections.abc import Iterator
from typing import Any

import pyoxigraph as ox
import pytest
import rdflib
from groundwalk.agent.errors import ServiceError
from groundwalk.agent.kg import OxigraphStore, Triple
from groundwalk.agent.kg.nodes import to_term
from groundwalk.agent.kg.sparql import SparqlStore
from groundwalk.agent.kg.sparql.labels import SparqlLabels

from .asking import HOSTILE, LABEL, TYPE, client, iri, loaded, quad

endpoint = pytest.importorskip("rdflib_endpoint", reason="the second engine is not installed")
uvicorn = pytest.importorskip("uvicorn", reason="the second engine has no server")

FACTS = [
    Triple(iri(head), iri(relation), tail)
    for head, relation, tail in (
        ("a", "p", iri("b")),
        ("a", "p", iri("x?q=1&r=%22#f")),
        ("a", "q%7D", iri("é")),
        ("é", "p", iri("a")),
        ("b", "p", '"chat"@fr'),
        ("b", "p", '"chat"'),
        ("b", "p", f'"chat"^^{iri("own")}'),
    )
]
HOSTILES = [Triple(iri("t"), iri("p"), to_term(ox.Literal(text))) for text in HOSTILE]
NAMES = [
    Triple(iri("a"), LABEL, '"Georgia"@en'),
    Triple(iri("b"), LABEL, '"Georgia"@en'),
    Triple(iri("a"), TYPE, iri("Country")),
    Triple(iri("p"), LABEL, '"borders"@en'),
]
TRIPLES = [*FACTS, *HOSTILES, *NAMES]
NODES = sorted({term for triple in TRIPLES for term in (triple.head, triple.tail)})


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    graph = rdflib.Dataset(default_union=True)
    for triple in TRIPLES:
        graph.parse(data=f"{quad(triple, ox.DefaultGraph()).triple} .", format="nt")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    app = endpoint.SparqlEndpoint(graph=graph, enable_update=False)
    server: Any = uvicorn.Server(uvicorn.Config(app, port=port, log_level="error"))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    yield f"http://127.0.0.1:{port}/"
    server.should_exit = True
    thread.join()


@pytest.mark.parametrize("method", ["direct", "get"])
def test_it_is_read_as_a_local_store(url: str, method: str) -> None:
    local = OxigraphStore(loaded(TRIPLES))
    other = [Triple(t.tail, t.relation, t.head) for t in TRIPLES if t.tail.startswith("<")]
    with client(url, method=method) as connected:
        store = SparqlStore(connected)
        assert store.neighbours(NODES) == local.neighbours(NODES)
        for inverse in (False, True):
            assert store.follow(NODES, iri("p"), inverse) == local.follow(NODES, iri("p"), inverse)
        assert store.holds(TRIPLES + other) == local.holds(TRIPLES + other)
        assert sorted(store.facts()) == sorted(local.facts())
        assert store.counts() == local.counts()


def test_its_names(url: str) -> None:
    with client(url, method="direct") as connected:
        labels = SparqlLabels(connected)
        assert labels.names([iri("a"), iri("b"), iri("q%7D")]) == ["Georgia", "Georgia (b)", "q}"]
        assert [info.kind for info in labels.describe([iri("a")])] == ["Country"]
        assert labels.known(["georgia", "borders"]) == {"georgia", "borders"}
        assert [hit.term for hit in labels.lookup("georgia")] == [iri("a"), iri("b")]
        assert [found.name for found in labels.relations()][0] == "borders"
        assert {word.text for word in labels.vocabulary()} == {"borders", "q}", "Country"}


def test_forms_that_it_decodes_twice_gain_no_wrong_yes(url: str) -> None:
    local = OxigraphStore(loaded(TRIPLES))
    with client(url, method="form") as connected:
        store = SparqlStore(connected)
        verdicts = store.holds(FACTS)
        assert all(v in (None, h) for v, h in zip(verdicts, local.holds(FACTS), strict=True))
        try:
            found = store.neighbours([iri("x?q=1&r=%22#f")])
        except ServiceError:
            return
        assert found == local.neighbours([iri("x?q=1&r=%22#f")])
