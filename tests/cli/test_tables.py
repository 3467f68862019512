"""Answers as CSV: the values of a result stand beside its members."""

import csv
from io import StringIO
from typing import Any

import pytest
from groundwalk.agent.records import Kind
from groundwalk.cli.render import Screen
from groundwalk.cli.tables import column_names, csv_of
from rich.console import Console


def step(head: str, relation: str, tail: str) -> Any:
    named = [{"term": f"<urn:{name}>", "label": name} for name in (head, relation)]
    term = f'"{tail}"' if tail.isdecimal() else f"<urn:{tail}>"
    return {
        "head": named[0],
        "relation": named[1],
        "tail": {"term": term, "label": tail},
        "inverse": False,
        "verdict": "supported",
    }


def rows(kind: Kind | None, value: Any, *members: str, triples: Any = ()) -> list[list[str]]:
    answers = [
        {"term": f"<urn:{own}>", "label": own, "score": 1.0, "chains": []} for own in members
    ]
    result = {"kind": kind, "value": value, "text": "text", "how": "", "triples": list(triples)}
    state: Any = {"answers": answers, "result": result if kind else None}
    return list(csv.reader(StringIO(csv_of(state))))


FLOWS = {"relation": "flows through", "inverse": True}
WHAT = "what flows through it"
HEIGHTS = [step("a", "height", "9"), step("b", "height", "7")]


def test_answers_have_their_terms() -> None:
    assert rows(None, None, "a") == [["answer", "term"], ["a", "<urn:a>"]]
    assert rows(None, None) == [["answer", "term"]]


@pytest.mark.parametrize("kind", ["count", "truth"])
def test_what_was_computed_of_members_stands_beside_them(kind: Kind) -> None:
    header, *listed = rows(kind, 2, "a", "b")
    assert header == ["answer", "term", kind]
    assert listed == [["a", "<urn:a>", "2"], ["b", "<urn:b>", "2"]]
    none = [["answer", "term", kind], ["text", "", "0"]]
    assert rows(kind, 0) == none, "without members the columns are the same"


def test_an_extreme_has_its_value() -> None:
    header, row = rows("extreme", None, "a", triples=HEIGHTS)
    assert header == ["answer", "term", "height"] and row == ["a", "<urn:a>", "9"]
    assert rows("extreme", None, "a")[0] == ["answer", "term"], "the graph has no such value"


def test_a_value_may_be_several_steps_away() -> None:
    way = [step("m", "peak of", "a"), step("m", "height", "8"), *HEIGHTS[1:]]
    assert rows("extreme", None, "a", triples=way)[1] == ["a", "<urn:a>", "8"]


def test_a_sum_has_what_it_is_made_of() -> None:
    header, *listed = rows("sum", 16, "a", "b", "c", triples=HEIGHTS)
    assert header == ["answer", "term", "height", "sum"]
    assert [row[2:] for row in listed] == [["9", "16"], ["7", "16"], ["", "16"]]


def test_an_introduction_lists_what_can_be_asked() -> None:
    questions = [[{"term": "", "label": "What is the capital of Peru?"}]]
    state: Any = {"answers": [], "result": {"kind": "introduction", "rows": questions}}
    expected = [["example question"], ["What is the capital of Peru?"]]
    assert list(csv.reader(StringIO(csv_of(state)))) == expected


def test_a_formula_is_a_text() -> None:
    assert rows(None, None, "=1")[1][0] == "'=1"


TREE: Any = {
    "start": {"class": "country"},
    "columns": [{"steps": [{"relation": "capital"}]}, {"agg": "count", "of": [FLOWS]}],
}


def table(size: int) -> Any:
    paris = {"term": "<urn:Paris>", "label": "Paris"}
    cells = [[{"term": f"<urn:{n}>", "label": f"c{n}"}, paris, n] for n in range(size)]
    result = {"kind": "table", "value": None, "text": "", "how": "computed over it", "rows": cells}
    return {"answers": [], "result": result, "query_tree": TREE}


def test_columns_are_called_as_what_was_asked_for() -> None:
    header, row = csv.reader(StringIO(csv_of(table(1))))
    assert header == ["country", "term", "capital", "term of capital", f"count of {WHAT}"]
    assert row == ["c0", "<urn:0>", "Paris", "<urn:Paris>", "0"]


@pytest.mark.parametrize(
    ("tree", "names"),
    [
        ({"start": [0], "steps": [{"relation": "borders"}]}, ["borders"]),
        ({"start": [0], "steps": [FLOWS]}, ["answer"]),
        ({"start": [0], "steps": [FLOWS], "class": "river"}, ["river"]),
        ({"start": {"class": "river"}, "group": [FLOWS]}, [WHAT]),
        ({"start": {"start": {"class": "city"}}}, ["city"]),
        (None, ["column 1"]),
    ],
)
def test_the_members_of_a_table_are_called_as_their_class(tree: Any, names: list[str]) -> None:
    assert column_names(tree, 1) == names
    assert column_names(tree, 2) == ["column 1", "column 2"], "the query says nothing of these"


def test_a_long_table_is_folded_under_its_names() -> None:
    console = Console(file=StringIO(), width=100)
    Screen(console=console).answers(table(25))
    written: Any = console.file
    head, *shown, more = written.getvalue().splitlines()
    assert head.split() == f"country capital count of {WHAT}".split()
    assert len(shown) == 20 and more == "and 5 more (--csv lists all)"
    Screen(console=console).answers(table(20))
    Screen(console=console).answers(table(21))
    assert "more" not in written.getvalue().partition(more)[2]
