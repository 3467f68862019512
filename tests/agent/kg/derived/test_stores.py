"""A reading is the same over every store, and asks an endpoint for batches, not node by node."""

from collections.abc import Iterator
from dataclasses import replace

import pytest
import rdflib
from groundwalk.agent.kg import KnowledgeGraph, Path, Reading, Triple
from groundwalk.agent.kg.stores.rdflib_graph import RdflibStore
from groundwalk.agent.kg.stores.sparql import SparqlLabels, SparqlStore
from groundwalk.agent.kg.stores.sparql.client import SparqlClient
from hypothesis import given, settings

from ....properties import holds_for
from ..sparql.asking import client
from ..sparql.endpoint import Endpoint
from .worlds import LITERALS, NODES, PROFILE, SAME, graphs, iri, named, opened, readings, store_of

TERMS = [*NODES, *LITERALS]
ALL = Reading("collapse", True, True, True)


@pytest.fixture(scope="module")
def running() -> Iterator[tuple[Endpoint, SparqlClient]]:
    with Endpoint() as endpoint, client(endpoint.url) as connected:
        yield endpoint, connected


def remote(
    running: tuple[Endpoint, SparqlClient], triples: list[Triple], reading: Reading
) -> KnowledgeGraph:
    endpoint, connected = running
    endpoint.reset(store_of(triples))
    local = opened(triples, reading)
    store = SparqlStore(connected, profile=PROFILE)
    labels = SparqlLabels(connected, profile=PROFILE)
    return replace(local, store=store, labels=labels, pinned=False)


@holds_for(graphs, readings, quick=25, slow=60)
def test_rdflib_gives_the_same(triples: list[Triple], reading: Reading) -> None:
    """Of all but triple terms, which rdflib cannot hold."""
    triples = [t for t in triples if not t.tail.startswith("<<(")]
    graph = rdflib.Graph()
    graph.parse(data="".join(f"{' '.join(t)} .\n" for t in triples), format="nt")
    local = opened(triples, reading)
    other = replace(local, store=RdflibStore(graph, profile=PROFILE))
    assert sorted(other.walks.facts()) == sorted(local.walks.facts())
    around = local.walks.neighbours(TERMS)
    assert other.walks.neighbours(TERMS) == around
    paths = [Path(step.source, (step,)) for steps in around for step in steps]
    assert other.prove(paths) == local.prove(paths)


@pytest.mark.parametrize("examples", [25, pytest.param(40, marks=pytest.mark.slow)])
def test_an_endpoint_gives_the_same(running: tuple[Endpoint, SparqlClient], examples: int) -> None:
    @settings(deadline=None, max_examples=examples)
    @given(graphs, readings)
    def check(triples: list[Triple], reading: Reading) -> None:
        if reading.same_as:  # an endpoint counts facts that point at triple terms, a KG at hand not
            triples = [t for t in triples if not t.tail.startswith("<<(")]
        local, other = opened(triples, reading), remote(running, triples, reading)
        around = local.walks.neighbours(TERMS)
        assert other.walks.neighbours(TERMS) == around
        assert sorted(other.walks.facts()) == sorted(local.walks.facts())
        paths = [Path(step.source, (step,)) for steps in around for step in steps]
        assert other.prove(paths) == local.prove(paths)

    check()


def test_an_endpoint_is_asked_in_batches(running: tuple[Endpoint, SparqlClient]) -> None:
    """Of 90 neighbours, each behind a statement of its own and the same as another."""
    facts: list[Triple] = []
    for number in range(90):
        statement, other, twin = iri(f"statement/{number}"), iri(f"o{number}"), iri(f"t{number}")
        facts += [
            Triple(iri("e0"), iri("r0"), statement),
            Triple(statement, iri("r1"), other),
            Triple(twin, iri("r2"), iri(f"u{number}")),
            Triple(other, SAME, twin),
        ]
    labels = [
        Triple(iri(f"{kind}{n}"), named()[0].relation, f'"{kind}{n}"')
        for kind in "otu"
        for n in range(90)
    ]
    profile = replace(PROFILE, labels=PROFILE.labels[:1])
    kg = replace(remote(running, [*facts, *labels, *named()], ALL), profile=profile)
    endpoint, _ = running
    endpoint.asked.clear()
    (steps,) = kg.walks.neighbours([iri("e0")])
    assert len(steps) == 90
    print(len(endpoint.asked))
    assert len(endpoint.asked) < 40
    before = len(endpoint.asked)
    proofs = kg.prove([Path(step.source, (step,)) for step in steps])
    assert all(proof and len(proof.steps) in (2, 3) for proof in proofs)
    print(len(endpoint.asked) - before)
    assert len(endpoint.asked) - before < 30
