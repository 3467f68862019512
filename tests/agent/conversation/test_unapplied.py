"""Which words of plain questions are told because no walk follows them."""

import pytest
from groundwalk.agent.conversation.unapplied import unapplied

X = "\ufffc"


@pytest.mark.parametrize(
    ("question", "words"),
    [
        (f"Which countries border only {X}?", ["only"]),
        (f"Which countries border at least three neighbours of {X}?", ["at least three"]),
        (f"Which four countries border {X}?", ["four"]),
        (f"Which languages are spoken in every country of {X}?", ["every"]),
        (f"Which countries border all neighbours of {X}?", ["all"]),
        (f"What is the largest country that borders {X}?", ["largest"]),
        (f"Who was the first president of {X}?", ["first"]),
        (f"What currency did {X} have before the euro?", ["before"]),
        (f"Which films did {X} make in 1990?", ["1990"]),
        (f"Which countries are larger than {X}?", ["larger than"]),
        (f"What is the second largest city of {X}?", ["second", "largest"]),
    ],
)
def test_what_no_walk_follows_is_told(question: str, words: list[str]) -> None:
    assert unapplied(question, ["borders"], 2) == words


@pytest.mark.parametrize(
    ("question", "relations", "answers"),
    [
        (f"Which countries border {X}?", ["borders"], 3),
        (f"Which two countries border {X}?", ["borders"], 2),
        (f"What is the only country that borders {X}?", ["borders"], 1),
        (f"Give me all the capitals of {X}, all of them please", ["capital"], 3),
        (f"what're the capitals of every country in {X}?", ["capital"], 6),
        (f"What is the biggest town of {X}?", ["largest city"], 1),
        (f"Who was the first president of {X}?", ["first president"], 1),
        (f"Welches Land hat total {X}?", ["borders"], 1),
    ],
)
def test_what_a_walk_follows_or_changes_nothing_is_not(
    question: str, relations: list[str], answers: int
) -> None:
    assert unapplied(question, relations, answers) == []
