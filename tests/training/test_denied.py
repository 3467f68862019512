"""Clauses and questions that say the contrary, and questions as claims."""

from random import Random

import pytest
from groundwalk.training.wording.english import claimed, denied, denied_question


@pytest.mark.parametrize(
    ("clause", "wanted"),
    [
        ("that won X", "that never won X"),
        ("who is the owner of X", "who is not the owner of X"),
        ("that have X as owner", "that do not have X as owner"),
        ("built by X", "not built by X"),
        ("in X", "not in X"),
        ("with X on board", "without X on board"),
        ("whose owner is X", "whose owner is not X"),
        ("that X won", "that X never won"),
        ("X began with", "X never began with"),
        ("that X is part of", "that X is not part of"),
        ("where X plays", ""),
        ("that have booked X", "that have not booked X"),
        ("that X has earned", "that X has not earned"),
        ("that did not survive X", ""),
        ("whom X succeeded", ""),
        ("when X ended", ""),
        ("from whose slipway X slid", ""),
        ("parents pay for X", ""),
        ("that X's fur have", ""),
        ("in which X plays", ""),
        ("that people speak in X", ""),
    ],
)
def test_a_clause_is_denied(clause: str, wanted: str) -> None:
    assert denied(clause, "X") == wanted


@pytest.mark.parametrize(
    ("question", "denials", "claim"),
    [
        ("what did X win", ("did X not win", "didn't X win"), "did X win Y"),
        ("which games did X win", ("did X not win", "didn't X win"), "did X win Y"),
        ("what was cast by X", ("was not cast by X", "wasn't cast by X"), "was Y cast by X"),
        (
            "which games are known to X",
            ("are not known to X", "aren't known to X"),
            "is Y known to X",
        ),
        ("what is X", (), ""),
        ("where was X born", (), ""),
        ("what did X never win", (), ""),
        ("which game is the best of X", (), ""),
    ],
)
def test_a_question_is_denied_and_claimed(
    question: str, denials: tuple[str, ...], claim: str
) -> None:
    for seed in range(20):
        denial = denied_question(question, "X", "games", Random(seed))
        assert denial.partition(" games ")[2] in (denials or ("",))
        assert claimed(question, "X", "games", "Y", Random(seed)) == claim


def test_a_question_without_an_auxiliary_is_claimed_as_it_stands() -> None:
    claims = {claimed("who owns X", "X", "people", "Y", Random(seed)) for seed in range(40)}
    assert claims >= {"Y owns X", "is it true that Y owns X"}
    assert denied_question("who owns X", "X", "people", Random(0)) == ""
