"""Hubs: nodes with more facts than are read or shown, and which of their steps are kept.

No relation of a hub goes unseen; beyond that, relations that are similar to the question keep more.
"""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from heapq import heapify, heappop, heappush
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from ..store import Labels, Store, Way
from ..terms import Step, Term
from .ranking import DIGITS, BM25Ranker, Ranker

if TYPE_CHECKING:
    pass


Side: TypeAlias = tuple[Term, bool]
"""A node and a direction, True for the facts that reach it."""


class Represented(NamedTuple):
    """Steps of each hub, and how often the store was asked for them."""

    steps: dict[Side, list[Step]]
    requests: int


def represent(store: Store, read: Mapping[Side, Sequence[Step]], limit: int) -> Represented:
    """At most `limit` steps of each hub, of every relation that its facts have; sorted.

    `read` are the steps of each hub in one direction that the store gave first, if any. Relations
    share the limit evenly; what one does not need goes to the steps that were read of others.
    What a hub keeps depends on no other hub. Raises ServiceError.
    """
    requests = 0
    steps_of: dict[Side, defaultdict[Term, set[Step]]] = {side: defaultdict(set) for side in read}
    for (node, inverse), step in ((side, step) for side, steps in read.items() for step in steps):
        steps_of[node, inverse][step.triple.relation].add(step)
    for inverse in sorted({inverse for _, inverse in read}):
        nodes = [node for node, way in read if way == inverse]
        requests += 1
        for node, relations in zip(nodes, store.relations_at(nodes, inverse), strict=True):
            for relation in relations:
                steps_of[node, inverse].setdefault(relation, set())
    missing = _missing_ways(steps_of, limit)
    for share, ways in missing.items():
        requests += 1
        for way, steps in zip(ways, store.follow_each(ways, limit=share), strict=True):
            steps_of[way.node, way.inverse][way.relation].update(steps)
    return Represented({side: _shared(steps, limit) for side, steps in steps_of.items()}, requests)


def _missing_ways(
    steps_of: Mapping[Side, Mapping[Term, Collection[Step]]], limit: int
) -> dict[int, list[Way]]:
    """By their share of steps, the ways of which fewer steps are known than that."""
    missing: defaultdict[int, list[Way]] = defaultdict(list)
    for (node, inverse), by_relation in steps_of.items():
        share = max(1, limit // max(1, len(by_relation)))
        for relation in sorted(by_relation)[:limit]:
            if len(by_relation[relation]) < share:
                missing[share].append(Way(node, relation, inverse))
    return missing


def _shared(by_relation: Mapping[Term, Collection[Step]], limit: int) -> list[Step]:
    groups = [sorted(by_relation[relation], key=step_order) for relation in sorted(by_relation)]
    sizes = shares([len(group) for group in groups], [1.0] * len(groups), limit)
    return [step for group, size in zip(groups, sizes, strict=True) for step in group[:size]]


_MOST_NAMED = 2_000
"""Targets of one node whose names are compared with the question."""
_Walked: TypeAlias = tuple[Term, bool]
"""A relation and the direction in which it is walked, True from tail to head."""


def relevant_steps(
    steps: list[Step], most: int, question: str, labels: Labels, ranker: Ranker
) -> list[Step]:
    """At most `most` of the steps of one node; sorted as they were, by relation and target.

    - Every relation, in each direction, keeps at least one step as long as `most` allows, and as
      many as fit when half of `most` is shared evenly.
    - The rest goes by weight: one over the number of relations whose names are at least as similar
      to the question.
    - Of a relation, targets whose names share words with the question come first, then smaller
      terms. Of the largest hubs only some relations' targets are compared by name.
    """
    if len(steps) <= most:
        return steps
    if not most:
        return []
    groups: dict[_Walked, list[Step]] = {}
    for step in steps:
        groups.setdefault((step.triple.relation, step.inverse), []).append(step)
    similar = _similarities(sorted({relation for relation, _ in groups}), question, labels, ranker)

    def order(walked: _Walked) -> tuple[bool, float, _Walked]:
        """The second direction of a relation waits until all relations had their turn."""
        relation, inverse = walked
        return inverse and (relation, False) in groups, -similar[relation], walked

    ordered = sorted(groups, key=order)
    scores = sorted(similar[relation] for relation, _ in groups)
    weights = [
        1 / (len(scores) - bisect_left(scores, similar[relation])) for relation, _ in ordered
    ]
    step_groups = [groups[walked] for walked in ordered]
    sizes = shares([len(group) for group in step_groups], weights, most)
    step_groups = _sorted_by_words(step_groups, sizes, question, labels)
    chosen = (s for group, n in zip(step_groups, sizes, strict=True) for s in group[:n])
    return sorted(chosen, key=step_order)


def step_order(step: Step) -> tuple[Term, Term, bool]:
    """The key by which stores sort the steps of a node."""
    return step.triple.relation, step.target, step.inverse


def shares(sizes: Sequence[int], weights: Sequence[float], total: int) -> list[int]:
    """How many of `total` seats each group gets, none more than its size, and none left free.

    First one each, in their order, or as many as half of the seats allow; then seat by seat to
    the group whose weight is the largest for what it would have (D'Hondt's method).
    """
    even = max(1, total // max(1, 2 * len(sizes)))
    seats: list[int] = []
    for size in sizes:
        seats.append(min(size, even, total))
        total -= seats[-1]
    waiting = [(-weights[i] / (seats[i] + 1), i) for i, size in enumerate(sizes) if seats[i] < size]
    heapify(waiting)
    while waiting and total:
        _, i = heappop(waiting)
        seats[i] += 1
        total -= 1
        if seats[i] < sizes[i]:
            heappush(waiting, (-weights[i] / (seats[i] + 1), i))
    return seats


def _similarities(
    terms: list[Term], question: str, labels: Labels, ranker: Ranker
) -> dict[Term, float]:
    scores = ranker.scores(question, labels.names(terms))
    return {term: round(score, DIGITS) for term, score in zip(terms, scores, strict=True)}


def _sorted_by_words(
    groups: list[list[Step]], sizes: list[int], question: str, labels: Labels
) -> list[list[Step]]:
    """The groups, and in those that are cut the targets that share words with the question first.

    As many of the groups as have few enough targets together.
    """
    left = _MOST_NAMED
    chosen: set[int] = set()
    for i, group in enumerate(groups):
        if 0 < sizes[i] < len(group) <= left:
            left -= len(group)
            chosen.add(i)
    targets = list(dict.fromkeys(step.target for i in sorted(chosen) for step in groups[i]))
    if not targets:
        return groups
    similar = _similarities(targets, question, labels, BM25Ranker())
    return [
        sorted(group, key=lambda step: -similar[step.target]) if i in chosen else group
        for i, group in enumerate(groups)
    ]
