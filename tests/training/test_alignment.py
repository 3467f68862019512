"""Words are drawn from the actions that they go with, and those of every question from none."""

from random import Random

from groundwalk.training.fitting.alignment import NONE, Pair, align

WORDS = {
    "capital": ("capital", "seat"),
    "borders": ("neighbours", "touch"),
    "count": ("many", "number"),
    "most": ("largest", "biggest"),
}


def corpus(seed: int, size: int = 300, *, mixed: bool = False) -> list[Pair]:
    """Questions of two actions each; where they are mixed, in words of any of them."""
    rng, pairs = Random(seed), list[Pair]()
    for _ in range(size):
        actions = rng.sample(sorted(WORDS), 2)
        said = rng.sample(sorted(WORDS), 2) if mixed else actions
        words = [rng.choice(WORDS[own]) for own in said]
        pairs.append((["what", "of", *words], actions))
    return pairs


def test_each_word_is_aligned_with_its_action() -> None:
    found = align(corpus(0))
    actions = sorted(WORDS)
    for place, action in enumerate(actions):
        for word in WORDS[action]:
            assert found.best(word, actions) == place, word


def test_words_of_every_question_are_drawn_from_none() -> None:
    found = align(corpus(1))
    assert found.best("what", sorted(WORDS)) is None
    assert found.best("of", sorted(WORDS)) is None
    assert found.best("unheard", sorted(WORDS)) is None


def test_a_word_is_not_drawn_from_an_action_that_is_not_its_own() -> None:
    found = align(corpus(2))
    assert found.best("largest", ["capital", "borders"]) != 0
    assert found.likely["most"]["largest"] > 50 * found.likely["capital"].get("largest", 0.0)


def test_nothing_is_learnt_where_words_say_nothing() -> None:
    found = align(corpus(3, mixed=True))
    shares = [own.get("largest", 0.0) for name, own in found.likely.items() if name != NONE]
    assert max(shares) < 3 * min(shares)


def test_the_first_round_is_even_and_more_rounds_are_surer() -> None:
    once, often = align(corpus(4), rounds=1), align(corpus(4), rounds=6)
    assert often.likely["most"]["largest"] > 1.5 * once.likely["most"]["largest"]
    for found in (once, often):
        assert all(abs(sum(own.values()) - 1) < 1e-9 for own in found.likely.values())


def test_no_questions_align_nothing() -> None:
    assert align([]).best("what", ["most"]) is None


def test_a_word_is_of_the_action_that_draws_it_and_hardly_any_other() -> None:
    pairs = [(["the", "longest", "river"], ["most", "river"])] * 20
    pairs += [(["the", "river"], ["river"])] * 20 + [(["the", "capital"], ["capital"])] * 20
    found = align(pairs)
    assert found.is_of("longest", "most", ["river"])
    assert not found.is_of("longest", "most", ["most"]), "it is there still"
    assert not found.is_of("longest", "capital", [])
    assert not found.is_of("the", "capital", []), "it goes with all alike"
    assert not found.is_of("never", "most", [])
