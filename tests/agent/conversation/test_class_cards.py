"""A card of a class: what it is, how many members it has, and a few of them."""

from collections.abc import Sequence
from typing import Any, cast

import pytest
from groundwalk.agent.answers.candidates import entity_record
from groundwalk.agent.conversation.before import before_of
from groundwalk.agent.conversation.card import card, class_mention
from groundwalk.agent.kg import KnowledgeGraph, kg_of, open_kg
from groundwalk.agent.kg.terms import Triple
from groundwalk.agent.records import MentionRecord, Turn
from rdflib import Graph

from .naming import turn

PERU = turn("What is the capital of <country:Peru>?")
RIVERS = 142


@pytest.fixture(scope="module")
def world() -> KnowledgeGraph:
    return open_kg("world")


def mention_of(kg: KnowledgeGraph, question: str) -> MentionRecord:
    mention = class_mention(kg, question)
    assert mention is not None
    return mention


@pytest.mark.parametrize(
    "question",
    ["tell me about rivers", "Tell me about the rivers!", "and describe streams"]
    + ["what do you know about rivers?", "show me everything about River"],
)
def test_a_class_that_is_asked_about(world: KnowledgeGraph, question: str) -> None:
    mention = mention_of(world, question)
    assert [own["label"] for own in mention["candidates"]] == ["river"]
    assert question[mention["start"] : mention["end"]].casefold() == mention["text"]


@pytest.mark.parametrize(
    "question",
    ["rivers", "show me rivers", "what are the rivers?", "tell me about long rivers"]
    + ["tell me about borders", "tell me about", "tell me about Peru", "How many rivers?"],
)
def test_what_asks_about_no_class(world: KnowledgeGraph, question: str) -> None:
    assert class_mention(world, question) is None


def test_a_value_that_ends_in_a_full_stop_ends_its_sentence() -> None:
    store = Graph()
    data = '@prefix : <https://x.example/> . :a :title "Mr." ; :town "Graz" .'
    store.parse(data=data, format="turtle")
    kg = kg_of(store)
    (info,) = kg.labels.describe(["<https://x.example/a>"])
    result = card(kg, entity_record(info, 1.0)).result
    assert result is not None
    assert result["text"] == "a. title: Mr. town: Graz."


def test_a_card_of_a_class(world: KnowledgeGraph) -> None:
    (river,) = mention_of(world, "tell me about rivers")["candidates"]
    part, whole = card(world, river).result, card(world, river, all_facts=True).result
    assert part is not None and whole is not None
    assert part["text"].startswith(f"river (a river; a class of {RIVERS} members). members: Aare;")
    for shown, more in ((part, RIVERS - 5), (whole, 0)):
        (row,) = cast(Any, shown.get("rows"))
        assert row[0]["label"] == "members" and shown.get("more") == [more]
        triples = [
            Triple(*(step[part]["term"] for part in ("head", "relation", "tail")))
            for step in shown["triples"]
        ]
        assert len(triples) == len(row) - 1 == RIVERS - more and all(world.store.holds(triples))


def test_a_class_of_one_member_and_with_facts() -> None:
    turtle = """
        @prefix : <https://shed.example/> .
        @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
        :Machine rdfs:label "machine" . :lathe a :Machine ; :feeds :press ; rdfs:label "lathe" .
    """
    kg = kg_of(Graph().parse(data=turtle))
    (machine,) = mention_of(kg, "tell me about machines")["candidates"]
    result = card(kg, machine).result
    assert result and result["text"] == "machine (a class of 1 member). members: lathe."


def test_a_card_of_a_class_above_shows_the_whole_chain() -> None:
    turtle = """
        @prefix : <https://shed.example/> .
        @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
        :Machine rdfs:label "machine" . :Tool rdfs:label "tool" . :Drill rdfs:label "drill" .
        :Drill rdfs:subClassOf :Tool . :Tool rdfs:subClassOf :Machine .
        :lathe a :Machine ; rdfs:label "lathe" ; :feeds :press .
        :bit a :Drill ; rdfs:label "bit" .
    """
    kg = kg_of(Graph().parse(data=turtle))
    (machine,) = mention_of(kg, "tell me about machines")["candidates"]
    result = card(kg, machine, all_facts=True).result
    assert result and result["text"] == "machine (a class of 2 members). members: lathe; bit."
    assert {step["verdict"] for step in result["triples"]} == {"supported"}
    shown = [(step["head"]["label"], step["tail"]["label"]) for step in result["triples"]]
    chain = [("tool", "machine"), ("drill", "tool"), ("bit", "drill")]
    assert shown == [("lathe", "machine"), *chain]


def test_a_card_of_a_class_above_leaves_out_what_is_not_proved(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    turtle = """
        @prefix : <https://shed.example/> .
        @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
        :Machine rdfs:label "machine" . :Tool rdfs:subClassOf :Machine .
        :lathe a :Machine ; rdfs:label "lathe" ; :feeds :press . :bit a :Tool .
    """
    kg = kg_of(Graph().parse(data=turtle))
    (machine,) = mention_of(kg, "tell me about machines")["candidates"]
    holds = kg.store.holds

    def held(triples: Sequence[Triple]) -> list[bool | None]:
        known = zip(triples, holds(triples), strict=True)
        return [held and "subClassOf" not in triple.relation for triple, held in known]

    monkeypatch.setattr(kg.store, "holds", held)
    result = card(kg, machine, all_facts=True).result
    assert result and [step["head"]["label"] for step in result["triples"]] == ["lathe"]


def test_after_a_card_of_a_class_its_members_are_what_is_talked_about(
    world: KnowledgeGraph,
) -> None:
    mention = mention_of(world, "tell me about rivers")
    known: Any = {"asked": "tell me about rivers", "mentions": [mention], "card": True}
    known |= {"topics": mention["candidates"], "status": "answered", "number": 2}
    before = before_of(world, [PERU, cast(Turn, {**PERU, **known})])
    assert len(before.answers) == RIVERS and before.asked.many and before.asked.answers == "river"
    assert before.topics == () and before.mentions.bound == () and before.asked.question == ""
    steps = [step for proof in before.answers.values() for step in proof]
    assert all(world.store.holds([step.triple for step in steps]))
