"""Ontologies are walked by what they say of classes, and every step is proved by their triples."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import rdflib
from groundwalk.agent.kg import (
    KnowledgeGraph,
    OxigraphStore,
    Profile,
    Reading,
    Step,
    Triple,
    load_profile,
    verify_paths,
)
from groundwalk.agent.kg import Path as Walk
from groundwalk.agent.kg.derived.layer import Plain
from groundwalk.agent.kg.derived.patterns import PatternStore
from groundwalk.agent.kg.derived.relations import PatternLabels
from groundwalk.agent.kg.store import Way
from groundwalk.agent.kg.stores.rdflib_graph import RdflibStore
from groundwalk.agent.kg.stores.sparql import SparqlLabels, SparqlStore
from groundwalk.agent.kg.stores.sparql.client import SparqlClient
from groundwalk.agent.kg.stores.sparql.unnamed import UnnamedNodes
from hypothesis import given, settings
from hypothesis import strategies as st
from rdflib.term import Identifier
from rdflib.util import from_n3

from ....properties import holds_for
from ..sparql.asking import client
from ..sparql.endpoint import Endpoint
from .ontologies import (
    CLASSES,
    FIRST,
    INTERSECTION,
    NIL,
    ON,
    OWL_PROFILE,
    REST,
    SOME,
    SUB,
    TEXT,
    TWO,
    Ontology,
    iri,
    ontologies,
)
from .worlds import opened, store_of

COLLAPSE = Reading("collapse")
ENDS = [*CLASSES, TEXT, TWO]


def ontology(triples: list[Triple]) -> KnowledgeGraph:
    return opened(triples, COLLAPSE, OWL_PROFILE)


@holds_for(ontologies, quick=60, slow=1_000)
def test_the_facts_are_what_is_said(triples: list[Triple]) -> None:
    kg, wanted = ontology(triples), Ontology(triples).facts()
    facts = list(kg.walks.facts())
    assert set(facts) == wanted and len(facts) == len(wanted)
    assert kg.counts.facts == len(wanted)
    assert kg.counts.relations == len({fact.relation for fact in wanted})


@holds_for(ontologies, quick=60, slow=1_000)
def test_steps_are_the_facts_from_both_ends(triples: list[Triple]) -> None:
    kg, facts = ontology(triples), Ontology(triples).facts()
    around = kg.walks.neighbours(ENDS)
    for node, steps in zip(ENDS, around, strict=True):
        leaving = {Step(fact) for fact in facts if fact.head == node}
        assert set(steps) == leaving | {Step(fact, True) for fact in facts if fact.tail == node}
        for inverse in (False, True):
            directed = [step for step in steps if step.inverse == inverse]
            (relations,) = kg.walks.relations_at([node], inverse)
            assert relations == sorted({step.triple.relation for step in directed})
            for relation in relations:
                (followed,) = kg.walks.follow_each([Way(node, relation, inverse)])
                assert followed == [s for s in directed if s.triple.relation == relation]


@holds_for(ontologies, quick=60, slow=1_000)
def test_every_step_is_proved(triples: list[Triple]) -> None:
    kg = ontology(triples)
    paths = [Walk(s.source, (s,)) for steps in kg.walks.neighbours(ENDS) for s in steps]
    for path, proof in zip(paths, kg.prove(paths), strict=True):
        assert proof is not None
        assert (proof.topic, proof.end) == (path.topic, path.end)
        assert {step.triple for step in proof.steps} <= set(triples)
        (verdict,) = verify_paths(kg.store, [path.topic], [proof])
        assert verdict.verdict == "supported" and verdict.connected
        assert kg.used(path, proof) or path == proof


@holds_for(ontologies, st.data(), quick=40, slow=400)
def test_no_step_outlives_its_triples(triples: list[Triple], data: st.DataObject) -> None:
    kg = ontology(triples)
    steps = [step for steps in kg.walks.neighbours(ENDS) for step in steps]
    gone = data.draw(st.sampled_from(triples))
    rest = [triple for triple in triples if triple != gone]
    still = Ontology(rest).facts()
    left = opened(rest, COLLAPSE, OWL_PROFILE)
    proofs = left.prove([Walk(step.source, (step,)) for step in steps])
    for step, proof in zip(steps, proofs, strict=True):
        proved = proof is not None and all(left.store.holds([s.triple for s in proof.steps]))
        assert proved == (step.triple in still)


@holds_for(ontologies, quick=25, slow=200)
def test_rdflib_gives_the_same(triples: list[Triple]) -> None:
    kg = ontology(triples)
    graph = rdflib.Graph()
    for ends in triples:
        graph.add(tuple(map(_identifier, ends)))  # pyright: ignore[reportArgumentType]
    other = replace(kg, store=RdflibStore(graph, profile=OWL_PROFILE))
    assert sorted(other.walks.facts()) == sorted(kg.walks.facts())
    around = kg.walks.neighbours(ENDS)
    assert other.walks.neighbours(ENDS) == around
    paths = [Walk(step.source, (step,)) for steps in around for step in steps]
    assert other.prove(paths) == kg.prove(paths)


@pytest.mark.parametrize("examples", [12, pytest.param(150, marks=pytest.mark.slow)])
def test_an_endpoint_gives_the_same(examples: int) -> None:
    """Every fact, and a proof of it that the endpoint holds."""
    with Endpoint() as endpoint, client(endpoint.url) as connected:

        @settings(deadline=None, max_examples=examples)
        @given(ontologies)
        def check(triples: list[Triple]) -> None:
            endpoint.reset(store_of(triples))
            local = ontology(triples)
            remote = at_endpoint(local, connected)
            named = [t for t in local.walks.facts() if not _has_blank(t)]
            assert sorted(t for t in remote.walks.facts() if not _has_blank(t)) == sorted(named)
            around = remote.walks.neighbours(ENDS)
            assert around == [
                [step for step in steps if not _has_blank(step.triple)]
                for steps in local.walks.neighbours(ENDS)
            ]
            paths = [Walk(step.source, (step,)) for steps in around for step in steps]
            proofs = [proof for proof in remote.prove(paths) if proof]
            assert len(proofs) == len(paths)
            judged = verify_paths(remote.store, ENDS, proofs)
            assert {verdict.verdict for verdict in judged} <= {"supported"}

        check()


def _has_blank(triple: Triple) -> bool:
    return triple.head.startswith("_:") or triple.tail.startswith("_:")


def _identifier(term: str) -> Identifier:
    """A term as rdflib has it, under the same name where it has none."""
    node = rdflib.BNode(term[2:]) if term.startswith("_:") else from_n3(term)
    assert isinstance(node, Identifier)
    return node


MEASURED = """
extends = "generic"
collapse = true
schema = ["ex:quantity", "ex:value", "ex:digits"]

