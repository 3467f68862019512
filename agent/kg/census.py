"""What the naming of a KG needs from its store: degrees of terms and pairs of a predicate.

All queries aggregate inside the store, because reading every triple costs ten times as much. They
see the default graph only, in which a built store keeps all of its triples, and leave out triples
with a triple term (RDF 1.2).
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any, TypeAlias, cast

import pyoxigraph as ox

from .nodes import Node, to_node
from .profile import Profile
from .terms import Term

_MOST_GROUPED = 5_000_000
"""Facts whose ends are counted in the store's memory at once, at about 250 bytes an end."""

_CHUNK = 200_000
_TRIPLE = "?head ?relation ?tail FILTER(!isTRIPLE(?tail))"
_Rows: TypeAlias = Iterator[tuple[Any, ...]]


def facts_by_relation(store: ox.Store, profile: Profile) -> dict[Term, int]:
    """The number of facts of every relation, which the profile does not skip."""
    rows = _select(
        store,
        f"SELECT ?relation (COUNT(*) AS ?facts) {{ {_TRIPLE} }} GROUP BY ?relation",
    )
    counts = ((str(relation), int(facts.value)) for relation, facts in rows)
    return {relation: facts for relation, facts in counts if not profile.skips(relation)}


def degrees(store: ox.Store, facts: Mapping[Term, int]) -> Iterator[tuple[Term, int]]:
    """How many facts each head and each tail has, in pieces: a term may come several times.

    `facts` are the relations that count, with their numbers of facts.
    """
    for relations, together in _batches(facts):
        values = " ".join(str(to_node(relation)) for relation in relations)
        where = f"{{ VALUES ?relation {{ {values} }} {_TRIPLE} }}"
        for end in ("?head", "?tail"):
            if together:
                query = f"SELECT {end} (COUNT(*) AS ?facts) {where} GROUP BY {end}"
                for node, number in _select(store, query):
                    yield str(node), int(number.value)
            else:
                nodes = _select(store, f"SELECT {end} {where}")
                while chunk := Counter(str(node) for (node,) in islice(nodes, _CHUNK)):
                    yield from chunk.items()


def pairs(store: ox.Store, predicate: Term) -> Iterator[tuple[Node, Node]]:
    """The heads and tails of a predicate, in no particular order."""
    query = f"SELECT ?head ?tail {{ ?head {to_node(predicate)} ?tail FILTER(!isTRIPLE(?tail)) }}"
    return cast("Iterator[tuple[Node, Node]]", _select(store, query))


def _select(store: ox.Store, query: str) -> _Rows:
    return cast("_Rows", store.query(query))


def _batches(facts: Mapping[Term, int]) -> Iterator[tuple[list[Term], bool]]:
    """Relations of few facts together, and whether their ends fit into memory at once."""
    batch: list[Term] = []
    size = 0
    for relation in sorted(facts):
        if facts[relation] > _MOST_GROUPED:
            yield [relation], False
            continue
        if size + facts[relation] > _MOST_GROUPED:
            yield batch, True
            batch, size = [], 0
        batch.append(relation)
        size += facts[relation]
    if batch:
        yield batch, True
