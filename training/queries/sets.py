"""Sets in words, over any graph: all of a class, or what a walk leads to."""

from collections.abc import Sequence
from random import Random
from typing import TypeAlias

from ...agent.query.actions import Action
from ..questions.compose import Route, route_of
from ..questions.graph import Move, Moves, Node, execute, sample_walk
from .clauses import several
from .operators import Members, Operators
from .question import Named, sign

SEVERAL = 0.12
"""How many walks begin at two things."""
_OF_TEXT = 0.2
"""How many walks begin at a text, where texts are named."""
_TRIES = 12
"""Walks that are drawn until one leads to a class, or topics until one leads somewhere."""


def of_class(ops: Operators, rng: Random) -> Members | None:
    """All things of a class; None where the graph has no classes."""
    graph = ops.graph
    kinds = [kind for kind in graph.nodes if kind in ops.classes and ops.are_things(kind)]
    if not kinds:
        return None
    kind = rng.choice(kinds)
    noun = ops.composer.noun(kind, True, rng)
    text = rng.choice(("all {}", "the {}", "all the {}", "all {} there are")).format(noun)
    actions = (Action("class", ops.classes[kind]),)
    return Members(text, noun, kind, actions, (), frozenset(graph.nodes[kind]))


def of_walk(ops: Operators, rng: Random, first: int) -> Members | None:
    """What one or two hops lead to; None for values. Its topic has the number `first`."""
    walk = _text_walk(ops, rng) if ops.names_texts and rng.random() < _OF_TEXT else None
    moves, walk = walk or _thing_walk(ops, rng)
    if walk is None:
        return None
    topics = (walk[0],)
    if rng.random() < SEVERAL and (other := _beside(ops, moves, walk[0], rng)) is not None:
        topics = (walk[0], other)
    return _reached(ops, topics, moves, route_of(ops.graph, moves, walk), rng, first)


_Walk: TypeAlias = Sequence[Node] | None


def _thing_walk(ops: Operators, rng: Random) -> tuple[Moves, _Walk]:
    shape, topic = ops.shapes.sample(rng)
    moves = shape.moves[: rng.choice((1, 1, 2))]
    walk = sample_walk(ops.graph, topic, moves, rng, None)
    if walk is None or not (ops.is_thing(walk[-1]) and ops.is_thing(topic)):
        return moves, None
    return moves, walk


def _text_walk(ops: Operators, rng: Random) -> tuple[Moves, _Walk] | None:
    """A walk from a text to what has it."""
    if not ops.text_moves:
        return None
    move, texts = rng.choice(ops.text_moves)
    walk = sample_walk(ops.graph, rng.choice(texts), (move,), rng, None)
    return ((move,), walk) if walk and ops.is_thing(walk[-1]) else None


def _beside(ops: Operators, moves: Moves, topic: Node, rng: Random) -> Node | None:
    """Another thing of the class of a topic, from which the same moves lead somewhere, too."""
    edges = ops.graph.edges[moves[0]]
    kind = ops.graph.kinds[topic]
    others = [node for node in sorted(edges) if node != topic and ops.graph.kinds[node] == kind]
    drawn = rng.sample(others, min(_TRIES, len(others)))
    return next((node for node in drawn if execute(ops.graph, node, moves)), None)


def _reached(
    ops: Operators, topics: Sequence[Node], moves: Moves, route: Route, rng: Random, first: int
) -> Members:
    """What some moves lead to from a topic, or from either of two."""
    signs = [sign(first + number) for number in range(len(topics))]
    topic = signs[0] if len(signs) == 1 else several(ops, "or", rng, *signs).text
    text = ops.composer.phrase(route, len(moves), rng, topic).text
    pointers = (Action("pointer", number=first + number) for number in range(len(topics)))
    reached = frozenset[Node]().union(*(execute(ops.graph, node, moves) for node in topics))
    named = tuple(named_topic(ops, node, moves[0]) for node in topics)
    actions = (*pointers, *map(ops.step, moves))
    return Members(text, _bare(ops, text), route.kinds[-1], actions, named, reached)


def named_topic(ops: Operators, node: Node, move: Move) -> Named:
    """What a sign stands for that names where a walk begins; a text is of its relation's kind."""
    if ops.is_text(node):
        return Named(ops.graph.names[node], ops.graph.labels[move.relation])
    return ops.named(node)


def _bare(ops: Operators, text: str) -> str:
    for determiner in ops.words.templates["determiners"]:
        if text.startswith(f"{determiner} "):
            return text.removeprefix(f"{determiner} ")
    return text


def same_class(ops: Operators, members: Members, rng: Random, first: int) -> Members | None:
    """Another set of things of the class."""
    for _ in range(_TRIES):
        other = of_walk(ops, rng, first)
        if other is not None and other.kind == members.kind:
            return other
    return None
