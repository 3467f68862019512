"""Of a hub, every relation has steps, whatever the order in which a store gives its facts."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any

import pyoxigraph as ox
import pytest
import rdflib
from groundwalk.agent.errors import ServiceError
from groundwalk.agent.kg import Labels, OxigraphStore, Step, Store, Term, Triple, local_name
from groundwalk.agent.kg.store import Way
from groundwalk.agent.kg.stores.rdflib_graph import RdflibStore
from groundwalk.agent.kg.walking.hubs import Side, represent, step_order
from groundwalk.agent.kg.walking.view import GraphView, NeighbourCache, ViewLimits
from hypothesis import given
from hypothesis import strategies as st

from .sparql.asking import loaded

LABEL = "<http://www.w3.org/2000/01/rdf-schema#label>"
RELATIONS = [f"<x:r{i}>" for i in range(5)]
nodes = st.sampled_from([f"<x:n{i}>" for i in range(6)])
tails = nodes | st.sampled_from(['"a"', '"a"@en'])
relations = st.sampled_from([*RELATIONS, LABEL])
graphs = st.lists(st.builds(Triple, nodes, relations, tails), max_size=40)
odd = st.sampled_from(["no term", "<no iri>", "<x:nowhere>"])
ways = st.lists(st.builds(Way, tails | odd, relations | odd, st.booleans()), max_size=8)


def stores(triples: Sequence[Triple]) -> list[Store]:
    graph = rdflib.Graph()
    graph.parse(data="".join(f"{' '.join(triple)} .\n" for triple in triples), format="nt")
    inner = loaded(triples)
    facts = sorted({t.relation for t in triples if t.relation != LABEL})
    told = OxigraphStore(inner, relations=lambda: [*facts, "<x:never>"])
    return [OxigraphStore(inner), told, RdflibStore(graph)]


@given(graphs, st.lists(tails | odd, max_size=6), st.booleans())
def test_relations_at_are_those_of_the_facts(
    triples: list[Triple], asked: list[Term], inverse: bool
) -> None:
    facts = [triple for triple in triples if triple.relation != LABEL]
    expected = [sorted({t.relation for t in facts if t[2 * inverse] == node}) for node in asked]
    for store in stores(triples):
        assert store.relations_at(asked, inverse) == expected


@given(graphs, ways)
def test_each_way_is_followed_as_alone(triples: list[Triple], asked: list[Way]) -> None:
    for store in stores(triples):
        assert store.follow_each(asked) == [
            store.follow([way.node], way.relation, way.inverse)[0] for way in asked
        ]
        assert all(len(steps) <= 1 for steps in store.follow_each(asked, limit=1))


@given(graphs, st.integers(1, 9), st.booleans(), st.randoms(use_true_random=False))
def test_every_relation_of_a_hub_is_represented(
    triples: list[Triple], limit: int, inverse: bool, chance: st.DataObject
) -> None:
    """Whatever part of its facts was read, and beside whatever other hubs."""
    around: defaultdict[Side, list[Step]] = defaultdict(list)
    for triple in sorted({*triples}):
        if triple.relation != LABEL:
            around[triple[2 * inverse], inverse].append(Step(triple, inverse))
    hubs = {side: sorted(own, key=step_order) for side, own in around.items() if len(own) > limit}
    read = {side: chance.sample(steps, limit + 1) for side, steps in hubs.items()}  # pyright: ignore
    for store in stores(triples):
        found, requests = represent(store, read, limit)
        assert requests <= 1 + len(hubs)
        for side, steps in hubs.items():
            kept = found[side]
            assert kept == [step for step in steps if step in {*kept}]
            assert len(kept) == len({*kept}) <= limit
            walked = {step.triple.relation for step in steps}
            share = max(1, limit // len(walked))
            for relation in sorted(walked)[:limit]:
                there = sum(step.triple.relation == relation for step in steps)
                mine = sum(step.triple.relation == relation for step in kept)
                assert mine >= min(there, share)
            alone = represent(store, {side: read[side]}, limit)
            assert alone.steps == {side: kept}


class LocalNames:
    """Terms are called by their local names."""

    def names(self, terms: Sequence[Term]) -> list[str]:
        return [local_name(term) for term in terms]


MILLION = 1_000_000
HUB = "<x:hub>"


@pytest.fixture(scope="module")
def million() -> ox.Store:
    """A hub that a million edges of one relation reach, and one of another."""
    inner = ox.Store()
    edges = [b"<x:%d> <x:in> <x:hub> .\n" % i for i in range(MILLION)]
    edges.insert(MILLION // 2, b"<x:mayor> <x:leads> <x:hub> .\n")
    inner.bulk_load(b"".join(edges), ox.RdfFormat.N_TRIPLES)
    return inner


class Counting:
    """A store that counts the quads that are read from it."""

    def __init__(self, inner: ox.Store) -> None:
        self.inner = inner
        self.read = 0

    def quads_for_pattern(self, *pattern: Any) -> Iterator[ox.Quad]:
        for quad in self.inner.quads_for_pattern(*pattern):
            self.read += 1
            yield quad


def test_the_rare_relation_of_a_million_edges_is_found(million: ox.Store) -> None:
    counting: Any = Counting(million)
    store = OxigraphStore(counting, relations=lambda: ["<x:in>", "<x:leads>", "<x:other>"])
    labels: Labels = LocalNames()  # pyright: ignore[reportAssignmentType]
    (first,) = store.neighbours([HUB], limit=10_001)
    leads = Step(Triple("<x:mayor>", "<x:leads>", HUB), True)
    assert leads not in first, "the store gives it among the first anyway"
    view = GraphView(store, labels, ViewLimits(max_degree=500), "Who leads the hub?")
    counting.read = 0
    (steps,) = view.neighbours([HUB])
    assert 500 <= counting.read < 20_000, "it does not read all edges of the hub"
    assert leads in steps and len(steps) == 500
    assert [(cut.shown, cut.allowed, cut.more) for cut in view.cuts] == [(500, 10_000, True)]


class Reticent(OxigraphStore):
    """Tells no relations while it is busy."""

    busy = True

    def relations_at(self, nodes: Sequence[Term], inverse: bool) -> list[list[Term]]:
        if self.busy:
            raise ServiceError("busy")
        return super().relations_at(nodes, inverse)


def test_where_relations_are_not_told_what_was_read_is_shown_and_not_kept() -> None:
    facts = [Triple(HUB, "<x:r>", f"<x:t{i}>") for i in range(30)]
    store = Reticent(loaded([*facts, Triple("<x:a>", "<x:r>", "<x:b>")]))
    cache = NeighbourCache(store, limit=10)
    (hub, other), _ = cache.look_up([HUB, "<x:a>"], inverse=False)
    assert (len(hub.steps), hub.more) == (10, True)
    assert (len(other.steps), other.more) == (1, False)
    store.busy = False
    (again, same), requests = cache.look_up([HUB, "<x:a>"], inverse=False)
    assert (again.more, same, requests) == (True, other, 2)
    assert cache.look_up([HUB], inverse=False)[1] == 0
