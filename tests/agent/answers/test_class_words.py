"""Words that name a class, and readings that come to things of another."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from time import process_time
from typing import Any

import pytest
from groundwalk.agent.answers.candidates import entity_record
from groundwalk.agent.answers.class_words import (
    ClassWord,
    class_words,
    left_out,
    members_of,
    not_met,
)
from groundwalk.agent.conversation.card import card
from groundwalk.agent.errors import ShortageError
from groundwalk.agent.kg import KnowledgeGraph, open_kg
from groundwalk.agent.query.binding import bind
from groundwalk.agent.query.execute import execute
from groundwalk.agent.query.facts import Facts
from groundwalk.agent.query.prompt import Numbered
from groundwalk.agent.query.question import Asked, Mentions, mentions_of
from groundwalk.agent.query.tree import read_query
from groundwalk.agent.records import Word
from groundwalk.agent.stopping import StoppedError, watched

GRAPH = """
@prefix : <http://bells.example/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:Bell rdfs:label "bell" . :Tower rdfs:label "tower" . :Person rdfs:label "person" .
:FullCircle rdfs:label "full-circle tower" . :FullCircle rdfs:subClassOf :Tower .
:Village rdfs:label "village" . :Ringer rdfs:label "ringer" . :Ringer rdfs:subClassOf :Person .
:hangs rdfs:label "hangs in" . :located rdfs:label "located in" . :rings rdfs:label "rings at" .
:meg a :Bell ; rdfs:label "Black Meg" ; :hangs :cross .
:cross a :FullCircle ; rdfs:label "Holy Cross" ; :located :wendle .
:ann a :Ringer ; rdfs:label "Ann" ; :rings :cross .
:giles a :Tower ; rdfs:label "St Giles" . :cy a :Person ; rdfs:label "Cy" ; :rings :giles .
:wendle a :Village ; rdfs:label "Wendle" . :bo rdfs:label "Bo" ; :rings :cross .
"""
TOWERS: dict[str, Any] = {"start": [0], "steps": [{"relation": "located in", "inverse": True}]}
BELLS = {"start": [0], "steps": [*TOWERS["steps"], {"relation": "hangs in", "inverse": True}]}
RINGERS = {"start": [0], "steps": [*TOWERS["steps"], {"relation": "rings at", "inverse": True}]}


@pytest.fixture
def kg(tmp_path: Path) -> Iterator[KnowledgeGraph]:
    file = tmp_path / "bells.ttl"
    file.write_text(GRAPH, encoding="utf-8")
    with closing(open_kg(str(file))) as opened:
        yield opened


def named(kg: KnowledgeGraph, question: str) -> list[ClassWord]:
    return class_words(kg, Asked(question, mentions_of(question, [])))


def missed(kg: KnowledgeGraph, question: str, tree: dict[str, Any]) -> list[str]:
    """The words of a question that nothing meets which a query comes to."""
    facts, bound = Facts(kg), bind(kg, read_query(tree), ("Wendle",))
    words = named(kg, question)
    return [word.text for word in not_met(facts, bound, execute(facts, bound), words)]


def test_classes_are_named_by_one_and_many_and_by_several_words(kg: KnowledgeGraph) -> None:
    assert [w.text for w in named(kg, "Which bells and towers are there?")] == ["bells", "towers"]
    assert [w.text for w in named(kg, "any full-circle towers?")] == ["full-circle towers"]
    assert named(kg, "what is in Wendle") == []


def test_a_mention_names_no_class(kg: KnowledgeGraph) -> None:
    question = "is Bell Tower old"
    mentions = Mentions((Numbered(3, 13, "tower"),))
    assert class_words(kg, Asked(question, mentions)) == []


@pytest.mark.parametrize(
    ("question", "tree", "expected"),
    [
        ("Which bells hang in Wendle?", TOWERS, ["bells"]),
        ("How many bells hang in Wendle?", {**TOWERS, "answer": "count"}, ["bells"]),
        ("Which bells hang in Wendle?", BELLS, []),
        ("Which towers of Wendle have bells?", BELLS, []),
        ("Which towers are in Wendle?", TOWERS, []),
        ("Which persons ring in Wendle?", RINGERS, []),
        ("Is there a bell in Wendle?", {**TOWERS, "answer": "yesno"}, []),
    ],
)
def test_a_reading_has_to_meet_the_classes_that_are_named(
    kg: KnowledgeGraph, question: str, tree: dict[str, Any], expected: list[str]
) -> None:
    assert missed(kg, question, tree) == expected


def test_what_has_no_class_may_be_anything(kg: KnowledgeGraph) -> None:
    assert missed(kg, "Which bells ring in Wendle?", RINGERS) == [], "nobody knows what Bo is"


def test_members_of_a_class_are_those_of_classes_below_it(kg: KnowledgeGraph) -> None:
    bells = "http://bells.example/"
    members = members_of(kg, f"<{bells}Tower>")
    assert list(members) == [f"<{bells}giles>", f"<{bells}cross>"]
    for term, steps in members.items():
        assert steps[0].source == f"<{bells}Tower>" and steps[-1].target == term
        assert all(kg.store.holds([step.triple for step in steps]))
    (tower,) = kg.labels.describe([f"<{bells}Tower>"])
    result = card(kg, {**entity_record(tower, 1.0), "kind": ""}).result
    assert result is not None and result["text"].startswith("tower (a class of 2 members)")
    triples = {(step["head"]["label"], step["tail"]["label"]) for step in result["triples"]}
    assert triples == {
        ("St Giles", "tower"),
        ("Holy Cross", "full-circle tower"),
        ("full-circle tower", "tower"),
    }


SUBCLASS = "<http://www.w3.org/2000/01/rdf-schema#subClassOf>"
RDF_TYPE = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>"


def numbered(number: int) -> str:
    return f"<urn:class:{number}>"


def ordered(folder: Path, above: dict[int, int], members: dict[str, int]) -> KnowledgeGraph:
    """A graph of classes, each with the one above it, and of members, each with its class."""
    lines = [f"{numbered(one)} {SUBCLASS} {numbered(up)} ." for one, up in above.items()]
    lines += [f"<urn:{name}> {RDF_TYPE} {numbered(class_)} ." for name, class_ in members.items()]
    (folder / "graph.nt").write_text("\n".join([*lines, "<urn:a> <urn:r> <urn:b> ."]) + "\n")
    return open_kg(str(folder / "graph.nt"), cache=folder / "cache")


def test_members_of_the_nearest_classes_come_first(tmp_path: Path) -> None:
    above = {1: 0, 2: 0, 3: 1, 4: 2, 5: 4}
    members = {"f": 5, "e": 4, "d": 3, "c": 2, "b": 1, "a": 0, "aa": 0}
    with closing(ordered(tmp_path, above, members)) as kg:
        found = members_of(kg, numbered(0))
        assert list(found) == [f"<urn:{name}>" for name in ("a", "aa", *"bcdef")]
        ways = {name: [step.target for step in found[f"<urn:{name}>"]] for name in "ade"}
    assert ways == {
        "a": ["<urn:a>"],
        "d": [numbered(1), numbered(3), "<urn:d>"],
        "e": [numbered(2), numbered(4), "<urn:e>"],
    }


def test_no_more_members_are_counted_than_are_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("groundwalk.agent.answers.class_words.MOST_MEMBERS", 3)
    with closing(ordered(tmp_path, {1: 0, 2: 1}, {"a": 0, "b": 1, "c": 2, "d": 2})) as kg:
        assert list(members_of(kg, numbered(0))) == ["<urn:a>", "<urn:b>", "<urn:c>"]


def test_a_long_chain_of_classes_takes_no_long_time(tmp_path: Path) -> None:
    length = 3_000
    with closing(ordered(tmp_path, {n + 1: n for n in range(length)}, {"a": length})) as kg:
        start = process_time()
        (steps,) = members_of(kg, numbered(0)).values()
        assert process_time() - start < 2
        assert len(steps) == length + 1


def test_members_that_nobody_waits_for_are_not_looked_up(tmp_path: Path) -> None:
    looked_up = 0

    def stop() -> None:
        nonlocal looked_up
        looked_up += 1
        if looked_up > 1:
            raise StoppedError

    with closing(ordered(tmp_path, {1: 0, 2: 1, 3: 2}, {"a": 3})) as kg:
        kg.membership.below(numbered(0))
        with watched(stop), pytest.raises(StoppedError):
            members_of(kg, numbered(0))


def test_classes_below_that_nobody_waits_for_are_not_read(tmp_path: Path) -> None:
    def stop() -> None:
        raise StoppedError

    with closing(ordered(tmp_path, {1: 0, 2: 1}, {"a": 2})) as kg:
        with watched(stop), pytest.raises(StoppedError):
            kg.membership.below(numbered(0))
        assert list(kg.membership.below(numbered(0))) == [numbered(1), numbered(2)]


def test_classes_below_are_no_more_than_can_be_held(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("groundwalk.agent.kg.classes._MOST_BELOW", 2)
    with closing(ordered(tmp_path, {1: 0, 2: 1, 3: 2}, {"a": 3})) as kg:
        assert list(members_of(kg, numbered(1))) == ["<urn:a>"]
        with pytest.raises(ShortageError, match="more than 2 classes are below"):
            members_of(kg, numbered(0))


def test_words_that_nothing_meets_are_left_out(kg: KnowledgeGraph) -> None:
    words = named(kg, "Which bells are there?")
    account = [
        Word(text="bells", start=6, end=11, used_by="filler"),
        Word(text="there", start=16, end=21, used_by="filler"),
    ]
    assert [word["used_by"] for word in left_out(account, words)] == ["unread", "filler"]
