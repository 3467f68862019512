"""What is known of every term of a built store, staged in temporary tables and merged by term.

Degrees of terms and pairs of a predicate are read by queries that aggregate inside the store:
reading every triple costs ten times as much. The queries see the default graph only, in which a
built store keeps all of its triples, and leave out triples with a triple term (RDF 1.2).

Memory does not grow with the KG: SQLite keeps what does not fit into its cache in its temporary
folder (the variable SQLITE_TMPDIR).
"""

import sqlite3
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cache
from itertools import groupby, islice
from operator import itemgetter
from typing import Any, NamedTuple, TypeAlias, cast

import pyoxigraph as ox

from ..nodes import Node, to_node
from ..profile import INDIVIDUALS, SCHEMA_NAMESPACES, Profile, precedence
from ..terms import Term

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


LABEL, DESCRIPTION, ALIAS, HIDDEN = range(4)
"""The roles of texts, in the order in which they are read."""

_TABLES = """
PRAGMA temp.cache_size = -65536;
CREATE TEMP TABLE relations (term TEXT PRIMARY KEY, facts INTEGER) WITHOUT ROWID;
CREATE TEMP TABLE degrees (term TEXT, facts INTEGER);
CREATE TEMP TABLE typed (term TEXT, class TEXT);
CREATE TEMP TABLE described (term TEXT PRIMARY KEY) WITHOUT ROWID;
CREATE TEMP TABLE texts (
    term TEXT, role INTEGER, unwanted INTEGER, precedence INTEGER, predicate INTEGER,
    language INTEGER, text TEXT
);
"""
_BORROW = """
INSERT OR IGNORE INTO described SELECT source FROM borrowed;
DELETE FROM borrowed WHERE term IN (SELECT term FROM texts WHERE role = 0);
INSERT INTO texts
    SELECT borrowed.term, role, unwanted, precedence, predicate, language, text
    FROM texts CROSS JOIN borrowed ON borrowed.source = texts.term WHERE role <> 1;
"""
_MERGE = """
CREATE TEMP TABLE entities (term TEXT PRIMARY KEY, facts INTEGER) WITHOUT ROWID;
INSERT INTO entities SELECT term, sum(facts) FROM degrees GROUP BY term;
DROP TABLE degrees;
CREATE TEMP TABLE classes (term TEXT PRIMARY KEY, members INTEGER) WITHOUT ROWID;
INSERT INTO classes SELECT class, count(*) FROM typed GROUP BY class;
CREATE TEMP TABLE rarest (term TEXT PRIMARY KEY, class TEXT) WITHOUT ROWID;
INSERT INTO rarest
    SELECT term, class FROM (
        SELECT typed.term, class,
            row_number() OVER (PARTITION BY typed.term ORDER BY members, class) AS place
        FROM typed JOIN classes ON classes.term = typed.class
    ) WHERE place = 1;
DROP TABLE typed;
CREATE TEMP TABLE everything AS
    SELECT term FROM entities UNION SELECT term FROM relations
    UNION SELECT term FROM classes UNION SELECT term FROM texts WHERE role = 0
    ORDER BY term;
"""
_TERMS = """
SELECT everything.term, entities.facts, relations.facts, rarest.class,
    classes.term IS NOT NULL, described.term IS NOT NULL
FROM everything
LEFT JOIN entities ON entities.term = everything.term
LEFT JOIN relations ON relations.term = everything.term
LEFT JOIN rarest ON rarest.term = everything.term
LEFT JOIN classes ON classes.term = everything.term
LEFT JOIN described ON described.term = everything.term
ORDER BY everything.rowid
"""
_TEXTS = """
SELECT term, role, unwanted, text FROM texts
ORDER BY term, role, unwanted, precedence, predicate, language, text
"""


class Text(NamedTuple):
    """A literal that names or describes a term; `unwanted` for its language."""

    role: int
    unwanted: bool
    text: str


