"""How labels of relations are read as English."""

from dataclasses import replace
from random import Random

import pytest
from groundwalk.training.wording.english import load_english
from groundwalk.training.wording.label_words import LabelWords, Verb, label_words
from groundwalk.training.wording.phrasebook import make_phrasebook
from groundwalk.training.wording.template import Filling, Phrase, fill
from hypothesis import given
from hypothesis import strategies as st

from .toy import toy_graph


@pytest.mark.parametrize(
    ("label", "nouns", "verb"),
    [
        ("directed_by", ("director",), Verb("by", "directed", "directed")),
        ("written by", ("writer",), Verb("by", "written", "wrote")),
        ("producedBy", ("producer",), Verb("by", "produced", "produced")),
        ("was founded by", ("founder",), Verb("by", "founded", "founded")),
        ("known by", ("known by",), Verb("by", "known", "known")),
        ("based_in", ("based in",), Verb("at", "based", "in")),
        ("was born near", ("was born near",), Verb("at", "born", "near")),
        ("worksFor", ("works for",), Verb("does", "work", "for")),
        ("lives in", ("lives in",), Verb("does", "live", "in")),
        ("part of", ("part of",), None),
        ("class in", ("class in",), None),
        ("has_tags", ("tag",), None),
        ("has genre", ("genre",), None),
        ("in-language", ("language",), None),
        ("starred_actors", ("starred actor", "actor"), None),
        ("release_year", ("release year",), None),
        ("countries", ("country", "countries"), None),
        ("borders", ("border", "borders"), None),
        ("series", ("series",), None),
        ("bus", ("bus",), None),
        ("mass", ("mass",), None),
        ("has", ("has",), None),
        ("by", ("by",), None),
        ("place_of_birth", ("place of birth",), None),
        ("location", ("location",), None),
        ("music.recording.tracks", ("track", "tracks"), None),
        ("/book/book/written_by", ("writer",), Verb("by", "written", "wrote")),
        ("__people__person__gender", ("gender",), None),
        ("__base__cars__model__make", ("make",), None),
        ("soccer.football_player.position_s", ("position", "positions"), None),
        ("km/h", ("km/h",), None),
        ("he/she/they", ("he/she/they",), None),
        ("a.k.a.", ("a.k.a.",), None),
        ("a.b.-", ("a.b.",), None),
        ("u_s", ("u s",), None),
        ("input/output", ("input/output",), None),
        ("e.g. a name", ("e.g. a name",), None),
    ],
)
def test_labels_are_read_by_their_form(
    label: str, nouns: tuple[str, ...], verb: Verb | None
) -> None:
    assert label_words(label) == LabelWords(nouns, verb)


def test_no_template_shows_its_signs() -> None:
    """Every generic wording is English once its slots are filled."""
    graph = toy_graph()
    book = make_phrasebook(graph, load_english())
    rng = Random(0)
    for wording in book.generic.values():
        for template in (*wording.word, *wording.noun, *wording.that, *wording.ask):
            for many in (False, True):
                text = fill(template, Filling(Phrase("France", many), many, "things"), rng)
                assert not set(text) & set("{}()|/"), template


def test_a_passive_is_asked_with_its_verb() -> None:
    graph = toy_graph()
    book = make_phrasebook(
        replace(graph, labels=("written_by", "money", "has_tags")), load_english()
    )
    asked = [text for key in book.generic for text in book.generic[key].ask]
    assert "who wrote {x}" in asked and not any("written by}" in text for text in asked)
    assert any("{tag//tags}" in text for text in asked)


def test_a_place_and_a_verb_are_asked_for() -> None:
    graph = toy_graph()
    book = make_phrasebook(
        replace(graph, labels=("has_tags", "works_for", "based_in")), load_english()
    )
    rng = Random(0)
    asked = {
        fill(text, Filling(Phrase("Acme", False), False, "person"), rng)
        for key in book.generic
        for text in book.generic[key].ask
        for _ in range(40)
    }
    assert asked >= {
        "where is Acme based",
        "who is based in Acme",
        "what does Acme work for",
        "who works for Acme",
    }


@given(st.text(max_size=30))
def test_any_label_gives_a_noun_or_nothing_to_say(label: str) -> None:
    words = label_words(label)
    assert words.nouns and (any(words.nouns) or not label.replace("_", "").replace("-", "").strip())
