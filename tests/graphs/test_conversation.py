"""Follow-ups and operators by rules for English, end to end: real stores, threads that persist.

The rules are for models that read no queries, so the bundled one is taken as such. Where only what
is remembered matters, it is as it is.
"""

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
from groundwalk.agent.evidence.reply import said as said_in_one_line
from groundwalk.agent.evidence.sparql import answers_query
from groundwalk.agent.kg import KnowledgeGraph, Triple, open_kg
from groundwalk.agent.options import Options
from groundwalk.agent.state import NOT_UNDERSTOOD, READER
from groundwalk.graphs import build_graph
from groundwalk.graphs.skeleton import Compiled
from groundwalk.graphs.tool import in_words, result_of
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command
from rdflib import Graph

from .rules import ruled_model
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
def graph(kg: KnowledgeGraph) -> Compiled:
    return build_graph("gcr", generator=ruled_model(), kg=kg, checkpointer=InMemorySaver())


def talk(graph: Compiled, thread: str, *questions: str) -> Any:
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
    graph: Compiled, kg: KnowledgeGraph, turtle: str
) -> None:
    counted = talk(graph, "set", BORDERS, "how many are there?")
    assert counted["result"]["value"] == 8 and names(counted) == NEIGHBOURS and holds(kg, counted)
    assert counted["messages"][-1].text.startswith("8 (counted: ")
    assert counted["usage"]["forward_passes"] == 0
    euro = said(turtle, "?x v:currency currency:euro . country:austria v:borders ?x")
    some = talk(graph, "set", "which of them use the euro?")
    assert names(some) == euro and holds(kg, some) and some["usage"]["forward_passes"] == 0
    assert some["reading"] == "the last answers, currency = euro"
    why = talk(graph, "set", "why?")
    assert why["answers"] == some["answers"] and why["status"] == "answered"
    again = talk(graph, "set", "and Germany?")
    assert again["asked"] == "Which countries border Germany?" and "Austria" in names(again)
    assert again["question"] == "and Germany?"
    others = talk(graph, "rest", BORDERS, "which of them do not use the euro?")
    assert names(others) == NEIGHBOURS - euro
    assert "does not say it" in others["result"]["how"]


def test_pronouns_mean_the_last_answer_or_topic(graph: Compiled, kg: KnowledgeGraph) -> None:
    state = talk(graph, "it", "What is the capital of Hungary?", "and its currency?")
    assert names(state) == {"Hungarian forint"} and holds(kg, state)
    assert state["asked"] in (f"What is the currency of {x}?" for x in ("Budapest", "Hungary"))
    each = talk(graph, "each", "Which countries border Portugal?", "What about Spain?")
    assert names(each) == {"Andorra", "France", "Morocco", "Portugal"}
    each = talk(graph, "each", "What are their currencies?")
    assert {"euro", "Moroccan dirham"} <= names(each) and holds(kg, each)
    assert "Morocco: Moroccan dirham" in each["result"]["text"]


def test_it_is_the_currency_and_they_are_counted(graph: Compiled, kg: KnowledgeGraph) -> None:
    state = talk(graph, "use it", "What currency does France use?", "how many countries use it?")
    assert state["asked"] == "how many countries use euro?"
    if state["answers"]:
        ends = {chain[-1]["tail"]["label"] for a in state["answers"] for chain in a["chains"]}
        assert ends == {"euro"} and state["result"]["value"] == len(state["answers"])
    they = talk(graph, "they", BORDERS, "how many are they?")
    assert they["result"]["value"] == 8 and names(they) == NEIGHBOURS and holds(kg, they)


