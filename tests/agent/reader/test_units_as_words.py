"""The unit after a number is read with it where it is a sign, and is no word of its own."""

import pytest
from groundwalk.agent.query.prompt import Numbered
from groundwalk.agent.reader.lexicon import words_of


@pytest.mark.parametrize(
    ("unit", "words"),
    [
        ("g", []),
        ("L please", ["please"]),
        ("g/mol", []),
        ("µL", []),
        ("μL", []),
        ("°C", []),
        ("kg", ["kg"]),
        ("grams", ["grams"]),
        ("square kilometres", ["square", "kilometres"]),
        ("drugs", ["drugs"]),
        ("a year", ["a", "year"]),
    ],
)
def test_a_sign_after_a_number_is_no_word(unit: str, words: list[str]) -> None:
    question = f"dose above 1 {unit}?"
    number = Numbered(question.index("1"), question.index("1") + 1, "number")
    assert [word.text for word in words_of(question, [number])][3:] == words


def test_a_letter_that_follows_no_number_is_a_word() -> None:
    assert [word.text for word in words_of("what is vitamin g", [])] == "what is vitamin g".split()
