"""The words of a question keep their offsets, and stretches of them their spellings."""

import pytest
from groundwalk.agent.kg import normalise
from groundwalk.agent.linking.mentions import (
    Span,
    bracketed,
    quoted,
    spans,
    spellings,
    tokenise,
    whole_end,
)
from groundwalk.agent.linking.words import singular
from hypothesis import example, given
from hypothesis import strategies as st


@example("0\u21200")
@example("film \u21161")
@given(st.text(st.characters(exclude_categories=("Cs",))))
def test_words_are_where_they_say_and_normalise_like_the_whole(text: str) -> None:
    tokens = tokenise(text)
    assert all(text[token.start : token.end] == token.text for token in tokens)
    if tokens:
        whole = text[tokens[0].start : tokens[-1].end]
        assert " ".join(token.norm for token in tokens) == normalise(whole)


def test_sentences_open_with_their_first_word() -> None:
    tokens = tokenise("Is it D.C. or L.A. then? Who: me.")
    assert [token.text for token in tokens if token.opens] == ["Is", "Who", "me"]


def test_possessives_are_tails() -> None:
    tokens = tokenise("France's and Laos\u2019s, not James' s or S")
    assert [token.start for token in tokens if token.tail] == [7, 18]


def test_spans_do_not_start_with_a_possessive() -> None:
    tokens = tokenise("France's king")
    assert [(span.first, span.last) for span in spans(tokens, 2)] == [(0, 0), (0, 1), (2, 2)]


@pytest.mark.parametrize(
    ("text", "forms"),
    [
        ("euros", [("euros", True), ("euro", False), ("the euros", False)]),
        ("the Gambia", [("the gambia", True)]),
        (
            "Swiss francs",
            [("swiss francs", True), ("swiss franc", False), ("the swiss francs", False)],
        ),
        ("U.S.", [("u s", True), ("the u s", False), ("us", True)]),
        ("France's", [("france s", True), ("the france s", False)]),
    ],
)
def test_spellings(text: str, forms: list[tuple[str, bool]]) -> None:
    tokens = tokenise(text)
    span = Span(0, tokens[-1].end, 0, len(tokens) - 1)
    assert spellings(tokens, span) == forms


def test_marked_texts_come_without_their_marks() -> None:
    question = 'is [ A b ] in [[C]] or "d e" or \u201cf\u201d or [] or [\n]'
    assert [question[s.start : s.end] for s in bracketed(question)] == ["A b", "[C]", ""]
    assert [question[s.start : s.end] for s in quoted(question)] == ["d e", "f"]


@pytest.mark.parametrize(
    ("question", "end", "whole"),
    [
        ("Congo (Kinshasa) is", 15, 16),
        ("the (Congo) is", 10, 10),
        ("in the U.S. today", 10, 11),
        ("in Paris. Then", 8, 8),
    ],
)
def test_a_span_takes_the_mark_that_closes_it(question: str, end: int, whole: int) -> None:
    start = 7 if "U.S." in question else 0 if question.startswith("Congo") else 3
    start = 5 if "(Congo" in question else start
    assert whole_end(question, Span(start, end, 0, 0)) == whole


@pytest.mark.parametrize(
    ("plural", "word"),
    [
        ("euros", "euro"),
        ("countries", "country"),
        ("churches", "church"),
        ("boxes", "box"),
        ("languages", "language"),
        ("glass", "glass"),
        ("campus", "campus"),
        ("gas", "gas"),
        ("is", "is"),
        ("Paris".lower(), "paris"),
    ],
)
def test_singulars(plural: str, word: str) -> None:
    assert singular(plural) == word
