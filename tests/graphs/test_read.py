"""Method `query` with a model that reads questions as queries, on the bundled graph."""

import re
from collections.abc import Sequence
from importlib import resources
from typing import Any, cast

import pyoxigraph as ox
import pytest
from groundwalk.agent.evidence import Reply, explain
from groundwalk.agent.kg import KnowledgeGraph, Triple
from groundwalk.agent.linking import LabelLinker
from groundwalk.agent.llm.local import LocalModel
from groundwalk.agent.options import Options
from groundwalk.agent.query.actions import Action
from groundwalk.agent.query.prompt import Numbered
from groundwalk.agent.query.question import Asked
from groundwalk.agent.query.word_reader import NoAccount, Weighed, by_unread
from groundwalk.agent.records import NOT_UNDERSTOOD, Word
from groundwalk.graphs.ground import Parts
from groundwalk.graphs.methods import METHODS
from groundwalk.graphs.skeleton import skeleton
from groundwalk.graphs.tool import result_of
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command

from ..agent.query.models import Script, random_reader, scripted
from ..whole import build_graph, labels

CAPITAL = "what is the capital of <0>[country]"
BORDERS = "<0><STEP>borders"


def ask(kg: KnowledgeGraph, local: LocalModel, *questions: str, **options: Any) -> Any:
    """The state after the last of some questions of one conversation."""
    graph: Any = build_graph("query", kg=kg, generator=local, checkpointer=InMemorySaver())
    thread, state = {"configurable": {"thread_id": "1"}}, None
    for question in questions:
        state = graph.invoke({"question": question}, thread, context=Options(**options))
    return state


@pytest.fixture(scope="module")
def world() -> ox.Store:
    store = ox.Store()
    text = resources.files("groundwalk.data.world").joinpath("world.ttl").read_bytes()
    store.load(text, format=ox.RdfFormat.TURTLE)
    return store


def asked_again(state: Any, store: ox.Store) -> set[str]:
    """The labels of what the query of the evidence finds, run as it is."""
    query = explain("sparql", cast(Reply, result_of(state)))
    rows: Any = store.query(query)
    name = ox.NamedNode("http://www.w3.org/2000/01/rdf-schema#label")
    named = [next(store.quads_for_pattern(row["answer"], name, None)).object for row in rows]
    return {own.value for own in named if isinstance(own, ox.Literal)}


def one(question: str, query: str, probability: float = 0.95) -> dict[str, Script]:
    """The script of a question with one likely query."""
    return {question: [(query, probability), ("<NONE>", 1 - probability)]}


def test_a_walk_is_read_executed_and_proved(kg: KnowledgeGraph) -> None:
    script = {CAPITAL: [("<0><STEP>capital", 0.9), (BORDERS, 0.1)]}
    state = ask(kg, scripted(script), "What is the capital of Kenya?")
    assert (state["status"], labels(state)) == ("answered", ["Nairobi"])
    assert state["reading"] == "capital of Kenya"
    assert state["query_tree"] == {"start": [0], "steps": [{"relation": "capital"}]}
    assert state["confidence"] == pytest.approx(0.9, abs=1e-3)
    assert state["reasoner"] == "reader" and state["notes"] == []
    steps = [step for own in state["answers"] for chain in own["chains"] for step in chain]
    assert steps and {step["verdict"] for step in steps} == {"supported"}
    assert state["usage"]["forward_passes"] > 0 and state["usage"]["llm_calls"] == 0


def test_readings_are_distinct_and_can_be_given_as_queries(kg: KnowledgeGraph) -> None:
    script = {CAPITAL: [("<0><STEP>capital", 0.8), (BORDERS, 0.1), ("<0><STEP>currency", 0.1)]}
    local = scripted(script)
    state = ask(kg, local, "What is the capital of Kenya?")
    readings = state["readings"]
    assert {own["words"] for own in readings} == {
        "capital of Kenya",
        "borders of Kenya",
        "currency of Kenya",
    }
    assert readings[0]["words"] == state["reading"]
    assert [own["probability"] for own in readings] == pytest.approx([0.8, 0.1, 0.1], abs=1e-3)
    graph: Any = build_graph("query", kg=kg, generator=local, checkpointer=False)
    currency = next(own for own in readings if own["words"].startswith("currency"))
    again = graph.invoke({"query": currency["query"]})
    assert labels(again) == ["Kenyan shilling"]


