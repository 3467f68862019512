"""Questions that were asked one by one: they fit their schemas, and what does not fit is told."""

import json
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

import pytest
from groundwalk.agent.errors import InputError
from groundwalk.agent.kg import open_kg
from groundwalk.agent.kg.labels.names import normalise
from groundwalk.agent.kg.nodes import lexical_form
from groundwalk.agent.kg.terms import node_of
from groundwalk.agent.query.actions import spell
from groundwalk.training.reader import sureness as evidence
from groundwalk.training.reader import thresholds
from groundwalk.training.reader.asked import (
    ASKED,
    asked_examples,
    asked_graphs,
    read_asked,
    write_asked,
)
from groundwalk.training.reader.examples import examples_of
from groundwalk.training.reader.made_graphs import relation_iri
from groundwalk.training.reader.sources import Mention, SourceQuestion
from groundwalk.training.reader.sureness import answer_of, read_as_asked, reading_with

from ...agent.reader.tiny import tiny_reader

SCHEMA = {
    "classes": ["choir", "singer", "hall"],
    "relations": [
        ["singsWith", "singer", "choir"],
        ["rehearses in", "choir", "hall"],
        ["seats", "hall", "number"],
        ["founded", "choir", "date"],
        ["town", "hall", "text"],
    ],
}


def asked(folder: Path, *questions: dict[str, Any]) -> Path:
    file = folder / "choirs.jsonl"
    file.write_text("\n".join(json.dumps(line) for line in (SCHEMA, *questions)), encoding="utf-8")
    return file


def question(text: str, **query: Any) -> dict[str, Any]:
    return {"q": text, "query": query}


@pytest.mark.slow
def test_every_question_fits_its_schema_and_is_learnt() -> None:
    for graph in asked_graphs():
        texts = [one.question for one in graph.questions]
        assert len(set(texts)) == len(texts)
        assert len(examples_of(graph.questions)) == len(texts), graph.name


def test_the_graph_of_questions_has_what_they_name(tmp_path: Path) -> None:
    graph = read_asked(
        asked(
            tmp_path,
            question("Who is in [the Larks]?", start=[0], steps=["^singsWith"]),
            question("Halls of [Bergen]?", start=[0], steps=["^town"]),
            {"q": "Who pays [Ann Bay]?", "query": None, "classes": ["singer"]},
        )
    )
    write_asked(graph, tmp_path / "choirs.ttl", Random(0))
    with open_kg(tmp_path / "choirs.ttl", cache=tmp_path / "cache") as kg:
        for name, kind in (("the Larks", "choir"), ("Ann Bay", "singer")):
            (hit,) = kg.labels.lookup(normalise(name))
            (info,) = kg.labels.describe([hit.term])
            assert info.kind == kind
        towns = {lexical_form(node_of(fact.tail)) for fact in kg.stated(relation_iri("town"))}
        assert towns == {"Bergen"}


