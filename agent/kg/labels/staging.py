"""What is known of every term of a built store, staged in temporary tables and merged by term.

Degrees of terms and pairs of a predicate are read by queries that aggregate inside the store:
reading every triple costs ten times as much. The queries see the default graph only, in which a
built store keeps all of its triples, and leave out triples with a triple term (RDF 1.2).

Memory does not grow with the KG: SQLite keeps what does not fit into its cache in its temporary
folder (the variable SQLITE_TMPDIR).
"""

import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from itertools import groupby, islice
from operator import itemgetter
from typing import Any, NamedTuple, TypeAlias, cast

import pyoxigraph as ox

from ..classes import SUBCLASS
from ..nodes import Node, to_node
from ..patterns import pattern_relation
from ..profile import INDIVIDUALS, SCHEMA_NAMESPACES, Profile, precedence
from ..terms import Term, Triple
from .names import one_line

_MOST_GROUPED = 5_000_000
"""Facts whose ends are counted in the store's memory at once, at about 250 bytes an end."""

_CHUNK = 200_000
_TRIPLE = "?head ?relation ?tail FILTER(!isTRIPLE(?tail))"
_BLANK = "(isBLANK(?tail) || isBLANK(?head))"
_Rows: TypeAlias = Iterator[tuple[Any, ...]]


def facts_by_relation(store: ox.Store, profile: Profile) -> dict[Term, int]:
    """The number of facts of every relation, which the profile does not skip."""
    where = f"{{ {_TRIPLE} {_named_only(profile)} }}"
    rows = _select(store, f"SELECT ?relation (COUNT(*) AS ?facts) {where} GROUP BY ?relation")
    counts = ((str(relation), int(facts.value)) for relation, facts in rows)
    return {relation: facts for relation, facts in counts if not profile.skips(relation)}


def _named_only(profile: Profile) -> str:
    """A filter that leaves out what leads to a node that says a fact, and is none by itself."""
    through = ", ".join(str(to_node(term)) for term in sorted(profile.through))
    return f"FILTER(!(?relation IN ({through}) && {_BLANK}))" if through else ""


def degrees(
    store: ox.Store, profile: Profile, facts: Mapping[Term, int]
) -> Iterator[tuple[Term, int]]:
    """How many facts each head and each tail has, in pieces: a term may come several times.

    `facts` are the relations that count, with their numbers of facts.
    """
    for relations, together in _batches(facts):
        values = " ".join(str(to_node(relation)) for relation in relations)
        where = f"{{ VALUES ?relation {{ {values} }} {_TRIPLE} {_named_only(profile)} }}"
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


def through_nodes(store: ox.Store, way: Term, text: Term) -> Iterator[tuple[Node, Node]]:
    """The heads of a predicate with the texts of the nodes that it leads to."""
    triples = f"?head {to_node(way)} ?node . ?node {to_node(text)} ?tail"
    query = f"SELECT ?head ?tail {{ {triples} FILTER(!isTRIPLE(?tail)) }}"
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
CREATE TEMP TABLE subclasses (class TEXT, next TEXT, PRIMARY KEY (class, next)) WITHOUT ROWID;
CREATE TEMP TABLE above (term TEXT PRIMARY KEY) WITHOUT ROWID;
CREATE TEMP TABLE described (term TEXT PRIMARY KEY) WITHOUT ROWID;
CREATE TEMP TABLE texts (
    term TEXT, role INTEGER, unwanted INTEGER, precedence INTEGER, predicate INTEGER,
    language INTEGER, text TEXT
);
"""
_PATTERN_FACTS_TABLE = """
CREATE TABLE said (
    head TEXT NOT NULL, relation TEXT NOT NULL, tail TEXT NOT NULL,
    PRIMARY KEY (head, relation, tail)
) WITHOUT ROWID;
"""
_COUNT_PATTERN_FACTS = """
CREATE INDEX said_relation ON said (relation);
INSERT INTO relations SELECT relation, count(*) FROM said WHERE true GROUP BY relation
    ON CONFLICT (term) DO UPDATE SET facts = facts + excluded.facts;
INSERT INTO degrees SELECT head, count(*) FROM said GROUP BY head;
INSERT INTO degrees SELECT tail, count(*) FROM said GROUP BY tail;
"""
_BORROW = """
INSERT OR IGNORE INTO described SELECT source FROM borrowed;
DELETE FROM borrowed WHERE term IN (SELECT term FROM texts WHERE role = 0);
INSERT INTO texts
    SELECT borrowed.term, role, unwanted, precedence, predicate, language, text
    FROM texts CROSS JOIN borrowed ON borrowed.source = texts.term WHERE role <> 1;
"""
_DROP_TITLES = """
DELETE FROM texts WHERE role = 0 AND predicate >= ?
    AND term IN (SELECT term FROM texts WHERE role = 0 AND predicate < ?)
"""
_NAME_PARTS_TABLE = """
CREATE TEMP TABLE name_parts (
    term TEXT, part INTEGER, unwanted INTEGER, precedence INTEGER, predicate INTEGER,
    language INTEGER, text TEXT
);
"""
_COMPOSE_NAMES = """
INSERT INTO texts
    SELECT term, 0, 0, 0, 0, 0, trim(
        ifnull(max(CASE part WHEN 0 THEN text END), '') || ' ' ||
        ifnull(max(CASE part WHEN 1 THEN text END), '')
    )
    FROM (
        SELECT term, part, text, row_number() OVER (
            PARTITION BY term, part
            ORDER BY unwanted, precedence, predicate, language, text
        ) AS place
        FROM name_parts WHERE term NOT IN (SELECT term FROM texts WHERE role = 0)
    ) WHERE place = 1 GROUP BY term;