def test_a_value_is_compared_in_its_unit(kg: KnowledgeGraph) -> None:
    question = "rivers of <0>[country] longer than <1>[number] miles"
    query = "<0><STEP>^flows through<WHERE>length in kilometres<GREATER><1>"
    state = ask(kg, scripted(one(question, query)), "Rivers of Germany longer than 1,000 miles?")
    assert labels(state) == ["Danube"] and "1,000 miles" in state["reading"]


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("<0><STEP>^flows through<WHERE>length in kilometres<GREATER><1>", "None in the graph."),
        ("<0><STEP>^flows through<WHERE>length in kilometres<GREATER><1><COUNT>", "0"),
        ("<0><STEP>^flows through<WHERE>length in kilometres<GREATER><1><YESNO>", "No,"),
    ],
)
def test_nothing_is_an_answer_and_no_reason_for_the_next_query(
    kg: KnowledgeGraph, query: str, text: str
) -> None:
    question = "rivers of <0>[country] longer than <1>[number] km"
    script = {question: [(query, 0.96), ("<0><STEP>^flows through", 0.04)]}
    state = ask(kg, scripted(script), "Rivers of Germany longer than 9,000 km?")
    assert state["status"] == "answered" and state["result"]["text"].startswith(text)
    assert labels(state) == []


def test_that_there_is_nothing_has_to_be_surer(kg: KnowledgeGraph) -> None:
    question = "rivers of <0>[country] longer than <1>[number] km"
    query = "<0><STEP>^flows through<WHERE>length in kilometres<GREATER><1>"
    graph = scripted({question: [(query, 0.9), ("<0><STEP>^flows through", 0.1)]})
    state = ask(kg, graph, "Rivers of Germany longer than 9,000 km?")
    assert state["status"] == "unsure" and state["result"] is None
    assert "not sure enough (0.90, at least 0.95)" in state["notes"][-1]


def test_a_query_without_any_name_begins_at_a_class(kg: KnowledgeGraph) -> None:
    local = scripted(
        one("the <0>2 highest mountains", "<CLASS>mountain<MOST>height in metres<FIRST><2>")
    )
    state = ask(kg, local, "The 2 highest mountains?")
    assert state["status"] == "answered" and labels(state) == ["Mount Everest", "K2"]


def test_what_is_not_sure_enough_is_said_and_not_answered(kg: KnowledgeGraph) -> None:
    local = scripted(one(CAPITAL, "<0><STEP>capital", 0.61), least=0.7)
    state = ask(kg, local, "What is the capital of Kenya?")
    assert (state["status"], labels(state)) == ("unsure", [])
    assert "I read: capital of Kenya; not sure enough (0.61, at least 0.70)" in state["notes"]
    assert state["reading"] == "capital of Kenya"
    assert ask(kg, local, "What is the capital of Kenya?", confidence=0.5)["status"] == "answered"


def test_other_queries_of_the_same_result_make_sure(kg: KnowledgeGraph) -> None:
    script = {
        CAPITAL: [("<0><STEP>capital", 0.4), ("<0><STEP>capital<CLASS>city", 0.35), (BORDERS, 0.25)]
    }
    state = ask(kg, scripted(script, least=0.7), "What is the capital of Kenya?")
    assert state["status"] == "answered" and state["confidence"] == pytest.approx(0.75, abs=1e-3)


def test_where_the_model_says_that_there_is_none_nothing_is_answered(kg: KnowledgeGraph) -> None:
    local = scripted(one(CAPITAL, "<0><STEP>capital", 0.05))
    state = ask(kg, local, "What is the capital of Kenya?")
    assert (state["status"], labels(state)) == ("abstained", [])


def test_a_query_that_cannot_be_executed_gives_way(
    kg: KnowledgeGraph, monkeypatch: pytest.MonkeyPatch
) -> None:
    local = scripted({CAPITAL: [(BORDERS, 0.4), ("<0><STEP>capital", 0.6)]}, least=0.1)
    _refuse_first(monkeypatch)
    state = ask(kg, local, "What is the capital of Kenya?")
    assert state["reading"] == "borders of Kenya" and "Uganda" in labels(state)
    assert state["notes"][0] == "I read: capital of Kenya; too large"


