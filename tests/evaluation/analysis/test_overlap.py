"""How much of a question set training questions give away."""

from groundwalk.agent.records import Entity, MentionRecord
from groundwalk.evaluation.analysis.overlap import Close, masked, ngrams, overlap, words
from hypothesis import given
from hypothesis import strategies as st

QUESTIONS = st.lists(
    st.lists(st.sampled_from(["who", "is", "in", "[city]", "Of"]), max_size=7).map(" ".join),
    max_size=8,
)


def test_words_are_lower_case_and_slots_are_one_word() -> None:
    text = "What's the Capital, of [[Big City]]?"
    assert words(text) == ("what's", "the", "capital", "of", "[big city]")
    assert words("?!") == ()


def test_ngrams() -> None:
    assert list(ngrams(tuple("abcd"), 3)) == [("a", "b", "c"), ("b", "c", "d")]
    assert list(ngrams(("a", "b"), 3)) == []


def test_a_worked_example() -> None:
    training = ["what is the capital of [country]?", "who wrote [book]"]
    found = overlap(
        ["What is the capital of [country]", "so what is the flag of [country]", "who"], training
    )
    # 3-grams: 4 of 4, and of 5 (so what is, what is the, is the flag, the flag of, flag of
    # [country]) one; 4-grams 3 of 3 and 0 of 4; 5-grams 2 of 2 and 0 of 3.
    assert found.seen == {3: 5 / 9, 4: 3 / 7, 5: 2 / 5}
    assert found.whole == 1 / 3
    assert (found.questions, found.training) == (3, 2)
    assert found.closest == (
        Close("What is the capital of [country]", 1.0, True),
        Close("so what is the flag of [country]", 1 / 12, False),
        Close("who", 0.0, False),
    )


def test_nothing_to_compare() -> None:
    found = overlap([], ["a b c"])
    assert found.seen == {3: None, 4: None, 5: None}
    assert (found.whole, found.closest) == (None, ())
    assert overlap(["", "?"], [""]).whole == 0


def test_only_the_closest_ten_are_kept() -> None:
    assert len(overlap([f"is it number {n}" for n in range(20)], ["is it number 3"]).closest) == 10


@given(QUESTIONS, QUESTIONS)
def test_bounds_and_a_set_overlaps_itself(asked: list[str], training: list[str]) -> None:
    found = overlap(asked, iter(training))
    shares = [s for s in (*found.seen.values(), found.whole) if s is not None]
    assert all(0 <= share <= 1 for share in shares)
    itself = overlap(asked, asked)
    assert all(share in (None, 1.0) for share in itself.seen.values())
    assert all(close.whole for close in itself.closest if close.question)


def test_mentions_become_their_class() -> None:
    city = Entity(term="<urn:p>", label="Paris", kind="city", description="", score=1.0)
    mention = MentionRecord(text="Paris", start=9, end=14, ambiguous=False, candidates=[city])
    assert masked("Where is Paris?", [mention]) == "Where is [city]?"
    assert masked("Where is Paris?", []) == "Where is Paris?"
