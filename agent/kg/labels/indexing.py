"""Builds the label index of a built store: spellings of its terms, and a unique name for each."""

import re
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, TypeAlias

import pyoxigraph as ox

from ..derived.layer import Plain
from ..derived.patterns import PatternStore
from ..nodes import lexical_form, literal_tag
from ..patterns import pattern_relation, relation_name
from ..profile import SCHEMA_NAMESPACES, Profile
from ..store import Counts
from ..stores.oxigraph import OxigraphStore
from ..terms import XSD, Term, Triple, is_iri, is_literal
from .index import INDEXES, SCHEMA, SurfaceKind
from .literals import readable
from .names import Naming, free_name, local_name, most_words, normalise, one_line, unique_names
from .staging import ALIAS, DESCRIPTION, HIDDEN, LABEL, Entry, entries, facts_by_relation, stage

STEPS = 4
"""The steps that a label index is built in."""

_KINDS: dict[int, SurfaceKind] = {LABEL: "alias", ALIAS: "alias", HIDDEN: "hidden"}
"""What a text beside a term's own label is; a second label is an alias."""

_CHUNK = 5_000
_MOST_STATED, _MOST_SHOWN = 50, 4
"""What is read of a blank node without a label, and how many of its parts are shown."""
_LONGEST_SHOWN = 60
_SYMBOL = ox.NamedNode("http://qudt.org/schema/qudt/symbol")
_UNIT = re.compile(r"[uU]nit(?![a-z])")
"""In the name of a relation that leads to a unit; *community* is none."""
_OF_SCHEMA = tuple(f"<{namespace}" for namespace in SCHEMA_NAMESPACES)
_MOST_ASKED = 500
"""Things whose labels are read at once."""
_NUMBERS = frozenset({"integer", "decimal", "double", "float", "int", "long", "nonNegativeInteger"})
_DATES = frozenset({"date", "dateTime", "gYear", "gYearMonth"})
_MOST_NUMBERS = 100_000
_TABLES = """
CREATE TEMP TABLE namings (
    term TEXT PRIMARY KEY, label TEXT, shown TEXT, description TEXT, kind TEXT, class TEXT,
    degree INTEGER, relation INTEGER, vocabulary INTEGER, entity INTEGER
) WITHOUT ROWID;
CREATE TEMP TABLE given (term TEXT PRIMARY KEY, name TEXT) WITHOUT ROWID;
CREATE TEMP TABLE used (name TEXT PRIMARY KEY) WITHOUT ROWID;
"""
_NAMING = """
SELECT n.term, ifnull(n.shown, n.label), n.description, ifnull(class.label, n.kind), n.degree
FROM namings AS n LEFT JOIN namings AS class ON class.term = n.class
"""
_CLAIM = """
INSERT INTO used
    SELECT name FROM given JOIN namings ON namings.term = given.term WHERE entity;
CREATE TEMP TABLE waiting AS
    SELECT term, degree FROM (
        SELECT term, name, degree,
            row_number() OVER (
                PARTITION BY name
                ORDER BY substr(term, 1, 2) = '_:', degree DESC, is_above, term
            ) AS place
        FROM (
            SELECT term, ifnull(shown, label) AS name, degree,
                term IN (SELECT term FROM above) AS is_above
            FROM namings WHERE NOT relation
        )
    ) WHERE place > 1 OR name IN (SELECT name FROM used);
INSERT OR IGNORE INTO used
    SELECT DISTINCT ifnull(shown, label) AS name FROM namings WHERE NOT relation ORDER BY name;
"""
_UNNAMED = """
SELECT term FROM namings WHERE term > ? AND term < '_;' AND label = term ORDER BY term LIMIT ?
"""
_NAMES_OF_STATED = """
DELETE FROM vocabulary
WHERE NOT relation AND term IN (SELECT term FROM above) AND normalised(text) IN (
    SELECT normalised(text) FROM vocabulary
    WHERE NOT relation AND term NOT IN (SELECT term FROM above)
);
"""
_TERMS = """
INSERT INTO terms
    SELECT n.term, coalesce(given.name, n.shown, n.label), n.label, n.description,
        ifnull(class.label, n.kind), n.degree, n.relation, n.vocabulary
    FROM namings AS n
    LEFT JOIN given ON given.term = n.term
    LEFT JOIN namings AS class ON class.term = n.class
    ORDER BY n.term;
"""

_OnStep: TypeAlias = Callable[[int], None]
_Row: TypeAlias = tuple[Any, ...]


