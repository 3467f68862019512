"""Every node survives being written as a term and read again."""

import pyoxigraph as ox
import pytest
from groundwalk.agent.kg.nodes import lexical_form, literal_tag, to_node, to_term
from hypothesis import given
from hypothesis import strategies as st

TEXTS = st.text(st.characters(exclude_categories=("Cs",)))


@given(TEXTS)
def test_plain_literals_round_trip(text: str) -> None:
    literal = ox.Literal(text)
    assert to_node(to_term(literal)) == literal
    assert lexical_form(to_term(literal)) == text


@given(TEXTS, st.sampled_from(["en", "en-GB", "zh-Hans-CN", "x-own"]))
def test_literals_with_a_language_round_trip(text: str, language: str) -> None:
    literal = ox.Literal(text, language=language)
    assert to_node(to_term(literal)) == literal
    assert literal_tag(to_term(literal)) == language.lower()


@given(TEXTS, st.sampled_from(list("ab")).map(lambda name: f"http://example.org/{name}é%20"))
def test_literals_with_a_datatype_round_trip(text: str, datatype: str) -> None:
    literal = ox.Literal(text, datatype=ox.NamedNode(datatype))
    assert to_node(to_term(literal)) == literal
    assert (lexical_form(to_term(literal)), literal_tag(to_term(literal))) == (text, datatype)


@given(st.text("abcé%/#?=&;~.-_", max_size=20))
def test_iris_round_trip(path: str) -> None:
    try:
        node = ox.NamedNode(f"http://example.org/{path}")
    except ValueError:
        return
    assert to_node(to_term(node)) == node


@given(st.from_regex(r"[a-zA-Z0-9]{1,12}", fullmatch=True))
def test_blank_nodes_round_trip(name: str) -> None:
    assert to_node(to_term(ox.BlankNode(name))) == ox.BlankNode(name)


def test_a_base_direction_round_trips() -> None:
    literal = ox.Literal("שלום", language="he", direction=ox.BaseDirection.RTL)
    assert to_node(to_term(literal)) == literal


@pytest.mark.parametrize(
    ("term", "text"),
    [
        (r'"\u00e9\U0001F600"', "é😀"),
        (r'"tab\tnew\nquote\"slash\\"', 'tab\tnew\nquote"slash\\'),
        ('"it\'s"', "it's"),
    ],
)
def test_every_escape_is_read(term: str, text: str) -> None:
    assert to_node(term) == ox.Literal(text)


@pytest.mark.parametrize(
    "term",
    [
        "",
        "France",
        "<no scheme>",
        "<relative>",
        "<http://example.org/a> <http://example.org/b>",
        '"open',
        '"a"b"',
        '"a" .',
        '"line\nbreak"',
        r'"\q"',
        r'"\ud800"',
        r'"\U00110000"',
        '"a"@',
        '"a"@e n',
        '"a"^^b',
        "_:",
        "_:a b",
    ],
)
def test_what_is_no_term_is_refused(term: str) -> None:
    with pytest.raises(ValueError, match="."):
        to_node(term)
