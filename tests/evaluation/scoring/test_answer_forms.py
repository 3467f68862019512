"""What is wanted and what was said are compared by value: numbers, yes or no, rows."""

from typing import Any

import pytest
from groundwalk.agent.state import State
from groundwalk.evaluation.analysis.summary import summarise
from groundwalk.evaluation.datasets import read_samples
from groundwalk.evaluation.datasets.jsonl import HALVES
from groundwalk.evaluation.records import Asked, Record, answered
from groundwalk.evaluation.samples import Gold, Sample
from groundwalk.evaluation.scoring.answer_forms import (
    form_of,
    gold_in_form,
    numeral,
    row_text,
    stated_in_form,
)

from ...whole import build_graph

ASKED = Asked("exam", "world/open", "gcr")


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("6650", "6650"),
        ("6,650 km", "6650"),
        ("6650.0", "6650"),
        ("-1", "minus 1"),
        ("-0", "0"),
        ("2407.25", "2407.25"),
        ("six", ""),
        ("", ""),
        ("12 of them", "12"),
        ("1e3", "1000"),
    ],
)
def test_a_number_is_its_value(text: str, same: str) -> None:
    assert numeral(text) == same


def test_what_is_wanted_shows_in_the_answer_where_nothing_says_it() -> None:
    assert form_of(Sample("1", "?", (Gold(label="9"),))) == "number"
    assert form_of(Sample("1", "?", (Gold(label="yes"),))) == "yesno"
    assert form_of(Sample("1", "?", (Gold(label="9 Songs"),))) == "members"
    assert form_of(Sample("1", "?", (Gold(term='"9"', label="9"),))) == "members"
    assert form_of(Sample("1", "?", (Gold(label="9"), Gold(label="8")))) == "members"
    assert form_of(Sample("1", "?", (), form="rows")) == "rows"


def scored(sample: Sample, **state: Any) -> Record:
    full: Any = {"status": "answered", **state}
    return answered(sample, ASKED, full, 0.0)


def result(kind: str, value: object, **more: Any) -> dict[str, Any]:
    return {"kind": kind, "value": value, "text": "", "how": "", "triples": [], **more}


def f1(record: Record) -> float | None:
    return record["metrics"] and record["metrics"]["f1"]


def test_numbers_compare_by_value() -> None:
    sample = Sample("1", "?", (Gold(label="2407.25"),), form="number")
    assert f1(scored(sample, result=result("average", 2407.25))) == 1.0
    assert f1(scored(sample, result=result("average", 2407))) == 0.0
    assert f1(scored(sample, answers=[])) == 0.0
    answer = {"term": '"2407.250"', "label": "2,407.25", "score": 1.0, "chains": []}
    assert f1(scored(sample, answers=[answer])) == 1.0


def test_a_thing_that_is_called_a_number_is_one() -> None:
    sample = Sample("1", "When?", (Gold(label="1999"),))
    for term in ("<urn:x:1999>", '"1999"^^<http://www.w3.org/2001/XMLSchema#gYear>', '"1999"'):
        answers = [{"term": term, "label": "1999", "chains": []}]
        assert f1(scored(sample, answers=answers)) == 1
    answers = [{"term": "<urn:x:film>", "label": "1999 A.D.", "chains": []}]
    assert f1(scored(sample, answers=answers)) == 0


def test_yes_and_no_are_themselves() -> None:
    sample = Sample("1", "?", (Gold(label="no"),), form="yesno")
    assert f1(scored(sample, result=result("truth", False))) == 1.0
    assert f1(scored(sample, result=result("truth", True))) == 0.0
    assert f1(scored(sample, status="abstained", result=result("truth", None))) == 0.0


def test_rows_are_a_set() -> None:
    gold = (Gold(label=row_text(["<urn:a>", 3])), Gold(label=row_text(["<urn:b>", '"x"'])))
    named = [{"term": "<urn:b>", "label": "B"}, {"term": '"x"', "label": "x"}]
    rows = [named, [{"term": "<urn:a>", "label": "A"}, 3.0]]
    sample = Sample("1", "?", gold, form="rows")
    assert f1(scored(sample, result=result("table", None, rows=rows))) == 1.0
    assert f1(scored(sample, result=result("table", None, rows=rows[:1]))) == pytest.approx(2 / 3)


def test_something_else_is_told_apart_from_silence() -> None:
    right = {"term": "<urn:a>", "label": "A", "score": 1.0, "chains": []}
    wrong = {**right, "term": "<urn:b>", "label": "B"}
    gold = Sample("1", "?", (Gold("<urn:a>"),), plain=(Gold("<urn:b>"),), type="contrast")
    none = Sample("2", "?", (), type="none")
    zero = Sample("3", "?", (), type="none", form="number")
    records = [
        scored(gold, answers=[right]),
        scored(gold, answers=[wrong]),
        scored(gold, answers=[right, wrong]),
        scored(gold, answers=[], status="abstained"),
        scored(none, answers=[wrong]),
        scored(none, answers=[], result=result("list", None)),
        scored(zero, answers=[], result=result("count", 0)),
    ]
    kinds = summarise(records).methods["gcr"].kinds
    contrast, nothing = kinds["contrast"], kinds["none"]
    assert (contrast.questions, contrast.right, contrast.something_else) == (4, 1, 2)
    assert (contrast.as_plain, contrast.silent) == (1, 1)
    assert (nothing.right, nothing.something_else, nothing.silent) == (1, 2, 0)


def test_the_exams_are_read_whole() -> None:
    sizes = {
        f"{graph}/{half}": n for graph, n in (("world", 450), ("concerts", 120)) for half in HALVES
    }
    sizes |= {"huts/open": 46, "huts/sealed": 34, "rental/open": 33, "rental/sealed": 47}
    sizes |= {"recycling/open": 38, "recycling/sealed": 42, "lexicon/open": 40}
    sizes |= {"lexicon/sealed": 40, "aquarium/open": 39, "aquarium/sealed": 41}
    sizes |= {"garage/open": 61, "garage/sealed": 59}
    for split, size in sizes.items():
        samples = read_samples("exam", split=split)
        assert len(samples) == size
        assert all(sample.type and sample.form for sample in samples)
        assert all(len(gold_in_form(sample)) == len(sample.answers) for sample in samples)


def test_what_ask_computes_is_scored() -> None:
    graph: Any = build_graph()
    for question, form, expected in (
        ("How many countries border Germany?", "number", ["9"]),
        ("Is Vienna the capital of Austria?", "yesno", ["yes"]),
    ):
        state: State = graph.invoke({"question": question, "id": "1"})
        assert stated_in_form(state, form) == expected  # pyright: ignore[reportArgumentType]
    both = "Which countries border both Germany and Poland?"
    asked, scored_alike = (graph.invoke({"question": both, **more}) for more in ({}, {"id": "1"}))
    assert scored_alike["answers"] == asked["answers"] and asked["answers"]
