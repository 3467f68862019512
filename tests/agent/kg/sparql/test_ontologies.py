"""Ontologies and thesauri behind an endpoint are known and read as those of files are."""

from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyoxigraph as ox
import pytest
import rdflib
from groundwalk import build_graph
from groundwalk.agent.kg import KnowledgeGraph, Triple, open_kg

from .endpoint import Endpoint
from .rdflib_server import serving

HERE = Path(__file__).parents[1]
SOURCES = {name: HERE / name for name in ("anatomy.ttl", "pizza.owl", "cheese.ttl")}


def store_of(source: Path) -> ox.Store:
    store = ox.Store()
    kind = ox.RdfFormat.RDF_XML if source.suffix == ".owl" else ox.RdfFormat.TURTLE
    store.load(path=str(source), format=kind)
    return store


@contextmanager
def oxigraph(source: Path) -> Generator[str]:
    with Endpoint(store_of(source)) as endpoint:
        yield endpoint.url


@contextmanager
def rdflib_server(source: Path) -> Generator[str]:
    pytest.importorskip("rdflib_endpoint", reason="it is not installed")
    pytest.importorskip("uvicorn", reason="it is not installed")
    graph = rdflib.Dataset(default_union=True)
    graph.parse(source, format="xml" if source.suffix == ".owl" else "turtle")
    with serving(graph) as served:
        yield served


def read(kg: KnowledgeGraph) -> set[tuple[str, ...]]:
    """Every fact that is walked, by names."""
    return {tuple(kg.walk_labels.names([term])[0] for term in fact) for fact in kg.walks.facts()}


@pytest.mark.parametrize("name", SOURCES)
def test_the_facts_and_names_are_those_of_the_file(name: str, tmp_path: Path) -> None:
    local = open_kg(str(SOURCES[name]), cache=tmp_path)
    with oxigraph(SOURCES[name]) as url:
        remote = open_kg(url)
        assert remote.profile == local.profile and remote.profile.name in ("owl", "skos")
        assert read(remote) == read(local)
        relations = {info.name for info in local.walk_labels.relations()}
        assert {info.name for info in remote.walk_labels.relations()} == relations
        remote.close()


def test_a_thesaurus_is_found_by_labels_that_are_nodes(tmp_path: Path) -> None:
    with oxigraph(SOURCES["cheese.ttl"]) as url:
        german = open_kg(url, languages=["de"])
        assert german.profile.name == "skos"
        (emmental,) = german.labels.named("Emmentaler")
        assert [hit.term for hit in german.labels.lookup("emmentaler")] == [emmental]
        assert ("Emmentaler", "broader concept", "Hartkäse") in read(german)
        german.close()


@pytest.mark.slow
@pytest.mark.parametrize("name", SOURCES)
def test_another_engine_gives_the_same(name: str, tmp_path: Path) -> None:
    local = open_kg(str(SOURCES[name]), cache=tmp_path)
    with rdflib_server(SOURCES[name]) as url:
        remote = open_kg(url)
        assert remote.profile == local.profile
        assert read(remote) == read(local)
        remote.close()


QUERIES: dict[str, list[tuple[str, dict[str, Any]]]] = {
    "anatomy.ttl": [
        ("Heart", {"steps": [{"relation": "part of (some)"}]}),
        ("Body", {"steps": [{"relation": "part of (some)", "inverse": True}]}),
        ("Heart", {"steps": [{"relation": "kind of"}]}),
        ("Heart", {"steps": [{"relation": "has chamber (exactly 4)"}]}),
    ],
    "cheese.ttl": [
        ("Emmental", {"steps": [{"relation": "broader concept"}]}),
        ("cheese", {"steps": [{"relation": "broader concept", "inverse": True}]}),
    ],
}


@pytest.mark.parametrize("name", QUERIES)
def test_queries_are_answered_and_verified_as_over_the_file(name: str, tmp_path: Path) -> None:
    def answers(kg: KnowledgeGraph) -> list[tuple[str, list[str], set[str]]]:
        graph = build_graph("query", kg=kg)
        asked = [
            graph.invoke({"query": {"mentions": [start], "query": {"start": [0], **rest}}})
            for start, rest in QUERIES[name]
        ]
        return [
            (
                state["status"],
                sorted(answer["label"] for answer in state["answers"]),
                {t["verdict"] for a in state["answers"] for c in a["chains"] for t in c},
            )
            for state in asked
        ]

    with oxigraph(SOURCES[name]) as url:
        remote = open_kg(url)
        found = answers(remote)
        remote.close()
    assert found == answers(open_kg(str(SOURCES[name]), cache=tmp_path))
    assert {verdict for _, _, verdicts in found for verdict in verdicts} == {"supported"}


def test_things_are_no_ontology(tmp_path: Path) -> None:
    store = store_of(SOURCES["anatomy.ttl"])
    things = "".join(f":t{n} a :Organ ; :beside :t{n + 1} .\n" for n in range(20))
    prefix = "@prefix : <https://example.org/anatomy#> .\n"
    store.load(input=prefix + things, format=ox.RdfFormat.TURTLE)
    with Endpoint(store) as endpoint:
        kg = open_kg(endpoint.url)
        assert kg.profile.name == "generic"
        kg.close()


@pytest.mark.parametrize("other", ["_:b0", '"x"@en--ltr'])
def test_what_no_query_can_name_is_unknown_beside_a_described_node(other: str) -> None:
    with oxigraph(SOURCES["anatomy.ttl"]) as url:
        kg = open_kg(url)
        odd = Triple("_:said1", "<http://example.org/p>", other)
        assert kg.store.holds([odd, next(iter(kg.store.facts()))]) == [None, True]
        kg.close()
