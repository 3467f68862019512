"""The order of classes at an endpoint: followed from class to class, a few levels far."""

import pyoxigraph as ox
import pytest
from groundwalk.agent.errors import ServiceError
from groundwalk.agent.kg import KnowledgeGraph, Term, Triple, open_kg
from groundwalk.agent.kg.classes import SUBCLASS

from .asking import quad
from .endpoint import Endpoint, Handler

LEVELS = 5
RDF_TYPE = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>"


def class_(number: int) -> Term:
    return f"<urn:class:{number}>"


@pytest.fixture
def kg(endpoint: Endpoint) -> KnowledgeGraph:
    """A chain of ten classes, the first of which is above itself, too."""
    chain = [Triple(class_(below), SUBCLASS, class_(below + 1)) for below in range(9)]
    triples = [
        *chain,
        Triple(class_(0), SUBCLASS, class_(0)),
        Triple("<urn:a>", RDF_TYPE, class_(0)),
    ]
    store = ox.Store()
    store.extend(quad(triple, ox.DefaultGraph()) for triple in triples)
    endpoint.reset(store)
    opened = open_kg(endpoint.url)
    endpoint.asked.clear()
    return opened


def test_classes_above_are_followed_and_remembered(kg: KnowledgeGraph, endpoint: Endpoint) -> None:
    assert not kg.class_order.is_empty and not endpoint.asked
    above = {class_(number) for number in range(LEVELS + 1)}
    assert kg.class_order.above([class_(0)]) == above
    assert 0 < len(endpoint.asked) <= LEVELS
    assert not any("COUNT" in asked.query for asked in endpoint.asked)
    endpoint.asked.clear()
    assert kg.class_order.above([class_(0)]) == above and not endpoint.asked


def test_classes_below_are_followed_as_far(kg: KnowledgeGraph, endpoint: Endpoint) -> None:
    order, top = kg.class_order, class_(9)
    assert list(order.below(top)) == [class_(8 - level) for level in range(LEVELS)]
    steps = order.upward(class_(8), top)
    assert steps is not None and [step.triple for step in steps] == [
        Triple(class_(8), SUBCLASS, top)
    ]
    assert order.upward(class_(0), top) is None
    assert not any("COUNT" in asked.query for asked in endpoint.asked)


def test_members_are_those_that_are_stated(kg: KnowledgeGraph, endpoint: Endpoint) -> None:
    assert kg.membership.is_empty and kg.membership.below(class_(9)) == {}
    assert not endpoint.asked


def test_what_was_not_answered_is_asked_again(kg: KnowledgeGraph, endpoint: Endpoint) -> None:
    def silent(handler: Handler) -> bool:
        handler.reply(400, b"no", "text/plain")
        return True

    endpoint.misbehaviour = silent
    with pytest.raises(ServiceError):
        kg.class_order.above([class_(8)])
    endpoint.misbehaviour = None
    assert kg.class_order.above([class_(8)]) == {class_(9)}
