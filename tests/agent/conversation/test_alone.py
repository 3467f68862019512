"""Whether a question stands alone is known by its small words, whatever it names."""

import pytest
from groundwalk.agent.conversation.alone import FOLLOWS, stands_alone, without_names
from groundwalk.agent.query.prompt import Numbered


@pytest.mark.parametrize(
    "question",
    [
        "What is the capital of Gondor?",
        "which companies are based in Gondor and have more than 40 employees",
        "how many paintings hang in Gondor",
        "Does Gondor export wine?",
        "Which ones are the oldest among the bridges of Gondor?",
        "What goes down when you drop it in the sea of Gondor?",
    ],
)
def test_a_complete_question_stands_alone(question: str) -> None:
    assert stands_alone(question, _named(question)) >= 0.9


@pytest.mark.parametrize(
    "question",
    [
        "I should be obliged for a list of those charges that exceed 40 crowns.",
        "who was it that recommended Gondor",
    ],
)
def test_words_that_point_within_a_question_do_not_refuse_it(question: str) -> None:
    assert stands_alone(question, _named(question)) > FOLLOWS


@pytest.mark.parametrize(
    "question",
    [
        "which of them are in Gondor?",
        "how many of those are there",
        "and its capital?",
        "what is their currency",
        "where does it end",
        "are any of these older than Gondor?",
        "where was he born",
        "when did she die?",
        "the second one",
        "who is her teacher?",
        "when was that?",
    ],
)
def test_a_question_that_points_back_does_not(question: str) -> None:
    assert stands_alone(question, _named(question)) < 0.5


def test_names_and_values_are_masked() -> None:
    mentions = [Numbered(4, 7, "person"), Numbered(18, 20, "number")]
    assert without_names("did Ada make over 12 films", mentions) == (
        "did  [name]  make over  [number]  films"
    )


def _named(question: str) -> list[Numbered]:
    start = question.find("Gondor")
    mentions = [Numbered(start, start + len("Gondor"), "country")] if start >= 0 else []
    at = question.find("40")
    return [*mentions, Numbered(at, at + 2, "number")] if at >= 0 else mentions
