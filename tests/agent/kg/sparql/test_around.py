"""What is read around entities is as the endpoint is now, and a slow endpoint recovers."""

from time import monotonic

import pyoxigraph as ox
import pytest
from groundwalk.agent.kg import Step, Triple
from groundwalk.agent.kg.profile import GENERIC
from groundwalk.agent.kg.stores.sparql import SparqlStore, around
from groundwalk.agent.kg.stores.sparql.about import Terms
from groundwalk.agent.kg.walking.view import NeighbourCache

from .asking import client, iri, loaded, quad
from .endpoint import Endpoint

P = iri("p")
FIRST, ADDED = Triple(iri("a"), P, iri("b")), Triple(iri("a"), P, iri("c"))


def test_each_question_sees_what_was_added(endpoint: Endpoint) -> None:
    endpoint.reset(loaded([FIRST]))
    with client(endpoint.url) as connected:
        store = SparqlStore(connected)
        store.look_around([FIRST.head])
        before = len(endpoint.asked)
        assert store.neighbours([FIRST.head], inverse=False) == [[Step(FIRST)]]
        assert len(endpoint.asked) == before
        endpoint.store.add(quad(ADDED, ox.DefaultGraph()))
        store.look_around([FIRST.head])
        assert store.neighbours([FIRST.head], inverse=False) == [[Step(FIRST), Step(ADDED)]]


def test_an_endpoint_that_was_slow_is_read_around_again(
    endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    endpoint.reset(loaded([FIRST]))
    with client(endpoint.url, attempts=1) as connected:
        read = around.Surroundings(connected, GENERIC, Terms(connected, GENERIC))
        endpoint.misbehaviour = lambda handler: handler.reply(500, b"") is None
        read.read([FIRST.head])
        endpoint.misbehaviour = None
        asked = len(endpoint.asked)
        read.read([FIRST.head])
        assert len(endpoint.asked) == asked and read.steps(FIRST.head, False) is None
        later = monotonic() + 61
        monkeypatch.setattr(around, "monotonic", lambda: later)
        read.read([FIRST.head])
        assert read.steps(FIRST.head, False) == [Step(FIRST)]


def test_what_walks_read_of_an_endpoint_is_forgotten(endpoint: Endpoint) -> None:
    endpoint.reset(loaded([FIRST]))
    with client(endpoint.url) as connected:
        cache = NeighbourCache(SparqlStore(connected), seconds=0.0)
        for triples in ([FIRST], [FIRST, ADDED]):
            endpoint.reset(loaded(triples))
            ((steps, _),), _ = cache.look_up([FIRST.head], inverse=True)
            assert len(steps) == len(triples)
