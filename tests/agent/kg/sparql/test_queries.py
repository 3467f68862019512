"""No text can change a query: its algebra is the same for any term, in two parsers."""

import re
from collections import Counter
from collections.abc import Callable
from functools import cache
from typing import Any

import pyoxigraph as ox
import pytest
import rdflib
from groundwalk.agent.kg import GENERIC, Triple
from groundwalk.agent.kg.nodes import to_node
from groundwalk.agent.kg.stores.sparql import label_queries, queries, unnamed
from groundwalk.agent.kg.stores.sparql.labels import spellings
from groundwalk.agent.kg.stores.sparql.queries import Pattern, Query, Scope, spell
from hypothesis import given, settings
from hypothesis import strategies as st
from rdflib.plugins.sparql.algebra import translateQuery
from rdflib.plugins.sparql.parser import parseQuery
from rdflib.plugins.sparql.parserutils import CompValue
from rdflib.term import Literal, Node, URIRef, Variable

from .asking import HOSTILE, IRIS, LITERALS, TEXTS

Build = Callable[[str, str], Query]
"""A query about an IRI and a literal."""

SCOPE = Scope((), tuple(sorted(GENERIC.skipped)), ("<http://example.org/skipped",))
P = "<http://example.org/p>"
PLAIN = "<http://example.org/plain>"
STRING = ox.NamedNode("http://www.w3.org/2001/XMLSchema#string")
Texts = label_queries.TextPredicates
SAID = "_:said0"
BUILDS: dict[str, Build] = {
    "edges": lambda i, v: queries.edges([i, P], [v, i], None, SCOPE, 9),
    "follow": lambda i, v: queries.edges([], [v, i], i, SCOPE, 9),
    "graph": lambda i, v: queries.edges([i], [v], None, Scope((i,)), 9),
    "graphs": lambda i, v: queries.holding([Triple(i, i, v)], Scope((i, P))),
    "prefix": lambda i, v: queries.matches(Pattern(i), Scope((), (i,), (i[:-1],)), 9),
    "holding": lambda i, v: queries.holding([Triple(i, i, v), Triple(P, P, i)], SCOPE),
    "occurrences": lambda i, v: queries.occurrences(Triple(i, P, v), SCOPE),
    "literals": lambda i, v: queries.literals([(i, P), (P, i)], SCOPE, 9),
    "matches": lambda i, v: queries.matches(Pattern(None, i, v), SCOPE, 9),
    "count": lambda i, v: queries.count(Pattern(i, None, None), SCOPE),
    "page": lambda i, v: queries.page(Pattern(i), SCOPE, [v, v], 9),
    "texts": lambda i, v: label_queries.texts([i], Texts((i, P)), ["en", ""], SCOPE),
    "any": lambda i, v: label_queries.any_text([i], Texts((i, P), ((i, P),)), SCOPE),
    "used": lambda i, v: label_queries.used_relations([i, P], SCOPE),
    "roles": lambda i, v: label_queries.roles([v, i], SCOPE, 9),
    "members": lambda i, v: label_queries.members([i], [i, P], SCOPE, 9),
    "relations at": lambda i, v: queries.relations_at([i, v, P], True, SCOPE, 9),
    "first edges": lambda i, v: queries.first_edges([(i, P, False), (v, i, True)], SCOPE, 9),
    "by relation": lambda i, v: queries.relation_counts(Scope((i, P), (i,))),
    "all triples": lambda i, v: queries.count_triples(Scope((i,), (P, i))),
    "entities": lambda i, v: queries.count_entities(Scope((i, P), (i,))),
    "relations": lambda i, v: label_queries.relations(Scope((i,), (i,)), 9),
    "classes": lambda i, v: label_queries.classes([i, P], Scope((i,)), 9),
    "about members": lambda i, v: queries.about_members([i, P], [i, P], SCOPE, 9),
    "ends of members": lambda i, v: queries.ends_of_members([i, P], [i, P], SCOPE, 9),
    "surroundings": lambda i, v: queries.surroundings([i, P], Scope((i, P)), 9),
    "texts around": lambda i, v: label_queries.texts_around(
        [i], Texts((i, P)), ["en", ""], SCOPE, 9
    ),
    "texts of nodes": lambda i, v: label_queries.texts(
        [i], Texts((i,), ((P, i), (i, P))), ["en", ""], Scope((i,))
    ),
    "with texts": lambda i, v: label_queries.listed_with_texts(
        label_queries.relations(Scope((i,), (i,), links=(i,)), 9), Texts((i, P)), ["en", ""], SCOPE
    ),
    "described": lambda i, v: unnamed.holding(
        [[Triple(i, P, SAID), Triple(SAID, i, v)], [Triple(SAID, P, i)]], Scope((i, P))
    ),
    "some heads": lambda i, v: queries.some_heads(Scope((i, P)), 9),
    "spelled": lambda i, v: label_queries.spelled(
        [v[1:9]], Texts((i,), ((i, P),)), Texts((i,)), ["en", ""], SCOPE
    ),
}