def _refuse_first(patch: pytest.MonkeyPatch) -> None:
    from groundwalk.agent.answers import readings
    from groundwalk.agent.answers.queries import executed as whole
    from groundwalk.agent.errors import ShortageError

    calls = list[int]()

    def refusing(*given: Any, **named: Any) -> Any:
        calls.append(1)
        if len(calls) == 1:
            raise ShortageError("too large", "ask for less")
        return whole(*given, **named)

    patch.setattr(readings, "executed", refusing)


def test_a_follow_up_begins_at_the_last_answers(kg: KnowledgeGraph, world: ox.Store) -> None:
    script = {
        "which countries border <0>[country]": [(BORDERS, 1.0)],
        "which countries border <1>[country]? <TOPICS>[country]<ANSWERS><MANY>[country] "
        "which of them use the <0>[currency]": [("<ANSWERS><AND><0><STEP>^currency<END>", 1.0)],
    }
    local = scripted(script)
    state = ask(kg, local, "Which countries border Germany?", "Which of them use the Euro?")
    assert state["status"] == "answered" and "France" in labels(state)
    assert "Switzerland" not in labels(state)
    read = (
        "Austria, Belgium or 7 more of the last answers, if also any country whose currency is euro"
    )
    assert state["reading"] == read
    assert {own["verdict"] for a in state["answers"] for c in a["chains"] for own in c} == {
        "supported"
    }
    assert asked_again(state, world) == set(labels(state))
    about = explain("html", cast(Reply, result_of(state)))
    assert re.search(r"<dt>Topics</dt><dd><bdi>[^<]*Germany", about)


def test_a_follow_up_begins_at_the_last_topics(kg: KnowledgeGraph, world: ox.Store) -> None:
    script = {
        CAPITAL: [("<0><STEP>capital", 1.0)],
        "what is the capital of <0>[country]? <TOPICS>[country]<ANSWERS>[city] and its currency": [
            ("<TOPICS><STEP>currency", 1.0)
        ],
    }
    state = ask(kg, scripted(script), "What is the capital of Kenya?", "And its currency?")
    assert labels(state) == ["Kenyan shilling"] and state["reading"] == "currency of Kenya"
    assert asked_again(state, world) == {"Kenyan shilling"}


def test_without_conversation_nothing_came_before(kg: KnowledgeGraph) -> None:
    local = scripted({CAPITAL: [("<0><STEP>capital", 1.0)]})
    questions = ["What is the capital of Kenya?", "What is the capital of Peru?"]
    assert labels(ask(kg, local, *questions, conversation=False)) == ["Lima"]


def test_why_is_about_the_conversation(kg: KnowledgeGraph) -> None:
    local = scripted(one(CAPITAL, "<0><STEP>capital"))
    state = ask(kg, local, "What is the capital of Kenya?", "Are you sure?")
    assert labels(state) == ["Nairobi"] and state["result"]["kind"] == "why"


def test_a_negation_is_read_as_a_query(kg: KnowledgeGraph) -> None:
    script = {
        "which countries do not border <0>[country]": [
            ("<CLASS>country<NOT><0><STEP>borders<END><COUNT>", 1.0)
        ]
    }
    state = ask(kg, scripted(script), "Which countries do not border Germany?")
    assert state["status"] == "answered" and state["operation"] is None
    assert state["result"]["value"] > 100 and NOT_UNDERSTOOD not in str(state["notes"])


def test_an_ambiguous_name_is_asked_back(kg: KnowledgeGraph) -> None:
    local = scripted(
        one("what is the capital of <0>[country]", "<0><STEP>capital")
        | one("what is the capital of <0>[u.s. state]", "<0><STEP>capital")
    )
    graph: Any = build_graph("query", kg=kg, generator=local, checkpointer=InMemorySaver())
    thread = {"configurable": {"thread_id": "1"}}
    asked = graph.invoke({"question": "What is the capital of Congo?"}, thread)
    assert asked["__interrupt__"]
    state = graph.invoke(Command(resume="1"), thread)
    assert state["status"] == "answered" and state["reasoner"] == "reader"
    without: Any = build_graph("query", kg=kg, generator=local, checkpointer=False)
    assert without.invoke({"question": "What is the capital of Congo?"})["status"] == "ambiguous"


