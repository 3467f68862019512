"""Which relation paths a graph has from which class, and how often to ask each."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from random import Random
from typing import NamedTuple

from ...agent.errors import KGError
from .graph import Graph, Move, Moves, Node, execute, relation_paths

_SAMPLED = 40
"""Entities of each class that are walked from to find its paths."""
_UNCLASSED = 1_000
"""Those without a class, of which each group gets as many."""
_SHAPES = 100_000
"""Those that such groups may have together."""
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


def find_shapes(graph: Graph, hops: int, rng: Random, *, every: bool = True) -> Shapes:
    """The shapes of up to `hops` moves, with `every` relation that entities without a class have.

    Otherwise the common ones, which is better beside questions that somebody asked: rare relations
    are hard to learn. Raises KGError when no entity has a fact to walk.
    """
    facts = sum(len(t) for found in graph.edges.values() for t in found.values())
    few = facts >= _SAMPLED_EDGES
    sampled = _SAMPLED // 4 if few else _SAMPLED
    groups = _groups(graph) if every else list(graph.nodes.items())
    unclassed = [nodes for kind, nodes in groups if not kind]
    of_each = (_UNCLASSED // 16 if few else _UNCLASSED) // max(1, len(unclassed))
    without = sum(map(len, unclassed))
    shapes, weights = list[Shape](), list[float]()
    for kind, nodes in groups:
        apart = every and not kind
        most = min(sampled, max(of_each, 1)) if apart else sampled
        topics = rng.sample(nodes, min(most, len(nodes)))
        found = _weigh([relation_paths(graph, topic, hops) for topic in topics])
        moves = sum(len(path) == 1 for path in found)
        size = len(nodes) / without**0.5 if apart else len(nodes) ** 0.5
        shown = size * max(moves, 1) ** 0.75
        if graph.terms[nodes[0]].startswith('"'):
            shown *= _FROM_VALUES
        for length in range(1, hops + 1):
            of_length = [own for own in found.items() if len(own[0]) == length]
            if apart:
                likeliest = sorted(of_length, key=lambda own: (-own[1], own[0]))
                of_length = likeliest[: max(_SHAPES // len(unclassed) // hops, 20)]
            share = SHARES[length - 1] if length <= len(SHARES) else SHARES[-1]
            total = sum(weight for _, weight in of_length)
            for path, weight in of_length:
                shapes.append(Shape(kind, path, nodes))
                weights.append(weight / total * share * shown)
    if not weights:
        raise KGError("the knowledge graph has no facts that a path can walk")
    return Shapes(graph, tuple(shapes), tuple(accumulate(weights)))


def _groups(graph: Graph) -> list[tuple[str, tuple[Node, ...]]]:
    """The entities of each class; those without one by the rarest move that leaves them.

    So each relation is asked for, also of a graph that classes nothing and has hundreds of them.
    """
    rarest = defaultdict[Move, list[Node]](list)
    for node in graph.nodes.get("", ()):
        rarest[min(graph.leaving[node], key=lambda m: (len(graph.edges[m]), m))].append(node)
    return [(kind, nodes) for kind, nodes in graph.nodes.items() if kind] + [
        ("", tuple(nodes)) for _, nodes in sorted(rarest.items())
    ]


def _weigh(found: Sequence[Mapping[Moves, frozenset[Node]]]) -> dict[Moves, float]:
    """Common paths weigh more than rare ones, and those that a shorter one replaces little."""
    answers: dict[Moves, dict[int, frozenset[Node]]] = {}
    for place, paths in enumerate(found):
        for path, reached in paths.items():
            answers.setdefault(path, {})[place] = reached
    seen = dict[frozenset[tuple[int, frozenset[Node]]], int]()
    weights = dict[Moves, float]()
    for path in sorted(answers, key=lambda p: (len(p), p)):
        fingerprint = frozenset(answers[path].items())
        shorter = seen.setdefault(fingerprint, len(path)) < len(path)
        frequency = (len(answers[path]) / len(found)) ** 0.5
        weights[path] = frequency * (_REDUNDANT if shorter else 1.0)
    return weights