def build_labels(
    connection: sqlite3.Connection,
    store: ox.Store,
    profile: Profile,
    *,
    on_step: _OnStep | None = None,
) -> Counts:
    """Fill an empty database with the names of a store's terms, and count the KG.

    All triples of the store are in its default graph. `on_step` is told the steps that are done.
    """
    report: _OnStep = on_step or (lambda _: None)
    facts = facts_by_relation(store, profile)
    stage(connection, store, profile, facts, _pattern_facts(store, profile))
    report(1)
    connection.executescript(SCHEMA + _TABLES)
    longest = _spell(connection, profile)
    _show_blank_nodes(connection, store, profile)
    connection.execute("INSERT INTO summary SELECT ?, count(*) FROM surface", (longest,))
    connection.create_function("normalised", 1, normalise, deterministic=True)
    connection.execute(_NAMES_OF_STATED)
    report(2)
    _name_relations(connection)
    _name_entities(connection)
    connection.executescript(_TERMS)
    report(3)
    connection.executescript(INDEXES)
    counted = "SELECT count(*) FROM namings WHERE entity AND substr(term, 1, 1) <> '\"'"
    (number,) = connection.execute(counted).fetchone()
    used = "SELECT ifnull(sum(degree), 0), count(*) FROM namings WHERE relation"
    every, relations = connection.execute(used).fetchone()
    connection.commit()
    report(STEPS)
    return Counts(len(store), every, number, relations)


def _pattern_facts(store: ox.Store, profile: Profile) -> Iterator[Triple]:
    """The facts that the profile's patterns find in a store, but those that are triples of it."""
    if not profile.patterns:
        return
    source = OxigraphStore(store, profile=profile)
    for fact in PatternStore(Plain(source), source, profile).pattern_facts():
        if pattern_relation(fact.relation) or not source.holds([fact])[0]:
            yield fact


def _spell(connection: sqlite3.Connection, profile: Profile) -> int:
    """Write what names are made of, and all spellings, in the order of the terms.

    Returns the number of words of the longest spelling.
    """
    longest = 0
    tables: dict[str, list[_Row]] = {"namings": [], "surface": [], "vocabulary": []}
    for entry in entries(connection):
        label = _label(entry, profile)
        tables["namings"].append(_naming_row(entry, label, profile))
        spellings = list(_spellings(entry, label))
        if _is_linkable(entry):
            longest = max([longest, *(most_words(text, norm) for norm, text, _ in spellings)])
            tables["surface"] += [(norm, text, entry.term, kind) for norm, text, kind in spellings]
        if entry.is_relation or entry.is_class:
            rows = [(text, entry.term, entry.is_relation) for _, text, _ in spellings]
            tables["vocabulary"] += rows
        if len(tables["namings"]) >= _CHUNK:
            _write(connection, tables)
    _write(connection, tables)
    return longest


def _naming_row(entry: Entry, label: str, profile: Profile) -> _Row:
    return (
        entry.term,
        label,
        readable(entry.term, profile) if is_literal(entry.term) else None,
        next((text.text for text in entry.texts if text.role == DESCRIPTION), ""),
        _datatype(entry),
        entry.kind,
        entry.uses or entry.facts or 0,
        entry.is_relation,
        entry.is_class or entry.schema,
        entry.facts is not None,
    )


def _show_blank_nodes(connection: sqlite3.Connection, store: ox.Store, profile: Profile) -> None:
    """Write what blank nodes without a label are shown as."""
    last = "_:"
    while rows := connection.execute(_UNNAMED, (last, _CHUNK)).fetchall():
        last = rows[-1][0]
        stated = {node: _stated(node, store, profile) for (node,) in rows}
        things = {end for facts in stated.values() for _, end in facts if is_iri(end)}
        labels = _labels_of(connection, sorted(things)) | _symbols(stated.values(), store, profile)
        shown = ((_name_of_blank(stated[node], labels, profile), node) for (node,) in rows)
        connection.executemany("UPDATE namings SET shown = ? WHERE term = ?", shown)


def _stated(node: Term, store: ox.Store, profile: Profile) -> list[tuple[Term, Term]]:
    """The relations of a blank node with the values and things that they lead to, sorted."""
    quads = store.quads_for_pattern(ox.BlankNode(node[2:]), None, None, None)
    stated = sorted((str(quad.predicate), str(quad.object)) for quad in islice(quads, _MOST_STATED))
    return [
        (way, end) for way, end in stated if not (profile.skips(way) or end.startswith(_OF_SCHEMA))
    ]


def _symbols(
    stated: Iterable[Sequence[tuple[Term, Term]]], store: ox.Store, profile: Profile
) -> dict[Term, str]:
    """The signs of the units that nodes have, as they are stated, or known of the profile."""
    ends = (end for facts in stated for way, end in facts if _UNIT.search(local_name(way)))
    symbols = dict[Term, str]()
    for unit in filter(is_iri, dict.fromkeys(ends)):
        quads = store.quads_for_pattern(ox.NamedNode(unit[1:-1]), _SYMBOL, None, None)
        values = [quad.object for quad in quads]
        signs = sorted(one_line(value.value) for value in values if isinstance(value, ox.Literal))
        if sign := next(iter(signs), "") or profile.unit_of.get(unit, ""):
            symbols[unit] = sign
    return symbols


def _labels_of(connection: sqlite3.Connection, terms: Sequence[Term]) -> dict[Term, str]:
    labels = dict[Term, str]()
    for first in range(0, len(terms), _MOST_ASKED):
        batch = terms[first : first + _MOST_ASKED]
        marks = ", ".join("?" for _ in batch)
        labels.update(
            connection.execute(f"SELECT term, label FROM namings WHERE term IN ({marks})", batch)
        )
    return labels


