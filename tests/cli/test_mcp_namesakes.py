"""The MCP server over a graph of somebody's own, in which two people have one name."""

import asyncio
from pathlib import Path
from typing import Any, cast

import pytest
from groundwalk import Options, build_graph, open_kg
from groundwalk.cli.preparing import Prepared
from groundwalk.cli.session import Session
from groundwalk.graphs.about import About

mcp = pytest.importorskip("mcp", reason="the extra mcp is not installed")

from groundwalk.cli.mcp_server import mcp_server  # noqa: E402
from groundwalk.cli.mcp_tools import Tools  # noqa: E402

COMPANY = """
@prefix : <https://corp.example/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:anna1 a :Employee ; rdfs:label "Anna Berg" ; :works_in :engineering ; :salary 70000 .
:anna2 a :Employee ; rdfs:label "Anna Berg" ; :works_in :finance ; :salary 61000 .
:jon a :Employee ; rdfs:label "Jon Lind" ; :works_in :engineering ; :salary 66000 .
:engineering a :Department ; rdfs:label "Engineering" .
:finance a :Department ; rdfs:label "Finance" .
"""
SALARY = "What is the salary of {}?"
FIRST = "Anna Berg (Employee; salary: 70,000)"
SECOND = "Anna Berg (Employee; salary: 61,000)"


@pytest.fixture(scope="module")
def called(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """What calls say: the text, or that of the error."""
    path: Path = tmp_path_factory.mktemp("company") / "company.ttl"
    path.write_text(COMPANY, encoding="utf-8")
    kg = open_kg(path)
    session = Session(kg, cast(Any, build_graph(kg=kg).with_state()), Options())
    about = Prepared[About](lambda: pytest.fail("nobody asked what the graph holds"))
    server = mcp_server(Tools(Prepared(lambda: session), about))

    def call(tool: str, **arguments: Any) -> str:
        async def talk() -> Any:
            async with mcp.Client(server) as client:
                return await client.call_tool(tool, arguments)

        return asyncio.run(talk()).content[0].text

    return call


def test_a_name_of_two_can_be_settled_by_who_reads_the_words_only(called: Any) -> None:
    said = called("ask", question=SALARY.format("Anna Berg")).splitlines()
    assert said[-2:] == [
        f"[<https://corp.example/anna1>]: {FIRST}",
        f"[<https://corp.example/anna2>]: {SECOND}",
    ]
    for line, salary in zip(said[-2:], ("70,000", "61,000"), strict=True):
        term, _, described = line.partition(": ")
        for form in (term, f"[{described}]"):
            assert called("ask", question=SALARY.format(form)).splitlines()[0] == salary


def test_what_differs_is_told_everywhere(called: Any) -> None:
    listed = called("find_entity", name="Anna Berg").splitlines()
    assert listed == [
        f"{FIRST}  <https://corp.example/anna1>",
        f"{SECOND}  <https://corp.example/anna2>",
    ]
    refused = called("neighbours", entity="Anna Berg")
    assert f"{FIRST} <https://corp.example/anna1>; {SECOND} <" in refused


def test_what_the_graph_does_not_have_has_no_neighbours(called: Any) -> None:
    said = called("neighbours", entity="https://corp.example/nobody")
    assert "the graph has no facts about https://corp.example/nobody" in said


def test_a_page_past_the_end_is_told_in_its_first_line(called: Any) -> None:
    said = called("ask", question=SALARY.format("Jon Lind"), page=3).splitlines()
    assert said[0] == "There is no page 3."
    assert "Note: there is no page 3: 1 answer is listed" in said


def test_a_count_rests_on_nothing_beside_its_members(called: Any) -> None:
    query = {"start": {"class": "Employee"}, "answer": "count"}
    said = called("query", query=query, proof_of=0).splitlines()
    assert said[0].startswith("What was computed rests on the proofs of the answers only")
    assert called("query", query=query, proof_of=1).startswith("Anna Berg")
