"""A KG in memory as integers: what training needs to walk it fast and often."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from random import Random
from typing import NamedTuple, TypeAlias

from ...agent.decoding.wire import escape, spell_relation
from ...agent.errors import KGError
from ...agent.kg import KnowledgeGraph, why_no_facts
from ...agent.kg.labels.names import normalise
from ...agent.kg.terms import Term, Triple

Node: TypeAlias = int
"""The number of an entity."""


class Move(NamedTuple):
    """A relation by its number, and whether it is walked from tail to head."""

    relation: int
    inverse: bool = False


Moves: TypeAlias = tuple[Move, ...]
"""A relation path."""


@dataclass(frozen=True)
class Graph:
    """Entities and relations by number.

    `kinds` holds the class label of each entity, "" where it has none; `names` and `labels` are
    escaped for the wire. Only where it `returns` may a walk come back to its topic.
    """

    terms: tuple[Term, ...]
    names: tuple[str, ...]
    kinds: tuple[str, ...]
    relations: tuple[Term, ...]
    labels: tuple[str, ...]
    edges: Mapping[Move, Mapping[Node, tuple[Node, ...]]]
    returns: bool = False

    @cached_property
    def leaving(self) -> Mapping[Node, tuple[Move, ...]]:
        """The moves that leave each entity, in order."""
        moves: dict[Node, list[Move]] = defaultdict(list)
        for move in sorted(self.edges):
            for node in self.edges[move]:
                moves[node].append(move)
        return {node: tuple(leaving) for node, leaving in moves.items()}

    @cached_property
    def nodes(self) -> Mapping[str, tuple[Node, ...]]:
        """The entities of each class that take part in a fact."""
        nodes: dict[str, list[Node]] = defaultdict(list)
        for node in sorted(self.leaving):
            nodes[self.kinds[node]].append(node)
        return {kind: tuple(nodes[kind]) for kind in sorted(nodes)}

    @cached_property
    def by_name(self) -> Mapping[str, tuple[Node, ...]]:
        """The entities of each normalised name."""
        nodes: dict[str, list[Node]] = defaultdict(list)
        for node, name in enumerate(self.names):
            nodes[normalise(name)].append(node)
        return {name: tuple(same) for name, same in nodes.items()}

    @cached_property
    def by_term(self) -> Mapping[Term, Node]:
        """The number of each entity."""
        return {term: node for node, term in enumerate(self.terms)}

    def barred(self, topic: Node) -> frozenset[Node]:
        """What a walk from a topic never comes to."""
        return frozenset() if self.returns else frozenset((topic,))

    def spell(self, move: Move) -> str:
        """How a path spells the move."""
        return spell_relation(self.labels[move.relation], move.inverse)


def load_graph(kg: KnowledgeGraph, *, returns: bool = False) -> Graph:
    """Read the facts of a KG. Raises KGError when it has none."""
    facts = sorted(set(kg.walks.facts()))
    if not facts:
        why = why_no_facts(kg) or "the knowledge graph has no facts that walks may use"
        raise KGError(
            f"{kg.source}: nothing to train on: {why}",
            "give a graph that relates entities to each other",
        )
    terms = sorted({fact.head for fact in facts} | {fact.tail for fact in facts})
    relations = sorted({fact.relation for fact in facts})
    infos = kg.labels.describe(terms)
    return build_graph(
        facts,
        names={info.term: info.name for info in infos},
        kinds={info.term: info.kind for info in infos},
        labels=dict(zip(relations, kg.walk_labels.names(relations), strict=True)),
        one_way=frozenset(fact for fact in facts if kg.is_one_way(fact)),
        returns=returns,
    )


def build_graph(
    facts: Iterable[Triple],
    *,
    names: Mapping[Term, str],
    kinds: Mapping[Term, str],
    labels: Mapping[Term, str],
    one_way: Collection[Triple] = frozenset(),
    returns: bool = False,
) -> Graph:
    """Number the terms of some facts; `one_way` are those walked from head to tail only."""
    triples = sorted(set(facts))
    terms = sorted({end for fact in triples for end in (fact.head, fact.tail)})
    relations = sorted({fact.relation for fact in triples})
    node = {term: number for number, term in enumerate(terms)}
    number = {term: number for number, term in enumerate(relations)}
    edges: dict[Move, dict[Node, list[Node]]] = defaultdict(lambda: defaultdict(list))
    for fact in triples:
        head, tail, relation = node[fact.head], node[fact.tail], number[fact.relation]
        edges[Move(relation)][head].append(tail)
        if fact not in one_way:
            edges[Move(relation, True)][tail].append(head)
    return Graph(
        terms=tuple(terms),
        names=tuple(escape(names[term]) for term in terms),
        kinds=tuple(_class_label(kinds[term]) for term in terms),
        relations=tuple(relations),
        labels=tuple(escape(labels[term]) for term in relations),
        edges={
            move: {source: tuple(sorted(ends)) for source, ends in sorted(targets.items())}
            for move, targets in sorted(edges.items())
            if not (move.inverse and _is_symmetric(edges, move))
        },
        returns=returns,
    )


def _class_label(label: str) -> str:
    """A class label as the wire may hold it; empty where an entity has no class."""
    return " ".join(escape(label).split()) if label else ""


def follow(graph: Graph, nodes: Iterable[Node], move: Move) -> frozenset[Node]:
    """What one move reaches from a set of entities."""
    edges = graph.edges.get(move, {})
    return frozenset(target for node in nodes for target in edges.get(node, ()))


def execute(graph: Graph, topic: Node, moves: Sequence[Move]) -> frozenset[Node]:
    """The entities that a relation path reaches from a topic."""
    reached = frozenset((topic,))
    for move in moves:
        reached = follow(graph, reached, move) - graph.barred(topic)
        if not reached:
            break
    return reached


def sample_walk(
    graph: Graph, topic: Node, moves: Sequence[Move], rng: Random, ends: frozenset[Node] | None
) -> tuple[Node, ...] | None:
    """A random walk along a relation path, topic first, to one of `ends`; None if there is none."""
    layers = [frozenset((topic,))]
    for move in moves:
        layers.append(follow(graph, layers[-1], move) - graph.barred(topic))
    last = layers[-1] if ends is None else layers[-1] & ends
    if not last:
        return None
    walk = [rng.choice(sorted(last))]
    for move, layer in zip(reversed(moves), reversed(layers[:-1]), strict=True):
        edges = graph.edges[move]
        sources = [node for node in layer if walk[-1] in edges.get(node, ())]
        walk.append(rng.choice(sorted(sources)))
    return tuple(reversed(walk))


_MOST_PATHS = 20_000


def relation_paths(graph: Graph, topic: Node, hops: int) -> dict[Moves, frozenset[Node]]:
    """Every relation path of up to `hops` moves from a topic, and what it reaches.

    Shorter paths come first. At most `_MOST_PATHS` of them are followed.
    """
    paths: dict[Moves, frozenset[Node]] = {}
    frontier: dict[Moves, frozenset[Node]] = {(): frozenset((topic,))}
    for _ in range(hops):
        longer: dict[Moves, frozenset[Node]] = {}
        for moves, reached in frontier.items():
            for move in sorted({m for node in reached for m in graph.leaving.get(node, ())}):
                targets = follow(graph, reached, move) - graph.barred(topic)
                if targets:
                    longer[(*moves, move)] = targets
            if len(paths) + len(longer) >= _MOST_PATHS:
                break
        paths.update(longer)
        frontier = longer
    return paths


def _is_symmetric(edges: Mapping[Move, Mapping[Node, Sequence[Node]]], move: Move) -> bool:
    """Whether every fact of a relation is stated in both directions."""
    forward, inverse = edges[Move(move.relation)], edges[Move(move.relation, True)]
    return forward.keys() == inverse.keys() and all(
        set(targets) == set(inverse[node]) for node, targets in forward.items()
    )