class Entry(NamedTuple):
    """What is known of a term: its facts as an entity and as a relation, its texts, best first.

    `kind` is its rarest class; `schema` tells a term that describes the KG's vocabulary.
    """

    term: Term
    facts: int | None
    uses: int | None
    kind: Term | None
    is_class: bool
    schema: bool
    texts: list[Text]

    @property
    def is_relation(self) -> bool:
        """Whether facts use it as their relation."""
        return self.uses is not None


def stage(
    connection: sqlite3.Connection, store: ox.Store, profile: Profile, facts: Mapping[Term, int]
) -> None:
    """Read a store whose triples are all in its default graph; `facts` counts them by relation."""
    connection.executescript(_TABLES)
    connection.executemany("INSERT INTO relations VALUES (?, ?)", facts.items())
    connection.executemany("INSERT INTO degrees VALUES (?, ?)", degrees(store, facts))
    _stage_types(connection, store, profile)
    _stage_texts(connection, store, profile)
    if profile.relation_labels_from:
        _borrow_labels(connection, profile, facts)
    connection.executescript(_MERGE)


def entries(connection: sqlite3.Connection) -> Iterator[Entry]:
    """Every entity, value, relation and class, and what has a label, in the order of the terms."""
    groups = groupby(connection.execute(_TEXTS), key=itemgetter(0))
    group = next(groups, None)
    for term, facts, uses, kind, is_class, schema in connection.execute(_TERMS):
        while group and group[0] < term:
            group = next(groups, None)
        rows = group[1] if group and group[0] == term else ()
        texts = [Text(role, bool(unwanted), text) for _, role, unwanted, text in rows]
        yield Entry(term, facts, uses, kind, bool(is_class), bool(schema), texts)


def _stage_types(connection: sqlite3.Connection, store: ox.Store, profile: Profile) -> None:
    """Of several classes the rarest tells most; OWL's and RDFS's own classes tell nothing."""
    for predicate in profile.types:
        rows = ((str(head), str(tail)) for head, tail in pairs(store, predicate))
        connection.executemany("INSERT INTO typed VALUES (?, ?)", rows)
    is_schema = " OR ".join("substr(class, 2, ?) = ?" for _ in SCHEMA_NAMESPACES)
    values = [value for iri in SCHEMA_NAMESPACES for value in (len(iri), iri)]
    connection.execute(
        f"INSERT OR IGNORE INTO described SELECT term FROM typed WHERE ({is_schema}) "
        "AND class NOT IN (?, ?, ?)",
        (*values, *INDIVIDUALS),
    )
    connection.execute(f"DELETE FROM typed WHERE {is_schema}", values)


def _stage_texts(connection: sqlite3.Connection, store: ox.Store, profile: Profile) -> None:
    roles = {
        LABEL: profile.labels,
        DESCRIPTION: profile.descriptions,
        ALIAS: profile.aliases,
        HIDDEN: profile.hidden,
    }
    for role, predicates in roles.items():
        for order, predicate in enumerate(predicates):
            rows = _texts_of(store, profile, role, order, predicate)
            connection.executemany("INSERT INTO texts VALUES (?, ?, ?, ?, ?, ?, ?)", rows)


def _texts_of(
    store: ox.Store, profile: Profile, role: int, order: int, predicate: Term
) -> Iterator[tuple[Any, ...]]:
    """Of the texts in a language that nobody wants only labels are kept, for want of better."""
    rank_of = cache(profile.language_rank)
    for head, tail in pairs(store, predicate):
        if isinstance(tail, ox.Literal):
            rank = rank_of(tail.language or "")
            if rank is not None:
                first = precedence(profile.languages, rank)
                yield str(head), role, False, first, order, rank, tail.value
            elif role == LABEL:
                yield str(head), role, True, 0, order, 0, tail.value


def _borrow_labels(
    connection: sqlite3.Connection, profile: Profile, relations: Mapping[Term, int]
) -> None:
    """Give relations without a label the texts of the terms that stand for them."""
    connection.execute("CREATE TEMP TABLE borrowed (term TEXT, source TEXT)")
    named = ((relation, profile.labelled_as(relation)) for relation in relations)
    connection.executemany(
        "INSERT INTO borrowed VALUES (?, ?)", (pair for pair in named if pair[1])
    )
    connection.executescript(_BORROW)
