"""Replies in every shape that chat models write, and in none."""

import json
from time import perf_counter

import pytest
from groundwalk.agent.llm.replies import (
    read_answers,
    read_choices,
    read_sets,
    read_value,
    read_verdict,
)
from groundwalk.graphs.tot.policies import read_actions
from hypothesis import given, settings
from hypothesis import strategies as st

OPTIONS = ("borders", "^capital", "capital", "official language", "Apollo 11", "1984")

SHAPES = (
    "borders: 0.6\n^capital: 0.4",
    "1. borders: 0.6\n2. ^capital: 0.4",
    "1. {borders (Score: 0.6)}: neighbours.\n2. {^capital (Score: 0.4)}",
    "- **borders** (0.6)\n- **^capital** (0.4)",
    "* `borders` - 60%\n* `^capital` - 40%",
    "borders: 6/10; ^capital: 4/10",
    "BORDERS = 0.6\n^Capital = 0.4",
    "borders: 60\n^capital: 40",
    "borders (6)\n^capital (4)",
    '{"borders": 0.6, "^capital": 0.4}',
    '```json\n[{"relation": "borders", "score": 0.6},'
    ' {"relation": "^capital", "score": "40%"}]\n```',
    'Sure!\n{"relations": [{"relation": "borders", "score": 0.6, "reason": "so"},'
    ' {"relation": "^capital", "score": 0.4}]}\nHope this helps.',
    "| relation | score |\n|---|---|\n| borders | 0.6 |\n| ^capital | 0.4 |",
    "borders: 0.6, ^capital: 0.4",
    "Here are the best ones:\n\nborders: 0.6\n^capital: .4\n\nI chose them for the question.",
)


@pytest.mark.parametrize("reply", SHAPES)
def test_scored_choices_are_read_in_every_shape(reply: str) -> None:
    read = read_choices(reply, OPTIONS)
    assert read is not None
    assert read.scores == pytest.approx({0: 0.6, 1: 0.4}) and not read.invented


def test_a_caret_tells_directions_apart_and_its_absence_is_forgiven() -> None:
    both = read_choices("capital: 0.7\n^capital: 0.3", OPTIONS)
    assert both and both.scores == {2: 0.7, 1: 0.3}
    only = read_choices("mother of: 0.7", ("^mother of", "likes"))
    assert only and only.scores == {0: 0.7}


def test_names_that_end_in_numbers_keep_them() -> None:
    read = read_choices("Apollo 11: 0.9\n1984: 0.1", OPTIONS)
    assert read and read.scores == {4: 0.9, 5: 0.1}
    bare = read_choices("Apollo 11\n1984", OPTIONS)
    assert bare and bare.scores == {4: 0.5, 5: 0.5}


@pytest.mark.parametrize(
    ("line", "place"),
    [
        ("1. FC Köln", 0),
        ("1. fc köln", 0),
        ("**1. FC Köln**", 0),
        ("3. 1. FC Köln", 0),
        ("1) FC Köln", 1),
        ("- FC Köln", 1),
        ("1. C++", 3),
        ("c++", 3),
        ("C#", 4),
        ("4. C", 2),
        ("(500) Days of Summer", 5),
        ("2. (500) Days of Summer", 5),
    ],
)
def test_a_line_is_matched_whole_before_its_number_is_taken_off(line: str, place: int) -> None:
    names = ("1. FC Köln", "FC Köln", "C", "C++", "C#", "(500) Days of Summer")
    for reply in (line, f"{line}: 0.8", json.dumps([line])):
        read = read_choices(reply, names)
        assert read and list(read.scores) == [place], reply
    assert read_sets(line, names) == [(place,)]
    (answer,) = read_answers(line, names)
    assert answer.casefold() == names[place].casefold()


def test_a_language_that_was_no_option_is_not_taken_for_another() -> None:
    read = read_choices("C#: 0.9", ("C", "C++"))
    assert read and not read.scores and read.invented == ("C#",)


def test_numbers_alone_are_scores_in_order() -> None:
    for reply in ("0.2, 0.8", "0.2\n0.8", "[0.2, 0.8]"):
        read = read_choices(reply, ("a", "b"))
        assert read and read.scores == {0: 0.2, 1: 0.8}, reply
    assert read_choices("0.2, 0.8", ("a", "b", "c")) is None


