"""Multiple choice: letters in prompts and replies."""

from string import ascii_uppercase

import pytest
from groundwalk.agent.kg.labels.names import normalise
from groundwalk.agent.llm.matching import lettered, unlettered
from groundwalk.agent.llm.replies import read_answers
from hypothesis import assume, given
from hypothesis import strategies as st

CITIES = ["Oslo", "Rome", "New York"]


@pytest.mark.parametrize(
    ("reply", "named"),
    [
        ("B", ["Rome"]),
        ("(b)", ["Rome"]),
        ("**B**", ["Rome"]),
        ("B.", ["Rome"]),
        ("- B) Rome", ["Rome"]),
        ("1. B", ["Rome"]),
        ("B: Rome, since it is the capital", ["Rome"]),
        ("Option C", ["New York"]),
        ("The answer is (C).", ["New York"]),
        ('["A", "C"]', ["Oslo", "New York"]),
        ("A, B", ["Oslo", "Rome"]),
        ("A and Rome", ["Oslo", "Rome"]),
        ("A\nB", ["Oslo", "Rome"]),
        ("rome", ["rome"]),
        ("D", ["D"]),
        ("B. Paris", ["B. Paris"]),
        ("A New Hope", ["A New Hope"]),
        ("A, Paris", ["A, Paris"]),
        ("NONE", []),
    ],
)
def test_a_letter_is_its_choice(reply: str, named: list[str]) -> None:
    assert unlettered(read_answers(reply), CITIES) == named


def test_the_text_of_a_choice_is_no_letter() -> None:
    assert unlettered(["C", "B"], ["C", "Java", "Ada"]) == ["C", "Java"]


def test_without_choices_nothing_changes() -> None:
    assert unlettered(["A", "B. Rome", "A, B"], []) == ["A", "B. Rome", "A, B"]


@given(st.lists(st.text("xyz\n*", min_size=2), min_size=1, max_size=40, unique=True))
def test_every_letter_of_a_prompt_is_read_back(choices: list[str]) -> None:
    assume(all(len(normalise(choice)) != 1 for choice in choices))
    lines = lettered(choices)
    assert len(lines) == len(choices) and all("\n" not in line for line in lines)
    for letter, choice, line in zip(ascii_uppercase, choices, lines, strict=False):
        assert line.startswith(f"{letter}.") and unlettered([letter], choices) == [choice]
