"""Reads SELECT results in JSON (SPARQL 1.1 Query Results JSON Format), strictly in form."""

import json
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias, cast

import pyoxigraph as ox

from ..nodes import to_any_node, to_term
from ..terms import Term, Triple, triple_term

Row: TypeAlias = tuple[Term | None, ...]
"""The values of the asked variables. None where there is none or it cannot be asked about.

That is so of blank nodes, which have no name outside one answer, of triple terms (RDF 1.2) with
such a part, and of IRIs and literals that RDF does not allow.
"""


def read_rows(body: bytes, variables: Sequence[str]) -> list[Row]:
    """The rows of a SELECT answer. Raises ValueError when it is anything else, or only a part."""
    try:
        document: object = json.loads(body.decode("utf-8"))
    except RecursionError as error:
        raise ValueError("it is nested too deeply") from error
    head, results = _object(document, "head"), _object(document, "results")
    listed, bindings = head.get("vars"), results.get("bindings")
    if not isinstance(listed, list) or not set(variables) <= set(map(str, cast(Any, listed))):
        raise ValueError("it has not the variables that were asked for")
    if not isinstance(bindings, list):
        raise ValueError("it has no rows")
    try:
        return [_row(binding, variables) for binding in cast("list[object]", bindings)]
    except RecursionError as error:
        raise ValueError("it is nested too deeply") from error


def _object(document: object, key: str) -> Mapping[str, Any]:
    found = cast("dict[str, Any]", document).get(key) if isinstance(document, dict) else None
    if not isinstance(found, dict):
        raise ValueError(f"it has no `{key}`")
    return cast("dict[str, Any]", found)


def _row(binding: object, variables: Sequence[str]) -> Row:
    if not isinstance(binding, dict):
        raise ValueError("a row is no object")
    row = cast("dict[str, object]", binding)
    return tuple(_term(row[name]) if name in row else None for name in variables)


def _term(value: object) -> Term | None:
    if not isinstance(value, dict):
        raise ValueError("a value is no object")
    fields = cast("dict[str, object]", value)
    kind, text = fields.get("type"), fields.get("value")
    if kind == "bnode":
        return None
    if kind == "triple":
        return _triple(fields.get("value"))
    if not isinstance(text, str) or kind not in ("uri", "literal", "typed-literal"):
        raise ValueError("a value is no RDF term")
    language, datatype = fields.get("xml:lang"), fields.get("datatype")
    if not isinstance(language, str | None) or not isinstance(datatype, str | None):
        raise ValueError("a literal has a malformed language or datatype")
    if "its:dir" in fields:
        return None
    try:
        if kind == "uri":
            return to_term(ox.NamedNode(text))
        if language:
            return to_term(ox.Literal(text, language=language))
        if datatype:
            return to_term(ox.Literal(text, datatype=ox.NamedNode(datatype)))
        return to_term(ox.Literal(text))
    except ValueError:
        return None


def _triple(value: object) -> Term | None:
    """A triple term in SPARQL 1.2's form; None for the forms that engines had before."""
    keys = ("subject", "predicate", "object")
    if not (isinstance(value, dict) and set(keys) <= value.keys()):
        return None
    parts = [_term(cast("dict[str, object]", value)[key]) for key in keys]
    terms = [part for part in parts if part is not None]
    if len(terms) < len(keys):
        return None
    try:
        return to_term(to_any_node(triple_term(Triple(*terms))))
    except ValueError:
        return None
