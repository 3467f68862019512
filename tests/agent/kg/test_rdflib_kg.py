"""A graph of rdflib, opened as a KG, is the KG that its file is; and it is asked as it is now."""

from importlib import resources
from pathlib import Path

import pytest
import rdflib
from groundwalk.agent.errors import KGError
from groundwalk.agent.kg import KnowledgeGraph, Reading, Step, kg_of, open_kg, verify_paths
from groundwalk.agent.kg import Path as Walk
from groundwalk.agent.linking import LabelLinker
from rdflib import RDFS, Literal, Namespace

EX = Namespace("https://example.org/")


@pytest.fixture(scope="module")
def world() -> rdflib.Graph:
    file = resources.files("groundwalk.data.world") / "world.ttl"
    return rdflib.Graph().parse(data=file.read_text(encoding="utf-8"), format="turtle")


@pytest.fixture(scope="module")
def same(world: rdflib.Graph, tmp_path_factory: pytest.TempPathFactory) -> KnowledgeGraph:
    """The file of the same triples: N-Triples, whose blank nodes keep their names."""
    file = tmp_path_factory.mktemp("world") / "world.nt"
    world.serialize(str(file), format="nt", encoding="utf-8")
    return open_kg(str(file), cache=file.parent / "cache")


def test_it_is_the_same_as_its_file(world: rdflib.Graph, same: KnowledgeGraph) -> None:
    before = len(world)
    opened = kg_of(world, source="mine")
    assert opened.counts == same.counts and opened.source == "mine"
    assert sorted(opened.store.facts()) == sorted(same.store.facts())
    assert opened.labels.relations() == same.labels.relations()
    terms = sorted({term for fact in same.store.facts() for term in fact})
    assert opened.labels.describe(terms) == same.labels.describe(terms)
    linked = [
        LabelLinker(kg.labels).link("Is Wien in Austria or Luxembourg?") for kg in (opened, same)
    ]
    assert linked[0] == linked[1] and linked[0]
    assert len(world) == before


def test_its_digest_is_that_of_its_content(world: rdflib.Graph) -> None:
    other = rdflib.Graph()
    for triple in sorted(world, reverse=True):
        other.add(triple)
    assert kg_of(other).digest == kg_of(world).digest
    other.add((EX.a, EX.p, EX.b))
    assert kg_of(other).digest != kg_of(world).digest


def test_verification_asks_the_graph_as_it_is_now() -> None:
    graph = rdflib.Graph()
    graph.add((EX.a, EX.p, EX.b))
    kg = kg_of(graph)
    (fact,) = kg.store.facts()
    walk = Walk(fact.head, (Step(fact),))
    assert [v.verdict for v in verify_paths(kg.store, [fact.head], [walk])] == ["supported"]
    graph.remove((EX.a, EX.p, EX.b))
    assert [v.verdict for v in verify_paths(kg.store, [fact.head], [walk])] == ["unsupported"]


def test_the_graphs_of_a_dataset_are_one() -> None:
    dataset = rdflib.Dataset()
    dataset.graph(EX.one).add((EX.a, EX.p, EX.b))
    dataset.graph(EX.two).add((EX.b, EX.p, EX.c))
    dataset.graph(EX.two).add((EX.a, RDFS.label, Literal("Ada")))
    kg = kg_of(dataset)
    assert {(f.head, f.tail) for f in kg.store.facts()} == {
        (EX.a.n3(), EX.b.n3()),
        (EX.b.n3(), EX.c.n3()),
    }
    assert kg.labels.names([EX.a.n3()]) == ["Ada"]


def test_languages_and_readings_are_those_of_files(tmp_path: Path) -> None:
    graph = rdflib.Graph()
    graph.add((EX.w, EX.p, EX.a))
    graph.add((EX.w, RDFS.label, Literal("Vienna", lang="en")))
    graph.add((EX.w, RDFS.label, Literal("Wien", lang="de")))
    graph.add((EX.w, rdflib.OWL.sameAs, EX.v))
    kg = kg_of(graph, languages=("de",), reading=Reading("keep", same_as=True))
    assert kg.labels.names([EX.w.n3()]) == ["Wien"]
    assert kg.reading.same_as and kg.representatives([EX.v.n3()])
    assert kg_of(graph).labels.names([EX.w.n3()]) == ["Vienna"]


def test_a_graph_without_triples_is_an_error() -> None:
    with pytest.raises(KGError, match="the graph rdflib holds no triples"):
        kg_of(rdflib.Graph())