def test_questions_that_a_graph_does_not_answer_tell_how_sure_is_sure_enough(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    graph = read_asked(
        asked(
            tmp_path,
            question("Who is in [the Larks]?", start=[0], steps=["^singsWith"]),
            question("Seats where [the Larks] sing?", start=[0], steps=["rehearses in", "seats"]),
            {"q": "Who pays [Ann Bay]?", "query": None, "classes": ["singer"]},
        )
    )
    left_out = list[frozenset[str]]()

    def reading(kg: Any, reader: Any, without: frozenset[str]) -> Any:
        left_out.append(without)
        return reading_with(kg, reader, without)

    monkeypatch.setattr(thresholds, "reading_with", reading)
    answered = list(thresholds.asked_in_vain(graph, tiny_reader(), lambda _: None))
    assert len(answered) == 2, "of several relations it is not known which one is missed"
    assert not any(answer.right for answer in answered)
    assert sorted(left_out, key=len) == [frozenset(), frozenset({relation_iri("singsWith")})]


def test_what_comes_to_the_same_by_another_relation_tells_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = question("Who is in [the Larks]?", start=[0], steps=["^singsWith"])
    graph = read_asked(asked(tmp_path, said))
    answered = partial(thresholds.asked_in_vain, graph, tiny_reader(), lambda _: None)
    (before,) = answered()
    assert before.confidence

    def same(read: Any, one: SourceQuestion) -> Any:
        outcome = read_as_asked(read, one.question)
        return outcome and answer_of(outcome[1].computed)

    monkeypatch.setattr(evidence, "answer_to", same)
    assert not [answer for answer in answered() if answer.confidence]


def test_a_question_has_its_mentions_with_their_classes_and_its_actions(tmp_path: Path) -> None:
    halls = question(
        "Which halls of [Bergen] do [the Larks] use, with over [two hundred] seats?",
        start=[0],
        steps=["^town"],
        filters=[{"relation": "seats", "op": ">", "mention": 2}],
        **{"and": [{"start": [1], "steps": ["rehearses in"]}]},
    )
    graph = read_asked(asked(tmp_path, halls))
    (one,) = graph.questions
    assert one.question == "Which halls of Bergen do the Larks use, with over two hundred seats?"
    assert one.mentions == (
        Mention(15, 21, "Bergen", ""),
        Mention(25, 34, "the Larks", "choir"),
        Mention(50, 61, "two hundred", "number"),
    )
    assert spell(one.actions, {}) == (
        "<QUERY><0><STEP>^town<WHERE>seats<GREATER><2><AND><1><STEP>rehearses in<END></QUERY>"
    )
    assert (one.source, one.schema, graph.name) == (ASKED, graph.name, "asked:choirs")


def test_words_in_braces_are_those_that_a_query_leaves_out(tmp_path: Path) -> None:
    singers = question(
        "Who {nearly} sang with [the Larks] {in 2015}?", start=[0], steps=["^singsWith"]
    )
    plain = question("Who, dear me, is in [the Larks]?", start=[0], steps=["^singsWith"])
    unknown = {"q": "Who pays [Ann Bay]?", "query": None, "classes": ["singer"]}
    graph = read_asked(asked(tmp_path, singers, plain, unknown))
    assert graph.questions[0].question == "Who nearly sang with the Larks in 2015?"
    assert graph.questions[0].mentions == (Mention(21, 30, "the Larks", "choir"),)
    left_out = [
        None if one.unread is None else [one.words[number].text for number in sorted(one.unread)]
        for one in asked_examples(graph)
    ]
    assert left_out == [["nearly", "in", "2015"], [], None]


def test_some_names_are_learnt_as_words_of_which_a_graph_says_nothing(tmp_path: Path) -> None:
    every = [
        question(f"How many seats has [Hall {name}]?", start=[0], steps=["seats"])
        for name in "ABCDEFGHIJKLMNOPQRST"
    ]
    towns = [
        question(f"Halls of [{name}]?", start=[0], steps=["^town"]) for name in ("Oslo", "Rome")
    ]
    graph = read_asked(asked(tmp_path, *every, *towns))
    examples = asked_examples(graph)
    unlinked = examples[len(graph.questions) :]
    assert 0 < len(unlinked) < len(every) / 2
    for one in unlinked:
        assert not one.actions and one.unread is None
        assert not any(word.what == "thing" for word in one.words)
        assert "hall" in [word.text for word in one.words]


def test_a_relation_may_be_called_year(tmp_path: Path) -> None:
    file = tmp_path / "prizes.jsonl"
    schema = {"classes": ["prize", "hall"], "relations": [["year", "prize", "number"]]}
    last = question(
        "last prize", start={"class": "prize"}, extreme={"relation": "year", "most": True}
    )
    lines = (schema, question("When was [X]?", start=[0], steps=["year"]), last)
    file.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    assert [one.actions[1].name for one in read_asked(file).questions] == ["year", "year"]


@pytest.mark.parametrize(
    ("wrong", "fault"),
    [
        (
            question("Who {is in [the Larks]}?", start=[0], steps=["^singsWith"]),
            "do not match",
        ),
        (question("Who is in [the Larks]?", start=[0], steps=["singers"]), "no relation 'singers'"),
        (
            question("Seats of [Ann]?", start=[0], steps=["singsWith", "seats"]),
            "'seats' never leads from choir",
        ),
        (
            question("Where?", start={"class": "hall"}, steps=["rehearses in"]),
            "'rehearses in' never leads from hall",
        ),
        (
            question(
                "Largest?", start={"class": "choir"}, extreme={"relation": "seats", "most": True}
            ),
            "'seats' never leads from choir",
        ),
        (question("Which rooms?", start={"class": "room"}), "no class 'room'"),
        (
            question("Halls of [Ann]?", start=[0], steps=["singsWith"], **{"class": "hall"}),
            "none of these is of the class 'hall'",
        ),
        (
            question(
                "Halls without choirs?",
                start={"class": "hall"},
                **{"not": [{"start": {"class": "choir"}}]},
            ),
            "joined with one of another class",
        ),
        (
            question("Who is in [the Larks] of [Bergen]?", start=[0], steps=["^singsWith"]),
            "2 mentions",
        ),
        (question("Who?", begin=[0]), "the query is malformed"),
        ({"query": {"start": [0]}}, "'q'"),
    ],
)
def test_a_question_that_does_not_fit_is_told_with_its_line(
    wrong: dict[str, Any], fault: str, tmp_path: Path
) -> None:
    right = question("Who is in [the Larks]?", start=[0], steps=["^singsWith"])
    with pytest.raises(InputError) as error:
        read_asked(asked(tmp_path, right, wrong))
    assert "choirs.jsonl" in str(error.value)
    assert "3: " in str(error.value)
    assert fault in str(error.value)


@pytest.mark.parametrize("kind", ["key", "float"])
def test_no_class_is_called_like_a_kind_of_value(kind: str, tmp_path: Path) -> None:
    file = tmp_path / "locksmith.jsonl"
    schema = {"classes": ["lock", kind], "relations": [["opens", kind, "lock"]]}
    file.write_text(json.dumps(schema) + "\n", encoding="utf-8")
    with pytest.raises(InputError, match=rf"locksmith\.jsonl has the class '{kind}'"):
        read_asked(file)
