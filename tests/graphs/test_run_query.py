"""A graph that is given a query in the place of a question: no model, verified, told in words."""

from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

import pytest
from groundwalk.agent.errors import QuestionError
from groundwalk.agent.kg import Triple, kg_of, open_kg, reading_of
from groundwalk.agent.kg.profile import GENERIC
from groundwalk.agent.records import READER
from groundwalk.graphs.tool import in_words, result_of
from langgraph.checkpoint.memory import InMemorySaver

from ..whole import build_graph

LENGTH = "length in kilometres"
RIVERS = {"start": {"class": "river"}}
ENDS: tuple[Literal["head", "tail"], ...] = ("head", "tail")
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


def test_a_length_of_time_is_told_in_hours_and_minutes(tmp_path: Path) -> None:
    file = tmp_path / "tracks.nt"
    kind = "http://www.w3.org/2001/XMLSchema#duration"
    lengths = {"a": "PT1H14M", "b": "PT4S"}
    lines = [f'<urn:{own}> <urn:length> "{text}"^^<{kind}> .' for own, text in lengths.items()]
    file.write_text("\n".join(lines), encoding="utf-8")
    tree = {"start": {"domain": "length"}, "steps": [{"relation": "length"}], "answer": "sum"}
    with open_kg(str(file)) as kg:
        result = run(build_graph(kg=kg, checkpointer=False), tree)["result"]
    assert result["text"].startswith("1 hour 14 minutes 4 seconds (of: ")
    assert result["value"] == 4_444


def test_a_relation_is_named_in_any_case(graph: Any) -> None:
    upper = {"start": [0], "steps": [{"relation": "BORDERS"}]}
    assert run(graph, upper, "Germany")["answers"] == run(graph, BORDERS, "Germany")["answers"]


@pytest.mark.parametrize(
    ("tree", "said", "near"),
    [
        ({**BORDERS, "steps": [{"relation": "<http://e.x/borderz>"}]}, "relation", "borders"),
        ({"start": {"class": "<http://e.x/Rivver>"}}, "class", "river"),
        ({"start": {"entity": "<http://e.x/Germny>"}}, "entity", "Germany"),
    ],
)
def test_a_term_that_the_graph_lacks_is_told_with_names_like_it(
    graph: Any, tree: Any, said: str, near: str
) -> None:
    with pytest.raises(QuestionError, match=f"the graph has no {said} <http://e.x/") as caught:
        run(graph, tree, "Germany")
    assert caught.value.hint.startswith(f"near it: {near}")


def test_a_connection_is_told_as_its_chain_and_how_long_it_is(graph: Any) -> None:
    tree = {"start": [0], "to": {"start": [1]}, "answer": "connection"}
    state = run(graph, tree, "Portugal", "Germany")
    ((chain,),) = [answer["chains"] for answer in state["answers"]]
    assert {"Portugal", "Germany"} <= {chain[n][e]["label"] for n in (0, -1) for e in ENDS}
    result = state["result"]
    assert (result["kind"], result["value"], result["triples"]) == ("connection", len(chain), [])


def test_terms_that_are_in_no_fact_are_in_the_graph() -> None:
    import rdflib

    label, kind = GENERIC.labels[0], GENERIC.types[0]
    data = f"""
        <http://e.x/a> <http://e.x/r> <http://e.x/b> . <http://e.x/c> {kind} <http://e.x/K> .
        <http://e.x/d> {label} "Dora" .
    """
    with kg_of(rdflib.Graph().parse(data=data, format="turtle")) as kg:
        graph = build_graph(kg=kg, checkpointer=False)
        for start in ({"class": "<http://e.x/K>"}, {"entity": "<http://e.x/c>"}):
            tree = {"start": start, "class": "<http://e.x/K>"}
            assert run(graph, tree)["status"] == "answered"
        run(graph, {"start": {"entity": "<http://e.x/d>"}, "steps": [{"relation": label}]})


def test_relations_that_are_only_inferred_are_in_the_graph() -> None:
    import rdflib

    data = """
        @prefix : <http://e.x/> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
        :parentOf owl:inverseOf :childOf . :a :childOf :b .
    """
    graph = rdflib.Graph().parse(data=data, format="turtle")
    with kg_of(graph, reading=reading_of("", "inverse-of")) as kg:
        tree = {"start": [0], "steps": [{"relation": "<http://e.x/parentOf>"}]}
        state = run(build_graph(kg=kg, checkpointer=False), tree, "b")
    assert [answer["term"] for answer in state["answers"]] == ["<http://e.x/a>"]


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
    absent = "that they are not among borders of Germany cannot be shown by a triple"
    assert state["result"]["how"].startswith(absent)
    assert "184" in in_words(state)


def test_all_that_is_counted_is_checked_or_it_is_told(graph: Any) -> None:
    counted = run(graph, {"start": {"class": "city"}, "answer": "count"})
    assert counted["result"]["value"] == len(counted["answers"]) == 484
    assert counted["notes"] == []
    everything = run(graph, {"start": {"class": "anything"}, "answer": "count"})
    size = everything["result"]["value"]
    assert size > len(everything["answers"]) == 1_000
    told = f"1,000 of {size:,} were checked one by one; the others are not shown"
    assert told in everything["notes"]


def test_each_extreme_has_its_own_value(graph: Any) -> None:
    state = run(graph, {**RIVERS, "extreme": {"relation": LENGTH, "most": True, "n": 3}})
    text = "Nile (length in kilometres: 6650); Amazon (6400); Yangtze (6300)"
    assert state["result"]["text"] == text