def test_given_topics_and_no_queries_take_the_old_way(kg: KnowledgeGraph) -> None:
    local = random_reader()
    state = ask(kg, local, "What is the capital of Kenya?", queries=False, confidence=0.0)
    assert state["query_tree"] is None and state["reasoner"] == "vote"


class _Left(NoAccount):
    """Says that one word of every question is left out."""

    def account(
        self, question: str, mentions: Sequence[Numbered], actions: Sequence[Action]
    ) -> list[Word]:
        words = [Word(text="friendly", start=0, end=8, used_by="unread")]
        assert question and mentions and actions[-1].kind == "end"
        return [*words, Word(text="capital", start=9, end=16, used_by="capital")]


class _Whole(NoAccount):
    """Says that only a count uses every word."""

    def weighed(
        self,
        asked: Asked,
        readings: Sequence[Sequence[Action]],
        probabilities: Sequence[float],
    ) -> list[Weighed]:
        counts = [any(own.kind == "count" for own in actions) for actions in readings]
        return by_unread(probabilities, [0.1 if is_count else 0.95 for is_count in counts])


def test_a_reading_that_uses_every_word_comes_first(kg: KnowledgeGraph) -> None:
    question = "how many border <0>[country]"
    local = scripted({question: [(BORDERS, 0.6), (f"{BORDERS}<COUNT>", 0.3)]})
    parts = Parts(kg, LabelLinker(kg.labels), local.settings, lambda: local, account=_Whole)
    graph: Any = skeleton("query", METHODS["query"], parts, False)
    state = graph.invoke({"question": "How many border Kenya"}, context=Options())
    assert state["result"]["value"] == 5
    assert state["confidence"] == pytest.approx(0.9, abs=0.01)
    probabilities = [own["probability"] for own in state["readings"]]
    assert probabilities == sorted(probabilities, reverse=True)


@pytest.mark.parametrize(("partial", "status"), [(True, "partial"), (False, "abstained")])
def test_words_that_are_left_out_make_it_partial(
    kg: KnowledgeGraph, partial: bool, status: str
) -> None:
    local = scripted(one("friendly capital of <0>[country]", "<0><STEP>capital"))
    parts = Parts(kg, LabelLinker(kg.labels), local.settings, lambda: local, account=_Left)
    graph: Any = skeleton("query", METHODS["query"], parts, False)
    state = graph.invoke(
        {"question": "Friendly capital of Kenya"}, context=Options(partial=partial)
    )
    assert (state["status"], labels(state)) == (status, ["Nairobi"] if partial else [])
    assert state["notes"][0] == 'not understood: "friendly"'
    assert len(state["account"]) == 2
    # Half of the words are read, so neither the answer nor a reading is surer than that.
    assert state["confidence"] == 0.5
    assert max(reading["probability"] for reading in state["readings"]) == 0.5


def test_a_yes_or_no_that_leaves_words_out_is_not_said(kg: KnowledgeGraph) -> None:
    question = "is <0>[city] the friendly capital of <1>[country]"
    local = scripted(one(question, "<1><STEP>capital<AND><0><END><YESNO><END>"))
    parts = Parts(kg, LabelLinker(kg.labels), local.settings, lambda: local, account=_Left)
    graph: Any = skeleton("query", METHODS["query"], parts, False)
    asked = {"question": "Is Nairobi the friendly capital of Kenya?"}
    state = graph.invoke(asked, context=Options(confidence=0.0))
    assert state["status"] == "unsure" and not state["answers"] and state["result"] is None
    assert state["notes"][0] == 'not understood: "friendly"'
    assert state["notes"][1].startswith("I read: is Nairobi the capital of Kenya;")


