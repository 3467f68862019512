"""The words of a question keep their offsets, and stretches of them their spellings."""

import pytest
from groundwalk.agent.kg import normalise
from groundwalk.agent.linking.spans import (
    Span,
    bracketed,
    normalised,
    quoted,
    spans,
    spellings,
    tokenise,
    whole_end,
    words_of_stretch,
)
from groundwalk.agent.linking.words import singular
from hypothesis import example, given
from hypothesis import strategies as st


@example("0\u21200")
@example("film \u21161")
@example("0:\u03450")
@example("0:\ua8b40")
@example(": \u102b\u1000")
@example("iPhone\u624b\u6a5f 2 \u0e2a\u0e27\u0e31\u0e2a\u0e14\u0e35 \ud55c\uad6d\u00ad\uc758")
@given(st.text(st.characters(exclude_categories=("Cs",))))
def test_words_are_where_they_say_and_normalise_like_the_whole(text: str) -> None:
    tokens = tokenise(text)
    assert all(text[token.start : token.end] == token.text for token in tokens)
    if tokens:
        whole = text[tokens[0].start : tokens[-1].end]
        assert normalised(tokens) == normalise(whole)


def test_sentences_open_with_their_first_word() -> None:
    tokens = tokenise("Is it D.C. or L.A. then? Who: me.")
    assert [token.text for token in tokens if token.opens] == ["Is", "Who", "me"]


def test_possessives_are_tails() -> None:
    tokens = tokenise("France's and Laos\u2019s, not James' s or S")
    assert [token.start for token in tokens if token.tail] == [7, 18]


def test_spans_do_not_start_with_a_possessive() -> None:
    tokens = tokenise("France's king")
    assert [(span.first, span.last) for span in spans(tokens, 2)] == [(0, 0), (0, 1), (2, 2)]


def test_a_question_may_begin_with_an_apostrophe() -> None:
    assert [token.norm for token in tokenise("'t was in France")] == ["t", "was", "in", "france"]


@pytest.mark.parametrize(
    ("text", "exact", "changed"),
    [
        ("euros", ["euros"], ["euro", "the euros"]),
        ("COUNTRIES", ["COUNTRIES"], ["COUNTRy", "the COUNTRIES"]),
        ("the Gambia", ["the Gambia"], []),
        ("Swiss francs", ["Swiss francs"], ["Swiss franc", "the Swiss francs"]),
        ("kings of Sweden", ["kings of Sweden"], ["king of Sweden", "king's of Sweden"]),
        ("U.S.", ["U.S.", "US"], ["the U.S."]),
        ("7/7", ["7/7"], []),
        ("R2 D2", ["R2 D2"], []),
        ("B 5 2", ["B 5 2"], []),
        ("France's", ["France's"], ["the France's"]),
        ("Schindler\u2019s List", ["Schindler\u2019s List"], ["Schindlers List"]),
        ("Schindlers List", ["Schindlers List"], ["Schindler's List"]),
        ("Le Mans (France)", ["Le Mans (France)"], ["the Le Mans (France)"]),
    ],
)
def test_spellings(text: str, exact: list[str], changed: list[str]) -> None:
    tokens = tokenise(text)
    span = Span(0, tokens[-1].end, 0, len(tokens) - 1)
    forms = spellings(text, tokens, span)
    assert [form.written for form in forms if form.exact] == exact
    assert {form.written for form in forms if not form.exact} >= set(changed)
    assert all(form.norm == normalise(form.written) for form in forms)
    assert len({form.norm for form in forms}) == len(forms)
    assert "frances" not in [form.norm for form in forms]


@given(st.text(st.sampled_from("aesof' .()É\u2019yi"), min_size=1, max_size=20))
def test_what_is_looked_up_begins_as_it_is_written(text: str) -> None:
    tokens = tokenise(text)
    for span in spans(tokens, 3):
        first, *others = spellings(text, tokens, span)
        assert first.exact
        assert text.startswith(first.written, span.start)
        assert first.norm == " ".join(token.norm for token in tokens[span.first : span.last + 1])
        assert all(form.norm and form.norm == normalise(form.written) for form in others)


def test_marks_are_spans_of_the_words_that_begin_in_them() -> None:
    tokens = tokenise("one two three")
    assert words_of_stretch(tokens, 4, 13) == Span(4, 13, 1, 2)
    assert words_of_stretch(tokens, 5, 8) is None


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
        ("heroes", "hero"),
        ("shoes", "shoe"),
        ("women", "woman"),
        ("Paris".lower(), "paris"),
    ],
)
def test_singulars(plural: str, word: str) -> None:
    assert singular(plural) == word


@pytest.mark.parametrize("end", ["", "?", ".", ", and who else", "'s owner"])
@pytest.mark.parametrize("address", ["priya.nair@nordwind.example", "o'brien+a1@mail.x.org"])
def test_an_address_is_not_pulled_apart(address: str, end: str) -> None:
    question = f"Who has {address}{end}"
    tokens = tokenise(question)
    stop = question.index(address) + len(address)
    texts = [question[span.start : span.end] for span in spans(tokens, 8) if span.end <= stop]
    assert [text for text in texts if text not in ("Who", "Who has", "has")] == [
        f"Who has {address}",
        f"has {address}",
        address,
    ]
