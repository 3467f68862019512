"""The KG of a single question, where the dataset brings one."""

import re
import sqlite3
from collections.abc import Iterator
from dataclasses import replace
from hashlib import sha256

import pyoxigraph as ox

from ...agent.errors import InputError
from ...agent.kg import GENERIC, KnowledgeGraph, LabelIndex, OxigraphStore, name_iri
from ...agent.kg.labels.indexing import build_labels
from ...agent.kg.profile import UNLABELLED
from ..samples import Sample

PROFILE = replace(GENERIC, name="names", nodes=(UNLABELLED,))
"""How such a KG is read; only raw Freebase ids have no label, and they are mediators (CVTs)."""

_RAW_ID = re.compile(r"(?:m\.0|g\.1)[0-9a-z_]*")
_FREEBASE_RELATION = re.compile(r"[a-z0-9_]+(?:\.[a-z0-9_]+)+")
_LABEL = ox.NamedNode("http://www.w3.org/2000/01/rdf-schema#label")


def open_sample_graph(sample: Sample) -> KnowledgeGraph:
    """The `graph` of a sample as a KG in memory; close it after use.

    A name stands for the same term as in a `head|relation|tail` file, and is its label. A raw
    Freebase id (`m.0cr320w`) gets no label, and a Freebase relation its words: all of
    `people.person.place_of_birth` as `people person place of birth`, since its last words alone
    are not unique, and which relation kept them would change from one question's graph to the
    next. The same triples make the same digest in any order. Raises InputError for a sample
    without a graph.
    """
    if sample.graph is None:
        raise InputError(f"the question {sample.id} has no graph of its own", "name one: --kg")
    triples = sorted(set(sample.graph))
    store, connection = ox.Store(), sqlite3.connect(":memory:", check_same_thread=False)
    store.extend(_quads(triples))
    counts = build_labels(connection, store, PROFILE)
    source = f"the graph of {sample.id}"
    return KnowledgeGraph(
        store=OxigraphStore(store, source=source, profile=PROFILE, counts=counts),
        labels=LabelIndex(connection),
        profile=PROFILE,
        source=source,
        digest=sha256(repr(triples).encode()).hexdigest(),
        folder=None,
    )


def _quads(triples: list[tuple[str, str, str]]) -> Iterator[ox.Quad]:
    labels = {name: name for head, _, tail in triples for name in (head, tail)}
    relations = {relation for _, relation, _ in triples}
    labels |= {relation: _relation_label(relation) for relation in sorted(relations)}
    nodes = {name: ox.NamedNode(name_iri(name)) for name in labels}
    for name, label in labels.items():
        if not _RAW_ID.fullmatch(name):
            yield ox.Quad(nodes[name], _LABEL, ox.Literal(label))
    for head, relation, tail in triples:
        yield ox.Quad(nodes[head], nodes[relation], nodes[tail])


def _relation_label(name: str) -> str:
    if _FREEBASE_RELATION.fullmatch(name):
        return name.replace(".", " ").replace("_", " ")
    return name
