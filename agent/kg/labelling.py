"""Builds the label index: one pass over a store's facts, then its naming triples."""

import sqlite3
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Set
from dataclasses import dataclass, field
from typing import NamedTuple

from .labels import INDEXES, SCHEMA, SurfaceKind
from .names import Naming, local_name, normalise, one_line, unique_names
from .nodes import lexical_form, literal_tag
from .oxigraph import OxigraphStore
from .profile import SCHEMA_NAMESPACES, Profile
from .store import Counts
from .terms import Term, is_iri, is_literal

_INDIVIDUALS = frozenset(
    f"<http://www.w3.org/{name}>"
    for name in ("2002/07/owl#NamedIndividual", "2002/07/owl#Thing", "2000/01/rdf-schema#Resource")
)


class _Text(NamedTuple):
    """A literal that names a term; sorts by how much the profile prefers it."""

    unwanted: bool
    predicate: int
    language: int
    text: str


_Texts = dict[Term, list[_Text]]


@dataclass
class _Census:
    """How many facts there are, and how many each entity and each relation has."""

    facts: int = 0
    entities: Counter[Term] = field(default_factory=Counter[Term])
    relations: Counter[Term] = field(default_factory=Counter[Term])


class _Types(NamedTuple):
    """The class that tells most about each term, all classes, and the terms of the schema."""

    of: dict[Term, Term]
    classes: frozenset[Term]
    schema: frozenset[Term]


def build_labels(
    connection: sqlite3.Connection, store: OxigraphStore, profile: Profile, triples: int
) -> Counts:
    """Fill an empty database with the names of a store's terms, and count the KG."""
    census = _take_census(store)
    types = _read_types(store, profile)
    labels = _read_texts(store, profile, profile.labels)
    descriptions = _read_texts(store, profile, profile.descriptions)
    namings = list(_namings(census, types, labels, descriptions))
    vocabulary = types.classes | types.schema
    connection.executescript(SCHEMA)
    connection.executemany(
        "INSERT INTO terms VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        _term_rows(namings, census, vocabulary),
    )
    others: list[tuple[SurfaceKind, _Texts]] = [
        ("alias", labels),
        ("alias", _read_texts(store, profile, profile.aliases)),
        ("hidden", _read_texts(store, profile, profile.hidden)),
    ]
    linkable = (n for n in namings if _is_linkable(n.term, census, vocabulary))
    surfaces = (
        (normalise(text), text, naming.term, kind)
        for naming in linkable
        for text, kind in _spellings(naming, labels, others)
    )
    connection.executemany("INSERT INTO surface VALUES (?, ?, ?, ?)", surfaces)
    words = (
        (text, naming.term, int(naming.term in census.relations))
        for naming in namings
        if naming.term in census.relations or naming.term in types.classes
        for text, _ in _spellings(naming, labels, others)
    )
    connection.executemany("INSERT INTO vocabulary VALUES (?, ?, ?)", words)
    connection.execute(
        "INSERT INTO summary SELECT "
        "ifnull(max(length(norm) - length(replace(norm, ' ', '')) + 1), 0), count(*) FROM surface"
    )
    connection.executescript(INDEXES)
    connection.commit()
    entities = sum(not is_literal(term) for term in census.entities)
    return Counts(triples, census.facts, entities, len(census.relations))


def _take_census(store: OxigraphStore) -> _Census:
    census = _Census()
    for head, relation, tail in store.facts():
        census.facts += 1
        census.relations[relation] += 1
        census.entities[head] += 1
        census.entities[tail] += 1
    return census


def _read_types(store: OxigraphStore, profile: Profile) -> _Types:
    """Of several classes the rarest tells most; OWL's and RDFS's own classes tell nothing."""
    types: dict[Term, list[Term]] = defaultdict(list)
    members: Counter[Term] = Counter()
    schema: set[Term] = set()
    for predicate in profile.types:
        for term, _, iri in store.statements(predicate):
            if not iri[1:].startswith(SCHEMA_NAMESPACES):
                types[term].append(iri)
                members[iri] += 1
            elif iri not in _INDIVIDUALS:
                schema.add(term)
    rarest = {
        term: min(classes, key=lambda iri: (members[iri], iri)) for term, classes in types.items()
    }
    return _Types(rarest, frozenset(members), frozenset(schema))


def _read_texts(store: OxigraphStore, profile: Profile, predicates: Iterable[Term]) -> _Texts:
    texts: _Texts = defaultdict(list)
    for rank, predicate in enumerate(predicates):
        for head, _, tail in store.statements(predicate):
            if is_literal(tail):
                tag = literal_tag(tail)
                language = profile.language_rank("" if ":" in tag else tag)
                text = _Text(language is None, rank, language or 0, lexical_form(tail))
                texts[head].append(text)
    return texts


def _namings(
    census: _Census, types: _Types, labels: _Texts, descriptions: _Texts
) -> Iterator[Naming]:
    """What every term's name is made of, in the order of the terms."""

    def label_of(term: Term) -> str:
        label = one_line(min(labels[term]).text) if term in labels else ""
        return label or local_name(term, relation=term in census.relations)

    for term in sorted({*census.entities, *census.relations, *labels, *types.classes}):
        description = min(descriptions[term]) if term in descriptions else None
        if is_literal(term):
            tag = literal_tag(term)
            kind = local_name(f"<{tag}>") if tag else ""
        else:
            kind = label_of(types.of[term]) if term in types.of else ""
        yield Naming(
            term,
            label_of(term),
            description.text if description and not description.unwanted else "",
            kind,
            census.relations.get(term) or census.entities[term],
        )


def _term_rows(
    namings: list[Naming], census: _Census, vocabulary: Set[Term]
) -> Iterator[tuple[str | int, ...]]:
    """Relations are named apart from entities; a term that is both keeps its relation's name."""
    relations = unique_names(n for n in namings if n.term in census.relations)
    both = {term: name for term, name in relations.items() if term in census.entities}
    names = unique_names((n for n in namings if n.term not in relations), taken=both)
    for term, label, description, kind, degree in namings:
        name = relations.get(term) or names[term]
        roles = int(term in relations), int(term in vocabulary)
        yield term, name, label, description, kind, degree, *roles


def _is_linkable(term: Term, census: _Census, vocabulary: Set[Term]) -> bool:
    """Whether a question can be about the term: no value, and no schema without facts."""
    if is_literal(term):
        return False
    return term in census.entities or not (term in census.relations or term in vocabulary)


def _spellings(
    naming: Naming, labels: _Texts, others: Iterable[tuple[SurfaceKind, _Texts]]
) -> Iterator[tuple[str, SurfaceKind]]:
    """Every spelling of a term once, under its best kind."""
    spellings: list[tuple[str, SurfaceKind]] = []
    if naming.term in labels:
        spellings.append((naming.label, "label"))
    elif is_iri(naming.term):
        spellings.append((naming.label, "local"))
    for kind, texts in others:
        wanted = sorted(text for text in texts.get(naming.term, ()) if not text.unwanted)
        spellings.extend((one_line(text.text), kind) for text in wanted)
    seen = {""}
    for text, kind in spellings:
        norm = normalise(text)
        if norm not in seen:
            seen.add(norm)
            yield text, kind
