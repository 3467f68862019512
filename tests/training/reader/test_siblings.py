"""Questions and labels that differ in one word: a reader learns that they do not fit."""

from random import Random

import numpy as np
from groundwalk.agent.query.prompt import Numbered
from groundwalk.agent.reader.lexicon import label_words, words_of
from groundwalk.training.reader.siblings import Vector, siblings_of
from hypothesis import given
from hypothesis import strategies as st

LABELS = (
    *("birthDate", "death_date", "wedding date", "birth place", "has name", "start place"),
    *("population", "population density", "boiling point", "freezing point", "melting point"),
)
MEANT = ("birth", "death", "wedding", "date", "place", "density", "boiling", "start")
VECTORS: dict[str, Vector] = dict(zip(MEANT, np.eye(len(MEANT), dtype=np.float32), strict=True))
VECTORS["begun"] = VECTORS["start"]
APART = {"boiling": {"melting"}}
SIBLINGS = siblings_of(LABELS, VECTORS, APART)


def drawn(label: str) -> set[str]:
    made = (SIBLINGS.sibling(label, Random(seed)) for seed in range(50))
    return {sibling.label for sibling in made if sibling}


def test_a_sibling_has_one_word_that_says_something_else() -> None:
    assert drawn("birth date") == {"death date", "wedding date", "birth place"}
    assert drawn("boiling point") == {"melting point"}  # of freezing it is not known
    assert drawn("population") == set()


def test_a_word_of_the_question_or_of_the_label_is_another_one() -> None:
    question = "the birth date of Ada"
    words = words_of(question, [Numbered(18, 21, "")])
    seen = set[tuple[str, str]]()
    for seed in range(100):
        mistaken = SIBLINGS.mistaken(words, "birthDate", Random(seed))
        assert mistaken is not None
        seen.add((" ".join(word.text for word in mistaken.words), mistaken.label))
    assert ("the death date of ada", "birthDate") in seen
    assert ("the birth place of ada", "birthDate") in seen
    assert (question.lower(), "death date") in seen


def test_a_word_is_added_after_the_words_of_a_label() -> None:
    question = "the population of Ada"
    words = words_of(question, [Numbered(18, 21, "")])
    mistaken = SIBLINGS.mistaken(words, "population", Random(0))
    assert mistaken is not None and mistaken.label == "population"
    assert [w.text for w in mistaken.words] == ["the", "population", "density", "of", "ada"]
    assert [word.mention for word in mistaken.words] == [None] * 4 + [0]


def test_a_label_is_changed_that_is_asked_by_a_word_of_the_same_meaning() -> None:
    words = words_of("where was Ada begun", [Numbered(10, 13, "")])
    made = {SIBLINGS.mistaken(words, "start place", Random(seed)) for seed in range(20)}
    assert {(one.words, one.label, one.word) for one in made if one} == {
        (words, "birth place", "start")
    }


def test_where_no_word_asks_for_that_of_a_label_nothing_is_known() -> None:
    words = words_of("when was Ada born", [Numbered(9, 12, "")])
    assert SIBLINGS.mistaken(words, "birth date", Random(0)) is None


@given(st.sampled_from(LABELS), st.integers(0, 1_000))
def test_what_is_mistaken_is_one_word(label: str, seed: int) -> None:
    words = words_of(f"the {' '.join(label_words(label))} of Ada", [])
    mistaken = SIBLINGS.mistaken(words, label, Random(seed))
    if mistaken is None:
        return
    before, after = [w.text for w in words], [w.text for w in mistaken.words]
    changed = sum(a != b for a, b in zip(before, after, strict=False))
    old, new = label_words(label), label_words(mistaken.label)
    if len(before) == len(after):
        assert (changed, old == new) in ((1, True), (0, False))
        assert sum(a != b for a, b in zip(old, new, strict=True)) == int(old != new)
    else:
        assert len(after) == len(before) + 1 and old == new
