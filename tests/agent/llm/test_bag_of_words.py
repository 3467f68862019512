"""Naive Bayes against its textbook formula, computed without any of its shortcuts."""

import math
from itertools import pairwise

from groundwalk.agent.llm.bag_of_words import count_words, features_of, words_of
from hypothesis import given
from hypothesis import strategies as st
from pytest import approx

WORD = st.sampled_from(["who", "made", "it", "[film]", "where"])
TEXT = st.lists(WORD, min_size=1, max_size=5).map(" ".join)
QUESTION = st.tuples(TEXT, st.dictionaries(st.integers(0, 2), st.floats(0.1, 2), min_size=1))


@given(st.lists(QUESTION, min_size=1, max_size=8), TEXT)
def test_it_is_multinomial_naive_bayes(
    questions: list[tuple[str, dict[int, float]]], asked: str
) -> None:
    counts = count_words((features_of(text), weights) for text, weights in questions)
    seen = {feature for text, _ in questions for feature in features_of(text)}
    known = [feature for feature in features_of(asked) if feature in seen]

    def mass(number: int, feature: str | None = None) -> float:
        return sum(
            weights.get(number, 0.0) * (1 if feature is None else feature in features_of(text))
            for text, weights in questions
        )

    def joint(number: int) -> float:
        total = sum(mass(number, feature) + 0.1 for feature in seen)
        shares = (math.log((mass(number, own) + 0.1) / total) for own in known)
        return math.log(mass(number)) + sum(shares)

    found = counts.log_joint(features_of(asked))
    assert found.keys() == {number for _, weights in questions for number in weights}
    for number, value in found.items():
        assert value == approx(joint(number), abs=1e-9)


@given(st.lists(WORD, max_size=6))
def test_features_are_the_words_and_their_neighbours(words: list[str]) -> None:
    text = " ".join(words)
    assert words_of(text.upper() + " ?") == tuple(words)
    ends = ["^", *words, "$"]
    assert set(features_of(text)) == {*ends, *(f"{a} {b}" for a, b in pairwise(ends))}


def test_rare_features_are_left_out() -> None:
    counts = count_words([(["a", "b"], {0: 1.0}), (["b"], {1: 1.0})], 2.0)
    assert counts.features.keys() == {"b"} and counts.classes == {0: 1.0, 1: 1.0}
