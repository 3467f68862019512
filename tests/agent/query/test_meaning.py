"""Queries come to what `docs/queries.md` says: here, in SPARQL on two engines, and over HTTP."""

import math
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pyoxigraph as ox
import pytest
import rdflib
from groundwalk.agent.errors import QuestionError
from groundwalk.agent.kg import KnowledgeGraph, open_kg
from groundwalk.agent.kg.nodes import lexical_form, literal_tag, to_term
from groundwalk.agent.kg.terms import Term, Triple, is_literal
from groundwalk.agent.query.binding import Mention
from groundwalk.agent.query.endpoint import execute_anywhere
from groundwalk.agent.query.execute import execute
from groundwalk.agent.query.facts import Facts
from groundwalk.agent.query.members import Outcome
from groundwalk.agent.query.sparql import Compiled, compile_query
from hypothesis import assume, given, note, settings
from hypothesis import strategies as st

from ..kg.sparql.asking import quad
from ..kg.sparql.endpoint import Endpoint
from .oracle import SUBCLASS, Denotation, Oracle, below
from .worlds import (
    CLASSES,
    GRAPHS,
    MENTIONS,
    PROFILE,
    RDF_TYPE,
    SIZE,
    XSD,
    E,
    Tree,
    bound,
    trees,
)

EXAMPLES = int(os.environ.get("GROUNDWALK_EXAMPLES", "60"))
"""Random queries of a test on Oxigraph; what is slower is asked fewer."""
LONGEST = 8_000
"""Characters of a query that rdflib's parser reads without too deep a recursion."""
GRAPH_NAMES = [f"<http://e.x/g{number}>" for number in range(3)]

Rows = list[tuple[Term | None, ...]]
Engine = Callable[[Compiled], Rows]


def oxigraph(store: ox.Store) -> Engine:
    def ask(compiled: Compiled) -> Rows:
        solutions: Any = store.query(compiled.text)
        names = [name.removeprefix("?") for name in compiled.variables]
        return [tuple(row[n] and to_term(row[n]) for n in names) for row in solutions]

    return ask


def by_rdflib(graph: rdflib.Graph) -> Engine:
    def ask(compiled: Compiled) -> Rows:
        rows: Any = graph.query(compiled.text)
        return [tuple(cell if cell is None else _term(cell) for cell in row) for row in rows]

    return ask