@pytest.mark.parametrize(
    ("more", "text"),
    [
        ({"not": [{**BORDERS, "start": [1]}]}, "No, the graph has: Austria - borders -> {}."),
        (
            {"filters": [{"relation": "capital", "op": "not exists"}]},
            "No, the graph has: {} - capital -> Bern.",
        ),
        (
            {"filters": [{"relation": "capital", "op": "!=", "value": "Bern"}]},
            "No, the graph has: {} - capital -> Bern.",
        ),
        ({"not": [{**BORDERS, "start": [2]}]}, "Yes: nothing in the graph says otherwise."),
    ],
)
def test_what_a_negation_is_about_is_said(graph: Any, more: Any, text: str) -> None:
    """*Does Austria not border Switzerland?* is no clear question for a bare no."""
    tree = {"start": [0], **more, "answer": "yesno"}
    state = run(graph, tree, "Switzerland", "Austria", "Peru")
    assert state["result"]["text"] == text.format("Switzerland")
    triples = state["result"]["triples"]
    assert all(step["verdict"] == "supported" for step in triples)
    assert bool(triples) is text.startswith("No")


@pytest.mark.parametrize(
    ("least", "yes"), [(6000, "Yes, 3 of 142 (23 without a value): "), (1, "Yes, 119 of 142 (")]
)
def test_a_yes_tells_of_how_many(graph: Any, least: int, yes: str) -> None:
    """A question for every river that is read as one for any gets no half-truth."""
    longer = {"relation": "length in kilometres", "op": ">", "value": least}
    state = run(graph, {"start": {"class": "river"}, "filters": [longer], "answer": "yesno"})
    assert state["result"]["text"].startswith(yes)


def test_no_tells_what_there_is_and_empty_is_an_answer(graph: Any) -> None:
    tree = {"start": [0], "steps": [{"relation": "official language"}], "and": [{"start": [1]}]}
    state = run(graph, {**tree, "answer": "yesno"}, "Malta", "French")
    assert (state["status"], state["result"]["value"]) == ("answered", False)
    assert "Malta - official language -> Maltese" in state["result"]["text"]
    state = run(graph, tree, "Malta", "French")
    assert (state["status"], state["answers"]) == ("answered", [])
    assert state["messages"][-1].text == "None in the graph."


def test_what_is_named_and_excluded_needs_no_note(graph: Any) -> None:
    state = run(graph, {**BORDERS, "not": [{"start": [1]}]}, "Portugal", "Spain")
    assert state["answers"] == [] and state["result"]["how"] == "computed over the whole graph"


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


AUSTRIA = {"start": {"entity": "Austria"}}


@pytest.mark.parametrize(
    "query",
    [
        AUSTRIA,
        {"start": [0, 1]},
        {"start": AUSTRIA},
        {"start": {"any": [AUSTRIA, {"start": [1]}]}},
        {**AUSTRIA, "class": "anything"},
        {**AUSTRIA, "not": [{"start": [0]}]},
        {**AUSTRIA, "and": [{"start": [1]}]},
        {**AUSTRIA, "answer": "count"},
        {**AUSTRIA, "answer": "yesno"},
        {"start": [0], "answer": "yesno", "all": [AUSTRIA]},
    ],
)
def test_what_is_only_named_is_no_answer(graph: Any, query: Any) -> None:
    with pytest.raises(QuestionError, match="the query asks nothing") as caught:
        run(graph, query, "Peru", "Austria")
    assert "add steps" in caught.value.hint


def test_what_was_talked_about_is_no_answer_and_what_was_answered_is_one() -> None:
    graph: Any = build_graph(checkpointer=InMemorySaver())
    config = {"configurable": {"thread_id": "1"}}
    graph.invoke({"question": "What is the capital of Peru?"}, config)
    given = {"question": "list it", "query": {"start": {"last": "answers"}}}
    state = graph.invoke(given, config)
    (answer,) = state["answers"]
    assert answer["label"] == "Lima" and answer["chains"][0][0]["verdict"] == "supported"
    with pytest.raises(QuestionError, match="asks nothing"):
        graph.invoke({**given, "query": {"start": {"last": "topics"}}, "question": "it"}, config)


@pytest.mark.parametrize(
    "query",
    [
        {**AUSTRIA, "class": "country"},
        {**AUSTRIA, "answer": "connection", "to": {"start": {"entity": "Spain"}}},
    ],
)
def test_what_is_looked_up_in_the_graph_has_a_triple(graph: Any, query: Any) -> None:
    state = run(graph, query)
    assert [step["verdict"] for step in state["answers"][0]["chains"][0]]


def test_a_question_after_a_query_is_answered_as_a_question() -> None:
    graph: Any = build_graph(checkpointer=InMemorySaver())
    config = {"configurable": {"thread_id": "1"}}
    graph.invoke({"query": {"query": BORDERS, "mentions": ["Portugal"]}}, config)
    state = graph.invoke({"question": "What is its capital?"}, config)
    assert [answer["label"] for answer in state["answers"]] == ["Madrid"]
    capital = {"start": {"last": "answers"}, "steps": [{"relation": "capital"}]}
    assert result_of(state)["query"] == capital and state["reasoner"] == READER
    assert result_of(state)["reading"] == "capital of Spain"


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
