"""The words that a query leaves out, and how they are told."""

from typing import Any, cast

import pytest
from groundwalk.agent.answers.judging import other_notes, unread_line
from groundwalk.agent.records import Word
from groundwalk.agent.state import State
from groundwalk.graphs.tool import SCHEMA, in_words, result_of
from langchain_core.messages import AIMessage


def account(question: str, **used: str) -> list[Word]:
    """A word of the question is a filler where `used` does not say what it made."""
    words, end = list[Word](), 0
    for text in question.split():
        start = question.index(text, end)
        end = start + len(text)
        words.append(Word(text=text, start=start, end=end, used_by=used.get(text, "filler")))
    return words


def partial(question: str, *unread: str, **state: Any) -> State:
    used = dict.fromkeys(unread, "unread")
    given: Any = {"status": "partial", "account": account(question, **used), **state}
    return cast(State, given)


@pytest.mark.parametrize(
    ("state", "line"),
    [
        (partial("friendly rivers", "friendly"), 'not understood: "friendly"'),
        (partial("big and old", "big", "old"), 'not understood: "big", "old"'),
        (partial("rivers that freeze over", "freeze", "over"), 'not understood: "freeze over"'),
        (partial("rivers"), ""),
        (partial("big rivers", "big", status="abstained"), 'not understood: "big"'),
        (partial("big rivers", "big", status="answered"), ""),
        (State(status="abstained"), ""),
        (State(), ""),
    ],
)
def test_what_is_left_out_is_one_line(state: State, line: str) -> None:
    assert unread_line(state) == line


def test_the_line_is_told_once() -> None:
    line = 'not understood: "friendly"'
    state = partial("friendly rivers", "friendly", notes=[line, "cut"])
    assert other_notes(state) == ["cut"]


def test_a_tool_tells_it_above_the_answer_and_the_reading_below() -> None:
    state = partial(
        "friendly rivers",
        "friendly",
        messages=[AIMessage("Rhine")],
        reading="every river",
        answers=[{"term": "<urn:a>", "label": "Rhine", "score": 1.0, "chains": []}],
    )
    assert in_words(state).splitlines() == [
        'not understood: "friendly"',
        "Rhine",
        "Read as: every river",
    ]
    silent = {**state, "status": "abstained", "answers": []}
    assert in_words(cast(State, silent)).splitlines()[1:] == ["Rhine"]


def test_a_result_has_the_account_and_the_three_likeliest_readings() -> None:
    readings = [{"query": {"start": [n]}, "words": str(n), "probability": 0.1} for n in range(5)]
    state = partial("friendly rivers", "friendly", readings=readings)
    result = result_of(state)
    assert (result["schema"], result["status"]) == (SCHEMA, "partial")
    assert [own["words"] for own in result["readings"]] == ["0", "1", "2"]
    assert [own["used_by"] for own in result["account"]] == ["unread", "filler"]