def test_names_that_were_no_option_are_kept_apart() -> None:
    read = read_choices("borders: 0.6\nspouse of: 0.4", OPTIONS)
    assert read and read.scores == {0: 0.6} and read.invented == ("spouse of",)
    alone = read_choices("spouse of (0.9)", OPTIONS)
    assert alone and not alone.scores and alone.invented == ("spouse of",)
    as_json = read_choices('{"borders": 0.5, "spouse": 0.5}', OPTIONS)
    assert as_json and as_json.invented == ("spouse",)


@pytest.mark.parametrize("reply", ["", "   \n", "I cannot help with that.", "???", "[1]", "{}"])
def test_what_tells_nothing_is_none(reply: str) -> None:
    assert read_choices(reply, OPTIONS) is None
    assert read_sets(reply, OPTIONS) is None
    assert read_verdict(reply) is None
    assert read_actions(reply, ("THINK", "ANSWER")) is None


def test_none_is_a_choice() -> None:
    for reply in ("NONE", "none.", "- None of them"):
        read = read_choices(reply, OPTIONS)
        assert read is not None and not read.scores


@pytest.mark.parametrize(
    ("reply", "verdict"),
    [
        ("Yes", True),
        ("{No}", False),
        ("**YES**, they are.", True),
        ("No. The facts say nothing of it.", False),
        ('{"sufficient": true}', True),
        ('{"sufficient": false}', False),
        ("The facts do not really seem sufficient", False),
        ("They aren't enough.", False),
        ("The facts are not sufficient.", False),
        ("They are insufficient", False),
        ("That is enough.", True),
    ],
)
def test_verdicts(reply: str, verdict: bool) -> None:
    assert read_verdict(reply) is verdict


@pytest.mark.parametrize(
    ("reply", "value"),
    [
        ("0.8", 0.8),
        ("Value: 0.85", 0.85),
        ("There are 3 facts, so 0.7.", 0.7),
        ("80%", 0.8),
        ("8/10", 0.8),
        ("1", 1.0),
        (".5", 0.5),
        ('{"value": 0.4}', 0.4),
        ("7", None),
        ("high", None),
        ("", None),
    ],
)
def test_values(reply: str, value: float | None) -> None:
    assert read_value(reply) == value


@pytest.mark.parametrize(
    "reply",
    [
        "Oslo\nRome",
        "- Oslo\n- Rome",
        "1. **Oslo**\n2. **Rome**",
        '["Oslo", "Rome"]',
        '```json\n{"reasoning": "They live there.", "answers": ["Oslo", "Rome"]}\n```',
        "They live there.\nAnswer:\nOslo\nRome",
        "The answers are\nOslo\nRome\nOslo",
    ],
)
def test_answers(reply: str) -> None:
    assert read_answers(reply) == ["Oslo", "Rome"]


def test_no_answer_is_no_name() -> None:
    assert not read_answers("NONE") and not read_answers("") and not read_answers("Answer: None.")
    assert read_answers("I think so, because...\nAnswer: Oslo") == ["Oslo"]


def test_scores_stay_from_0_to_1_however_large() -> None:
    read = read_choices(f"borders: {'9' * 400}\ncapital: 1", OPTIONS)
    assert read and read.scores[0] == 1.0 and 0 <= read.scores[2] < 1e-6
    assert read_value("9" * 400) is None


def test_sets_of_names() -> None:
    names = ("New York", "York", "Rome")
    assert read_sets("New York, Rome\nYork", names) == [(0, 2), (1,)]
    assert read_sets("1. new york and rome", names) == [(0, 2)]
    assert read_sets('["York", "Rome"]', names) == [(1,), (2,)]


