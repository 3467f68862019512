"""The world questions agree with the world graph, by an independent engine."""

from __future__ import annotations

import json
from collections import Counter
from functools import cache
from importlib.resources import files
from typing import Any

import pytest
from groundwalk.data.world import answers
from rdflib import RDFS, Graph, Literal, URIRef
from rdflib.plugins.sparql import prepareQuery
from rdflib.query import ResultRow
from rdflib.util import from_n3

FIELDS = ["id", "question", "hops", "tags", "topics", "sparql", "answers", "why"]
HOP_COUNTS = {1: 118, 2: 104, 3: 42, None: 76}


def _text(name: str) -> str:
    """Return the text of a file in the world data package."""
    return files("groundwalk.data.world").joinpath(name).read_text(encoding="utf-8")


OPEN, SEALED = (
    [json.loads(line) for line in _text(name).splitlines()]
    for name in ("questions.jsonl", "sealed.jsonl")
)
QUESTIONS: list[dict[str, Any]] = [*OPEN, *SEALED]
ANSWERABLE = [question for question in QUESTIONS if question["hops"] is not None]
UNANSWERABLE = [question for question in QUESTIONS if question["hops"] is None]


def _ids(questions: list[dict[str, Any]]) -> list[str]:
    """Return the ids of ``questions``, to name the test cases."""
    return [question["id"] for question in questions]


@cache
def _graph() -> Graph:
    """Return the world graph."""
    return Graph().parse(data=_text("world.ttl"), format="turtle")


def _selected(sparql: str) -> set[str]:
    """Return the values of ?answer in N-Triples syntax."""
    query = prepareQuery(sparql)
    assert query.algebra.name == "SelectQuery"
    rows = [row for row in _graph().query(query) if isinstance(row, ResultRow)]
    return {row["answer"].n3() for row in rows}


def test_there_are_340_questions_with_ids_in_order_and_half_are_sealed() -> None:
    assert _ids(OPEN) == [f"w{number:03}" for number in range(1, 171)]
    assert _ids(SEALED) == [f"s{number:03}" for number in range(1, 171)]


def test_every_line_has_the_fields_in_order() -> None:
    assert [list(question) for question in QUESTIONS] == [FIELDS] * 340


def test_hops_are_spread_as_stated() -> None:
    assert Counter(question["hops"] for question in QUESTIONS) == HOP_COUNTS


def test_no_question_is_asked_twice() -> None:
    tuning = [json.loads(line) for line in _text("tuning.jsonl").splitlines()]
    texts, others = (
        {" ".join(question["question"].casefold().split()) for question in questions}
        for questions in (QUESTIONS, tuning)
    )
    assert texts.isdisjoint(others)
    assert len(texts) == 340


def test_many_questions_have_several_answers() -> None:
    assert sum(len(question["answers"]) > 1 for question in QUESTIONS) > 100


def test_tags_agree_with_the_other_fields() -> None:
    for question in QUESTIONS:
        tags, found = question["tags"], len(question["answers"])
        assert ("unanswerable" in tags) == (question["hops"] is None), question["id"]
        assert ("single" in tags) == (found == 1), question["id"]
        assert ("list" in tags) == (found > 1), question["id"]
        assert len(tags) == len(set(tags)), question["id"]


def test_the_answers_are_up_to_date() -> None:
    assert answers.main(["--check"]) == 0


@pytest.mark.parametrize("question", QUESTIONS, ids=_ids(QUESTIONS))
def test_topics_are_in_the_graph(question: dict[str, Any]) -> None:
    for topic in question["topics"]:
        assert (URIRef(topic), RDFS.label, None) in _graph()


@pytest.mark.parametrize("question", ANSWERABLE, ids=_ids(ANSWERABLE))
def test_the_query_gives_exactly_the_answers(question: dict[str, Any]) -> None:
    terms = [answer["term"] for answer in question["answers"]]
    assert question["topics"]
    assert question["why"] is None
    assert terms
    assert len(terms) == len(set(terms))
    assert set(terms) == _selected(question["sparql"])


@pytest.mark.parametrize("question", ANSWERABLE, ids=_ids(ANSWERABLE))
def test_the_query_starts_from_the_topics(question: dict[str, Any]) -> None:
    assert all(f"<{topic}>" in question["sparql"] for topic in question["topics"])


@pytest.mark.parametrize("question", ANSWERABLE, ids=_ids(ANSWERABLE))
def test_answers_carry_their_labels_and_are_sorted(question: dict[str, Any]) -> None:
    labels = [answer["label"] for answer in question["answers"]]
    assert labels == sorted(labels)
    for answer in question["answers"]:
        term = from_n3(answer["term"])
        assert isinstance(term, URIRef | Literal)
        called = [term] if isinstance(term, Literal) else _graph().objects(term, RDFS.label)
        assert answer["label"] in map(str, called)


@pytest.mark.parametrize("question", UNANSWERABLE, ids=_ids(UNANSWERABLE))
def test_an_unanswerable_question_gives_only_a_reason(question: dict[str, Any]) -> None:
    assert question["sparql"] is None
    assert question["answers"] == []
    assert question["why"]
