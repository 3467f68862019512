"""Tuning the general reader to one graph, on questions over it, and on those over other graphs.

The graph's own questions are made of its labels. Most of the others are what people asked, by which
a reader keeps what it knows of words that labels do not have, and of which words ask nothing.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from itertools import chain, islice
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import NamedTuple

import numpy as np

from ...agent.errors import GroundwalkError
from ...agent.kg import KnowledgeGraph
from ...agent.query.facts import Facts
from ...agent.query.schema_tables import GraphTables
from ...agent.reader.graph import GraphLabels
from ...agent.reader.inputs import CLASS, FORWARD, INVERSE
from ...agent.reader.network import Network
from ...agent.reader.weights import ReaderWeights
from ..material import Material
from ..trainer.watched import Watcher, counted
from ..wording.english import domain_files
from .asked import asked_examples, asked_graphs
from .batches import Batcher
from .examples import Example
from .learning import Plan, blended, train
from .made_graphs import WORDED, examples_over, made_graph, read_domain
from .pools import Drawing, pools_of
from .sources import Hop, SchemaLabels

SCHEMA = "graph"
"""The name of the schema of the graph that is tuned to."""
_GRAPHS = 60
"""Other graphs whose questions are learnt again, and at most as many that are kept apart."""
_DOMAINS, _OF_DOMAIN = 20, 100
"""Made graphs, each over a domain of its own, and questions that are made over each.

Without these, a tuned reader answers more of what its graph does not say.
"""
_OF_EACH = 8
"""Questions over each of those that are kept apart."""

TUNING = Plan(steps=250, batch=32, rate=2.5e-4, frozen=("table.weight", "meanings.weight"), heard=5)
"""How a reader is tuned.

A higher rate costs what the reader knows of words, also where the user's are learnt. What letters
and meanings of words are like stays as it is, also of words that the graph's questions do not have.
"""
_REPLAYED = 0.5
"""How many of the questions are over other graphs.

With fewer, tuning made a reader read less of what people asked over graphs that it did not know.
"""


def schema_of(kg: KnowledgeGraph) -> SchemaLabels:
    """The labels of a graph, with the classes at both ends of its relations."""
    labels = GraphLabels(GraphTables(Facts(kg)))
    hops, classes = list[Hop](), list[str]()
    for name, way in labels.all_labels():
        if way == CLASS:
            classes.append(labels.label(name, CLASS).called)
        elif way == FORWARD:
            label, inverse = labels.label(name, FORWARD), labels.label(name, INVERSE)
            hops.append(Hop(label.called, inverse.tail, label.tail))
    return SchemaLabels(tuple(dict.fromkeys(hops)), tuple(dict.fromkeys(classes)))


class OverOthers(NamedTuple):
    """Questions over other graphs, and the schemas of these."""

    examples: Sequence[Example] = ()
    schemas: Mapping[str, SchemaLabels] = {}


def replayed(seed: int, watcher: Watcher) -> OverOthers:
    """Questions over some graphs, drawn by seed: those that people asked, and made ones."""
    graphs = list(asked_graphs(apart=False, seed=seed, most=_GRAPHS))
    examples = list(chain.from_iterable(map(asked_examples, graphs)))
    schemas = {graph.name: graph.schema for graph in graphs}
    rng, files = Random(f"replay {seed}"), domain_files()
    drawn = rng.sample(files, min(len(files), _DOMAINS))
    for file in counted(drawn, len(drawn), "making questions over other graphs", watcher):
        name = f"{WORDED}:{file.stem}"
        with TemporaryDirectory() as folder:
            try:
                graph = made_graph(read_domain(file), Path(folder), rng.getrandbits(32))
            except GroundwalkError:
                continue
            with closing(graph.kg):
                examples += islice(examples_over(graph.kg, graph.material, name, seed), _OF_DOMAIN)
                schemas[name] = graph.schema
    return OverOthers(examples, schemas)


def kept_apart(seed: int) -> OverOthers:
    """A few questions over each of the graphs of which nothing is learnt, drawn by seed.

    A tuned reader is chosen by them, so none is measured on these graphs.
    """
    rng = Random(f"apart {seed}")
    graphs = list(asked_graphs(apart=True, seed=seed, most=_GRAPHS))
    examples = list[Example]()
    for every in map(asked_examples, graphs):
        examples += rng.sample(every, min(len(every), _OF_EACH))
    return OverOthers(examples, {graph.name: graph.schema for graph in graphs})


def mixed(
    examples: Iterator[Example], others: Sequence[Example], share: float, seed: int
) -> Iterator[Example]:
    """Examples, among them a share of others, drawn anew each time."""
    rng = Random(f"mixed {seed}")
    while True:
        yield rng.choice(others) if others and rng.random() < share else next(examples)


def tuned(
    kg: KnowledgeGraph,
    material: Material,
    reader: ReaderWeights,
    plan: Plan,
    report: Callable[[int, float], None],
    replay: OverOthers | None = None,
) -> ReaderWeights:
    """A reader that was tuned to a graph; `report` hears the loss after steps.

    Questions of `replay` are among those that are learnt.
    """
    replay = replay or OverOthers()
    first = list(islice(examples_over(kg, material, SCHEMA, plan.seed), 200))
    pools = pools_of([*first, *replay.examples], {SCHEMA: schema_of(kg), **replay.schemas})
    drawing = Drawing(renamed=0.05, untold=0.1, unknown=0.1, none=0.04)
    batcher = Batcher(reader.lexicon, pools, drawing)
    from .module import tensors_of

    network = train(
        batcher,
        lambda step: mixed(
            examples_over(kg, material, SCHEMA, plan.seed + 1 + step),
            replay.examples,
            _REPLAYED,
            plan.seed,
        ),
        replace(plan, size=reader.settings.size),
        lambda step, loss, _: report(step, loss),
        start=tensors_of(reader.network),
    )
    settings = replace(reader.settings, kg=kg.digest)
    return replace(reader, network=network.network(), settings=settings)


def between(start: ReaderWeights, end: ReaderWeights, share: float) -> ReaderWeights:
    """A reader on the way from one to another: at a share of it."""
    if share in (0.0, 1.0):
        return end if share else start
    blend = blended(start.network.weights, end.network.weights, share)
    weights = {name: np.asarray(weight) for name, weight in blend.items()}
    return replace(end, network=Network(end.network.size, weights))
