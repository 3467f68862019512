"""Greetings, requests for help, and cards: what is asked that no query says."""

from typing import Any, cast

import pytest
from groundwalk.agent.answers.candidates import entity_record
from groundwalk.agent.conversation.acts import act_of, may_be_act
from groundwalk.agent.conversation.card import card
from groundwalk.agent.conversation.courtesies import leaves, place_of
from groundwalk.agent.conversation.introduction import EXAMPLES, introduce
from groundwalk.agent.kg import KnowledgeGraph, kg_of, open_kg
from groundwalk.agent.kg.labels.names import normalise
from groundwalk.agent.kg.terms import Triple
from groundwalk.agent.options import Options
from groundwalk.agent.records import Entity, Turn
from rdflib import Graph

from ...whole import build_graph
from .naming import entity, mentions, turn

PERU = turn("What is the capital of <country:Peru>?", entity("Lima", "city"))


@pytest.mark.parametrize(
    ("text", "kind"),
    [("Hello!", "greetings"), ("good morning", "greetings"), ("thanks!!", "thanks")]
    + [("What can you do?", "help"), ("help", "help"), ("?", "help"), ("???", "help")]
    + [("What is your source?", "help"), ("Where does your data come from?", "help")]
    + [("yes", "yes"), ("No.", "no"), ("yes, please", "yes")]
    + [("thanks u", "thanks"), ("thx a lot", "thanks"), ("what can u do", "help")],
)
def test_a_courtesy(text: str, kind: str) -> None:
    for turns in ([], [PERU]):
        act = act_of(text, [], turns)
        assert act is not None and act.kind == kind and may_be_act(text)


def test_a_thing_of_the_graph_that_is_called_so_is_no_courtesy() -> None:
    text, named = mentions("<song:Hello>")
    act = act_of(text, named, [])
    assert act is not None and act.kind == "card"


@pytest.mark.parametrize(
    "text",
    ["tell me about <river:Danube>", "Who is <writer:Ada>?"]
    + ["show me everything about <lake:Lake Victoria>", "and show me all about <lake:Como>"],
)
def test_what_asks_for_a_card(text: str) -> None:
    asked, named = mentions(text)
    for turns in ([], [PERU]):
        act = act_of(asked, named, turns)
        assert act is not None and act.kind == "card" and may_be_act(asked)


@pytest.mark.parametrize("marked", ["and <country:Chile>?", "and <country:Chile>", "<x:Chile>?"])
def test_a_name_that_goes_on_follows_up_on_a_question(marked: str) -> None:
    text, named = mentions(marked)
    assert act_of(text, named, [PERU]) is None
    act = act_of(text, named, [{**PERU, "card": True}])
    assert act is not None and act.kind == "card"


@pytest.mark.parametrize("marked", ["<country:Chile>", "The <lake:Titicaca>.", "<country:Chile>!"])
def test_a_bare_name_asks_for_a_card_wherever_it_is_said(marked: str) -> None:
    text, named = mentions(marked)
    shown: Turn = {**PERU, "card": True}
    for turns in ([], [PERU], [shown]):
        act = act_of(text, named, turns)
        assert act is not None and act.kind == "card"


@pytest.mark.parametrize("text", ["What is the capital of <country:Peru>?", "Who owns <x:Y> now?"])
def test_a_question_of_the_graph_asks_for_no_card(text: str) -> None:
    asked, named = mentions(text)
    assert act_of(asked, named, []) is None


@pytest.fixture(scope="module")
def world() -> KnowledgeGraph:
    return open_kg("world")


def entity_of(kg: KnowledgeGraph, name: str) -> Entity:
    (info,) = kg.labels.describe(kg.labels.named(name))
    return entity_record(info, 1.0)


def test_a_card_says_what_the_graph_holds_and_nothing_else(world: KnowledgeGraph) -> None:
    shown = card(world, entity_of(world, "Andorra"))
    assert shown.status == "answered" and shown.result is not None
    triples = [
        Triple(*(step[part]["term"] for part in ("head", "relation", "tail")))
        for step in shown.result["triples"]
    ]
    assert triples and all(world.store.holds(triples))
    rows: dict[str, Any] = {
        cast(Any, row[0])["label"]: row[1:] for row in shown.result.get("rows", [])
    }
    assert [cell["label"] for cell in rows["capital"]] == ["Andorra la Vella"]
    assert "← borders" not in rows, "a symmetric relation is said once"


def test_a_card_counts_what_it_leaves_out(world: KnowledgeGraph) -> None:
    poland = entity_of(world, "Poland")
    part, whole = card(world, poland).result, card(world, poland, all_facts=True).result
    assert part is not None and whole is not None
    some, every = part.get("rows", []), whole.get("rows", [])
    assert [len(row) + more for row, more in zip(some, part.get("more", []), strict=True)] == [
        len(row) for row in every
    ]
    assert max(part.get("more", [])) > 0 == max(whole.get("more", []))
    assert "Slovakia" not in part["text"] and "Russia; and 2 more." in part["text"]