def test_sets_are_combined_as_sparql_says(graph: Compiled, kg: KnowledgeGraph, turtle: str) -> None:
    both = "?x v:borders country:france . ?x v:borders country:germany"
    state = talk(graph, "both", "Which countries border both France and Germany?")
    assert names(state) == said(turtle, both) and holds(kg, state)
    assert state["query_tree"] == {"start": {"part": 0}, "and": [{"start": {"part": 1}}]}
    first, other = (f'the answers to "Which countries border {x}?"' for x in ("France", "Germany"))
    assert state["reading"] == f"{first}, also among {other}"
    only = "?x v:borders country:france . MINUS { ?x v:borders country:germany }"
    state = talk(graph, "except", "countries that border France except those that border Germany")
    assert names(state) == said(turtle, only) and holds(kg, state)
    state = talk(graph, "but not", "Which countries border France but not Germany?")
    assert names(state) == said(turtle, only) - {"Germany"} and holds(kg, state)
    state = talk(graph, "count", "How many countries border both France and Germany?")
    assert state["result"]["value"] == len(said(turtle, both))


@pytest.mark.parametrize(("one", "other"), [("china", "india"), ("switzerland", "austria")])
def test_what_borders_any_of_two_neighbours_holds_both(
    graph: Compiled, kg: KnowledgeGraph, turtle: str, one: str, other: str
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


def test_the_other_end_of_the_same_set_is_found(graph: Compiled) -> None:
    most = talk(graph, "end", BORDERS, "which of them is the largest by population?")
    least = talk(graph, "end", "and the smallest?")
    assert names(most) == {"Germany"} and names(least) == {"Slovakia"}
    assert least["result"]["triples"] == most["result"]["triples"]
    assert least["asked"] == "which of them is the smallest by population?"


EMPTY = ("Which countries border Portugal?", "which of them border China?")


@pytest.mark.parametrize(
    "count", ["how many?", "how many are there?", "how many of them are there?"]
)
def test_what_follows_an_empty_set_is_about_it(graph: Compiled, count: str) -> None:
    assert talk(graph, count, *EMPTY)["result"]["how"] == "0 of 1 earlier answers"
    for question in (count, "why?", count, "why?"):
        state = talk(graph, count, question)
        assert not state["answers"] and state["status"] == "abstained", question
    counted = talk(graph, count, count)
    assert counted["result"]["value"] == 0
    for question in ("which of them border France?", "which of them do not border France?"):
        state = talk(graph, count, question)
        assert not state["answers"] and state["result"]["text"] == "None that the graph says."
    assert not talk(graph, count, "which of them is the largest?")["answers"]
    assert not talk(graph, count, "What are their currencies?")["answers"]
    new = talk(graph, count, EMPTY[0], count)
    assert new["result"]["value"] == 1


def test_none_are_left_where_the_condition_holds_of_all(graph: Compiled) -> None:
    first = "Which countries border Portugal?"
    state = talk(graph, "none left", first, "which of them do not border Portugal?", "how many?")
    assert state["result"]["value"] == 0 and not state["answers"]


def test_a_count_says_what_it_leaves_out(graph: Compiled) -> None:
    state = talk(graph, "apart", "How many countries border the neighbour of Portugal?")
    text = state["messages"][-1].text
    assert "not counting Portugal" in text or not state["answers"]


@pytest.mark.parametrize(
    "question",
    [
        "which of them border neither Brazil nor Chile?",
        "which of them border Brazil and Argentina?",
        "which of them speak no Spanish?",
        "do all of them use the euro?",
        "are any of them not in South America?",
    ],
)
def test_of_them_is_not_guessed(graph: Compiled, question: str) -> None:
    state = talk(graph, question, "Which countries border Peru?", question)
    assert state["status"] == "abstained" and not state["answers"]


@pytest.mark.parametrize(
    ("question", "yes"),
    [
        ("Is Vienna the capital of Austria?", True),
        ("Is it true that French is an official language of Belgium?", True),
        ("Is the capital of Austria Vienna?", True),
        ("Does France border Spain?", True),
        ("Is English an official language in Malta?", True),
        ("Is Lagos the largest city in Nigeria?", True),
        ("Is Mont Blanc a mountain in Italy?", True),
        ("Is Paris in France?", True),
        ("Is Lima in Peru?", True),
        ("Is it true that Lima is in Peru?", True),
        ("Is Kenya in Africa?", True),
        ("Is Lake Titicaca in Bolivia?", True),
        ("Does France border Poland?", False),
        ("Is Vienna the capital of Germany?", False),
        ("Is Austria the capital of Vienna?", False),
        ("Is Austria the capital in Vienna?", False),
        ("Is German an official language in Malta?", False),
        ("Is Malta an official language in English?", False),
        ("Is the Alps a mountain in Mont Blanc?", False),
        ("Is Lima in Chile?", False),
    ],
)
def test_yes_has_a_proof_and_no_is_never_said(
    graph: Compiled, kg: KnowledgeGraph, question: str, yes: bool
) -> None:
    state = talk(graph, question, question)
    assert state["result"]["value"] is (True if yes else None)
    text = state["messages"][-1].text
    assert text.startswith("Yes: " if yes else "The graph does not say so. It says: ")
    assert bool(state["answers"]) is yes and holds(kg, state)
    assert state["query_tree"]["answer"] == "yesno"
    if question.startswith("Is Vienna") and not yes:
        assert "Berlin" in text


@pytest.mark.parametrize(
    "question",
    [
        "Is it true that Germany has no border with Austria?",
        "Is it true that France cannot border Germany?",
        "Has Spain closed its borders with France?",
        "Is English the least spoken official language of Canada?",
        "Is Berlin the former capital of Germany?",
        "Does France border Spain in the north?",
        "Does the euro use Germany?",
        "Is the euro used in Croatia?",
        "Is Croatia used in the euro?",
        "Is Andorra in Spain?",
        "Is France in Paris?",
        "Is Peru in Lima?",
        "Is Croatia in the euro?",
        "Is Paris in Europe?",
        "Is Vienna in the Danube?",
        "Is Lyon a city in France?",
    ],
)
def test_yes_or_no_that_no_rule_reads_is_not_taken_for_no(graph: Compiled, question: str) -> None:
    state = talk(graph, question, question)
    assert state["messages"][-1].text == "The question is not understood."
    assert state["status"] == "abstained" and not state["answers"] and state["result"] is None
    assert any(note.startswith(NOT_UNDERSTOOD) for note in state["notes"])


NEGATED = [
    ("Which countries does Germany not border?", "not"),
    ("Which countries does Germany NOT border?", "NOT"),
    ("Which countries can't Germany border?", "can't"),
    ("Which countries doesn\u2019t Germany border?", "doesn\u2019t"),
    ("Which countries cannot border Germany?", "cannot"),
    ("Which countries wont border Germany?", "wont"),
    ("Not which countries border Germany?", "Not"),
    ("How many countries does Germany not border?", "not"),
    ("What is the largest country that does not border France?", "not"),
    ("Which countries border Germany? Do not list small ones.", "not"),
    ("Isn't Vienna the capital of Austria?", "Isn't"),
]


@pytest.mark.parametrize(("question", "word"), NEGATED)
def test_a_not_that_no_rule_reads_withholds_the_answer(
    graph: Compiled, question: str, word: str
) -> None:
    state = talk(graph, question, question)
    assert state["messages"][-1].text == "The question is not understood."
    assert state["status"] == "abstained" and not state["answers"] and not state["candidates"]
    assert f'{NOT_UNDERSTOOD}: no rule reads its negation, "{word}"' in state["notes"]
    assert f'"{word}"' in in_words(state)
    assert said_in_one_line(cast(Reply, result_of(state))) == "The question is not understood."


@pytest.mark.parametrize(("question", "word"), NEGATED[:3])
def test_a_not_withholds_it_of_a_question_of_a_set_too(
    kg: KnowledgeGraph, question: str, word: str
) -> None:
    sample: Any = build_graph("gcr", generator=ruled_model(), kg=kg).invoke(
        {"question": question, "id": "w1"}
    )
    assert sample["status"] == "abstained" and not sample["answers"]
    assert any(f'"{word}"' in note for note in sample["notes"])


@pytest.mark.parametrize(
    "question",
    [
        "and which countries does it not border?",
        "which countries doesn't it border?",
        "which of them is not the largest?",
        "which of them cannot have the largest population?",
    ],
)
def test_a_not_withholds_a_follow_up(graph: Compiled, question: str) -> None:
    state = talk(graph, question, "What is the capital of Hungary?", BORDERS, question)
    assert state["status"] == "abstained" and not state["answers"]
    assert state["messages"][-1].text == "The question is not understood."


@pytest.mark.parametrize(
    ("question", "answers"),
    [
        ("Which countries border Portugal, isn't it?", {"Spain"}),
        ("Don't list Portugal: which countries border Portugal?", {"Spain"}),
        ("Which countries border Portugal, but not Spain?", set[str]()),
        ("Which countries border Andorra? I don't know it.", {"France", "Spain"}),
        ("Which countries border Germany? Do not list France.", set[str]()),
    ],
)
def test_what_is_left_out_is_no_answer(graph: Compiled, question: str, answers: set[str]) -> None:
    state = talk(graph, question, question)
    assert names(state) == answers
    assert not any("negation" in note for note in state["notes"])


def test_names_that_hold_a_not_negate_nothing(tmp_path: Path) -> None:
    lines = "NOT gate|part of|TTL family", "Aspirin|not compatible with|Warfarin"
    (tmp_path / "names.kb").write_text("\n".join(lines) + "\n", encoding="utf-8")
    kg = open_kg(str(tmp_path / "names.kb"), cache=tmp_path / "cache")
    graph = build_graph("gcr", generator=ruled_model(), kg=kg)
    for question in ("What is the NOT gate part of?", "What is Aspirin not compatible with?"):
        state: Any = graph.invoke({"question": question})
        assert state["candidates"] and not any("negation" in note for note in state["notes"])
    state = graph.invoke({"question": "What is the NOT gate not part of?"})
    assert any('negation, "not"' in note for note in state["notes"])
    kg.close()


def test_a_not_is_not_lost_when_an_llm_puts_a_follow_up_in_full(kg: KnowledgeGraph) -> None:
    llm = in_order("Austria", "What borders Hungary?", "Austria")
    graph = build_graph(
        "gcr", generator=ruled_model(), kg=kg, llm=llm, checkpointer=InMemorySaver()
    )
    talk(graph, "lost", "What is the currency of Hungary?")
    state = talk(graph, "lost", "and what does the same place not border?")
    assert state["status"] == "abstained" and any('"not"' in note for note in state["notes"])


def test_the_largest_is_found_among_verified_values(graph: Compiled, kg: KnowledgeGraph) -> None:
    state = talk(graph, "most", BORDERS, "which of them is the largest by population?")
    assert names(state) == {"Germany"} and holds(kg, state)
    values = {s["head"]["label"]: s["tail"]["label"] for s in state["result"]["triples"]}
    assert values == {"Germany": "83,000,000", "Italy": "59,000,000", "Slovakia": "5,400,000"}
    assert any(note.startswith("5 of 8 have no population") for note in state["notes"])
    least = talk(graph, "most", "which of them has the smallest population?")
    assert names(least) == {"Slovakia"}
    none = talk(graph, "most", "which of them is the oldest?")
    assert none["status"] == "abstained" and not none["answers"]


def test_what_cannot_be_counted_is_not(graph: Compiled) -> None:
    state = talk(graph, "people", "how many people live in Vietnam")
    assert state["status"] == "abstained" and state["result"] is None
    state = talk(graph, "africa", "How many countries are there in Western Africa?")
    assert state["result"]["value"] == 16


def test_a_question_of_a_set_is_computed_and_one_without_conversation_stays_plain(
    kg: KnowledgeGraph,
) -> None:
    graph = build_graph("gcr", generator=ruled_model(), kg=kg)
    question = "How many countries are there in Western Africa?"
    sample: Any = graph.invoke({"question": question, "id": "w099"})
    asked: Any = graph.invoke({"question": question})
    off: Any = graph.invoke({"question": question}, context=Options(conversation=False))
    assert off["operation"] is None and off["asked"] == question
    assert sample["result"] == asked["result"] and sample["result"]["kind"] == "count"
    assert sample["answers"] == asked["answers"]
    plain: Any = graph.invoke({"question": "Isn't Vienna in which country?"})
    same: Any = graph.invoke({"question": "Isn't Vienna in which country?", "id": "x"})
    for key in ("answers", "notes", "candidates", "mentions", "topics", "status"):
        assert plain[key] == same[key]
    costs = [{**state["usage"], "seconds": 0} for state in (plain, same)]
    assert costs[0] == costs[1]


def test_turns_may_go_in_without_a_checkpointer(kg: KnowledgeGraph) -> None:
    graph = build_graph(kg=kg)
    first: Any = graph.invoke({"question": BORDERS})
    json.dumps(first["turns"])
    second: Any = graph.invoke({"question": "how many are there?", "turns": first["turns"]})
    assert second["result"]["value"] == 8 and len(second["turns"]) == 2


def test_what_was_resolved_is_streamed(graph: Compiled) -> None:
    talk(graph, "stream", "What is the capital of Hungary?")
    config: Any = {"configurable": {"thread_id": "stream"}}
    asked: Any = {"question": "And Portugal?"}
    events: list[Any] = list(graph.stream(asked, config, stream_mode="custom"))
    understood = [event for event in events if event["event"] == "understood"]
    assert understood == [
        {"event": "understood", "asked": "What is the capital of Portugal?", "operation": None}
    ]


def test_an_ambiguous_mention_asks_back_and_goes_on(graph: Compiled) -> None:
    config: Any = {"configurable": {"thread_id": "springfield"}}
    asked: Any = {"question": "Which country is Springfield in?"}
    state: Any = graph.invoke(asked, config)
    (interrupt,) = state["__interrupt__"]
    options = interrupt.value["options"]
    assert len(options) == 2
    chosen = next(option for option in options if "west" in option["term"])
    state = graph.invoke(Command(resume=chosen["term"]), config)
    assert names(state) == {"Portugal"} and state["status"] == "answered"
    follow = talk(graph, "springfield", "and its capital?")
    assert names(follow) == {"Lisbon"}


def test_an_ambiguity_that_was_told_is_settled_by_the_next_line(graph: Compiled) -> None:
    told = talk(graph, "told", "Which country is Springfield in?")
    assert told["status"] == "ambiguous" and told["result"] is None
    place = next(
        n for n, c in enumerate(told["mentions"][0]["candidates"], 1) if "east" in c["term"]
    )
    assert names(talk(graph, "told", str(place))) == {"Hungary"}


def test_an_llm_rewrites_what_no_rule_is_certain_of(kg: KnowledgeGraph) -> None:
    llm = in_order("Hungarian forint", "What is the capital of Hungary?", "Budapest")
    graph = build_graph(
        "gcr", generator=ruled_model(), kg=kg, llm=llm, checkpointer=InMemorySaver()
    )
    talk(graph, "llm", "What is the currency of Hungary?")
    asked = len(llm.asked)
    state = talk(graph, "llm", "and the seat of government of the same place?")
    assert "# Last question:" in llm.asked[asked]
    assert state["asked"] == "What is the capital of Hungary?" and names(state) == {"Budapest"}
    assert state["usage"]["llm_calls"] == 2
    failed = talk(graph, "llm", "tell me more about the former one")
    assert failed["status"] == "abstained"
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
