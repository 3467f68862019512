"""Another engine behind another server: rdflib's, asked all that an endpoint is asked."""

from collections.abc import Iterator
from pathlib import Path

import pyoxigraph as ox
import pytest
import rdflib
from groundwalk.agent.errors import ServiceError
from groundwalk.agent.kg import OxigraphStore
from groundwalk.agent.kg.stores.sparql import SparqlStore

from .asking import client, iri, loaded, quad
from .contract import (
    FACTS,
    TRIPLES,
    check_around,
    check_hub,
    check_labels,
    check_store,
    check_verification,
)
from .rdflib_server import serving

pytest.importorskip("rdflib_endpoint", reason="the second engine is not installed")
pytest.importorskip("uvicorn", reason="the second engine has no server")


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    graph = rdflib.Dataset(default_union=True)
    for triple in TRIPLES:
        graph.parse(data=f"{quad(triple, ox.DefaultGraph()).triple} .", format="nt")
    with serving(graph) as served:
        yield served


@pytest.mark.slow
def test_it_is_read_as_a_local_store(url: str, tmp_path: Path) -> None:
    with client(url, method="direct") as connected:
        check_store(connected)
        check_around(connected)
        check_hub(connected)
        check_labels(connected, tmp_path)
        check_verification(connected)


def test_it_is_read_by_get_too(url: str) -> None:
    with client(url, method="get") as connected:
        check_hub(connected)
        check_verification(connected)


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
