"""Words that say what they are for keep saying it, whatever noise makes of them."""

from random import Random

from groundwalk.training.queries.question import (
    Word,
    Words,
    disturbed,
    numbered,
    sign,
    text_of,
    words_of,
)
from hypothesis import given
from hypothesis import strategies as st

DROPPED = frozenset({"the", "of", "any"})
SWAPS = (({"how many": ("number of", "count"), "rivers": ("streams", "big rivers")}, 0.5),)
TEXTS = st.sampled_from(
    ["how", "many", "rivers", "the", "of", "any", "muddy", "(dirty)", "longest"]
)


def mention(number: int, after: str) -> Word:
    """A word with a sign."""
    return Word(f"{sign(number)}{after}", "mention")


WORDS = st.lists(
    st.one_of(
        st.builds(Word, TEXTS, st.sampled_from(["used", "filler", "unread"])),
        st.builds(mention, st.integers(0, 31), st.sampled_from(["", "'s", ","])),
    ),
    min_size=1,
    max_size=14,
).map(tuple)


def counted(words: Words) -> list[int]:
    """The numbers of all signs, sorted."""
    return sorted(number for own in words for number, _ in numbered(own.text))


@given(WORDS, st.integers(0, 10_000))
def test_no_word_with_a_sign_is_lost_or_changed(words: Words, seed: int) -> None:
    for more in range(30):
        found = disturbed(words, DROPPED, SWAPS, Random(seed + more))
        assert counted(found) == counted(words)
        assert all(own.use == "mention" for own in found if own.names)
        letters = [own.text.strip("',") for own in found if own.names]
        assert [own.rstrip("s'") for own in letters] == [
            own.text.strip("',").rstrip("s'") for own in words if own.names
        ]


@given(st.integers(0, 10_000))
def test_unread_words_keep_their_label(seed: int) -> None:
    words = (
        *words_of(f"how many rivers of {sign(0)}"),
        Word("qqqqqqqq", "unread"),
        Word("zzzzz", "unread"),
        *words_of("are there please", "filler"),
    )
    found = disturbed(words, DROPPED, SWAPS, Random(seed))
    assert sum(own.use == "unread" for own in found) == 2
    for own in found:
        is_unread = max(map(own.text.count, "qz")) > 2  # of which no slip of the hand makes three
        assert (own.use == "unread") == is_unread, own


def test_noise_does_something() -> None:
    words = words_of(f"how many of the longest rivers of {sign(0)} are there")
    found = [disturbed(words, DROPPED, SWAPS, Random(seed)) for seed in range(300)]
    texts = {text_of(own) for own in found}
    assert len(texts) > 60
    assert any(text.startswith(("number of", "count")) for text in texts)
    assert any(len(own) < len(words) for own in found)
    assert {"used", "mention"} == {word.use for own in found for word in own}


def test_a_swap_takes_only_words_of_one_use() -> None:
    words = (Word("how"), Word("many", "unread"))
    for seed in range(50):
        found = disturbed(words, frozenset(), SWAPS, Random(seed))
        assert {own.use for own in found} == {"used", "unread"}


def test_what_is_swapped_in_is_for_the_same() -> None:
    words = (Word("rivers", "unread"), Word("here"))
    found = [disturbed(words, frozenset(), SWAPS, Random(seed)) for seed in range(80)]
    assert any("streams" in text_of(own) for own in found)
    for own in found:
        assert [word.text for word in own if word.use == "used"] != []
        assert all(
            word.use == "unread" for word in own if "ivers" in word.text or "stre" in word.text
        )


def test_a_sign_is_found_within_a_word() -> None:
    (word,) = words_of(f"({sign(3)}'s")
    assert word.names and word.use == "mention"
    assert [number for number, _ in numbered(word.text)] == [3]