@pytest.fixture(autouse=True, scope="module")
def literals_as_written() -> Iterator[None]:
    """rdflib keeps literals as they are, with the offset of a date."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rdflib, "NORMALIZE_LITERALS", False)
        yield


def _term(node: Any) -> Term:
    if not isinstance(node, rdflib.Literal):
        return f"<{node}>"
    datatype = ox.NamedNode(str(node.datatype)) if node.datatype else None
    return to_term(ox.Literal(str(node), language=node.language or None, datatype=datatype))


def comes_to(compiled: Compiled, rows: Rows) -> Denotation:
    """What the rows of an answer mean."""
    match compiled.form:
        case "members":
            return frozenset(row[0] for row in rows if row[0] is not None)
        case "rows":
            return frozenset(rows)
        case "truth":
            return bool(rows)
        case _:
            return float(lexical_form(rows[0][0])) if rows and rows[0][0] is not None else None


def told(denotation: Denotation) -> object:
    """A denotation as engines agree on it: each has its own spelling of a number or a date."""
    if isinstance(denotation, frozenset):
        return {
            tuple(map(_cell, own)) if isinstance(own, tuple) else _cell(own) for own in denotation
        }
    return denotation


def _cell(cell: object) -> object:
    if isinstance(cell, float | int):
        return round(float(cell), 9)
    if not isinstance(cell, str) or not is_literal(cell):
        return cell
    text, tag = lexical_form(cell), literal_tag(cell)
    name = tag.removeprefix("http://www.w3.org/2001/XMLSchema#")
    if name in ("integer", "decimal", "double"):
        return round(float(text), 9)
    return text.replace("+00:00", "Z"), tag


def same(one: Denotation, other: Denotation) -> bool:
    if isinstance(one, float | int) and isinstance(other, float | int):
        return math.isclose(one, other, rel_tol=1e-9, abs_tol=1e-12)
    return told(one) == told(other)


def loaded(triples: Iterable[Triple]) -> ox.Store:
    store = ox.Store()
    store.extend(quad(triple, ox.DefaultGraph()) for triple in triples)
    return store


def inside_exists(text: str) -> Iterator[str]:
    """The lines in blocks of EXISTS: engines make a set there anew for every member."""
    opened: list[int] = []
    for line in text.splitlines():
        depth = len(line) - len(line.lstrip())
        opened = [own for own in opened if own < depth]
        if opened:
            yield line
        if line.endswith("EXISTS {"):
            opened.append(depth)


def check(
    triples: Sequence[Triple],
    tree: Tree,
    mentions: Sequence[Mention],
    ask: Engine,
    *graphs: Term,
    longest: int = 1_000_000,
) -> None:
    query = bound(tree, mentions)
    compiled = compile_query(query, PROFILE, graphs, below=lambda own: below(triples, own))
    note(compiled.text)
    assume(len(compiled.text) < longest)
    assert not any("SELECT" in line for line in inside_exists(compiled.text))
    expected = Oracle(triples, PROFILE, query).denotation()
    found = comes_to(compiled, ask(compiled))
    assert same(found, expected), f"{told(found)} for {told(expected)}"


@settings(max_examples=EXAMPLES)
@given(GRAPHS, trees(), MENTIONS)
def test_on_oxigraph(triples: list[Triple], tree: Tree, mentions: tuple[Mention, ...]) -> None:
    check(triples, tree, mentions, oxigraph(loaded(triples)))


@settings(max_examples=max(1, EXAMPLES // 5))
@given(GRAPHS, trees(1), MENTIONS)
def test_on_rdflib(triples: list[Triple], tree: Tree, mentions: tuple[Mention, ...]) -> None:
    # Its functions of dates fail on years before Christ.
    triples = [own for own in triples if not own.tail.startswith('"-')]
    data = loaded(triples).dump(format=ox.RdfFormat.N_TRIPLES, from_graph=ox.DefaultGraph())
    graph = rdflib.Graph().parse(data=data, format="nt")
    check(triples, tree, mentions, by_rdflib(graph), longest=LONGEST)


@settings(max_examples=max(1, EXAMPLES // 2))
@given(
    st.lists(st.tuples(GRAPHS.map(lambda own: own[:12]), st.sampled_from([0, 1, 2])), max_size=4),
    st.sets(st.integers(0, 2), min_size=1).map(sorted),
    trees(1),
    MENTIONS,
)
def test_in_named_graphs(
    parts: list[tuple[list[Triple], int]],
    chosen: list[int],
    tree: Tree,
    mentions: tuple[Mention, ...],
) -> None:
    store, read = ox.Store(), set[Triple]()
    for triples, number in parts:
        name = ox.NamedNode(GRAPH_NAMES[number].strip("<>"))
        store.extend(quad(triple, name) for triple in triples)
        read.update(triples if number in chosen else ())
    graphs = [GRAPH_NAMES[number] for number in chosen]
    check(sorted(read), tree, mentions, oxigraph(store), *graphs)


def executed(outcome: Outcome) -> Denotation:
    match outcome.form:
        case "members":
            return frozenset(outcome.members)
        case "rows":
            return frozenset(outcome.rows)
        case _:
            return outcome.value


def check_proofs(outcome: Outcome, triples: Iterable[Triple]) -> None:
    """What members rest on is in the graph."""
    held = {tuple(map(_cell, triple)) for triple in triples}
    for proof in outcome.proofs.values():
        assert {tuple(map(_cell, step.triple)) for step in proof} <= held


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("graphs")


def opened(folder: Path, triples: Iterable[Triple]) -> KnowledgeGraph:
    file = folder / "graph.nt"
    dumped = loaded(triples).dump(format=ox.RdfFormat.N_TRIPLES, from_graph=ox.DefaultGraph())
    assert dumped is not None
    file.write_bytes(dumped)
    return open_kg(str(file), cache=file, profile=PROFILE)


@settings(max_examples=max(1, EXAMPLES // 2))
@given(GRAPHS, trees(), MENTIONS)
def test_as_arrays(
    folder: Path, triples: list[Triple], tree: Tree, mentions: tuple[Mention, ...]
) -> None:
    """To compare what has no order is an error, which the oracle does not know."""
    query, kg = bound(tree, mentions), opened(folder, triples)
    try:
        found = execute(Facts(kg), query)
    except QuestionError:
        return
    finally:
        kg.close()
    expected = Oracle(triples, PROFILE, query).denotation()
    assert same(executed(found), expected), f"{executed(found)} for {expected}"
    check_proofs(found, triples)


@pytest.fixture(scope="module")
def served() -> Iterator[Endpoint]:
    with Endpoint() as endpoint:
        yield endpoint


@settings(max_examples=max(1, EXAMPLES // 4))
@given(GRAPHS, GRAPHS, trees(1), MENTIONS)
def test_over_http_in_a_named_graph(
    served: Endpoint,
    triples: list[Triple],
    others: list[Triple],
    tree: Tree,
    mentions: tuple[Mention, ...],
) -> None:
    # An endpoint is asked for the classes that it states.
    triples = [own for own in triples if own.relation != SUBCLASS]
    assume(triples)
    store, names = ox.Store(), [ox.NamedNode(name.strip("<>")) for name in GRAPH_NAMES]
    store.extend(quad(triple, names[0]) for triple in triples)
    store.extend(quad(triple, names[1]) for triple in others)
    served.reset(store)
    kg = open_kg(served.url, profile=PROFILE, graphs=[GRAPH_NAMES[0].strip("<>")])
    query = bound(tree, mentions)
    try:
        found = execute_anywhere(Facts(kg), query)
    except QuestionError:
        return
    finally:
        kg.close()
    expected = Oracle(triples, PROFILE, query).denotation()
    assert same(executed(found), expected), f"{executed(found)} for {expected}"
    check_proofs(found, triples)


def test_what_has_no_value_is_told_of_all_and_not_of_the_listed(
    served: Endpoint, folder: Path
) -> None:
    triples = [Triple(f"<{E}m{number}>", RDF_TYPE, CLASSES[0]) for number in range(300)]
    triples += [
        Triple(f"<{E}m{number}>", SIZE, f'"{number % 50}"^^<{XSD}integer>')
        for number in range(7, 300)
        if number % 3
    ]
    triples += [Triple(f"<{E}m{number}>", SIZE, '"none"') for number in (1, 2, 4, 5)]
    served.reset(loaded(triples))
    here, there = opened(folder, triples), open_kg(served.url, profile=PROFILE)
    members = {"start": {"class": CLASSES[0]}}
    for tree in (
        {**members, "extreme": {"relation": SIZE, "most": True, "n": 8}},
        {**members, "steps": [{"relation": SIZE}], "answer": "sum"},
    ):
        found = execute_anywhere(Facts(there), bound(tree))
        expected = execute(Facts(here), bound(tree))
        assert found.notes == expected.notes
        assert expected.notes == (
            "100 of 300 have no size in the graph",
            "4 of 300 have no comparable size in the graph",
        )
        assert (found.size, found.value) == (expected.size, expected.value)
    here.close()
    there.close()
