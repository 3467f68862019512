"""Which relation paths a graph has from which class, and how often to ask each."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from random import Random
from typing import NamedTuple

from ...agent.errors import KGError
from .graph import Graph, Move, Moves, Node, execute, relation_paths

_SAMPLED = 40
"""Entities of each class that are walked from to find its paths."""
_UNCLASSED = 1_000
"""Those without a class, of all groups of these together."""
_SHAPES = 100_000
"""Shapes that such groups may have together."""
_SAMPLED_EDGES = 60_000
"""Above so many facts fewer entities are sampled, since each reaches much."""

SHARES = (0.42, 0.38, 0.20)
"""How many of the questions take one, two and three hops."""

_FROM_VALUES = 0.2
"""The weight of a class of values, such as years and heights, as topics beside 1 for entities."""

_REDUNDANT = 0.12
"""The weight of a path that reaches the same as a shorter one, beside 1 for others."""


class Shape(NamedTuple):
    """A relation path and the class of the topics that it starts from; `topics` are all of them."""

    kind: str
    moves: Moves
    topics: tuple[Node, ...]


@dataclass(frozen=True)
class Shapes:
    """The shapes of a graph and their cumulative weights."""

    graph: Graph
    shapes: tuple[Shape, ...]
    weights: tuple[float, ...]

    def sample(self, rng: Random) -> tuple[Shape, Node]:
        """A shape and a topic that has it."""
        while True:
            (shape,) = rng.choices(self.shapes, cum_weights=self.weights)
            for _ in range(8):
                topic = rng.choice(shape.topics)
                if execute(self.graph, topic, shape.moves):
                    return shape, topic


class _Group(NamedTuple):
    """Entities of one class, or some of those without: how many are sampled, and their weight."""

    kind: str
    nodes: tuple[Node, ...]
    sampled: int
    size: float
    shapes: int | None
    """How many shapes of each length it may have, the likeliest; None for all."""


def find_shapes(graph: Graph, hops: int, rng: Random, *, every: bool = True) -> Shapes:
    """The shapes of up to `hops` moves, with `every` relation that entities without a class have.

    Otherwise the common ones, which is better beside questions that somebody asked: rare relations
    are hard to learn. Raises KGError when no entity has a fact to walk.
    """
    shapes, weights = list[Shape](), list[float]()
    for group in _groups(graph, hops, every=every):
        topics = rng.sample(group.nodes, min(group.sampled, len(group.nodes)))
        paths = _weigh([relation_paths(graph, topic, hops) for topic in topics])
        asked = group.size * max(sum(len(path) == 1 for path in paths), 1) ** 0.75
        if graph.terms[group.nodes[0]].startswith('"'):
            asked *= _FROM_VALUES
        for length in range(1, hops + 1):
            of_length = [(path, weight) for path, weight in paths.items() if len(path) == length]
            if group.shapes is not None:
                of_length = sorted(of_length, key=lambda one: (-one[1], one[0]))[: group.shapes]
            share = SHARES[min(length, len(SHARES)) - 1]
            total = sum(weight for _, weight in of_length)
            shapes += [Shape(group.kind, path, group.nodes) for path, _ in of_length]
            weights += [weight / total * share * asked for _, weight in of_length]
    if not weights:
        raise KGError("the knowledge graph has no facts that a path can walk")
    return Shapes(graph, tuple(shapes), tuple(accumulate(weights)))


def _groups(graph: Graph, hops: int, *, every: bool) -> Iterator[_Group]:
    """The entities of each class; with `every`, those without one by their rarest move.

    So each relation is asked for, also of a graph that classes nothing and has hundreds of them.
    """
    facts = sum(len(tails) for edges in graph.edges.values() for tails in edges.values())
    fewer = facts >= _SAMPLED_EDGES
    sampled = _SAMPLED // 4 if fewer else _SAMPLED
    for kind, nodes in graph.nodes.items():
        if kind or not every:
            yield _Group(kind, nodes, sampled, len(nodes) ** 0.5, None)
    unclassed = graph.nodes.get("", ()) if every else ()
    rarest = defaultdict[Move, list[Node]](list)
    for node in unclassed:
        rarest[min(graph.leaving[node], key=lambda m: (len(graph.edges[m]), m))].append(node)
    of_each = (_UNCLASSED // 16 if fewer else _UNCLASSED) // max(1, len(rarest))
    shapes = max(_SHAPES // max(1, len(rarest)) // hops, 20)
    for _, nodes in sorted(rarest.items()):
        size = len(nodes) / len(unclassed) ** 0.5
        yield _Group("", tuple(nodes), min(sampled, max(of_each, 1)), size, shapes)


def _weigh(paths_of: Sequence[Mapping[Moves, frozenset[Node]]]) -> dict[Moves, float]:
    """The weights of paths by what they reach from each topic.

    Common paths weigh more than rare ones, and those that a shorter one replaces little.
    """
    answers: dict[Moves, dict[int, frozenset[Node]]] = {}
    for topic, paths in enumerate(paths_of):
        for path, reached in paths.items():
            answers.setdefault(path, {})[topic] = reached
    seen = dict[frozenset[tuple[int, frozenset[Node]]], int]()
    weights = dict[Moves, float]()
    for path in sorted(answers, key=lambda p: (len(p), p)):
        fingerprint = frozenset(answers[path].items())
        shorter = seen.setdefault(fingerprint, len(path)) < len(path)
        frequency = (len(answers[path]) / len(paths_of)) ** 0.5
        weights[path] = frequency * (_REDUNDANT if shorter else 1.0)
    return weights
