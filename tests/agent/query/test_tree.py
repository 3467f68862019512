"""A tree is read and written without loss, and what is wrong with one is told in a line."""

from typing import Any

import pytest
from groundwalk.agent.errors import QuestionError
from groundwalk.agent.query.tree import DEEPEST, MOST_NODES, read_query, write_query

EVERY = {"start": {"class": "river"}}

TREES: list[dict[str, Any]] = [
    EVERY,
    {"start": [0, 1], "extreme": {"relation": "length", "most": True, "place": 2}},
    {"start": {"any": [EVERY, {"start": {"domain": "length"}}]}, "answer": "count"},
    {"start": EVERY, "and": [{"start": [0]}], "not": [{"start": {"last": "answers"}}]},
    {
        "start": {"class": "country"},
        "group": [{"relation": "continent"}],
        "having": [{"agg": "count", "op": ">", "value": 5}],
        "columns": [{"agg": "count"}, {"agg": "sum", "of": [{"relation": "area"}]}],
    },
    {"start": [0], "to": {"start": [1]}, "answer": "connection"},
    {
        **EVERY,
        "filters": [
            {"relation": "length", "op": ">", "value": 1000, "unit": "mi"},
            {"relation": "mouth", "op": "not exists"},
            {"relation": "flows through", "count": True, "op": ">=", "mention": 0},
            {
                "relation": "length",
                "op": "<",
                "value": {"start": [1], "steps": [{"relation": "l"}]},
            },
        ],
    },
]


@pytest.mark.parametrize("tree", TREES)
def test_what_is_written_is_what_was_read(tree: dict[str, Any]) -> None:
    query = read_query(tree)
    assert write_query(query) == tree
    assert read_query(write_query(query)) == query


@pytest.mark.parametrize(
    ("record", "said"),
    [
        ([], "should be an object"),
        ("Germany", "should be an object"),
        (float("nan"), "plain JSON"),
        ({}, "start: Field required"),
        ({"start": []}, "at least 1 item"),
        ({"start": {"clas": "river"}}, "start"),
        ({**EVERY, "stepz": []}, "stepz"),
        ({**EVERY, "filters": [{"op": "like", "value": "x"}]}, "filters.0.op"),
        ({**EVERY, "filters": [{"op": "="}]}, "needs a value"),
        ({**EVERY, "filters": [{"relation": "r", "op": "exists", "value": 1}]}, "no value"),
        ({**EVERY, "answer": "sum"}, "last of `steps`"),
        ({**EVERY, "answer": "connection"}, "`to`"),
        ({**EVERY, "columns": [{"agg": "count"}]}, "`group`"),
        ({**EVERY, "extreme": {"relation": "r", "most": "yes"}}, "extreme.most"),
        ({"start": {"start": {"class": "x"}, "answer": "yesno"}}, "topmost"),
        ({"start": {**EVERY, "columns": [{"steps": [{"relation": "r"}]}]}}, "topmost"),
        ({"start": [0], "steps": [{"relation": 7}]}, "steps.0.relation"),
        ({"start": [-1]}, "greater than or equal to 0"),
        ({"start": {"class": object()}}, "plain JSON"),
    ],
)
def test_what_is_wrong_is_told_in_a_line(record: object, said: str) -> None:
    with pytest.raises(QuestionError) as error:
        read_query(record)
    assert said in error.value.message
    assert "\n" not in error.value.message


def test_a_tree_that_is_too_deep_or_too_large_is_refused_before_it_is_read() -> None:
    deep: dict[str, Any] = EVERY
    for _ in range(100_000):
        deep = {"start": deep}
    with pytest.raises(QuestionError, match=f"deeper than {DEEPEST}|plain JSON"):
        read_query(deep)
    with pytest.raises(QuestionError, match=f"more than {MOST_NODES}"):
        read_query({"start": {"any": [EVERY] * 1_000}})