[patterns.measured]
heads = ["^ex:of", "ex:has"]
relations = ["ex:quantity"]
tails = ["ex:value"]
numbers = ["ex:digits"]
called = "{relation} ({number} digits)"

[prefixes]
ex = "http://example.org/"
"""
MEASUREMENTS = [
    Triple(iri("m0"), iri("of"), iri("elbe")),
    Triple(iri("m0"), iri("quantity"), iri("riverLength")),
    Triple(iri("m0"), iri("value"), '"1094"^^<http://www.w3.org/2001/XMLSchema#integer>'),
    Triple(iri("m0"), iri("digits"), '"4"^^<http://www.w3.org/2001/XMLSchema#integer>'),
    Triple(iri("m0"), iri("by"), iri("ada")),
    Triple(iri("rhine"), iri("has"), iri("m1")),
    Triple(iri("m1"), iri("quantity"), iri("riverLength")),
    Triple(iri("m1"), iri("value"), iri("long")),
    Triple(iri("m1"), iri("digits"), '"4"^^<http://www.w3.org/2001/XMLSchema#integer>'),
]


@pytest.fixture
def measured(tmp_path: Path) -> Profile:
    (tmp_path / "measured.toml").write_text(MEASURED, encoding="utf-8")
    return load_profile(str(tmp_path / "measured.toml"))


def at_endpoint(local: KnowledgeGraph, connected: SparqlClient) -> KnowledgeGraph:
    """The same KG behind an endpoint, with the nodes of its patterns."""
    store = SparqlStore(connected, profile=local.profile)
    labels = SparqlLabels(connected, profile=local.profile)
    nodes = UnnamedNodes(connected, local.profile, store.follow_each)
    named = PatternLabels(labels, local.profile.pattern_of, nodes.relations)
    return replace(local, store=store, labels=named, pinned=False, nodes=nodes)


def test_nodes_with_names_are_read_over_an_endpoint_too(measured: Profile) -> None:
    local = opened(MEASUREMENTS, COLLAPSE, measured)
    ends = [iri("elbe"), iri("rhine"), iri("long"), MEASUREMENTS[2].tail]
    with Endpoint() as endpoint, client(endpoint.url) as connected:
        endpoint.reset(store_of(MEASUREMENTS))
        remote = at_endpoint(local, connected)
        for kg in (local, remote):
            steps = [step for near in kg.walks.neighbours(ends) for step in near]
            said = [step for step in steps if "pattern:measured" in step.triple.relation]
            assert [(step.source, step.target) for step in said] == [
                (iri("elbe"), MEASUREMENTS[2].tail),
                (iri("rhine"), iri("long")),
                (iri("long"), iri("rhine")),
                (MEASUREMENTS[2].tail, iri("elbe")),
            ]
            assert {*kg.walk_labels.names([step.triple.relation for step in said])} == {
                "river length (4 digits)"
            }
            paths = [Walk(step.source, (step,)) for step in said]
            for path, proof in zip(paths, kg.prove(paths), strict=True):
                assert proof and proof.end == path.end
                assert {step.triple for step in proof.steps} <= {*MEASUREMENTS}
                (verdict,) = verify_paths(kg.store, [path.topic], [proof])
                assert verdict.verdict == "supported"


def test_restrictions_of_an_endpoint_are_read_and_verified() -> None:
    """Named after what is said of them, as the endpoint's names mean nothing elsewhere."""
    restricted = built_ontology()
    local = opened(restricted, COLLAPSE, OWL_PROFILE)
    with Endpoint() as endpoint, client(endpoint.url) as connected:
        endpoint.reset(store_of(restricted))
        remote = at_endpoint(local, connected)
        assert sorted(remote.walks.facts()) == sorted(local.walks.facts())
        around = remote.walks.neighbours(CLASSES)
        assert around == local.walks.neighbours(CLASSES)
        paths = [Walk(step.source, (step,)) for steps in around for step in steps]
        proofs = [proof for proof in remote.prove(paths) if proof]
        assert len(proofs) == len(paths)
        judged = verify_paths(remote.store, CLASSES, proofs)
        assert {verdict.verdict for verdict in judged} == {"supported"}
        endpoint.reset(store_of([t for t in restricted if t.relation != SOME]))
        judged = verify_paths(remote.store, CLASSES, proofs)
        unsupported = [v for v in judged if v.verdict == "unsupported"]
        assert len(unsupported) == len([p for p in proofs if len(p.steps) > 1])


