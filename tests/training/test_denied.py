"""Clauses that say the contrary."""

import pytest
from groundwalk.training.wording.english import denied


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
