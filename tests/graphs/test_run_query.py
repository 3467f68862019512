"""A graph that is given a query in the place of a question: no model, verified, told in words."""

from dataclasses import replace
from typing import Any

import pytest
from groundwalk.agent.errors import QuestionError
from groundwalk.agent.kg import Triple, kg_of, open_kg
from groundwalk.agent.kg.profile import GENERIC
from groundwalk.agent.records import READER
from groundwalk.graphs.tool import in_words, result_of
from langgraph.checkpoint.memory import InMemorySaver

from ..whole import build_graph

LENGTH = "length in kilometres"
RIVERS = {"start": {"class": "river"}}
BORDERS = {"start": [0], "steps": [{"relation": "borders"}]}


@pytest.fixture(scope="module")
def graph() -> Any:
    return build_graph(checkpointer=False)


def run(graph: Any, query: Any, *mentions: str) -> Any:
    return graph.invoke({"query": {"query": query, "mentions": list(mentions)}})


def test_a_walk_is_answered_whole_and_verified(graph: Any) -> None:
    state = run(graph, BORDERS, "Germany")
    assert (state["status"], len(state["answers"])) == ("answered", 9)
    assert state["reading"] == "borders of Germany"
    assert result_of(state)["query"] == BORDERS
    assert {step["verdict"] for a in state["answers"] for c in a["chains"] for step in c} == {
        "supported"
    }
    assert {answer["form"] for answer in state["answers"]} == {"path"}
    assert state["usage"]["forward_passes"] == 0


def test_what_was_computed_is_told_with_what_it_rests_on(graph: Any) -> None:
    state = run(graph, {**RIVERS, "extreme": {"relation": LENGTH, "most": True}})
    assert state["result"]["text"] == "Nile (length in kilometres: 6650)"
    assert len(state["result"]["triples"]) > 50
    assert "have no length in kilometres" in state["notes"][0]
    state = run(
        graph, {"start": {"class": "country"}, "not": [BORDERS], "answer": "count"}, "Germany"
    )
    assert state["result"]["value"] == 184
    assert state["result"]["text"].endswith("and 174 more)")
    assert "borders of Germany" in state["result"]["how"]
    assert "184" in in_words(state)


def test_no_tells_what_there_is_and_empty_is_an_answer(graph: Any) -> None:
    tree = {"start": [0], "steps": [{"relation": "official language"}], "and": [{"start": [1]}]}
    state = run(graph, {**tree, "answer": "yesno"}, "Malta", "French")
    assert (state["status"], state["result"]["value"]) == ("answered", False)
    assert "Malta - official language -> Maltese" in state["result"]["text"]
    state = run(graph, tree, "Malta", "French")
    assert (state["status"], state["answers"]) == ("answered", [])
    assert state["messages"][-1].text == "None in the graph."


def test_columns_are_rows_of_names(graph: Any) -> None:
    state = run(graph, {**BORDERS, "columns": [{"steps": [{"relation": "capital"}]}]}, "Portugal")
    rows = [[cell["label"] for cell in row] for row in state["result"]["rows"]]
    assert rows == [["Spain", "Madrid"]]


@pytest.mark.parametrize(
    "query",
    [
        {"start": [0]},
        {"query": {"start": [0]}, "mentions": "Germany"},
        {"query": {"start": [0]}, "mentions": [{"txt": "Germany"}]},
        {"query": {"start": [0]}, "mentions": ["Germany"], "answers": []},
        [1],
        "Germany",
        7,
    ],
)
def test_what_is_malformed_is_an_error_of_the_user(graph: Any, query: Any) -> None:
    with pytest.raises(QuestionError):
        graph.invoke({"query": query})


def test_a_question_after_a_query_is_answered_as_a_question() -> None:
    graph: Any = build_graph(checkpointer=InMemorySaver())
    config = {"configurable": {"thread_id": "1"}}
    graph.invoke({"query": {"query": BORDERS, "mentions": ["Portugal"]}}, config)
    state = graph.invoke({"question": "What is its capital?"}, config)
    assert [answer["label"] for answer in state["answers"]] == ["Madrid"]
    capital = {"start": {"last": "answers"}, "steps": [{"relation": "capital"}]}
    assert result_of(state)["query"] == capital and state["reasoner"] == READER
    assert result_of(state)["reading"] == "capital of the last answers"


def test_what_the_store_no_longer_holds_is_not_shown() -> None:
    kg = open_kg("world")

    class Changed:
        def __init__(self, store: Any) -> None:
            self._store = store

        def __getattr__(self, name: str) -> Any:
            return getattr(self._store, name)

        def holds(self, triples: list[Triple]) -> list[bool]:
            return ["france" not in triple.tail for triple in triples]

    store: Any = Changed(kg.store)
    changed = replace(kg, store=store)
    state = run(build_graph(kg=changed, checkpointer=False), BORDERS, "Germany")
    assert len(state["answers"]) == 8
    assert "France" not in {answer["label"] for answer in state["answers"]}
    assert "1 of 9 left out: the graph no longer holds what they rest on" in state["notes"]


def test_a_graph_of_rdflib_is_asked_alike() -> None:
    import rdflib

    data = rdflib.Graph()
    data.parse(
        data='@prefix : <http://e.x/> . :a :r :b , :c . :b :n 3 . :c :n 7 . :d :r "x" .',
        format="turtle",
    )
    graph = build_graph(kg=kg_of(data, profile=GENERIC), checkpointer=False)
    tree = {
        "start": [0],
        "steps": [{"relation": "<http://e.x/r>"}],
        "extreme": {"relation": "n", "most": True},
    }
    state = run(graph, tree, "a")
    assert [answer["term"] for answer in state["answers"]] == ["<http://e.x/c>"]
