"""The contract with an endpoint that you name: does groundwalk work with your engine?

    GROUNDWALK_CONTRACT_SPARQL=http://localhost:3030/ds/query python -m pytest -m contract

The endpoint's default graph holds the triples of `contract.py` and no others. With
`GROUNDWALK_CONTRACT_UPDATE`, the address of its SPARQL 1.1 Update, the tests put them there and
take them away; else load the file that

    python -m tests.agent.kg.sparql.contract > contract.nt

writes. `GROUNDWALK_SPARQL_*` variables apply as they always do. For example:

- Apache Jena Fuseki: `fuseki-server --file=contract.nt /ds`, then http://localhost:3030/ds/query;
  or `fuseki-server --update --mem /ds` with http://localhost:3030/ds/update for the update.
- Comunica: `npx -p @comunica/query-sparql-file comunica-sparql-file-http -p 3001 contract.nt`, then
  http://localhost:3001/sparql.
- QLever: `qlever index` with contract.nt as the input file and `qlever start`, then
  http://localhost:7001, or the port of the Qleverfile.
- Virtuoso: load contract.nt as the graph <urn:contract> (`ld_dir`, `rdf_loader_run()`), set
  GROUNDWALK_SPARQL_GRAPHS='["<urn:contract>"]', then http://localhost:8890/sparql.

Comunica 5.3 and rdflib-endpoint keep the contract; the latter is asked in every run of the tests.
"""

import os
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from groundwalk.agent.kg.sparql import endpoint_settings
from groundwalk.agent.kg.sparql.client import SparqlClient
from groundwalk.agent.kg.sparql.queries import spell

from .contract import TRIPLES, check_hub, check_labels, check_store, check_verification

URL = os.environ.get("GROUNDWALK_CONTRACT_SPARQL", "")
UPDATE = os.environ.get("GROUNDWALK_CONTRACT_UPDATE", "")

pytestmark = [
    pytest.mark.contract,
    pytest.mark.skipif(not URL, reason="GROUNDWALK_CONTRACT_SPARQL names no endpoint"),
]


@pytest.fixture(scope="module")
def client() -> Iterator[SparqlClient]:
    data = " ".join(f"{' '.join(map(spell, triple))} ." for triple in TRIPLES)
    if UPDATE:
        _update(f"INSERT DATA {{ {data} }}")
    connected = SparqlClient(URL, endpoint_settings())
    yield connected
    connected.close()
    if UPDATE:
        _update(f"DELETE DATA {{ {data} }}")


def _update(text: str) -> None:
    headers = {"Content-Type": "application/sparql-update"}
    httpx.post(UPDATE, content=text.encode(), headers=headers, timeout=60).raise_for_status()


def test_the_store(client: SparqlClient) -> None:
    check_store(client)


def test_a_hub(client: SparqlClient) -> None:
    check_hub(client)


def test_labels(client: SparqlClient, tmp_path: Path) -> None:
    check_labels(client, tmp_path)


def test_verification(client: SparqlClient) -> None:
    check_verification(client)
