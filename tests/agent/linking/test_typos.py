"""Which stretches are tried for typos, and what counts as alike."""

import pytest
from groundwalk.agent.kg import Similar
from groundwalk.agent.linking.plausible import casing_of, everyday_words
from groundwalk.agent.linking.spans import Span, tokenise
from groundwalk.agent.linking.typos import is_apart, likeness, most_typos, suspects
from groundwalk.agent.linking.words import is_ordinary
from hypothesis import given
from hypothesis import strategies as st

EVERYDAY = everyday_words([])
WORDS = st.sampled_from(
    "the The of and is film Film Grumb grumb snork Snork Island 17 It's x".split()
)


@pytest.mark.parametrize(
    ("text", "name", "distance", "intact", "expected"),
    [
        ("springfeild", "springfield", 1, [], 1 - 1 / 11),
        ("the oskars", "the oscar", 2, [], 1 - 2 / 6),
        ("apollo 12", "apollo 13", 1, [], 0.0),
        ("apolo 13", "apollo 13", 1, [], 1 - 1 / 9),
        ("game hall", "games hall", 1, [], 0.9),
        ("game hall", "games hall", 1, ["game"], 0.0),
        ("game hal", "game hall", 1, ["game"], 1 - 1 / 9),
        ("led stone", "fred stone", 2, ["stone"], 0.0),
        ("led stone", "fred stone", 2, [], 0.0),
        ("ruritania", "mauritania", 2, [], 0.0),
        ("mount doom", "mount cook", 2, [], 0.0),
        ("mauretannia", "mauritania", 2, [], 1 - 2 / 11),
        ("mont blnac peak", "mont blanc peak", 1, [], 1 - 1 / 15),
        ("stone yen stone", "stone men stone", 1, ["stone", "stone"], 1 - 1 / 15),
    ],
)
def test_likeness(text: str, name: str, distance: int, intact: list[str], expected: float) -> None:
    assert likeness(text, Similar(name, distance), intact) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("text", "name", "distance", "alike"),
    [
        ("portugese", "portuguese", 1, True),
        ("phillipines", "philippines", 2, True),
        ("isreal", "israel", 1, True),
        ("romanian", "romania", 1, False),
        ("texan", "texas", 1, False),
        ("cyrus", "cyprus", 1, False),
        ("angela", "angola", 1, False),
        ("barzania", "tarzania", 1, False),
        ("lichtenstein", "liechtenstein", 1, True),
        ("britian", "britain", 1, True),
        ("javanese", "japanese", 1, False),
        ("sundanese", "sudanese", 1, False),
        ("granada", "grenada", 1, False),
        ("columbia", "colombia", 1, False),
        ("surname", "suriname", 1, False),
        ("everett", "everest", 1, False),
        ("philippe", "philippine", 2, False),
    ],
)
def test_a_word_apart_is_misspelt_within_and_no_other_name(
    text: str, name: str, distance: int, alike: bool
) -> None:
    assert bool(likeness(text, Similar(name, distance), stands_apart=True)) == alike
    assert likeness(text, Similar(name, distance))


def test_two_typos_need_eight_letters() -> None:
    assert [most_typos(text) for text in ("the oscars", "abcdefg", "abcdefgh")] == [1, 1, 2]


@given(st.lists(WORDS, min_size=1, max_size=9), st.data())
def test_stretches_hold_something_new_and_whole_names_only(
    words: list[str], data: st.DataObject
) -> None:
    tokens = tokenise(" ".join(words))
    casing = casing_of(tokens, EVERYDAY)
    places = range(len(tokens))
    first = data.draw(st.sampled_from(places))
    last = data.draw(st.sampled_from(places[first:]))
    linked = Span(tokens[first].start, tokens[last].end, first, last)
    beside_linked = suspects(tokens, casing, EVERYDAY, 4, [linked])
    free = suspects(tokens, casing, EVERYDAY, 4)
    assert set(beside_linked) <= set(free)
    for span in beside_linked:
        inside = set(range(span.first, span.last + 1))
        named = set(range(first, last + 1))
        assert inside - named
        assert named <= inside or named.isdisjoint(inside)
    for span in free:
        text = " ".join(token.norm for token in tokens[span.first : span.last + 1])
        assert len(text) >= 5
        assert any(word not in EVERYDAY for word in text.split()) or casing.informative
        assert span.last - span.first < 5
        if span in beside_linked and is_apart(tokens, span, [linked]):
            assert not is_ordinary(text)
    sizes = [span.last - span.first + 1 - (tokens[span.first].norm == "the") for span in free]
    assert sizes == sorted(sizes, reverse=True)
