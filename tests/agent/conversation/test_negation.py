"""Which `not` of a question negates what it asks."""

import pytest
from groundwalk.agent.conversation.negation import leaves_out, unread_not

from .naming import read


@pytest.mark.parametrize(
    ("question", "word"),
    [
        ("Which countries does <country:Germany> not border?", "not"),
        ("Which countries can <country:Germany> Not border?", "Not"),
        ("Which countries aren't in <continent:Africa>?", "aren't"),
        ("Which countries aren\u2019t in <continent:Africa>?", "aren\u2019t"),
        ("Which countries aren\u02bct in <continent:Africa>?", "aren\u02bct"),
        ("Which countries arent in <continent:Africa>?", "arent"),
        ("Which countries cannot border <country:Peru>?", "cannot"),
        ("Which countries cant border <country:Peru>?", "cant"),
        ("Which countries won't border <country:Peru>?", "won't"),
        ("Which borders of <country:Peru> are not certain?", "not"),
        ("What borders <country:Peru>? Do not list small ones.", "not"),
        ("What is <drug:Aspirin> not taken with?", "not"),
    ],
)
def test_a_not_of_what_is_asked_is_told(question: str, word: str) -> None:
    assert unread_not(read(question), {"not compatible with", "not"}) == word


@pytest.mark.parametrize(
    "question",
    [
        "Which countries border <country:Germany>?",
        "What is the <thing:NOT gate> part of?",
        "Who sang <song:Love Me Not>?",
        "Who directed <film:Don't Look Now>?",
        "Which knots are cantilevered from <country:Peru>, wanted in <country:Chile>?",
        "What is <drug:Aspirin> not compatible with?",
        "<country:Portugal> has just one neighbour, hasn't it? Who?",
        "What borders <country:Peru>? I don't know it.",
        "What borders <country:Peru>? I can't remember, and I'm not good at geography.",
        "Not sure: what borders <country:Peru>?",
        "What borders <country:Peru>, if it's not too much trouble?",
        "Not counting <country:Portugal> itself, what borders it?",
        "What borders what borders <country:Peru>? Don't list Peru.",
        "What borders <country:Peru>? Don't list Ann.",
    ],
)
def test_names_and_what_askers_say_of_themselves_negate_nothing(question: str) -> None:
    assert unread_not(read(question), {"not compatible with"}) == ""


def test_names_are_left_out_where_it_is_said_of_them() -> None:
    assert leaves_out(read("Not counting the <group:EU>, what is <country:Peru> in?"))
    assert not leaves_out(read("What does <country:Peru> not border?"))