def shape(part: Any) -> Any:
    """An algebra tree without its terms and blanks."""
    if isinstance(part, CompValue):
        return part.name, [(key, shape(value)) for key, value in part.items() if key != "_vars"]
    if isinstance(part, dict):
        return sorted((str(key), shape(value)) for key, value in part.items())
    if isinstance(part, (list, tuple, set)):
        return [shape(item) for item in part]
    if isinstance(part, (URIRef, Literal)):
        return "term"
    return str(part) if isinstance(part, (Variable, str)) and not isinstance(part, Node) else None


def terms(part: Any) -> list[Node]:
    """The IRIs and literals of an algebra tree, in any order."""
    if isinstance(part, (URIRef, Literal)):
        return [part]
    if isinstance(part, dict):
        values = (value for key, value in part.items() if key != "_vars")
        return [term for value in values for term in terms(value)]
    if isinstance(part, (list, tuple, set)):
        return [term for item in part for term in terms(item)]
    return []


def as_rdflib(term: str) -> Node:
    node = to_node(term)
    if isinstance(node, ox.NamedNode):
        return URIRef(node.value)
    assert isinstance(node, ox.Literal)
    kind = None if node.language or node.datatype == STRING else URIRef(node.datatype.value)
    return Literal(node.value, lang=node.language, datatype=kind)


def shape_and_terms(query: Query) -> tuple[Any, Counter[Node]]:
    algebra = translateQuery(parseQuery(query.text)).algebra
    return shape(algebra), Counter(terms(algebra))


@cache
def plain_shape_and_terms(kind: str) -> tuple[Any, Counter[Node]]:
    return shape_and_terms(BUILDS[kind](PLAIN, '"plain"'))


def changed(term: str, literal: str) -> Callable[[Node], Node]:
    """What stands in the place of each term of a plain query."""
    places = {as_rdflib(PLAIN): as_rdflib(term), as_rdflib('"plain"'): as_rdflib(literal)}
    places[Literal(PLAIN[1:-1])] = Literal(term[1:-1])
    for language in ("en", None):
        places[Literal('plain"', lang=language)] = Literal(literal[1:9], lang=language)
    return lambda node: places.get(node, node)


@pytest.mark.parametrize("kind", BUILDS)
@settings(deadline=None, max_examples=6)
@given(IRIS, LITERALS)
def test_the_shape_of_a_query_is_fixed(kind: str, term: str, literal: str) -> None:
    query = BUILDS[kind](term, literal)
    plain_shape, plain_terms = plain_shape_and_terms(kind)
    own_shape, own_terms = shape_and_terms(query)
    assert own_shape == plain_shape
    assert Counter(map(changed(term, literal), plain_terms.elements())) == own_terms
    found: Any = ox.Store().query(query.text)
    assert tuple(variable.value for variable in found.variables) == query.variables


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_literals_come_back_from_both_parsers(text: str) -> None:
    comes_back(text)


@settings(deadline=None)
@given(st.lists(TEXTS, max_size=3).map("".join) | st.text('\\uU"0123abcd'))
def test_any_literal_comes_back_from_both_parsers(text: str) -> None:
    comes_back(text)


def comes_back(text: str) -> None:
    term = str(ox.Literal(text, language="en"))
    query = f"SELECT ?x {{ VALUES ?x {{ {spell(term)} }} }}"
    own_rows: Any = ox.Store().query(query)
    other_rows: Any = rdflib.Graph().query(query)
    (own,), (other,) = own_rows, other_rows
    assert str(own[0]) == term
    assert other[0] == rdflib.Literal(text, lang="en")


@given(st.text(), st.sampled_from(["http://example.org/", "urn:", ""]))
def test_what_is_no_iri_is_never_spelled(text: str, start: str) -> None:
    """Either the term is refused, or its spelling is one IRI token of SPARQL's grammar."""
    try:
        spelled = spell(f"<{start}{text}>")
    except ValueError:
        return
    assert re.fullmatch(r'<[^<>"{}|^`\\\x00-\x20]*>', spelled)
    assert str(to_node(spelled)) == spelled


@pytest.mark.parametrize("term", ["_:b0", '"a"@en--ltr', "?x", "", "<>", "<a>", "<a b>", 'x"'])
def test_what_a_query_cannot_name_is_refused(term: str) -> None:
    with pytest.raises(ValueError):
        spell(term)


def test_spellings_are_those_that_people_use() -> None:
    assert set(spellings("lord of the rings")) == {
        "lord of the rings",
        "Lord of the rings",
        "Lord Of The Rings",
        "Lord of the Rings",
    }
    assert "USA" in spellings("usa")
    assert spellings("spider man", "spider-man")[0] == "spider-man"
    assert "Spider-Man" in spellings("spider man", "spider-man")
    assert "The Hobbit" in spellings("the hobbit")
    assert spellings("7") == ("7",)


@given(st.text(), st.text())
def test_spellings_are_distinct_and_hold_what_was_asked(norm: str, written: str) -> None:
    found = spellings(norm, written)
    assert len(found) == len(set(found)) <= 10
    assert {text for text in (norm, written) if text} <= set(found)
