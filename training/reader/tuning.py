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
from ...agent.reader.network import make_network
from ...agent.reader.weights import ReaderWeights
from ..data import Material
from .batches import Batcher, Drawing, pools_of
from .learning import Plan, blended, train
from .lessons import examples_over
from .replay import Replay, mixed
from .sources import Hop, SchemaLabels

SCHEMA = "graph"
"""The name of the schema of the graph that is tuned to."""
_HEARD = 5
"""Steps after which it is told how the tuning goes."""


@dataclass(frozen=True)
class Tuning:
    """How a reader is tuned."""

    steps: int = 500
    batch: int = 32
    rate: float = 1e-3
    seed: int = 0
    replayed: float = 0.4
    """How many of the questions are over other graphs."""
    frozen: tuple[str, ...] = ("table.weight", "meanings.weight")
    """What stays as it is: what letters and meanings of words are like, also of those that the
    graph's own questions do not have."""


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
    replay: Replay | None = None,
) -> ReaderWeights:
    """A reader that was tuned to a graph; `told` hears the loss after steps.

    Questions of `replay` are among those that are learnt.
    """
    replay = replay or Replay()
    first = list(islice(examples_over(kg, material, SCHEMA, tuning.seed), 200))
    pools = pools_of([*first, *replay.examples], {SCHEMA: schema_of(kg), **replay.schemas})
    drawing = Drawing(renamed=0.05, untold=0.1, unknown=0.1, none=0.04)
    batcher = Batcher(reader.lexicon, pools, drawing)
    plan = Plan(
        tuning.steps,
        tuning.batch,
        tuning.rate,
        tuning.seed,
        size=reader.settings.size,
        frozen=tuning.frozen,
        heard=_HEARD,
    )
    network = train(
        batcher,
        lambda step: mixed(
            examples_over(kg, material, SCHEMA, tuning.seed + 1 + step),
            replay.examples,
            tuning.replayed,
            tuning.seed,
        ),
        plan,
        lambda step, loss, _: told(step, loss),
        start=deepcopy(reader.network.state_dict()),
    )
    settings = replace(reader.settings, kg=kg.digest)
    return ReaderWeights(network, reader.lexicon, settings)


def between(start: ReaderWeights, end: ReaderWeights, share: float) -> ReaderWeights:
    """A reader on the way from one to another: at a share of it."""
    if share in (0.0, 1.0):
        return end if share else start
    network = make_network(start.settings.size)
    network.load_state_dict(blended(start.network.state_dict(), end.network.state_dict(), share))
    return replace(end, network=network.eval())
