"""Opens an `rdflib.Graph` of an application as a KG."""

import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from hashlib import sha256
from typing import TYPE_CHECKING

import pyoxigraph as ox

from ..errors import KGError
from .graph import KnowledgeGraph
from .labelling import build_labels
from .labels import LabelIndex
from .languages import speaking
from .nodes import to_any_node
from .profile import GENERIC, Profile
from .reading import Reading
from .terms import Triple

if TYPE_CHECKING:
    import rdflib


def kg_of(
    graph: "rdflib.Graph",
    *,
    source: str = "rdflib",
    profile: Profile = GENERIC,
    reading: Reading | None = None,
    languages: Sequence[str] = (),
) -> KnowledgeGraph:
    """The KG that an `rdflib.Graph` or `rdflib.Dataset` holds; it is never written to.

    The graph itself is the source that verification asks, at each question. Its names are read once
    and kept in memory, and so are its facts for decoding: after it has changed, call this again.
    Until then a triple that it no longer holds is not verified, and a new one is not found. The
    graphs of a dataset are read as one. `source` is what the KG is called; the rest as for
    `open_kg`. Raises KGError for a graph without triples, ServiceError for one that does not answer
    or changes while it is read.
    """
    from .rdflib_store import RdflibStore

    spoken = speaking(profile, languages)
    store = RdflibStore(graph, source=source, profile=spoken)
    triples = sorted(store.triples())
    if not triples:
        raise KGError(f"the graph {source} holds no triples", "check that this is the right graph")
    copy = ox.Store()
    copy.bulk_extend(_quads(triples))
    connection = sqlite3.connect(":memory:", check_same_thread=False)
    build_labels(connection, copy, spoken)
    content = sha256(str(asdict(spoken)).encode())
    for triple in triples:
        content.update(" ".join(triple).encode())
    kg = KnowledgeGraph(
        store=store,
        labels=LabelIndex(connection),
        profile=spoken,
        source=source,
        digest=content.hexdigest(),
        folder=None,
    )
    return replace(kg, reading=(reading or Reading()).settled(spoken))


def _quads(triples: Sequence[Triple]) -> Iterator[ox.Quad]:
    for triple in triples:
        head, relation, tail = map(to_any_node, triple)
        yield ox.Quad(head, relation, tail)  # pyright: ignore[reportArgumentType]
