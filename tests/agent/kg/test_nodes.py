"""Every node survives being written as a term and read again."""

import pyoxigraph as ox
import pytest
from groundwalk.agent.kg.nodes import (
    MOST_NESTED,
    lexical_form,
    literal_tag,
    to_any_node,
    to_node,
    to_term,
)
from groundwalk.agent.kg.terms import (
    Triple,
    is_iri,
    is_literal,
    is_triple_term,
    node_of,
    triple_of,
    triple_term,
)
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


IRIS = st.sampled_from(["http://example.org/a", "urn:x:é%20", "urn:x:)("]).map(ox.NamedNode)
BLANKS = st.sampled_from(["b0", "x.y"]).map(ox.BlankNode)
LITERALS = st.builds(ox.Literal, TEXTS) | st.builds(
    ox.Literal, st.sampled_from([" )>>", "<<( a", '"', "a b"]), language=st.just("en")
)
TRIPLES = st.recursive(
    st.builds(ox.Triple, IRIS | BLANKS, IRIS, IRIS | BLANKS | LITERALS),
    lambda inner: st.builds(ox.Triple, IRIS | BLANKS, IRIS, inner),
    max_leaves=4,
)


@given(TRIPLES)
def test_triple_terms_round_trip(triple: ox.Triple) -> None:
    term = to_term(triple)
    assert to_any_node(term) == triple
    assert is_triple_term(term) and not is_iri(term) and not is_literal(term)
    parts = Triple(*map(to_term, (triple.subject, triple.predicate, triple.object)))
    assert triple_of(term) == parts and triple_term(parts) == term
    assert node_of(term) == parts.head == node_of(parts.head)
    (quad,) = ox.parse(f"<urn:r> <urn:p> {term} .", ox.RdfFormat.N_TRIPLES)
    assert quad.object == triple
    with pytest.raises(ValueError, match="."):
        to_node(term)


@given(TRIPLES, st.sampled_from(["", " ", "\t "]))
def test_blanks_in_a_triple_term_do_not_matter(triple: ox.Triple, blank: str) -> None:
    parts = map(to_term, (triple.subject, triple.predicate, triple.object))
    spelled = f"<<({blank}{(blank or ' ').join(parts)}{blank})>>"
    assert to_any_node(spelled) == triple


def test_triples_too_deep_in_one_another_are_refused() -> None:
    for depth in (MOST_NESTED, MOST_NESTED + 1, 10_000):
        term = "<<( _:s <urn:p> " * depth + '"a"' + " )>>" * depth
        if depth > MOST_NESTED:
            with pytest.raises(ValueError, match="in one another"):
                to_any_node(term)
        else:
            assert to_term(to_any_node(term)) == term


@pytest.mark.parametrize(
    "term",
    [
        "<<( <urn:s> <urn:p> )>>",
        "<<( <urn:s> <urn:p> <urn:o> <urn:o> )>>",
        '<<( "s" <urn:p> <urn:o> )>>',
        "<<( <urn:s> _:p <urn:o> )>>",
        "<<( <<( <urn:s> <urn:p> <urn:o> )>> <urn:p> <urn:o> )>>",
        "<< <urn:s> <urn:p> <urn:o> >>",
        "<<( <urn:s> <urn:p> <urn:o> )>> ",
        "<<( <urn:s> <urn:p> <urn:o> )>> )>>",
        "<<(",
    ],
)
def test_what_is_no_triple_term_is_refused(term: str) -> None:
    with pytest.raises(ValueError, match="."):
        to_any_node(term)
