"""Follow-ups and operators, end to end: real stores, threads that persist."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from importlib import resources
from pathlib import Path
from typing import Any, cast

import pyoxigraph as ox
import pytest
from groundwalk.agent.conversation.threads import close_threads, list_threads, open_threads
from groundwalk.agent.evidence import Reply
from groundwalk.agent.evidence.sparql import answers_query
from groundwalk.agent.kg import KnowledgeGraph, Triple, open_kg
from groundwalk.agent.options import Options
from groundwalk.agent.records import READER
from groundwalk.graphs.nesting import CompiledGraph
from groundwalk.graphs.tool import result_of
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command
from rdflib import Graph

from ..whole import build_graph
from .scripted import in_order

POPULATIONS = {"germany": 83_000_000, "italy": 59_000_000, "slovakia": 5_400_000}
MORE = """
v:population a rdf:Property ; rdfs:label "population"@en .
city:springfield-west a v:City ; rdfs:label "Springfield"@en ; v:country country:portugal .
city:springfield-east a v:City ; rdfs:label "Springfield"@en ; v:country country:hungary .
"""
BORDERS = "Which countries border Austria?"
NEIGHBOURS = {
    *("Czechia", "Germany", "Hungary", "Italy"),
    *("Liechtenstein", "Slovakia", "Slovenia", "Switzerland"),
}


@pytest.fixture(scope="module")
def turtle() -> str:
    world = resources.files("groundwalk.data.world").joinpath("world.ttl").read_text("utf-8")
    facts = (f"country:{name} v:population {n} .\n" for name, n in POPULATIONS.items())
    return world + MORE + "".join(facts)


@pytest.fixture(scope="module")
def kg(turtle: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[KnowledgeGraph]:
    folder = tmp_path_factory.mktemp("world")
    (folder / "world.ttl").write_text(turtle, encoding="utf-8")
    opened = open_kg(str(folder / "world.ttl"), cache=folder / "cache")
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def graph(kg: KnowledgeGraph) -> CompiledGraph:
    return build_graph("gcr", kg=kg, checkpointer=InMemorySaver())


def talk(graph: CompiledGraph, thread: str, *questions: str) -> Any:
    """The state after the last of the questions."""
    state: Any = None
    for question in questions:
        config: Any = {"configurable": {"thread_id": thread}}
        asked: Any = {"question": question}
        state = graph.invoke(asked, config, context=Options(on_ambiguous="error"))
    return state


def names(state: Any) -> set[str]:
    return {answer["label"] for answer in state["answers"]}


def said(turtle: str, pattern: str) -> set[str]:
    """The labels that SPARQL finds."""
    graph = Graph().parse(data=turtle, format="turtle")
    rows: Any = graph.query(f"SELECT ?l {{ {pattern} . ?x rdfs:label ?l }}")
    return {str(row.l) for row in rows}


def holds(kg: KnowledgeGraph, state: Any) -> bool:
    """Whether the store has every triple that is shown."""
    chains = [chain for answer in state["answers"] for chain in answer["chains"]]
    steps = [s for chain in chains for s in chain] + (state["result"] or {"triples": []})["triples"]
    triples = [Triple(*(s[k]["term"] for k in ("head", "relation", "tail"))) for s in steps]
    return (
        bool(triples)
        and all(s["verdict"] == "supported" for s in steps)
        and all(kg.store.holds(triples))
    )


def test_a_set_is_counted_filtered_and_shown_again(
    graph: CompiledGraph, kg: KnowledgeGraph, turtle: str
) -> None:
    counted = talk(graph, "set", BORDERS, "how many are there?")
    assert counted["result"]["value"] == 8 and names(counted) == NEIGHBOURS and holds(kg, counted)
    assert counted["messages"][-1].text.startswith("8 (counted: ")
    euro = said(turtle, "?x v:currency currency:euro . country:austria v:borders ?x")
    some = talk(graph, "filtered", BORDERS, "which of them use the euro?")
    assert names(some) == euro and holds(kg, some)
    store = ox.Store()
    store.load(turtle.encode(), format=ox.RdfFormat.TURTLE)
    rows: Any = store.query(answers_query(cast(Reply, result_of(some))))
    assert {str(row["answer"]) for row in rows} == {a["term"] for a in some["answers"]}
    why = talk(graph, "filtered", "why?")
    assert why["answers"] == some["answers"] and why["status"] == "answered"
    assert why["operation"] == {"kind": "why", "mentions": [], "notes": []}
    again = talk(graph, "another", BORDERS, "and Germany?")
    assert "Austria" in names(again) and again["question"] == "and Germany?"
    assert again["asked"] == "borders of Germany"


def test_a_pronoun_means_the_last_topic(graph: CompiledGraph, kg: KnowledgeGraph) -> None:
    state = talk(graph, "it", "What is the capital of Hungary?", "and its currency?")
    assert names(state) == {"Hungarian forint"} and holds(kg, state)
    assert state["asked"] == "currency of Hungary"


def test_sets_are_combined_as_sparql_says(
    graph: CompiledGraph, kg: KnowledgeGraph, turtle: str
) -> None:
    both = "?x v:borders country:france . ?x v:borders country:germany"
    state = talk(graph, "both", "Which countries border both France and Germany?")
    assert names(state) == said(turtle, both) and holds(kg, state)
    assert state["query_tree"] == {"start": {"part": 0}, "and": [{"start": {"part": 1}}]}
    assert state["reading"] == "borders of France, if also borders of Germany"
    only = "?x v:borders country:france . MINUS { ?x v:borders country:germany }"
    state = talk(graph, "but not", "Which countries border France and do not border Germany?")
    assert names(state) == said(turtle, only) and holds(kg, state)
    state = talk(graph, "count", "How many countries border both France and Germany?")
    assert state["result"]["value"] == len(said(turtle, both))


@pytest.mark.parametrize(("one", "other"), [("china", "india"), ("switzerland", "austria")])
def test_what_borders_any_of_two_neighbours_holds_both(
    graph: CompiledGraph, kg: KnowledgeGraph, turtle: str, one: str, other: str
) -> None:
    union = said(
        turtle, f"{{ ?x v:borders country:{one} }} UNION {{ ?x v:borders country:{other} }}"
    )
    assert {one.title(), other.title()} <= union
    listed = talk(graph, one, f"Which countries border {one.title()} or {other.title()}?")
    assert names(listed) == union and holds(kg, listed)
    counted = talk(graph, one, f"How many countries border {one.title()} or {other.title()}?")
    assert counted["result"]["value"] == len(union)
    store = ox.Store()
    store.load(turtle.encode(), format=ox.RdfFormat.TURTLE)
    rows: Any = store.query(answers_query(cast(Reply, result_of(counted))))
    assert {str(row["answer"]) for row in rows} == {a["term"] for a in listed["answers"]}


@pytest.mark.parametrize(
    ("question", "yes"),
    [
        ("Is Vienna the capital of Austria?", True),
        ("Does France border Spain?", True),
        ("Is Lima in Peru?", True),
        ("Does France border Poland?", False),
        ("Is Vienna the capital of Germany?", False),
    ],
)
def test_yes_has_a_proof_and_no_says_what_the_graph_lacks(
    graph: CompiledGraph, kg: KnowledgeGraph, question: str, yes: bool
) -> None:
    state = talk(graph, question, question)
    assert state["result"]["value"] is yes and bool(state["answers"]) is yes
    text = state["messages"][-1].text
    assert text.startswith("Yes: " if yes else "No, not in the graph.")
    assert not yes or holds(kg, state)
    assert state["query_tree"]["answer"] == "yesno"


def test_a_question_of_a_set_is_read_too(kg: KnowledgeGraph) -> None:
    graph = build_graph("gcr", kg=kg)
    question = "How many countries are there in Western Africa?"
    sample: Any = graph.invoke({"question": question, "id": "w099"})
    asked: Any = graph.invoke({"question": question})
    assert sample["result"] == asked["result"] and sample["result"]["kind"] == "count"
    assert sample["result"]["value"] == 16 and sample["answers"] == asked["answers"]


def test_turns_may_go_in_without_a_checkpointer(kg: KnowledgeGraph) -> None:
    graph = build_graph(kg=kg)
    first: Any = graph.invoke({"question": BORDERS})
    json.dumps(first["turns"])
    second: Any = graph.invoke({"question": "how many are there?", "turns": first["turns"]})
    assert second["result"]["value"] == 8 and len(second["turns"]) == 2


def test_what_was_resolved_is_streamed(graph: CompiledGraph) -> None:
    talk(graph, "stream", "What is the capital of Hungary?")
    config: Any = {"configurable": {"thread_id": "stream"}}
    asked: Any = {"question": "And Portugal?"}
    events: list[Any] = list(graph.stream(asked, config, stream_mode="custom"))
    understood = [event for event in events if event["event"] == "understood"]
    assert understood == [
        {"event": "understood", "asked": "capital of Portugal", "operation": None}
    ]


@pytest.mark.parametrize("is_whole", [False, True])
def test_an_ambiguous_mention_asks_back_and_goes_on(graph: CompiledGraph, is_whole: bool) -> None:
    config: Any = {"configurable": {"thread_id": f"springfield {is_whole}"}}
    asked: Any = {"question": "Which country is Springfield in?"}
    state: Any = graph.invoke(asked, config)
    (interrupt,) = state["__interrupt__"]
    options = interrupt.value["options"]
    assert len(options) == 2
    chosen = next(option for option in options if "west" in option["term"])
    state = graph.invoke(Command(resume=chosen if is_whole else chosen["term"]), config)
    assert names(state) == {"Portugal"} and state["status"] == "answered"


def test_an_ambiguity_that_was_told_is_settled_by_the_next_line(graph: CompiledGraph) -> None:
    told = talk(graph, "told", "Which country is Springfield in?")
    assert told["status"] == "ambiguous" and told["result"] is None
    place = next(
        n for n, c in enumerate(told["mentions"][0]["candidates"], 1) if "east" in c["term"]
    )
    assert names(talk(graph, "told", str(place))) == {"Hungary"}


def test_an_llm_that_proposes_queries_puts_a_follow_up_in_full(kg: KnowledgeGraph) -> None:
    def proposed(relation: str) -> str:
        return json.dumps({"query": {"start": [0], "steps": [{"relation": relation}]}})

    full = "What is the capital of Hungary?"
    llm = in_order(proposed("currency"), full, proposed("capital"))
    graph = build_graph("query", kg=kg, llm=llm, checkpointer=InMemorySaver())
    talk(graph, "llm", "What is the currency of Hungary?")
    asked = len(llm.asked)
    state = talk(graph, "llm", "and the seat of government of the same place?")
    assert "# Last question:" in llm.asked[asked]
    assert state["asked"] == full and names(state) == {"Budapest"}
    assert state["usage"]["llm_calls"] == 2
    failed = talk(graph, "llm", "tell me more about the former one")
    assert any("did not say what the question refers to" in note for note in failed["notes"])


def test_what_the_graph_no_longer_holds_is_not_shown_again(turtle: str, tmp_path: Path) -> None:
    memory, state = InMemorySaver(), dict[str, Any]()
    for number, text in enumerate((turtle, turtle.replace("v:borders", "v:formerly"))):
        (tmp_path / f"{number}.ttl").write_text(text, encoding="utf-8")
        kg = open_kg(str(tmp_path / f"{number}.ttl"), cache=tmp_path / "cache")
        graph = build_graph(kg=kg, checkpointer=memory)
        state = talk(graph, "t", BORDERS if number == 0 else "why?")
        kg.close()
    assert not state["answers"] and "8 of its answers are no longer in the graph" in state["notes"]


def test_why_proves_again_what_was_read_of_the_last_answers(kg: KnowledgeGraph) -> None:
    graph = build_graph(kg=kg, checkpointer=InMemorySaver())
    some = talk(graph, "read", BORDERS, "which of them use the euro?")
    assert some["reasoner"] == READER and holds(kg, some) and names(some) < NEIGHBOURS
    why = talk(graph, "read", "why?")
    assert why["status"] == "answered" and why["answers"] == some["answers"]
    assert why["notes"] == some["notes"]


@pytest.mark.slow
def test_a_thread_goes_on_in_another_process(tmp_path: Path) -> None:
    file = tmp_path / "threads.sqlite"
    environment = {**os.environ, "GROUNDWALK_THREADS": str(file)}
    start = "from groundwalk.cli.main import main; main()"
    command = [sys.executable, "-c", start, "ask", "--thread", "mine", "--json"]
    run = subprocess.run([*command, BORDERS], env=environment, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    assert json.loads(run.stdout)["asked"] == BORDERS
    threads = open_threads(file)
    (info,) = list_threads(threads)
    assert (info.id, info.first, info.turns) == ("mine", BORDERS, 1)
    graph = build_graph(checkpointer=threads)
    assert talk(graph, "mine", "how many are there?")["result"]["value"] == 8
    close_threads(threads)
    last = subprocess.run([*command, "why?"], env=environment, capture_output=True, text=True)
    result = json.loads(last.stdout)
    assert result["operation"]["kind"] == "why" and len(result["answers"]) == 8
