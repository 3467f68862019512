"""Queries over an endpoint come to what they come to over its file, in one request."""

import json
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pyoxigraph as ox
import pytest
from groundwalk.agent.errors import QuestionError, ServiceError
from groundwalk.agent.kg import KnowledgeGraph, open_kg
from groundwalk.agent.kg.derived import reading_of
from groundwalk.agent.query.binding import Mention, bind
from groundwalk.agent.query.endpoint import execute_anywhere
from groundwalk.agent.query.execute import execute
from groundwalk.agent.query.facts import Facts
from groundwalk.agent.query.tree import read_query

from ..kg.sparql.endpoint import Endpoint, Handler
from .random_queries import some_graph, some_query
from .test_same_denotation import denotation, same

CLASS = {"start": {"class": "thing"}}


@pytest.fixture(scope="module")
def large() -> Iterator[Endpoint]:
    store = ox.Store()
    lines = ['<urn:T> <http://www.w3.org/2000/01/rdf-schema#label> "thing" .']
    lines += ['<urn:size> <http://www.w3.org/2000/01/rdf-schema#label> "size" .']
    for number in range(20_000):
        lines.append(f"<urn:e{number}> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <urn:T> .")
        size = f'"{number % 9_973}"^^<http://www.w3.org/2001/XMLSchema#integer>'
        lines.append(f"<urn:e{number}> <urn:size> {size} .")
    store.load("\n".join(lines).encode(), format=ox.RdfFormat.N_TRIPLES)
    with Endpoint(store) as served:
        yield served


@pytest.mark.parametrize("seed", range(4))
def test_random_queries_come_to_the_same(tmp_path: Path, seed: int) -> None:
    random = Random(seed)
    text = some_graph(random)
    file = tmp_path / "graph.nt"
    file.write_text(text, encoding="utf-8")
    here, store = open_kg(str(file), cache=file), ox.Store()
    store.load(text.encode(), format=ox.RdfFormat.N_TRIPLES)
    with Endpoint(store) as endpoint:
        there = open_kg(endpoint.url)
        facts, remote = Facts(here), Facts(there)
        for _ in range(15):
            tree, mentions = some_query(random)
            query, named = read_query(tree), [Mention(own, own) for own in mentions]
            bound = bind(here, query, named)
            try:
                expected = execute(facts, bound)
            except QuestionError:
                continue
            found = execute_anywhere(remote, bound)
            said = f"{json.dumps(tree)} {mentions}\n{text}"
            assert same(denotation(found), denotation(expected)), said
            assert found.size == expected.size, said
            for member in found.members:
                triples = [step.triple for step in found.proofs[member]]
                assert all(here.store.holds(triples)), said
                assert bool(triples) == bool(expected.proofs.get(member, triples)), said
        there.close()


@pytest.mark.parametrize(
    ("tree", "value", "first"),
    [
        ({**CLASS, "answer": "count"}, 20_000, None),
        (
            {
                **CLASS,
                "filters": [{"relation": "size", "op": ">", "value": 9_970}],
                "answer": "count",
            },
            4,
            None,
        ),
        ({**CLASS, "extreme": {"relation": "size", "most": True}}, None, "<urn:e19945>"),
        ({**CLASS, "steps": [{"relation": "size"}], "answer": "max"}, 9_972, None),
        ({**CLASS, "answer": "yesno", "all": [{"start": {"domain": "size"}}]}, True, "<urn:e0>"),
    ],
)
def test_a_large_class_is_counted_there(
    large: Endpoint, tree: dict[str, Any], value: object, first: str | None
) -> None:
    kg = open_kg(large.url)
    facts, bound = Facts(kg), bind(kg, read_query(tree))
    before = len(large.asked)
    found = execute_anywhere(facts, bound)
    asked = [own.query for own in large.asked[before:]]
    assert found.value == value
    assert first is None or first in found.members
    over_the_class = [t for t in asked if "COUNT" in t or "ORDER" in t or "MAX" in t]
    # What it comes to, which members are shown, how many have a value, and of how many.
    assert len(over_the_class) <= 4
    assert len(asked) < 25
    assert len(found.members) <= 200
    kg.close()


def test_what_sparql_cannot_say_is_executed_step_by_step(large: Endpoint) -> None:
    kg = open_kg(large.url)
    tree = {"start": [0], "filters": [{"relation": "size", "op": ">", "value": 4, "unit": "km"}]}
    found = execute_anywhere(Facts(kg), bind(kg, read_query(tree), [Mention("e5", "<urn:e5>")]))
    assert found.members == ("<urn:e5>",)
    assert "as it is" in found.notes[0]
    kg.close()


def test_numbers_in_a_currency_are_compared_at_the_endpoint(large: Endpoint) -> None:
    kg, before = open_kg(large.url), len(large.asked)
    condition = {"relation": "size", "op": "=", "value": 9_900, "unit": "$"}
    bound = bind(kg, read_query({**CLASS, "filters": [condition]}), [])
    found = execute_anywhere(Facts(kg), bound)
    assert set(found.members) == {"<urn:e9900>", "<urn:e19873>"}
    assert len(large.asked) - before < 25
    kg.close()


def test_an_endpoint_that_is_read_otherwise_is_followed(large: Endpoint) -> None:
    kg = open_kg(large.url, reading=reading_of("collapse"))
    tree = {"start": [0], "steps": [{"relation": "size"}]}
    found = execute_anywhere(Facts(kg), bind(kg, read_query(tree), [Mention("e5", "<urn:e5>")]))
    assert found.members == ('"5"^^<http://www.w3.org/2001/XMLSchema#integer>',)
    kg.close()


def test_an_endpoint_that_fails_is_an_error_of_the_service(large: Endpoint) -> None:
    kg: KnowledgeGraph = open_kg(large.url)
    bound = bind(kg, read_query({**CLASS, "answer": "count"}))

    def refuses(handler: Handler) -> bool:
        handler.reply(400, b"no", "text/plain")
        return True

    large.misbehaviour = refuses
    try:
        with pytest.raises(ServiceError):
            execute_anywhere(Facts(kg), bound)
    finally:
        large.misbehaviour = None
        kg.close()


def test_a_walk_from_a_ranked_set_is_proved_from_its_members() -> None:
    """Two rivers flow into the sea; the triple that is shown is of the longer one."""
    lines = [
        f'<urn:{name}> <http://www.w3.org/2000/01/rdf-schema#label> "{name}" .'
        for name in ("length", "mouth")
    ]
    for name, length in (("a", 5), ("b", 9), ("c", 7)):
        size = f'"{length}"^^<http://www.w3.org/2001/XMLSchema#integer>'
        lines += [f"<urn:{name}> <urn:mouth> <urn:sea> .", f"<urn:{name}> <urn:length> {size} ."]
    store = ox.Store()
    store.load("\n".join(lines).encode(), format=ox.RdfFormat.N_TRIPLES)
    longest = {"start": {"domain": "length"}, "extreme": {"relation": "length", "most": True}}
    with Endpoint(store) as endpoint:
        kg = open_kg(endpoint.url)
        query = read_query({"start": longest, "steps": [{"relation": "mouth"}]})
        found = execute_anywhere(Facts(kg), bind(kg, query))
        kg.close()
    assert found.members == ("<urn:sea>",)
    assert {step.triple.head for step in found.proofs["<urn:sea>"]} == {"<urn:b>"}
