"""Ratings as chat models write them."""

import pytest
from groundwalk.evaluation.rating import read_rating
from hypothesis import given
from hypothesis import strategies as st


@pytest.mark.parametrize(
    ("reply", "rating"),
    [
        ("Rating: 4", 4),
        ("4", 4),
        ("**Rating:** 5", 5),
        ("Rating: **3**.", 3),
        ('{"rating": 2, "why": "3 steps of 4"}', 2),
        ("rating = 4/5", 4),
        ("Score: 4 out of 5", 4),
        ("Rating: 4.0", 4),
        ("On a scale from 1 to 5, I would rate it 2.", 2),
        ("Rating (1-5): 3", 3),
        ("The walk has 2 steps, both sensible. Rating: 5", 5),
        ("I first thought the rating was 2. The final rating is 4.", 4),
        ("<think>Rating: 1? No, 5 steps.</think>\n\n3", 3),
        ("it has 2 steps</think>Rating: 4", 4),
        ("Four.", 4),
        ("", None),
        ("The walk is coherent.", None),
        ("Rating: 0", None),
        ("Rating: 6", None),
        ("Rating: 4.5", None),
        ("Rating: 10", None),
        ("Rating: 45", None),
        ("2 or 3", None),
        ("Rating: 1 to 5", None),
        ("<think>Rating: 3, because", None),
    ],
)
def test_replies(reply: str, rating: int | None) -> None:
    assert read_rating(reply) == rating


@given(st.text())
def test_any_reply_is_read_or_not(reply: str) -> None:
    assert read_rating(reply) in (None, 1, 2, 3, 4, 5)


@given(st.integers(1, 5), st.sampled_from(["Rating: {}", "{}", "score {}/5", "Rating\n\n{}\n"]))
def test_a_clear_rating_is_read(rating: int, shape: str) -> None:
    assert read_rating(shape.format(rating)) == rating
