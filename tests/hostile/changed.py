"""Graphs that change between decoding and verifying: a store, a file, an endpoint over HTTP.

What was true when it was walked counts for nothing: rdflib reads the text that is there at the end.
"""

from collections.abc import Callable, Sequence
from pathlib import Path as Folder
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

import pyoxigraph as ox
import rdflib
from groundwalk.agent.kg import Path, Store, Term, open_kg
from groundwalk.agent.kg.stores.rdflib_graph import RdflibStore
from groundwalk.agent.kg.stores.sparql import EndpointSettings, SparqlStore
from groundwalk.agent.kg.stores.sparql.client import SparqlClient
from groundwalk.agent.kg.verification.claims import verify_paths

from ..agent.kg.sparql.endpoint import Endpoint
from . import strategies
from .forged import Judged
from .oracle import Oracle, read

_WALKS = 100
"""Walks over one graph before it changes."""


def change(size: int, seed: int = 0) -> Judged:
    """Walk at least `size` times in each kind of graph, change it, and have the walks verified."""
    random, total = Random(seed), Judged()
    for kind in (_in_memory, _in_a_file, _over_http):
        own = Judged()
        while own.chains < size:
            before = strategies.some_graph(random)
            own += kind(before, _after(before, random), random)
        total += own
    return total


def _after(graph: strategies.Graph, random: Random) -> strategies.Graph:
    """The graph with some facts gone, and some of their parts exchanged."""
    kept = [row for row in graph.facts if random.random() < 0.6]
    others = [(row[0], row[1], random.choice(graph.facts)[2]) for row in graph.facts]
    return strategies.Graph(tuple(sorted({*kept, *random.sample(others, 2)})), graph.labels)


def _walks(store: Store, graph: strategies.Graph, random: Random) -> list[tuple[Term, Path]]:
    """Random walks over what the store says now."""
    found = list[tuple[Term, Path]]()
    nodes = [node for node in graph.nodes if not node.startswith("_:")]
    around = dict(zip(nodes, store.neighbours(nodes), strict=True))
    while len(found) < _WALKS:
        topic = place = random.choice(nodes)
        path = Path(topic, ())
        for _ in range(random.randint(1, 3)):
            if steps := around.get(place):
                path = Path(topic, (*path.steps, random.choice(steps)))
                place = path.end
        found.append((topic, path))
    return found


def _judged(store: Store, walks: Sequence[tuple[Term, Path]], now: Callable[[], Oracle]) -> Judged:
    """Where a graph changes while a walk is verified, what either has may be supported."""
    total = Judged()
    for topic, path in walks:
        oracles = [now()]
        (judged,) = verify_paths(store, [topic], [path])
        oracles.append(now())
        steps = zip(judged.steps, path.steps, strict=True)
        called = [step.triple for verdict, step in steps if verdict == "supported"]
        lies = not all(any(oracle.holds(triple) for oracle in oracles) for triple in called)
        lies |= judged.verdict == "supported" and len(called) < max(1, len(path.steps))
        total += Judged(1, oracles[-1].proves([topic], path), lies)
    return total


def _in_memory(before: strategies.Graph, after: strategies.Graph, random: Random) -> Judged:
    """An rdflib graph of an application, which is emptied and filled again."""
    graph: rdflib.Graph = read(before.text)
    store = RdflibStore(graph)
    walks = _walks(store, before, random)
    graph.remove((None, None, None))
    for triple in read(after.text):
        graph.add(triple)
    oracle = Oracle(after.text)
    return _judged(store, walks, lambda: oracle)


def _in_a_file(before: strategies.Graph, after: strategies.Graph, random: Random) -> Judged:
    """A file that is written again under its name, and opened again."""
    with TemporaryDirectory() as folder:
        file = Folder(folder) / "graph.nt"
        file.write_text(before.text, encoding="utf-8")
        kg = open_kg(str(file), cache=file)
        walks = _walks(kg.store, before, random)
        kg.close()
        file.write_text(after.text, encoding="utf-8")
        again = open_kg(str(file), cache=file)
        oracle = Oracle(after.text)
        found = _judged(again.store, walks, lambda: oracle)
        again.close()
    return found


def _over_http(before: strategies.Graph, after: strategies.Graph, random: Random) -> Judged:
    """A live endpoint, which has the new graph from one of its next requests on."""
    old, new = _loaded(before), _loaded(after)
    oracles = {id(old): Oracle(before.text), id(new): Oracle(after.text)}
    with Endpoint(old) as endpoint:
        client = SparqlClient(endpoint.url, EndpointSettings(timeout=10, _env_file=None))  # pyright: ignore
        store = SparqlStore(client)
        walks = _walks(store, before, random)
        left = random.choice((0, 0, 3, 30))

        def changing(_: Any) -> bool:
            nonlocal left
            left -= 1
            if left < 0:
                endpoint.store = new
            return False

        endpoint.misbehaviour = changing
        found = _judged(store, walks, lambda: oracles[id(endpoint.store)])
        client.close()
    return found


def _loaded(graph: strategies.Graph) -> ox.Store:
    inner = ox.Store()
    inner.load(graph.text.encode(), ox.RdfFormat.N_TRIPLES)
    return inner
