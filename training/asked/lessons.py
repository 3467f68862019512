"""From a question with answers to lessons: the relation paths that lead from a topic to them."""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, groupby
from typing import NamedTuple, TypeAlias

from ...agent.kg import KnowledgeGraph
from ...agent.kg.labels.names import normalise
from ..questions.graph import Graph, Moves, Node, relation_paths
from ..recipe import Way
from ..wording.english import OTHER, TOPIC
from .question_files import FileQuestion

_SAME = 1e-9
_MOST = 100
"""Relation paths from each of two topics that are tried together."""

Reached: TypeAlias = Mapping[Moves, frozenset[Node]]
"""What relation paths from a topic reach, the shorter paths first."""


class Lesson(NamedTuple):
    """A question with `TOPIC` for its topic's name, and the relation paths to its answers.

    Other topics that it names are `OTHER` in its text, in the order of `others`.
    """

    text: str
    topic: Node
    others: tuple[Node, ...]
    paths: tuple[Moves, ...]
    answers: frozenset[Node]


def lessons_of(
    kg: KnowledgeGraph, graph: Graph, asked: FileQuestion, hops: int, way: Way
) -> tuple[list[Lesson], float] | str:
    """The lessons of a question and the F1 of their paths, or why it gives none."""
    topics = topics_of(kg, graph, asked)
    if not topics:
        return "whose topic the graph or the question does not name"
    answers = frozenset(node for name in asked.answers for node in nodes_named(kg, graph, name))
    if not answers:
        return "whose answers the graph does not hold"
    ranked = list[tuple[float, int, tuple[_From, ...]]]()
    around = dict[tuple[int, Node], Reached]()
    for number, topic in enumerate(topics):
        for node in topic.nodes[:4]:
            reached = relation_paths(graph, node, hops)
            around[number, node] = reached
            choose = best_paths if way == "best" else shortest_paths
            paths, score = choose(reached, answers - graph.barred(node))
            if paths:
                ranked.append((score, -len(paths[0]), (_From(number, node, paths),)))
    if way == "best" and ranked and len(topics) > 1:
        ranked += _together(around, answers)
    if not ranked:
        return f"without a path of {hops} hops to an answer"
    score, _, chosen = max(
        ranked, key=lambda candidate: (round(candidate[0], 9), -len(candidate[2]), candidate[1])
    )
    return [_lesson(asked.text, topics, from_topic, answers) for from_topic in chosen], score


def best_paths(reached: Reached, answers: frozenset[Node]) -> tuple[tuple[Moves, ...], float]:
    """The relation paths that reach the answers with the best F1, the shorter first."""
    scores = {moves: f1(nodes, answers) for moves, nodes in reached.items()}
    best = max(scores.values(), default=0.0)
    if not best:
        return (), 0.0
    return tuple(moves for moves, score in scores.items() if score > best - _SAME), best


def shortest_paths(reached: Reached, answers: frozenset[Node]) -> tuple[tuple[Moves, ...], float]:
    """The relation paths of all shortest walks to each answer, and the F1 of what they reach."""
    paths, left = list[Moves](), answers
    for _, level in groupby(reached.items(), key=lambda pair: len(pair[0])):
        nearest = [(moves, nodes & left) for moves, nodes in level if nodes & left]
        paths += [moves for moves, _ in nearest]
        left = left.difference(*(nodes for _, nodes in nearest))
    whole = frozenset[Node]().union(*(reached[moves] for moves in paths))
    return tuple(paths), f1(whole, answers)


def f1(reached: frozenset[Node], answers: frozenset[Node]) -> float:
    """F1 of what was reached; 0 where there is nothing to compare."""
    return 2 * len(reached & answers) / max(1, len(reached) + len(answers))


class Topic(NamedTuple):
    """A topic as the question names it, and the entities that may be meant."""

    start: int
    mention: str
    nodes: list[Node]

    @property
    def end(self) -> int:
        """The character after its mention."""
        return self.start + len(self.mention)


class _From(NamedTuple):
    """Relation paths from one of the topics, by its number."""

    topic: int
    node: Node
    paths: tuple[Moves, ...]


def _together(
    around: Mapping[tuple[int, Node], Reached], answers: frozenset[Node]
) -> Iterator[tuple[float, int, tuple[_From, ...]]]:
    """For each two topics the relation paths whose common ends meet the answers best."""
    near = {
        topic: sorted(
            (moves for moves, nodes in reached.items() if nodes & answers),
            key=lambda moves, reached=reached: -f1(reached[moves], answers),
        )[:_MOST]
        for topic, reached in around.items()
    }
    for first, second in combinations(around, 2):
        if first[0] == second[0] or first[1] == second[1]:
            continue
        scores = {
            (one, two): f1(around[first][one] & around[second][two], answers)
            for one in near[first]
            for two in near[second]
        }
        best = max(scores.values(), default=0.0)
        pairs = [pair for pair, score in scores.items() if best and score > best - _SAME]
        if pairs:
            one, two = min(pairs, key=lambda pair: (len(pair[0]) + len(pair[1]), pair))
            yield best, -len(one) - len(two), (_From(*first, (one,)), _From(*second, (two,)))


def _lesson(text: str, topics: Sequence[Topic], chosen: _From, answers: frozenset[Node]) -> Lesson:
    """A lesson from one of the topics; `text` is as it was asked."""
    marked, end, others = "", 0, list[Node]()
    for number, topic in sorted(enumerate(topics), key=lambda one: one[1].start):
        is_topic = number == chosen.topic
        marked += text[end : topic.start] + (TOPIC if is_topic else OTHER)
        end = topic.end
        if not is_topic:
            others.append(topic.nodes[0])
    return Lesson(marked + text[end:], chosen.node, tuple(others), chosen.paths, answers)


def topics_of(kg: KnowledgeGraph, graph: Graph, asked: FileQuestion) -> list[Topic]:
    """The topics that both the graph and the question name, no two at one place."""
    topics = list[Topic]()
    for topic in asked.topics:
        nodes = nodes_named(kg, graph, topic)
        if not nodes:
            continue
        names = (f"[{topic}]", topic, graph.names[nodes[0]])
        spots = (spot for name in names for spot in positions(asked.text, name))
        free = (spot for spot in spots if not any(_overlap(spot, other) for other in topics))
        if spot := next(free, None):
            topics.append(Topic(spot[0], asked.text[slice(*spot)], nodes))
    return topics


def _overlap(spot: tuple[int, int], other: Topic) -> bool:
    return spot[0] < other.end and other.start < spot[1]


def positions(text: str, name: str) -> list[tuple[int, int]]:
    """Where a text holds a name, in whatever case; whole words first."""
    spots = [match.span() for match in re.finditer(re.escape(name), text, re.IGNORECASE)]
    return sorted(spots, key=lambda spot: (_inside_word(text, *spot), spot))


def _inside_word(text: str, start: int, end: int) -> bool:
    return text[start - 1 : start].isalnum() or text[end : end + 1].isalnum()


def nodes_named(kg: KnowledgeGraph, graph: Graph, name: str) -> list[Node]:
    """The entities of a term or a name."""
    term = kg.representatives([name])[name]
    if term in graph.by_term:
        return [graph.by_term[term]]
    named = dict.fromkeys(kg.representatives(kg.labels.named(name)).values())
    nodes = [graph.by_term[term] for term in named if term in graph.by_term]
    return nodes or list(graph.by_name.get(normalise(name), ()))
