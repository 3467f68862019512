"""Whatever a chat model replies: nothing is raised, and nothing is read that it does not say."""

from groundwalk.agent.llm.matching import unlettered
from groundwalk.agent.llm.replies import (
    contained,
    first_json,
    read_answers,
    read_choices,
    read_sets,
    read_value,
    read_verdict,
    without_thoughts,
)
from groundwalk.agent.llm.written_triples import WrittenTriple, read_reasoning, read_walk
from groundwalk.graphs.rog import read_plan
from groundwalk.graphs.tot.policies import read_actions
from hypothesis import example, given, settings
from hypothesis import strategies as st

from .strategies import half_texts

DEEP = "[" * 900 + '"a"' + "]" * 900
PIECES = (
    "<PATH>",
    "</PATH>",
    "<TRIPLE>",
    "</TRIPLE>",
    " -> ",
    "->",
    "→",
    "^",
    "(",
    ")",
    ", ",
    "\n",
    "{",
    "}",
    "[",
    "]",
    '"',
    ":",
    "Answer: ",
    "<think>",
    "</think>",
    "1. ",
    "0.9",
    "Yes",
    "\\",
)
replies = st.lists(half_texts | st.sampled_from(PIECES), max_size=12).map("".join)
options = st.lists(half_texts, max_size=6, unique=True)


def is_said(triple: WrittenTriple, reply: str) -> bool:
    return all(part in reply for part in (triple.head, triple.relation, triple.tail))


@settings(max_examples=200)
@given(replies)
@example(DEEP)
@example("<TRIPLE>" * 5_000)
@example("(" * 20_000)
@example("a -> " * 5_000)
def test_no_triple_is_read_that_the_reply_does_not_hold(reply: str) -> None:
    reasoning = read_reasoning(reply)
    for triple in (*reasoning.triples, *read_walk(reply)):
        assert all((triple.head, triple.relation, triple.tail))
        assert is_said(triple, reply)
    assert len(reasoning.triples) <= 200


@settings(max_examples=200)
@given(replies, options)
@example(DEEP, ["a"])
@example("[" * 100_000, ["a"])
@example("9" * 5_000, ["a"])
@example('{"a": ' + "9" * 5_000 + "}", ["a"])
@example("0." * 10_000 + "%", ["a"])
@example("Yes" * 20_000, [])
def test_any_reply_is_read(reply: str, names: list[str]) -> None:
    chosen = read_choices(reply, names)
    if chosen is not None:
        assert all(0 <= place < len(names) for place in chosen.scores)
        assert all(0.0 <= score <= 1.0 for score in chosen.scores.values())
        assert all(name in reply for name in chosen.invented)
    for places in read_sets(reply, names) or ():
        assert all(0 <= place < len(names) for place in places)
    value = read_value(reply)
    assert value is None or 0.0 <= value <= 1.0
    assert read_verdict(reply) in (True, False, None)
    assert all(0 <= place < len(names) for place in contained(reply, names))
    answers = read_answers(reply, names)
    if first_json(reply) is None:
        assert all(answer in reply for answer in answers)
    assert without_thoughts(reply) in reply
    assert isinstance(unlettered(answers, names), list)
    for action in read_actions(reply, ["EXPAND", "ANSWER"]) or ():
        assert action.name in ("EXPAND", "ANSWER")
    read_plan(reply)