def _name_of_blank(
    stated: Sequence[tuple[Term, Term]], labels: Mapping[Term, str], profile: Profile
) -> str | None:
    """What is shown of a blank node: the names of the things that it leads to, then its values.

    *4.2 kg* has a number before its unit, *Graz, 8010, Ring 1* the order of the properties, and
    dates come last, in their order. Other blank nodes are left out.
    """
    values = [(way, end) for way, end in stated if is_literal(end) and one_line(lexical_form(end))]
    numbers = [readable(end, profile) for _, end in values if _is_number(end)]
    end_labels = [(way, labels[end]) for way, end in stated if end in labels]
    others = [(way, end) for way, end in values if not _is_number(end)]
    others.sort(key=lambda stated: _date(stated[1]))
    texts = [(way, readable(end, profile)) for way, end in others]
    match numbers, [*end_labels, *texts]:
        case [number], [(way, unit)] if _UNIT.search(local_name(way)):
            return f"{number} {unit}"
        case _:
            parts = [name for _, name in end_labels] + numbers + [text for _, text in texts]
            shown = [text for text in parts if len(text) <= _LONGEST_SHOWN]
            return ", ".join(shown[:_MOST_SHOWN]) or None


def _date(value: Term) -> str:
    """A date as it is written, which orders as it does; empty for another value."""
    return lexical_form(value) if literal_tag(value).removeprefix(XSD) in _DATES else ""


def _is_number(value: Term) -> bool:
    return literal_tag(value).removeprefix(XSD) in _NUMBERS


def _write(connection: sqlite3.Connection, tables: dict[str, list[_Row]]) -> None:
    for table, rows in tables.items():
        if rows:
            marks = ", ".join("?" for _ in rows[0])
            connection.executemany(f"INSERT INTO {table} VALUES ({marks})", rows)
            rows.clear()


def _label(entry: Entry, profile: Profile) -> str:
    best = entry.texts[0] if entry.texts else None
    label = one_line(best.text) if best and best.role == LABEL else ""
    pattern_property = pattern_relation(entry.term)
    if pattern_property is None:
        name = profile.name_of.get(entry.term) if entry.is_relation else None
        return label or name or local_name(entry.term, relation=entry.is_relation)
    label = label or local_name(pattern_property.predicate, relation=True)
    pattern = profile.pattern_of.get(pattern_property.pattern)
    return relation_name(pattern, label, pattern_property.number) if pattern else label


def _datatype(entry: Entry) -> str:
    """What a value is called for: its language or datatype."""
    tag = literal_tag(entry.term) if is_literal(entry.term) else ""
    return local_name(f"<{tag}>") if tag else ""


def _is_linkable(entry: Entry) -> bool:
    """Whether a question can be about the term: no value, and no schema without facts."""
    if is_literal(entry.term):
        return False
    return entry.facts is not None or not (entry.uses or entry.is_class or entry.schema)


def _spellings(entry: Entry, label: str) -> Iterator[tuple[str, str, SurfaceKind]]:
    """Every spelling of a term once, under its best kind, after its normalised form."""
    spellings: list[tuple[str, SurfaceKind]] = []
    if any(text.role == LABEL for text in entry.texts) or pattern_relation(entry.term):
        spellings.append((label, "label"))
    elif is_iri(entry.term):
        spellings.append((label, "local"))
    spellings.extend(
        (one_line(text.text), _KINDS[text.role])
        for text in entry.texts
        if text.role in _KINDS and not text.unwanted
    )
    seen = {""}
    for text, kind in spellings:
        norm = normalise(text)
        if norm not in seen:
            seen.add(norm)
            yield norm, text, kind


def _name_relations(connection: sqlite3.Connection) -> None:
    """Relations are named apart from entities; a term that is both keeps its relation's name."""
    rows = connection.execute(f"{_NAMING} WHERE n.relation")
    names = unique_names(Naming(*row) for row in rows)
    connection.executemany("INSERT INTO given VALUES (?, ?)", names.items())


def _name_entities(connection: sqlite3.Connection) -> None:
    """As `unique_names` does it: who has most facts gets the label, others wait for theirs."""
    connection.executescript(_CLAIM)
    waiting = connection.execute(
        f"{_NAMING} JOIN waiting ON waiting.term = n.term "
        "ORDER BY substr(n.term, 1, 2) = '_:', n.degree DESC, n.term"
    )
    connection.executemany("INSERT INTO given VALUES (?, ?)", _names(connection, waiting))


def _names(connection: sqlite3.Connection, rows: Iterable[_Row]) -> Iterator[tuple[str, str]]:
    def take(name: str) -> bool:
        return connection.execute("INSERT OR IGNORE INTO used VALUES (?)", (name,)).rowcount > 0

    numbers: dict[str, int] = {}
    for row in rows:
        naming = Naming(*row)
        yield naming.term, free_name(naming, take, numbers)
        if len(numbers) > _MOST_NUMBERS:
            numbers.clear()
