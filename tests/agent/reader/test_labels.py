"""Labels however they are written, the lexicon on disk, and how words are like labels."""

from dataclasses import replace
from os.path import commonprefix
from pathlib import Path

import numpy as np
from groundwalk.agent.reader.lexicon import (
    LEXICON_FILE,
    MOST_LABEL_WORDS,
    Lexicon,
    both_ways,
    label_words,
    make_lexicon,
    read_lexicon,
    write_lexicon,
)
from groundwalk.agent.reader.matching import FEATURES, entry_of, matches
from hypothesis import given
from hypothesis import strategies as st

WORD = st.text("abcdefghij", min_size=2, max_size=8)
LEXICON = make_lexicon(
    [("place of birth", ["birthplace", "born in"]), ("director", ["directed by"])],
    [("film", "movie"), ("write", "author")],
)


@given(st.lists(WORD, min_size=1, max_size=MOST_LABEL_WORDS))
def test_a_label_is_its_words_however_it_is_written(words: list[str]) -> None:
    camel = words[0] + "".join(word.capitalize() for word in words[1:])
    for label in (
        " ".join(words),
        "_".join(words),
        "-".join(words),
        camel,
        f"a.b.{'_'.join(words)}",
    ):
        assert label_words(label) == tuple(words), label


def test_letters_of_other_scripts_and_abbreviations_are_words() -> None:
    assert label_words("größteStadt") == ("größte", "stadt")
    assert label_words("столица_страны") == ("столица", "страны")
    assert label_words("hasURLOfPage") == ("has", "url", "of", "page")
    assert label_words("") == ()


@given(
    st.lists(st.tuples(WORD, st.lists(WORD, max_size=3)), max_size=4),
    st.lists(st.tuples(WORD, WORD).filter(lambda own: own[0] != own[1]), max_size=6),
)
def test_a_lexicon_is_read_as_it_was_written(
    aliases: list[tuple[str, list[str]]], pairs: list[tuple[str, str]]
) -> None:
    from tempfile import TemporaryDirectory

    made = replace(make_lexicon(aliases, pairs), apart=both_ways(pairs))
    with TemporaryDirectory() as name:
        folder = Path(name)
        write_lexicon(folder, made)
        first = (folder / LEXICON_FILE).read_bytes()
        again = read_lexicon(folder)
        write_lexicon(folder, again)
        assert (folder / LEXICON_FILE).read_bytes() == first
    assert (again.related, again.apart) == (made.related, made.apart)
    kept = {label: tuple(own) for label, own in made.aliases.items()}
    assert {label: tuple(own) for label, own in again.aliases.items()} == kept


def said(word: str, label: str, tail: str = "") -> dict[str, float]:
    kind = entry_of(tail, LEXICON) if tail else None
    made = matches([(word,)], [entry_of(label, LEXICON)], [kind])
    return {name: float(value) for name, value in zip(FEATURES, made[0, 0], strict=True) if value}


def test_words_are_like_labels_by_letters_aliases_and_meaning() -> None:
    assert said("director", "director")["exact"] == 1
    assert said("birthplace", "placeOfBirth")["alias"] == 1
    assert said("born", "place of birth")["alias"] == 0.5
    assert said("movie", "film")["related"] == 1
    assert 0.6 <= said("directed", "director")["begins"] < 1
    assert said("movies", "starring", tail="film") == {}
    assert said("movie", "starring", tail="movie") == {"class": 1.0}
    assert said("movie", "starring", tail="film") == {"class_related": 1.0}
    assert said("banana", "director") == {}


def test_short_words_and_other_forms_of_like_words_count() -> None:
    assert said("huts", "mountain hut")["begins"] == 0.75
    assert said("boxes", "box")["begins"] == said("cities", "old city")["begins"] == 0.75
    assert said("datacenters", "DataCenter")["begins"] == 0.75
    assert said("datacenter", "DataCenter")["exact"] == 1.0
    assert "begins" not in said("are", "area")
    assert "begins" not in said("songs", "son") | said("their", "the end")
    lexicon = make_lexicon([], [("teacher", "instructor")])
    entry = entry_of("teacher", lexicon)
    made = matches([("instructors",)], [entry], [None])
    assert round(float(made[0, 0, FEATURES.index("related")]), 3) == round(10 / 11, 3)


@given(st.lists(st.lists(WORD, max_size=2).map(tuple), max_size=6), st.lists(WORD, max_size=4))
def test_every_likeness_is_a_share_and_a_mention_has_none(
    words: list[tuple[str, ...]], labels: list[str]
) -> None:
    made = matches(words, [entry_of(own, Lexicon()) for own in labels], [None] * len(labels))
    assert made.shape == (len(words), len(labels), len(FEATURES))
    assert np.all((made >= 0) & (made <= 1))
    for place, parts in enumerate(words):
        if not parts:
            assert not made[place].any()


def test_a_word_that_is_not_known_means_what_the_form_of_it_means_that_is_most_alike() -> None:
    lexicon = Lexicon(meanings={"mend": 1, "mender": 2, "mending": 3, "menu": 4})
    assert lexicon.meaning("mend") == 1
    assert lexicon.meaning("menders") == 2
    assert lexicon.meaning("mends") == 1
    assert lexicon.meaning("mendacious") == 0
    assert lexicon.meaning("men") == 0
    assert lexicon.meaning("mend's") == 1
    assert lexicon.meaning("self-mending") == lexicon.meaning("mending")
    assert lexicon.meaning("3.5") == lexicon.meaning("...") == 0
    assert Lexicon(meanings={"won": 1}).meaning("won't") == 0
    assert Lexicon().meaning("mends") == 0


STEM = st.text("ab", min_size=3, max_size=6)
ENDED = st.builds("".join, st.tuples(STEM, st.sampled_from(["", "s", "es", "ed", "ing", "er"])))


@given(st.lists(ENDED, unique=True, max_size=20), ENDED)
def test_what_a_word_means_is_what_a_form_of_it_means_and_else_nothing(
    known: list[str], word: str
) -> None:
    row = Lexicon(meanings={other: row for row, other in enumerate(known, 1)}).meaning(word)
    if word in known:
        assert known[row - 1] == word
        return
    alike = {other: len(commonprefix((word, other))) for other in known}
    forms = {
        other: shared / max(len(word), len(other))
        for other, shared in alike.items()
        if shared >= 4
        and 10 * shared >= 7 * max(len(word), len(other))
        and shared >= min(len(word), len(other)) - 2
    }
    assert bool(row) == bool(forms)
    assert not row or forms[known[row - 1]] == max(forms.values())