@pytest.mark.parametrize(
    "reply",
    [
        "THINK: who is it?\nEXPAND\nANSWER: Oslo",
        "1. THINK: who is it?\n2. EXPAND\n3. ANSWER: Oslo",
        "- **THINK**: who is it?\n- **EXPAND**\n- **ANSWER**: Oslo",
        "Action 1: Think: who is it?\nAction 2: Expand\nAction 3: Answer: Oslo",
        json.dumps(["THINK: who is it?", "EXPAND", "ANSWER: Oslo"]),
        json.dumps([{"action": "THINK", "text": "who is it?"}, {"action": "EXPAND"},
                    {"action": "ANSWER", "text": "Oslo"}]),
        json.dumps({"THINK": "who is it?", "actions": ["EXPAND", "ANSWER: Oslo"]}),
    ],
)  # fmt: skip
def test_actions(reply: str) -> None:
    read = read_actions(reply, ("THINK", "EXPAND", "ANSWER"))
    assert read == [("THINK", "who is it?"), ("EXPAND", ""), ("ANSWER", "Oslo")]


def test_only_allowed_actions_are_read() -> None:
    assert read_actions("THINK: again\nEXPAND", ("EXPAND", "ANSWER")) == [("EXPAND", "")]
    assert read_actions("I would say ANSWER: Oslo", ("ANSWER",)) == [("ANSWER", "Oslo")]


LONG = ("x" + " " * 20_000 + "y", "*" * 20_000, "1" * 20_000, "[" * 20_000, "- " * 10_000,
        "borders " * 2_500, "0," * 10_000, json.dumps([0.5] * 4_000), "score:" * 3_000,
        "a: " + ":" * 20_000 + "x", "(" * 20_000, '{"a":' * 4_000, "not " * 5_000,
        "#" * 20_000, "# answer " * 2_000)  # fmt: skip


def test_no_reply_takes_long() -> None:
    options = tuple(f"relation {i}" for i in range(200))
    since = perf_counter()
    for reply in LONG:
        read_choices(reply, options)
        read_sets(reply, options)
        read_value(reply)
        read_verdict(reply)
        read_answers(reply)
        read_actions(reply, ("THINK", "EXPAND", "ANSWER"))
    assert perf_counter() - since < 20


@pytest.mark.parametrize("piece", [" ", "\t", ".", "*", "1", "%", "\u00a0", " ."])
@pytest.mark.parametrize("begun", ["1", "borders: 1", "score 1/"])
def test_a_long_run_after_a_number_is_read_once(begun: str, piece: str) -> None:
    reply = f"{begun}{piece * 200_000}!"
    read_choices(reply, ("borders", "capital"))
    read_value(reply)


names = st.lists(st.text(min_size=1, max_size=12), min_size=1, max_size=6, unique=True)


@settings(max_examples=300, deadline=None)
@given(reply=st.text(max_size=200), options=names)
def test_no_text_raises_and_all_that_is_read_is_an_option(reply: str, options: list[str]) -> None:
    read = read_choices(reply, options)
    if read:
        assert all(0 <= i < len(options) and 0 <= s <= 1 for i, s in read.scores.items())
    for own in read_sets(reply, options) or []:
        assert own and all(0 <= i < len(options) for i in own)
    value = read_value(reply)
    assert value is None or 0 <= value <= 1
    assert all(read_answers(reply))
    read_verdict(reply)
    read_actions(reply, ("THINK", "ANSWER"))


json_data = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=8,
)


@settings(max_examples=200, deadline=None)
@given(data=json_data, lead=st.text(max_size=5))
def test_no_json_raises(data: object, lead: str) -> None:
    reply = lead + json.dumps(data)
    read_choices(reply, OPTIONS)
    read_answers(reply)
    read_actions(reply, ("THINK", "ANSWER"))


words = st.text(alphabet="abcdefgh", min_size=3, max_size=8)


@settings(max_examples=100, deadline=None)
@given(st.lists(words, min_size=1, max_size=6, unique=True), st.data())
def test_what_is_written_as_asked_is_read_as_meant(options: list[str], data: st.DataObject) -> None:
    chosen = data.draw(st.lists(st.sampled_from(range(len(options))), min_size=1, unique=True))
    scores = {i: round(data.draw(st.floats(0.01, 1.0)), 3) for i in chosen}
    reply = "\n".join(f"{options[i]}: {score}" for i, score in scores.items())
    read = read_choices(reply, options)
    assert read and read.scores == pytest.approx(scores) and not read.invented
