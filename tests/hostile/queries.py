"""Random queries over hostile graphs, of hostile names and values, through the node that runs them.

What a query shows as supported rdflib must find in the text that the graph was read from. Its
SPARQL must come to the same members, so that no name or value in it is read as anything else.
"""

import json
from collections.abc import Iterator
from pathlib import Path as Folder
from random import Random
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import pyoxigraph as ox
from groundwalk.agent.answers.computed import Computed
from groundwalk.agent.answers.queries import executed, given_query
from groundwalk.agent.errors import GroundwalkError
from groundwalk.agent.kg import KnowledgeGraph, open_kg
from groundwalk.agent.kg.nodes import to_node, to_term
from groundwalk.agent.query.binding import Bound
from groundwalk.agent.query.execute import execute
from groundwalk.agent.query.facts import Facts
from groundwalk.agent.records import StepRecord

from . import strategies
from .oracle import Oracle
from .strategies import XSD, Graph, Row, quoted

_QUERIES = 40
"""Queries over one graph."""
_TYPE = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>"
_VALUES = tuple(
    quoted(text, f"^^<{XSD}{datatype}>")
    for text, datatype in (
        *(("NaN", "double"), ("INF", "double"), ("1e308", "double"), ("-0", "double")),
        *(("12abc", "integer"), ("9" * 60, "integer"), ("007", "integer"), ("-3", "integer")),
        *(("2000-02-30", "date"), ("-0500-01-01", "date"), ("1999-12-31Z", "date"), ("", "date")),
        *(("2000", "gYear"), ("99999999999", "gYear"), ("true", "boolean"), ("maybe", "boolean")),
    )
)
_UNITS = ("", "", "km", "mi", "µm", "parsec ** 99", "__import__('os')", "%", "1e999 m")
_OPS = ("=", "!=", "<", ">", "<=", ">=", "starts", "ends", "contains", "exists", "not exists")
_ODD: tuple[Any, ...] = (None, [], {}, -1, 10**30, 1e308, "x" * 5_000, True, [[0]], {"start": {}})


class Asked(NamedTuple):
    """Queries that were tried, those that ran, and those that showed or read what is not there."""

    queries: int = 0
    ran: int = 0
    unsupported: int = 0
    injected: int = 0

    def __add__(self, other: object) -> "Asked":
        assert isinstance(other, Asked)
        return Asked(*map(sum, zip(self, other, strict=True)))


def ask(size: int, seed: int = 0) -> Asked:
    """Try at least `size` queries. Whatever is not an error of ours ends the suite."""
    random, total = Random(seed), Asked()
    while total.queries < size:
        graph = valued(strategies.some_graph(random), random)
        with TemporaryDirectory() as home:
            file = Folder(home) / "graph.nt"
            file.write_text(graph.text, encoding="utf-8")
            kg = open_kg(str(file), cache=Folder(home) / "cache")
            facts, oracle = Facts(kg), Oracle(graph.text)
            store = stored(graph)
            for _ in range(_QUERIES):
                total += tried(kg, facts, oracle, store, Drawn(graph, random).query())
            kg.close()
    return total


def stored(graph: Graph) -> ox.Store:
    """A store in which blank nodes have the names that they have in the graph."""
    store = ox.Store()
    for head, relation, tail in (*graph.labels, *graph.facts):
        nodes: Any = (to_node(head), to_node(relation), to_node(tail))
        store.add(ox.Quad(*nodes))
    return store


def valued(graph: Graph, random: Random) -> Graph:
    """A graph with values that have an order, or seem to, and with classes."""
    nodes = [own for own in graph.nodes if not own.startswith('"')]
    relations = sorted({relation for _, relation, _ in graph.facts})
    more: list[Row] = [
        (random.choice(nodes), random.choice(relations), random.choice(_VALUES)) for _ in range(12)
    ]
    more += [(own, _TYPE, random.choice(nodes)) for own in nodes if random.random() < 0.7]
    return Graph(tuple(sorted({*graph.facts, *more})), graph.labels)


def tried(
    kg: KnowledgeGraph, facts: Facts, oracle: Oracle, store: ox.Store, record: object
) -> Asked:
    """What a query showed, held against the text, and its SPARQL against the query."""
    try:
        bound, _ = given_query(kg, record)
        shown = executed(kg, facts, bound)
    except GroundwalkError as error:
        assert "\n" not in error.message, error.message
        return Asked(1)
    lies = any(
        step["verdict"] == "supported" and not oracle.holds(_triple(step))
        for step in _steps(shown.computed)
    )
    differs = bool(shown.sparql) and not _is_same(facts, bound, store, shown.sparql)
    return Asked(1, 1, lies, differs)


def _is_same(facts: Facts, bound: Bound, store: ox.Store, sparql: str) -> bool:
    """Whether the SPARQL of a query comes to its members on a store that it does not change."""
    outcome, size = execute(facts, bound), len(store)
    found = store.query(sparql)
    if outcome.form != "members" or not isinstance(found, ox.QuerySolutions):
        return len(store) == size
    members = {to_term(row[0]) for row in found if row[0] is not None}
    return members == set(outcome.members) and len(store) == size


