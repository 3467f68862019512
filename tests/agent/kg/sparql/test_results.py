"""Results are read as Oxigraph writes them; anything else is refused, never guessed."""

import json
from typing import Any

import pyoxigraph as ox
import pytest
from groundwalk.agent.kg.stores.sparql.client import read_rows
from hypothesis import given
from hypothesis import strategies as st

from .asking import IRIS, LITERALS, loaded

TERMS = IRIS | LITERALS
JSONS = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


def body(*rows: Any, variables: tuple[str, ...] = ("a", "b")) -> bytes:
    return json.dumps({"head": {"vars": variables}, "results": {"bindings": rows}}).encode()


@given(st.lists(st.tuples(TERMS, TERMS), max_size=5))
def test_terms_come_back_as_they_are(rows: list[tuple[str, str]]) -> None:
    from groundwalk.agent.kg.stores.sparql.queries import values

    results: Any = loaded([]).query(f"SELECT ?a ?b {{ {values('?a ?b', rows)} }}")
    answer = results.serialize(format=ox.QueryResultsFormat.JSON)
    assert sorted(map(str, read_rows(answer, ("a", "b")))) == sorted(map(str, rows))


def test_what_cannot_be_asked_about_is_none() -> None:
    rows = [
        {"a": {"type": "bnode", "value": "nodeID://b1"}, "b": {"type": "literal", "value": "x"}},
        {"a": {"type": "uri", "value": "http://example.org/a b"}, "b": {"type": "triple"}},
        {"a": {"type": "typed-literal", "value": "1", "datatype": "urn:own"}},
        {"a": {"type": "literal", "value": "x", "xml:lang": "EN-gb"}, "c": {}},
        {"a": {"type": "literal", "value": "x", "xml:lang": "not a tag"}},
        {"a": {"type": "literal", "value": "x", "xml:lang": "ar", "its:dir": "rtl"}},
        {"a": {"type": "literal", "value": "\ud800"}},
    ]
    assert read_rows(body(*rows), ("a", "b")) == [
        (None, '"x"'),
        (None, None),
        ('"1"^^<urn:own>', None),
        ('"x"@en-gb', None),
        (None, None),
        (None, None),
        (None, None),
    ]


@pytest.mark.parametrize(
    "row",
    [
        [],
        "x",
        {"a": None},
        {"a": "x"},
        {"a": {}},
        {"a": {"type": "uri"}},
        {"a": {"type": "uri", "value": 7}},
        {"a": {"type": "iri", "value": "urn:a"}},
        {"a": {"value": "urn:a"}},
        {"a": {"type": "literal", "value": "x", "xml:lang": 7}},
        {"a": {"type": "literal", "value": "x", "datatype": []}},
        {"a": {"type": ["uri"], "value": "urn:a"}},
    ],
)
def test_malformed_rows_are_refused(row: Any) -> None:
    with pytest.raises(ValueError):
        read_rows(body({"a": {"type": "uri", "value": "urn:a"}}, row), ("a",))


@given(JSONS)
def test_any_other_json_is_refused(document: Any) -> None:
    for text in (document, {"head": document, "results": {}}, {"head": {}, "results": document}):
        with pytest.raises(ValueError):
            read_rows(json.dumps(text).encode(), ("a",))


@given(st.binary(max_size=20), st.integers(0, 60))
def test_any_part_is_refused(noise: bytes, end: int) -> None:
    whole = body({"a": {"type": "uri", "value": "urn:a"}})
    with pytest.raises(ValueError):
        read_rows(whole[:end] + noise, ("a",))


def test_missing_variables_are_refused() -> None:
    with pytest.raises(ValueError):
        read_rows(body(variables=("a",)), ("a", "b"))
    assert read_rows(body(variables=("b", "a")), ("a", "b")) == []
