"""Random small graphs with mediators, statements, inverses, sub-properties and `owl:sameAs`."""

import sqlite3
from collections.abc import Collection, Iterable
from dataclasses import replace

import pyoxigraph as ox
from groundwalk.agent.kg import GENERIC, KnowledgeGraph, LabelIndex, OxigraphStore, Reading, Triple
from groundwalk.agent.kg.labels.indexing import build_labels
from groundwalk.agent.kg.profile import UNLABELLED
from hypothesis import strategies as st

RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
RDFS = "http://www.w3.org/2000/01/rdf-schema#"
OWL = "http://www.w3.org/2002/07/owl#"
LABEL = f"<{RDFS}label>"
SAME = f"<{OWL}sameAs>"
INVERSE = f"<{OWL}inverseOf>"
SCHEMA_INVERSE = "<https://schema.org/inverseOf>"
ABOVE = f"<{RDFS}subPropertyOf>"
SUBJECT, PREDICATE = f"<{RDF}subject>", f"<{RDF}predicate>"
ANNOTATED = f"<{OWL}annotatedSource>", f"<{OWL}annotatedProperty>"
ABOUT = ((SUBJECT, PREDICATE), ANNOTATED)
"""The pairs of predicates by which a statement says which triple it is about."""
REIFIES = f"<{RDF}reifies>"

PROFILE = replace(GENERIC, nodes=(UNLABELLED, "<http://example.org/statement/"))


def iri(name: str) -> str:
    return f"<http://example.org/{name}>"


ENTITIES = [iri(f"e{i}") for i in range(4)]
UNNAMED = [iri(f"m{i}") for i in range(3)]
STATEMENTS = [iri("statement/s0"), iri("s1")]
BLANKS = ["_:b0"]
LITERALS = ['"1990"^^<http://www.w3.org/2001/XMLSchema#gYear>', '"so"@en']
RELATIONS = [iri(f"r{i}") for i in range(4)]
NODES = ENTITIES + UNNAMED + STATEMENTS

nodes = st.sampled_from(NODES)
tails = nodes | st.sampled_from(LITERALS)
relations = st.sampled_from(RELATIONS)
plain = st.builds(Triple, nodes, relations, tails)


def first(pair: tuple[str, str]) -> str:
    return pair[0]


def last(pair: tuple[str, str]) -> str:
    return pair[1]


def _triple_term(head: str, relation: str, tail: str) -> str:
    return f"<<( {head} {relation} {tail} )>>"


flat = st.builds(
    _triple_term,
    nodes,
    relations | st.just(LABEL),
    tails,
)
told = flat | flat.map(lambda inner: f"<<( {NODES[0]} {RELATIONS[0]} {inner} )>>")
reifying = st.builds(Triple, st.sampled_from(STATEMENTS), st.just(REIFIES), told)
quoting = st.builds(Triple, nodes, relations | st.sampled_from([SAME, ABOVE, SUBJECT, LABEL]), told)
said = (
    st.builds(
        Triple, relations, st.sampled_from([INVERSE, SCHEMA_INVERSE, ABOVE, ABOVE]), relations
    )
    | st.builds(Triple, nodes, st.just(SAME), nodes)
    | st.builds(Triple, st.sampled_from(STATEMENTS), st.sampled_from(ABOUT).map(first), nodes)
    | st.builds(Triple, st.sampled_from(STATEMENTS), st.sampled_from(ABOUT).map(last), relations)
    | reifying
    | reifying
    | quoting
)
graphs = st.tuples(st.lists(plain, min_size=1, max_size=14), st.lists(said, max_size=7)).map(
    lambda both: sorted({*both[0], *both[1], *named()})
)
readings = st.builds(
    Reading, st.sampled_from(["keep", "collapse"]), st.booleans(), st.booleans(), st.booleans()
)


def named() -> list[Triple]:
    """The labels of what has one."""
    labelled = [*ENTITIES, *RELATIONS, STATEMENTS[1]]
    return [Triple(t, LABEL, f'"{t.rpartition("/")[2][:-1]}"') for t in labelled]


def store_of(triples: Iterable[Triple]) -> ox.Store:
    """A store in memory, in which blank nodes keep their names."""
    lines = "".join(f"{' '.join(triple)} .\n" for triple in triples)
    store = ox.Store()
    store.extend(quad for quad in ox.parse(lines, ox.RdfFormat.N_TRIPLES))
    return store


def opened(
    triples: Collection[Triple], reading: Reading, profile: object = PROFILE
) -> KnowledgeGraph:
    """A KG in memory, names and all."""
    from groundwalk.agent.kg import Profile

    assert isinstance(profile, Profile)
    store = store_of(triples)
    connection = sqlite3.connect(":memory:", check_same_thread=False)
    counts = build_labels(connection, store, profile)
    return KnowledgeGraph(
        store=OxigraphStore(store, profile=profile, counts=counts),
        labels=LabelIndex(connection),
        profile=profile,
        source="random",
        digest="random",
        folder=None,
        reading=reading,
    )