@pytest.mark.parametrize(
    ("before", "asked", "reading"),
    [
        (
            "Which countries are members of neither NATO nor the EU?",
            "How many countries are there in the world?",
            "how many: every country",
        ),
        (
            "Is Everest not in Nepal?",
            "Is Everest in Nepal?",
            "is Nepal among what Mount Everest is mountain in",
        ),
    ],
)
def test_a_complete_question_takes_nothing_of_the_one_before(
    kg: KnowledgeGraph, before: str, asked: str, reading: str
) -> None:
    graph: Any = build_graph("query", kg=kg, checkpointer=InMemorySaver())
    thread = {"configurable": {"thread_id": "1"}}
    graph.invoke({"question": before}, thread)
    state = graph.invoke({"question": asked}, thread)
    assert (state["status"], state["reading"]) == ("answered", reading)


@pytest.mark.parametrize(
    ("question", "word"),
    [
        ("Does Germany border only France?", "only"),
        ("Is Portugal the only neighbour of Spain?", "only"),
        ("Is the Rhine always in Germany?", "always"),
    ],
)
def test_what_limits_a_claim_is_not_passed_over(
    kg: KnowledgeGraph, question: str, word: str
) -> None:
    graph: Any = build_graph("query", kg=kg, checkpointer=False)
    state = graph.invoke({"question": question})
    assert state["status"] == "unsure" and not state["answers"] and state["result"] is None
    assert state["notes"][0] == f'not understood: "{word}"'


def test_a_random_model_answers_something_or_is_silent(kg: KnowledgeGraph) -> None:
    state = ask(kg, random_reader(), "What is the capital of Kenya?", confidence=0.0)
    assert state["status"] in ("answered", "abstained") and state["readings"]


def test_each_thing_beside_an_answer_is_on_a_chain_of_it(kg: KnowledgeGraph) -> None:
    question = "languages of the countries of the <0>[river]"
    query = "<0><STEP>flows through<STEP>official language"
    state = ask(kg, scripted(one(question, query)), "Languages of the countries of the Rhine?")
    assert state["answers"], state["notes"]
    for answer in state["answers"]:
        ends = {chain[-1][part]["term"] for chain in answer["chains"] for part in ("head", "tail")}
        assert answer["of"] and {owner["term"] for owner in answer["of"]} <= ends
        assert len(answer["chains"]) == len(answer["of"])
        assert all(chain[0]["head"]["label"] == "Rhine" for chain in answer["chains"])
        assert {step["verdict"] for chain in answer["chains"] for step in chain} == {"supported"}
    assert max(len(answer["of"]) for answer in state["answers"]) > 2


@pytest.mark.parametrize(
    ("country", "currency", "text"),
    [
        ("Germany", "euro", "No, 4 of 9 are not: Czechia; Denmark; Poland; Switzerland."),
        ("Portugal", "euro", "Yes, all 1: Spain."),
    ],
)
def test_of_all_of_a_set_the_exceptions_are_told(
    kg: KnowledgeGraph, country: str, currency: str, text: str
) -> None:
    question = "do all neighbours of <0>[country] use the <1>[currency]"
    query = "<0><STEP>borders<YESNO><ALL><1><STEP>^currency<END>"
    asked = f"Do all neighbours of {country} use the {currency}?"
    state = ask(kg, scripted(one(question, query)), asked)
    assert state["status"] == "answered" and state["result"]["text"] == text
    assert state["reading"].startswith(f"is every one of borders of {country} among ")
    shown = {step["tail"]["label"] for step in state["result"]["triples"]}
    assert state["result"]["value"] or {"Czechia", "Denmark", "Poland", "Switzerland"} <= shown


@pytest.mark.parametrize(("held", "status"), [(None, "unchecked"), (False, "abstained")])
def test_exceptions_that_are_not_held_make_no_no(
    kg: KnowledgeGraph, monkeypatch: pytest.MonkeyPatch, held: bool | None, status: str
) -> None:
    question = "do all neighbours of <0>[country] use the <1>[currency]"
    local = scripted(one(question, "<0><STEP>borders<YESNO><ALL><1><STEP>^currency<END>"))

    def holds(_: object, triples: Sequence[Triple]) -> list[bool | None]:
        return [held] * len(triples)

    monkeypatch.setattr(type(kg.store), "holds", holds)
    state = ask(kg, local, "Do all neighbours of Germany use the euro?")
    assert state["status"] == status and state["result"] is None and not state["answers"]
    assert any("the exceptions" in note for note in state["notes"])