def _steps(computed: Computed) -> Iterator[StepRecord]:
    for answer in computed.answers:
        for chain in answer["chains"]:
            yield from chain
    yield from computed.result["triples"] if computed.result else ()


def _triple(step: StepRecord) -> tuple[str, str, str]:
    return step["head"]["term"], step["relation"]["term"], step["tail"]["term"]


class Drawn:
    """A query at random, of the terms of a graph, of hostile texts, and now and then broken."""

    def __init__(self, graph: Graph, random: Random) -> None:
        self._random = random
        self._nodes = [own for own in graph.nodes if not own.startswith("_:")]
        self._things = [own for own in self._nodes if not own.startswith('"')] or [_TYPE]
        self._relations = sorted({relation for _, relation, _ in graph.facts})

    def query(self) -> object:
        """The query with its mentions, as a user gives it."""
        random = self._random
        tree = self._set(3)
        kind = random.random()
        if kind < 0.15:
            tree["answer"] = random.choice(("count", "yesno"))
        elif kind < 0.25:
            columns = [{"steps": self._steps(1)}, {"agg": "count", "of": self._steps(1)}]
            tree = {"start": tree, "columns": columns}
        elif kind < 0.35:
            agg = random.choice(("sum", "avg", "min", "max"))
            tree = {"start": tree, "steps": self._steps(1), "answer": agg}
        elif kind < 0.4:
            tree |= {"answer": "connection", "to": self._set(1)}
        if random.random() < 0.15:
            _break(tree, random)
        mentions: list[object] = [
            {"text": random.choice(strategies.TEXTS), "term": random.choice(self._things)}
            for _ in range(2)
        ]
        mentions.append(random.choice((*strategies.TEXTS, *self._nodes)))
        return {"query": tree, "mentions": mentions}

    def _set(self, depth: int) -> dict[str, Any]:
        random = self._random
        tree: dict[str, Any] = {"start": self._start(depth)}
        if random.random() < 0.5:
            tree["steps"] = self._steps(random.randint(1, 2))
        if random.random() < 0.15:
            tree["class"] = self._name(self._things)
        if random.random() < 0.5:
            tree["filters"] = [self._filter(depth) for _ in range(random.randint(1, 2))]
        if depth and random.random() < 0.3:
            tree[random.choice(("and", "not"))] = [self._set(depth - 1)]
        if random.random() < 0.1:
            having = {"agg": "count", "op": ">", "value": random.choice((0, 1, "1"))}
            tree |= {"group": self._steps(1), "having": [having]}
        elif random.random() < 0.2:
            rank = random.choice(({}, {"n": 2}, {"place": 2}))
            tree["extreme"] = {**self._hop(), "most": random.random() < 0.5, **rank}
        return tree

    def _start(self, depth: int) -> object:
        random = self._random
        starts: list[object] = [
            [random.randint(0, 1)],
            [0, 1],
            {"class": random.choice(("anything", self._name(self._things)))},
            {"domain": self._name(self._relations)},
            {"entity": self._name(self._things)},
        ]
        if depth:
            starts += [{"any": [self._set(depth - 1) for _ in range(2)]}, self._set(depth - 1)]
        return random.choice(starts)

    def _filter(self, depth: int) -> dict[str, Any]:
        random = self._random
        own = {**self._hop(), "op": random.choice(_OPS)}
        if random.random() < 0.2:
            del own["relation"], own["inverse"]
        if own["op"] in ("exists", "not exists"):
            return own
        if random.random() < 0.2:
            own["count"] = True
        kind = random.random()
        if kind < 0.3:
            return {**own, "mention": random.randint(0, 2)}
        if kind < 0.45 and depth:
            return {**own, "value": self._set(depth - 1)}
        values = (*strategies.TEXTS, 0, 1, -3, 1e308, 2000, "2000-02-30", "NaN", True)
        return {**own, "value": random.choice(values), "unit": random.choice(_UNITS)}

    def _steps(self, number: int) -> list[dict[str, Any]]:
        return [self._hop() for _ in range(number)]

    def _hop(self) -> dict[str, Any]:
        return {"relation": self._name(self._relations), "inverse": self._random.random() < 0.3}

    def _name(self, terms: list[str]) -> str:
        """Mostly a term of the graph, else what somebody may write for one."""
        if self._random.random() < 0.97:
            return self._random.choice(terms)
        text = self._random.choice(strategies.TEXTS)
        return self._random.choice((text, f"<{text}>", f"{self._random.choice(terms)}{text}"))


def _break(tree: dict[str, Any], random: Random) -> None:
    """Put something odd in the place of a part."""
    nodes = [tree]
    for node in nodes:
        parts = [own for own in node.values() if isinstance(own, (dict, list))]
        nodes += [
            own
            for part in parts
            for own in (part if isinstance(part, list) else [part])
            if isinstance(own, dict)
        ]
    node = random.choice(nodes)
    key = random.choice((*node, "start", "unknown", random.choice(strategies.TEXTS)))
    node[key] = json.loads(json.dumps(random.choice(_ODD)))