DROP TABLE name_parts;
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
INSERT INTO above
    WITH RECURSIVE upward (term) AS (
        SELECT term FROM classes
        UNION SELECT next FROM subclasses JOIN upward ON subclasses.class = upward.term
    )
    SELECT term FROM upward WHERE term LIKE '<%' AND term NOT IN (SELECT term FROM classes)
        AND term NOT IN (SELECT term FROM entities);
INSERT INTO classes SELECT term, 0 FROM above;
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
    connection: sqlite3.Connection,
    store: ox.Store,
    profile: Profile,
    facts: Mapping[Term, int],
    pattern_facts: Iterable[Triple],
) -> None:
    """Read a store whose triples are all in its default graph; `facts` counts them by relation.

    `pattern_facts` are those that patterns say, which are written down; one may come several times.
    """
    connection.executescript(_TABLES)
    connection.executemany("INSERT INTO relations VALUES (?, ?)", facts.items())
    connection.executemany("INSERT INTO degrees VALUES (?, ?)", degrees(store, profile, facts))
    if profile.patterns:
        connection.executescript(_PATTERN_FACTS_TABLE)
        connection.executemany("INSERT OR IGNORE INTO said VALUES (?, ?, ?)", pattern_facts)
        connection.executescript(_COUNT_PATTERN_FACTS)
    _stage_types(connection, store, profile)
    _stage_texts(connection, store, profile)
    _compose_names(connection, store, profile, facts)
    if profile.relation_labels_from or profile.patterns:
        _borrow_labels(connection, profile)
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
        rows = (
            (str(head), str(tail))
            for head, tail in pairs(store, predicate)
            if not (predicate in profile.through and isinstance(tail, ox.BlankNode))
        )
        connection.executemany("INSERT INTO typed VALUES (?, ?)", rows)
    is_schema = " OR ".join("substr(class, 2, ?) = ?" for _ in SCHEMA_NAMESPACES)
    values = [value for iri in SCHEMA_NAMESPACES for value in (len(iri), iri)]
    connection.execute(
        f"INSERT OR IGNORE INTO described SELECT term FROM typed WHERE ({is_schema}) "
        "AND class NOT IN (?, ?, ?)",
        (*values, *INDIVIDUALS),
    )
    connection.execute(f"DELETE FROM typed WHERE {is_schema}", values)
    if not profile.relates_classes:
        connection.executemany(
            "INSERT OR IGNORE INTO subclasses VALUES (?, ?)",
            (
                (str(one), str(above))
                for one, above in pairs(store, SUBCLASS)
                if not str(above)[1:].startswith(SCHEMA_NAMESPACES)
            ),
        )


def _stage_texts(connection: sqlite3.Connection, store: ox.Store, profile: Profile) -> None:
    for role, name in enumerate(("labels", "descriptions", "aliases", "hidden")):
        sources = [pairs(store, predicate) for predicate in getattr(profile, name)]
        sources += [
            through_nodes(store, way, text) for one, way, text in profile.text_nodes if one == name
        ]
        titles = len(sources)
        if role == LABEL:
            sources += [pairs(store, predicate) for predicate in profile.titles]
        for order, source in enumerate(sources):
            rows = _texts_of(source, profile, role, order)
            connection.executemany("INSERT INTO texts VALUES (?, ?, ?, ?, ?, ?, ?)", rows)
        if role == LABEL and profile.titles:
            connection.execute(_DROP_TITLES, (titles, titles))


def _compose_names(
    connection: sqlite3.Connection, store: ox.Store, profile: Profile, facts: Mapping[Term, int]
) -> None:
    """Call what has no label by its given and its family name, or the one that it has."""
    stated = [
        (position, order, predicate)
        for order, predicates in enumerate(profile.name_parts)
        for position, predicate in enumerate(predicates)
        if predicate in facts
    ]
    if not stated:
        return
    connection.executescript(_NAME_PARTS_TABLE)
    for position, order, predicate in stated:
        texts = _texts_of(pairs(store, predicate), profile, LABEL, order)
        rows = ((term, position, *text) for term, _, *text in texts)
        connection.executemany("INSERT INTO name_parts VALUES (?, ?, ?, ?, ?, ?, ?)", rows)
    connection.executescript(_COMPOSE_NAMES)


def _texts_of(
    source: Iterator[tuple[Node, Node]], profile: Profile, role: int, order: int
) -> Iterator[tuple[Any, ...]]:
    """The texts that are not blank; of a language that nobody wants only labels."""
    rank_of = cache(profile.language_rank)
    for head, tail in source:
        if isinstance(tail, ox.Literal) and one_line(tail.value):
            rank = rank_of(tail.language or "")
            if rank is not None:
                first = precedence(profile.languages, rank)
                yield str(head), role, False, first, order, rank, tail.value
            elif role == LABEL:
                yield str(head), role, True, 0, order, 0, tail.value


def _borrow_labels(connection: sqlite3.Connection, profile: Profile) -> None:
    """Give relations without a label the texts of the terms that stand for them."""
    connection.execute("CREATE TEMP TABLE borrowed (term TEXT, source TEXT)")
    relations = [term for (term,) in connection.execute("SELECT term FROM relations")]
    named = ((relation, _lender(relation, profile)) for relation in relations)
    connection.executemany(
        "INSERT INTO borrowed VALUES (?, ?)", (pair for pair in named if pair[1])
    )
    connection.executescript(_BORROW)


def _lender(relation: Term, profile: Profile) -> Term | None:
    """The term whose texts a relation without a label takes."""
    made = pattern_relation(relation)
    return made.predicate if made else profile.labelled_as(relation)
