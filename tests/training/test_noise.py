"""Scrambled questions: the topics stay, and no word comes from elsewhere."""

from random import Random

from groundwalk.training.wording.english import OTHER, TOPIC
from groundwalk.training.wording.noise import scramble
from hypothesis import given
from hypothesis import strategies as st

WORDS = st.lists(st.sampled_from(["who", "wrote", "the", "film", "year"]), max_size=12)


@given(WORDS, st.integers(0, 12), st.integers())
def test_the_topics_stay_and_no_word_is_made_up(words: list[str], place: int, seed: int) -> None:
    text = " ".join([*words[:place], f"[{TOPIC}]", *words[place:], OTHER])
    found = scramble(text, ["movie", "actor"], Random(seed)).split(" ")
    assert found.count(f"[{TOPIC}]") == found.count(OTHER) == 1
    assert {*found} <= {*words, f"[{TOPIC}]", OTHER, "movie", "actor"}
    assert scramble(text, ["movie", "actor"], Random(seed)).split(" ") == found


def test_words_are_lost_replaced_and_moved() -> None:
    text = f"who wrote the film that {TOPIC} acted in"
    found = {scramble(text, ["year"], Random(seed)) for seed in range(200)}
    words = [own.split(" ") for own in found]
    assert any(len(own) < 8 for own in words) and any("year" in own for own in words)
    assert any(own.index("wrote") < own.index("who") for own in words if {"who", "wrote"} <= {*own})
    assert text in found
