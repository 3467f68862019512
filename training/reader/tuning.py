"""Tuning the general reader to one graph, on questions that are made over it."""

from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass, replace
from itertools import islice

from ...agent.kg import KnowledgeGraph
from ...agent.query.facts import Facts
from ...agent.query.tables import GraphTables
from ...agent.reader.inputs import CLASS, FORWARD, INVERSE
from ...agent.reader.labels import GraphLabels
from ...agent.reader.weights import ReaderWeights
from ..data import Material
from .batches import Batcher, Drawing, pools_of
from .learning import Plan, train
from .lessons import examples_over
from .sources import Hop, SchemaLabels

SCHEMA = "graph"
"""The name of the schema of the graph that is tuned to."""


@dataclass(frozen=True)
class Tuning:
    """How a reader is tuned."""

    steps: int = 400
    batch: int = 32
    rate: float = 5e-4
    seed: int = 0


def schema_of(kg: KnowledgeGraph) -> SchemaLabels:
    """The labels of a graph, with the classes at both ends of its relations."""
    labels = GraphLabels(GraphTables(Facts(kg)))
    hops, classes = list[Hop](), list[str]()
    for name, way in labels.every():
        if way == CLASS:
            classes.append(labels.label(name, CLASS).called)
        elif way == FORWARD:
            own, other = labels.label(name, FORWARD), labels.label(name, INVERSE)
            hops.append(Hop(own.called, other.tail, own.tail))
    return SchemaLabels(tuple(dict.fromkeys(hops)), tuple(dict.fromkeys(classes)))


def tuned(
    kg: KnowledgeGraph,
    material: Material,
    reader: ReaderWeights,
    tuning: Tuning,
    told: Callable[[int, float], None],
) -> ReaderWeights:
    """A reader that was tuned to a graph; `told` hears the loss every 50 steps."""
    first = list(islice(examples_over(kg, material, SCHEMA, tuning.seed), 200))
    pools = pools_of(first, {SCHEMA: schema_of(kg)})
    drawing = Drawing(renamed=0.05, untold=0.1, unknown=0.1, none=0.04)
    batcher = Batcher(reader.lexicon, pools, drawing)
    plan = Plan(tuning.steps, tuning.batch, tuning.rate, tuning.seed, size=reader.settings.size)
    network = train(
        batcher,
        lambda step: examples_over(kg, material, SCHEMA, tuning.seed + 1 + step),
        plan,
        lambda step, loss, _: told(step, loss),
        start=deepcopy(reader.network.state_dict()),
    )
    settings = replace(reader.settings, kg=kg.digest)
    return ReaderWeights(network, reader.lexicon, settings)