def built_ontology() -> list[Triple]:
    """A class below another one, and below a restriction."""
    return [
        Triple(CLASSES[0], SUB, CLASSES[1]),
        Triple(CLASSES[0], SUB, "_:r"),
        Triple("_:r", ON, iri("p0")),
        Triple("_:r", SOME, CLASSES[2]),
    ]


def test_what_many_lists_share_is_read_once() -> None:
    """A conjunction of two, each of the next two, thirty deep, and a long one that is a circle."""
    deep = list[Triple]()
    for number in range(30):
        for place in range(2):
            cell, rest = f"_:c{number}-{place}", "_:" + f"c{number}-1" if not place else NIL
            deep += [Triple(cell, FIRST, f"_:n{number + 1}"), Triple(cell, REST, rest)]
        deep.append(Triple(f"_:n{number}", INTERSECTION, f"_:c{number}-0"))
    circle = [Triple(f"_:z{n}", REST, f"_:z{(n + 1) % 2_000}") for n in range(2_000)]
    circle += [Triple("_:n9", INTERSECTION, "_:z0"), Triple("_:z7", FIRST, CLASSES[3])]
    kg = ontology([Triple(CLASSES[0], SUB, "_:n0"), *deep, *circle])
    (steps,) = kg.walks.neighbours([CLASSES[0]])
    assert steps == [Step(Triple(CLASSES[0], SUB, CLASSES[3]))]
    assert kg.walks.neighbours([CLASSES[3]])[0] == [Step(steps[0].triple, True)]


def ontology_of(classes: int) -> list[Triple]:
    """Classes below one another and below restrictions, some of them in intersections."""
    triples = list[Triple]()
    for number in range(1, classes):
        head, node, cell = iri(f"C{number}"), f"_:r{number}", f"_:l{number}"
        triples += [
            Triple(head, SUB, iri(f"C{number // 2}")),
            Triple(node, ON, iri("p0")),
            Triple(node, SOME, iri(f"C{number // 3}")),
        ]
        if number % 4:
            triples.append(Triple(head, SUB, node))
        else:
            listed = [Triple(cell, FIRST, node), Triple(cell, REST, NIL)]
            triples += [Triple(head, SUB, f"_:i{number}"), *listed]
            triples.append(Triple(f"_:i{number}", INTERSECTION, cell))
    return triples


class Counted(OxigraphStore):
    """A store that counts what is looked up in it."""

    looked_up = 0

    def follow(self, nodes: Sequence[str], *given: Any, **named: Any) -> list[list[Step]]:
        self.looked_up += len(nodes)
        return super().follow(nodes, *given, **named)


def test_the_cost_is_that_of_the_triples() -> None:
    costs = list[float]()
    for classes in (200, 800):
        triples = ontology_of(classes)
        store = Counted(store_of(triples), profile=OWL_PROFILE)
        said = list(PatternStore(Plain(store), store, OWL_PROFILE).pattern_facts())
        assert len(set(said)) == classes - 1
        costs.append(store.looked_up / len(triples))
    assert costs[1] < 1.1 * costs[0] < 5
