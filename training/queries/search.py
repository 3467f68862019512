"""The queries that give exactly the answers of a question, found by trying them, shortest first.

What is tried are walks, two walks joined, how many there are, whether there are any, and for a
question with one topic what of a walk has an extreme value; no other queries are found.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, islice
from typing import NamedTuple

from ...agent.query.actions import Action, Kind
from ...agent.query.values import value_of
from ..questions.graph import Graph, Move, Moves, Node, relation_paths

MOST = 2_000
"""Queries that are tried for a question."""


class Gold(NamedTuple):
    """What a question was answered with: things or values, a number, or a yes or no."""

    nodes: frozenset[Node] = frozenset()
    number: float | None = None
    truth: bool | None = None


class Candidate(NamedTuple):
    """The actions of a query, and the moves in them in their order."""

    actions: tuple[Action, ...]
    moves: Moves


def queries_giving(graph: Graph, topics: Sequence[Node], gold: Gold, hops: int) -> list[Candidate]:
    """The shortest queries from some topics that give just these answers; all of one length.

    A pointer is the number of a topic. A walk that comes back to its topic may count it or not.
    """
    giving = list[Candidate]()
    for query, gives in islice(_Search(graph, topics, gold, hops).candidates(), MOST):
        if giving and len(query.actions) > len(giving[0].actions):
            break
        if gives:
            giving.append(query)
    return giving


class _Set(NamedTuple):
    """A set by its actions; `topic` is that of a walk."""

    actions: tuple[Action, ...]
    moves: Moves
    nodes: frozenset[Node]
    topic: Node | None = None

    def then(self, *actions: Action, moves: Moves = ()) -> Candidate:
        """The query that ends in these actions."""
        return Candidate((*self.actions, *actions, Action("end")), (*self.moves, *moves))


@dataclass(frozen=True)
class _Search:
    graph: Graph
    topics: Sequence[Node]
    gold: Gold
    hops: int

    def candidates(self) -> Iterator[tuple[Candidate, bool]]:
        """Queries, each with whether it gives the answers, in the order of their lengths."""
        gold, joined_only = self.gold, self.gold.truth is not None and len(self.topics) > 1
        for size in range(1, 2 * self.hops + 6):
            if gold.nodes:
                for members in self._sets(size, joined_only=False):
                    yield members.then(), self._is_gold(members)
                yield from self._extremes(size) if len(self.topics) == 1 else ()
            if gold.number is not None:
                for members in self._sets(size, joined_only=False):
                    yield members.then(Action("count")), len(members.nodes) == gold.number
            if gold.truth is not None:
                for members in self._sets(size, joined_only=joined_only):
                    yield members.then(Action("yesno")), bool(members.nodes) == gold.truth

    def _is_gold(self, members: _Set) -> bool:
        wanted = self.gold.nodes
        return members.nodes == wanted or members.nodes - {members.topic} == wanted

    def _sets(self, size: int, *, joined_only: bool) -> Iterator[_Set]:
        """The sets of so many actions."""
        if not joined_only:
            yield from self._walks(size - 1)
        for first, second in combinations(range(len(self.topics)), 2):
            for length in range(self.hops, -1, -1):
                yield from self._joined(first, second, length, size - 4 - length)

    def _walks(self, length: int) -> Iterator[_Set]:
        if length < 1:
            return
        for number, topic in enumerate(self.topics):
            for moves, nodes in self._around[number].get(length, {}).items():
                yield _Set(self._walk(number, moves), moves, nodes, topic)

    def _joined(self, first: int, second: int, one: int, other: int) -> Iterator[_Set]:
        """Two walks of some lengths, joined; one of no length only where a yes or no is asked."""
        if not (one and other) and (self.gold.truth is None or one == other):
            return
        others = self._near(second, other)
        for moves, nodes in self._near(first, one).items():
            for more, ends in others.items():
                inner = (Action("and"), *self._walk(second, more), Action("end"))
                actions = (*self._walk(first, moves), *inner)
                yield _Set(actions, (*moves, *more), nodes & ends)

    def _near(self, number: int, length: int) -> Mapping[Moves, frozenset[Node]]:
        """The walks of a length from a topic; those that meet all answers, where these are told."""
        walks = self._around[number].get(length, {})
        wanted = self.gold.nodes if self.gold.number is None else frozenset[Node]()
        return {moves: nodes for moves, nodes in walks.items() if wanted <= nodes}

    def _extremes(self, size: int) -> Iterator[tuple[Candidate, bool]]:
        """What of a walk has most or least of something: a value, or so many things."""
        for many, length in ((False, size - 2), (True, size - 3)):
            for members in self._walks(length):
                if not self.gold.nodes < members.nodes:
                    continue
                leaving = {
                    move for node in members.nodes for move in self.graph.leaving.get(node, ())
                }
                for move in sorted(leaving):
                    sizes = self._counts(members, move) if many else self._values(members, move)
                    yield from self._ranked(members, move, sizes, many=many)

    def _ranked(
        self, members: _Set, move: Move, sizes: Mapping[Node, Sequence[float]], *, many: bool
    ) -> Iterator[tuple[Candidate, bool]]:
        after = (Action("many"),) if many else ()
        kinds: tuple[Kind, Kind] = ("most", "least")
        for kind, choose in zip(kinds, (max, min), strict=True) if sizes else ():
            of = {node: choose(values) for node, values in sizes.items()}
            best = choose(of.values())
            winners = frozenset(node for node, value in of.items() if value == best)
            query = members.then(self._action(kind, move), *after, moves=(move,))
            yield query, winners == self.gold.nodes

    def _counts(self, members: _Set, move: Move) -> Mapping[Node, Sequence[float]]:
        edges = self.graph.edges[move]
        return {node: (len(edges.get(node, ())),) for node in members.nodes}

    def _values(self, members: _Set, move: Move) -> Mapping[Node, Sequence[float]]:
        """The numbers that members have, or the dates where there are none; of one unit."""
        edges, terms = self.graph.edges[move], self.graph.terms
        known = [
            (node, value)
            for node in members.nodes
            for end in edges.get(node, ())
            if (value := value_of(terms[end])) is not None
        ]
        numbers = [(node, value) for node, value in known if value.unit != "date"]
        sizes = dict[Node, list[float]]()
        for node, value in numbers or known:
            sizes.setdefault(node, []).append(value.number)
        return sizes if len({value.unit for _, value in numbers}) < 2 else {}

    @cached_property
    def _around(self) -> list[dict[int, dict[Moves, frozenset[Node]]]]:
        """For each topic its walks by length, and what they lead to."""
        return [self._from(topic) for topic in self.topics]

    def _from(self, topic: Node) -> dict[int, dict[Moves, frozenset[Node]]]:
        walks: dict[int, dict[Moves, frozenset[Node]]] = {0: {(): frozenset((topic,))}}
        for moves, nodes in relation_paths(self.graph, topic, self.hops).items():
            walks.setdefault(len(moves), {})[moves] = nodes
        if self.gold.truth is False or self.gold.number == 0:
            nothing: dict[Moves, frozenset[Node]] = {
                (move,): frozenset[Node]() for move in self._lacking(topic)
            }
            walks[1] = {**walks.get(1, {}), **nothing}
        return walks

    def _lacking(self, topic: Node) -> list[Move]:
        """The moves that others of its class have, and a topic has not."""
        alike = self.graph.nodes.get(self.graph.kinds[topic], ())
        moves = {move for node in alike for move in self.graph.leaving.get(node, ())}
        return sorted(moves.difference(self.graph.leaving.get(topic, ())))

    def _walk(self, number: int, moves: Moves) -> tuple[Action, ...]:
        steps = (self._action("step", move) for move in moves)
        return (Action("pointer", number=number), *steps)

    def _action(self, kind: Kind, move: Move) -> Action:
        return Action(kind, self.graph.relations[move.relation], move.inverse)
