"""What the bundled model answers about the world, found again behind a SPARQL server."""

from collections.abc import Iterator
from importlib import resources
from typing import cast

import httpx
import pytest
import rdflib
from groundwalk.agent.evidence import Reply, explain
from groundwalk.agent.evidence.sparql import check_query

from ...whole import build_graph
from ..kg.sparql.rdflib_server import serving

pytest.importorskip("rdflib_endpoint", reason="there is no server to ask")
pytest.importorskip("uvicorn", reason="there is no server to ask")

QUESTIONS = [
    ("gcr", "Which countries border the country whose capital is Vienna?"),
    ("gcr", "Which currency do they use in the country around Lesotho?"),
    ("dog", "Which countries border Portugal?"),
    ("plan", "Which countries are in Southern Africa?"),
]


@pytest.fixture(name="url", scope="module")
def _url() -> Iterator[str]:
    text = resources.files("groundwalk.data.world").joinpath("world.ttl").read_text("utf-8")
    graph = rdflib.Dataset(default_union=True)
    graph.parse(data=text, format="turtle")
    with serving(graph) as served:
        yield served


def rows(url: str, query: str) -> list[dict[str, str]]:
    headers = {"Content-Type": "application/sparql-query"}
    headers["Accept"] = "application/sparql-results+json"
    got = httpx.post(url, content=query.encode(), headers=headers, timeout=60).json()
    return [{name: own["value"] for name, own in row.items()} for row in got["results"]["bindings"]]


@pytest.mark.parametrize(("method", "question"), QUESTIONS)
def test_the_query_finds_the_answers(url: str, method: str, question: str) -> None:
    state = build_graph(method, kg="world").invoke({"question": question})
    reply = cast(Reply, state)
    assert reply["answers"], reply["notes"]
    found = rows(url, explain("sparql", reply))
    assert {f"<{row['answer']}>" for row in found} == {own["term"] for own in reply["answers"]}
    checked = rows(url, check_query(reply))
    assert {row["held"] for row in checked} == {"true"}
    steps = [step for own in reply["answers"] for chain in own["chains"] for step in chain]
    shown = {tuple(step[part]["term"] for part in ("head", "relation", "tail")) for step in steps}
    assert len(checked) == len(shown)
