"""What is computed over the answers of parts says where one of these may not be whole."""

from pathlib import Path
from typing import Any

import pytest
from groundwalk.agent.answers.candidates import name_terms, step_records
from groundwalk.agent.kg import Path as Walk
from groundwalk.agent.kg import Step, Triple, open_kg
from groundwalk.agent.nodes.combine import combine
from groundwalk.agent.options import Options
from groundwalk.agent.query.tree import Part, Query, write_query
from groundwalk.agent.records import Answer, Operation, Reading
from groundwalk.agent.records import Part as AnsweredPart
from langgraph.runtime import Runtime

CHILDREN = ["<http://example.org/ben>", "<http://example.org/cleo>"]
GRAPH = """
@prefix : <http://example.org/> .
:ada :motherOf :ben, :cleo .
"""


@pytest.mark.parametrize("cut", [False, True])
def test_a_number_over_a_part_that_was_cut_says_so(tmp_path: Path, *, cut: bool) -> None:
    (tmp_path / "graph.ttl").write_text(GRAPH, encoding="utf-8")
    kg = open_kg(str(tmp_path / "graph.ttl"), cache=tmp_path / "cache")
    topic = "<http://example.org/ada>"
    steps = [Step(Triple(topic, "<http://example.org/motherOf>", child)) for child in CHILDREN]
    chains = step_records(kg.labels, [Walk(topic, (step,)) for step in steps])
    for (step,) in chains:
        step["verdict"] = "supported"
    named = name_terms(kg.labels, CHILDREN)
    answers = [
        Answer(**named[child], score=1.0, chains=[chain])
        for child, chain in zip(CHILDREN, chains, strict=True)
    ]
    query = write_query(Query(start=Part(part=0), answer="count"))
    read = Reading(query={"query": query, "mentions": []}, words="how many", probability=1.0)
    part = AnsweredPart(
        question="Whose mother is Ada?",
        mentions=[],
        status="answered",
        answers=answers,
        confidence=1.0,
        cut=cut,
    )
    state: Any = {
        "operation": Operation(kind="count", mentions=[], notes=[], read=read),
        "parts": [part],
        "part": 1,
    }
    node = combine(kg, lambda _: 0.5, lambda: pytest.fail("no introduction"))
    changes: Any = node(state, Runtime(context=Options(), stream_writer=lambda _: None))
    kg.close()
    assert changes["result"]["value"] == 2
    told = "a set that this rests on was cut: there may be more"
    assert (told in changes["notes"], changes["cut"]) == (cut, cut)