@pytest.mark.parametrize("text", ["tell me more", "More!", "show me everything", "list them"])
def test_what_asks_for_the_whole_card(text: str) -> None:
    _, named = mentions("<country:Peru>")
    shown: Turn = {**PERU, "mentions": named, "card": True}
    act = act_of(text, [], [shown])
    assert act is not None and (act.kind, act.all_facts) == ("card", True)
    assert act.question["mentions"] == named
    other = act_of(text, [], [PERU])
    assert other is None or other.kind == "list", "after an answer it asks for no card"


@pytest.mark.parametrize("text", ["list them", "and who are they?", "Show them all."])
def test_what_asks_for_the_members(text: str) -> None:
    act = act_of(text, [], [PERU])
    assert act is not None and act.kind == "list"
    assert act_of(text, [], []) is None
    assert act_of(text, [], [turn("What is the capital of <country:Narnia>?")]) is None


def test_a_thing_without_facts_has_no_card() -> None:
    kg = kg_of(Graph().parse(data="<urn:a> <urn:knows> <urn:b> ."))
    nothing = Entity(term="<urn:c>", label="c", kind="", description="", score=1.0)
    assert card(kg, nothing).status == "abstained"


def test_examples_are_answered_as_the_graph_says(world: KnowledgeGraph) -> None:
    tried = list[str]()

    def refuses_first(question: str) -> frozenset[str]:
        tried.append(question)
        return frozenset()

    none = introduce(world, refuses_first)
    assert none.questions == () and len(tried) > 3 and EXAMPLES not in none.text
    untried = introduce(world)
    assert list(untried.questions) == tried[:3]
    assert [size.name for size in untried.classes[:2]] == ["city", "country"]
    assert untried.classes[0].members > untried.classes[1].members


def test_examples_read_as_english() -> None:
    turtle = """
        @prefix : <https://shed.example/> .
        :lathe a :Machine ; :maintained_by :ruth ; :feeds :press ; :colour :green .
        :press a :Machine .
    """
    introduction = introduce(kg_of(Graph().parse(data=turtle)))
    assert set(introduction.questions) == {
        "Which Machine is maintained by ruth?",
        "Which Machine feeds press?",
        "What is the colour of lathe?",
    }


def test_a_conversation() -> None:
    graph = build_graph(checkpointer=None)
    turns = list[Any]()

    def say(question: str) -> Any:
        state: Any = graph.invoke(
            {"question": question, "turns": turns}, context=Options(on_ambiguous="error")
        )
        turns[:] = state["turns"]
        return state

    hello = say("hello")
    assert hello["status"] == "introduced" and "4,863 facts" in hello["messages"][-1].text
    for question in [row[0]["label"] for row in hello["result"]["rows"]]:
        assert graph.invoke({"question": question})["status"] == "answered"
    assert say("tell me about Andorra")["result"]["kind"] == "card"
    assert say("and Chile?")["topics"][0]["label"] == "Chile"
    assert say("why?")["result"]["kind"] == "card"
    assert say("tell me about Congo")["status"] == "ambiguous"
    meant = say("2")
    assert meant["result"]["text"].startswith("Republic of the Congo")
    turn_count = len(turns)
    assert say("thank you")["messages"][-1].text == "You are welcome."
    assert len(turns) == turn_count, "thanks are no turn"


@pytest.mark.parametrize(
    ("text", "place"),
    [("yes", 1), ("Y", 1), ("Yes, please!", 1), ("the first", 1), ("The first one.", 1)]
    + [("the second", 2), ("number 3", 3), ("3.", 3), ("option 2", 2), ("no", 0), ("None.", 0)]
    + [("0", None), ("first of all", None), ("yes or no", None), ("the one", None), ("", None)],
)
def test_a_place_of_what_is_offered(text: str, place: int | None) -> None:
    assert place_of(normalise(text)) == place


@pytest.mark.parametrize("text", ["bye", "thanks, goodbye", "Thank you very much. Bye!", "ok bye"])
def test_who_leaves_may_be_polite(text: str) -> None:
    assert leaves(normalise(text))


@pytest.mark.parametrize("text", ["thanks", "who said goodbye", "is Q a bye", "", "rugby"])
def test_who_does_not_leave(text: str) -> None:
    assert not leaves(normalise(text))


def test_help_on_leaving_does_not_leave() -> None:
    assert leaves("quit") and leaves("thanks goodbye")
    assert not leaves("help quit") and not leaves("help exit")


def test_a_very_long_number_takes_no_place() -> None:
    assert place_of("2") == 2 and place_of("9" * 5_000) is None
