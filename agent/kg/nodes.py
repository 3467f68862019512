"""Terms to Oxigraph nodes and back, without loss."""

import re
from typing import TypeAlias

import pyoxigraph as ox

from .terms import Term, Triple, is_iri, is_literal

Node: TypeAlias = ox.NamedNode | ox.BlankNode | ox.Literal
"""A node that is no triple."""

MOST_NESTED = 50
"""Triples that may stand in one another, each as the tail of the next."""

_LITERAL = re.compile(
    r'"(?P<text>(?:[^"\\\n\r]|\\.)*)"'
    r"(?:@(?P<language>[A-Za-z]+(?:-[A-Za-z0-9]+)*)(?:--(?P<direction>ltr|rtl))?"
    r"|\^\^<(?P<datatype>[^<>]*)>)?"
)
_TRIPLE = re.compile(
    r"<<\([ \t]*(?P<head><[^<>]*>|_:[^ \t<]+)[ \t]*(?P<relation><[^<>]*>)[ \t]*"
    r"(?P<tail>.*[^ \t])[ \t]*\)>>",
    re.DOTALL,
)
_ESCAPE = re.compile(r"\\(?:u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|(.))", re.DOTALL)
_ESCAPED = {
    "t": "\t",
    "b": "\b",
    "n": "\n",
    "r": "\r",
    "f": "\f",
    '"': '"',
    "'": "'",
    "\\": "\\",
}


def _character(match: re.Match[str]) -> str:
    code = match[1] or match[2]
    if code is None:
        if match[3] not in _ESCAPED:
            raise ValueError(f"unknown escape \\{match[3]}")
        return _ESCAPED[match[3]]
    number = int(code, 16)
    if number > 0x10FFFF or 0xD800 <= number <= 0xDFFF:
        raise ValueError(f"\\u{code} is not a character")
    return chr(number)


def _unescape(text: str) -> str:
    return _ESCAPE.sub(_character, text) if "\\" in text else text


def to_any_node(term: Term) -> Node | ox.Triple:
    """Read one term, which may be a triple.

    Raises ValueError when it is not a term in N-Triples syntax, or more than 50 triples in one
    another.
    """
    around: list[tuple[ox.NamedNode | ox.BlankNode, ox.NamedNode]] = []
    while match := _TRIPLE.fullmatch(term):
        head, relation, term = to_node(match["head"]), to_node(match["relation"]), match["tail"]
        assert not isinstance(head, ox.Literal) and isinstance(relation, ox.NamedNode)
        around.append((head, relation))
        if len(around) > MOST_NESTED:
            raise ValueError(f"more than {MOST_NESTED} triples in one another")
    node: Node | ox.Triple = to_node(term)
    for head, relation in reversed(around):
        node = ox.Triple(head, relation, node)
    return node


def to_node(term: Term) -> Node:
    """Read one term. Raises ValueError when it is a triple, or not a term in N-Triples syntax."""
    if term.startswith("<") and term.endswith(">"):
        return ox.NamedNode(_unescape(term[1:-1]))
    if term.startswith("_:"):
        return ox.BlankNode(term[2:])
    match = _LITERAL.fullmatch(term)
    if match is None:
        raise ValueError(f"not an RDF term: {term[:80]}")
    text = _unescape(match["text"])
    if match["datatype"] is not None:
        return ox.Literal(text, datatype=ox.NamedNode(_unescape(match["datatype"])))
    if match["language"] is None:
        return ox.Literal(text)
    if match["direction"] is None:
        return ox.Literal(text, language=match["language"])
    direction = ox.BaseDirection.LTR if match["direction"] == "ltr" else ox.BaseDirection.RTL
    return ox.Literal(text, language=match["language"], direction=direction)


def is_triple(triple: Triple) -> bool:
    """Whether a store may hold it: whether its terms are terms, and in their places."""
    try:
        for term in triple[:2]:
            to_node(term)
        to_any_node(triple.tail)
    except ValueError:
        return False
    return is_iri(triple.relation) and not is_literal(triple.head)


def to_term(node: Node | ox.Triple) -> Term:
    """The N-Triples spelling of a node; language tags are in lower case."""
    return f"<<( {node} )>>" if isinstance(node, ox.Triple) else str(node)


def lexical_form(term: Term) -> str:
    """The text of a literal term, without its language or datatype."""
    match = _LITERAL.fullmatch(term)
    return _unescape(match["text"]) if match else term


def literal_tag(term: Term) -> str:
    """The language of a literal term, else its datatype IRI, else nothing."""
    match = _LITERAL.fullmatch(term)
    return (match["language"] or match["datatype"] or "") if match else ""
