"""Our execution, and its SPARQL on two engines, come to the same on random graphs and queries."""

import json
import math
import os
import tempfile
from pathlib import Path
from random import Random
from typing import Any

import pyoxigraph as ox
import pytest
import rdflib
from groundwalk.agent.errors import QuestionError
from groundwalk.agent.kg import KnowledgeGraph, open_kg
from groundwalk.agent.kg.nodes import literal_tag, to_term
from groundwalk.agent.kg.profile import GENERIC
from groundwalk.agent.query.binding import Bound, Mention, bind
from groundwalk.agent.query.execute import execute
from groundwalk.agent.query.facts import Facts
from groundwalk.agent.query.members import Outcome
from groundwalk.agent.query.sparql import Compiled, compile_query
from groundwalk.agent.query.tree import read_query
from groundwalk.agent.query.values import value_of

from .random_queries import some_graph, some_query

GRAPHS = int(os.environ.get("GROUNDWALK_GRAPHS", "20"))
"""Random graphs; each is asked so many queries. All but the first are slow tests."""
QUICK = 8
QUERIES = 40
WITH_RDFLIB = 4
"""Of the queries of a graph, those that rdflib is asked too: it is a hundred times slower."""
LONGEST = 8_000
"""Characters of a query that rdflib's parser reads without too deep a recursion."""


def denotation(outcome: Outcome) -> Any:
    match outcome.form:
        case "members":
            return sorted(map(_by_value, outcome.members))
        case "rows":
            return sorted(str([_cell(cell) for cell in row]) for row in outcome.rows)
        case _:
            return outcome.value


def asked_of_oxigraph(store: ox.Store, compiled: Compiled) -> Any:
    rows = store.query(compiled.text)
    assert isinstance(rows, ox.QuerySolutions)
    names = [name.removeprefix("?") for name in compiled.variables]
    return _read(compiled, [[_term(row[name]) for name in names] for row in rows])


def asked_of_rdflib(graph: rdflib.Graph, compiled: Compiled) -> Any:
    rows: Any = graph.query(compiled.text)
    return _read(compiled, [[_spelled(cell) for cell in row] for row in rows])


def _spelled(cell: Any) -> str | None:
    """What rdflib has in N-Triples, which its own spelling is not."""
    if not isinstance(cell, rdflib.Literal):
        return None if cell is None else cell.n3()
    if cell.language:
        return to_term(ox.Literal(str(cell), language=cell.language))
    if cell.datatype is None:
        return to_term(ox.Literal(str(cell)))
    return to_term(ox.Literal(str(cell), datatype=ox.NamedNode(str(cell.datatype))))


def _read(compiled: Compiled, rows: list[list[Any]]) -> Any:
    match compiled.form:
        case "members":
            return sorted(_by_value(row[0]) for row in rows)
        case "rows":
            return sorted(str([_cell(cell) for cell in row]) for row in rows)
        case "truth":
            return bool(rows)
        case _:
            return _number(rows[0][0]) if rows and rows[0][0] is not None else None


def _term(node: Any) -> str | None:
    return None if node is None else to_term(node)


def _by_value(term: str) -> str:
    """A term, a number without its spelling, as engines write the same one in several ways."""
    value = value_of(term)
    return f"{value.number} {literal_tag(term)}" if value is not None else term


def _cell(cell: Any) -> Any:
    number = _number(cell) if isinstance(cell, str) and cell.startswith('"') else cell
    return round(float(number), 9) if isinstance(number, (int, float)) else cell


def _number(term: Any) -> float | None:
    value = value_of(term)
    return float(value.size[0]) if value is not None and value.unit == "" else None


def same(one: Any, other: Any) -> bool:
    if isinstance(one, float | int) and isinstance(other, float | int):
        return math.isclose(one, other, rel_tol=1e-9, abs_tol=1e-12)
    return one == other


def check(seed: int, queries: int, with_rdflib: int) -> tuple[int, int]:
    """How many queries of one graph were asked, and how many came to something."""
    random = Random(seed)
    text = some_graph(random, ordered=True)
    store, graph = ox.Store(), rdflib.Graph()
    store.load(text.encode(), format=ox.RdfFormat.N_TRIPLES)
    graph.parse(data=text, format="nt")
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "graph.nt"
        file.write_text(text, encoding="utf-8")
        kg = open_kg(str(file), cache=file)
    asked, telling = 0, 0
    facts = Facts(kg)
    for _ in range(queries):
        tree, mentions = some_query(random)
        found = _executed(kg, facts, tree, mentions)
        if found is None:
            continue
        bound, outcome = found
        known = facts.is_numeric if random.random() < 0.5 else _not_known
        compiled = compile_query(bound, GENERIC, numeric=known, below=kg.membership.below)
        expected = denotation(outcome)
        said = f"seed {seed}: {json.dumps(tree)} {mentions}\n{compiled.text}\n{text}"
        of_oxigraph = asked_of_oxigraph(store, compiled)
        assert same(expected, of_oxigraph), f"{expected} but Oxigraph {of_oxigraph}: {said}"
        if with_rdflib > 0 and len(compiled.text) < LONGEST:
            with_rdflib -= 1
            of_rdflib = asked_of_rdflib(graph, compiled)
            assert same(expected, of_rdflib), f"{expected} but rdflib {of_rdflib}: {said}"
        for member in outcome.members:
            triples = [step.triple for step in outcome.proofs[member]]
            assert all(kg.store.holds(triples)), said
        asked, telling = asked + 1, telling + bool(expected)
    kg.close()
    return asked, telling


def _not_known(_: str) -> bool:
    return False


def _executed(
    kg: KnowledgeGraph, facts: Facts, tree: Any, mentions: list[str]
) -> tuple[Bound, Outcome] | None:
    """None for what cannot be compared: names with numbers."""
    try:
        bound = bind(kg, read_query(tree), [Mention(own, own) for own in mentions])
        return bound, execute(facts, bound)
    except QuestionError as error:
        assert "order" in error.message or "is none" in error.message, (tree, error.message)
        return None


@pytest.mark.parametrize(
    "seed", [pytest.param(s, marks=[pytest.mark.slow] if s >= QUICK else []) for s in range(GRAPHS)]
)
def test_the_same_members_everywhere(seed: int) -> None:
    asked, telling = check(seed, QUERIES, WITH_RDFLIB)
    assert asked > QUERIES / 2 and telling > asked / 5
