"""Hubs: nodes with more facts than are read, of which no relation shall go unseen."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple, TypeAlias

from .ranking import place, shares
from .store import Store, Way
from .terms import Step, Term

Side: TypeAlias = tuple[Term, bool]
"""A node and a direction, True for the facts that reach it."""


class Represented(NamedTuple):
    """Steps of each hub, and how often the store was asked for them."""

    steps: dict[Side, list[Step]]
    requests: int


def represent(store: Store, read: Mapping[Side, Sequence[Step]], limit: int) -> Represented:
    """At most `limit` steps of each hub, of every relation that its facts have; sorted.

    `read` are the steps of each hub in one direction that the store gave first, if any. The places
    are dealt out evenly; where a relation does not need its own, they go to steps that were read.
    What a hub keeps depends on no other hub. Raises ServiceError.
    """
    relations = {side: {step.triple.relation for step in steps} for side, steps in read.items()}
    requests = 0
    for inverse in sorted({inverse for _, inverse in read}):
        nodes = [node for node, way in read if way == inverse]
        requests += 1
        for node, found in zip(nodes, store.relations_at(nodes, inverse), strict=True):
            relations[node, inverse].update(found)
    known = {side: _by_relation(relations[side], steps) for side, steps in read.items()}
    missing: dict[int, list[Way]] = {}
    for (node, inverse), around in known.items():
        share = max(1, limit // max(1, len(around)))
        few = (r for r in sorted(around)[:limit] if len(around[r]) < share)
        missing.setdefault(share, []).extend(Way(node, r, inverse) for r in few)
    for share, ways in missing.items():
        if ways:
            requests += 1
            for way, steps in zip(ways, store.follow_each(ways, limit=share), strict=True):
                known[way.node, way.inverse][way.relation].update(steps)
    return Represented({side: _dealt(around, limit) for side, around in known.items()}, requests)


def _by_relation(relations: set[Term], steps: Sequence[Step]) -> dict[Term, set[Step]]:
    around: dict[Term, set[Step]] = {relation: set() for relation in relations}
    for step in steps:
        around[step.triple.relation].add(step)
    return around


def _dealt(around: Mapping[Term, set[Step]], limit: int) -> list[Step]:
    groups = [sorted(around[relation], key=place) for relation in sorted(around)]
    kept = shares([len(own) for own in groups], [1.0] * len(groups), limit)
    return [step for own, n in zip(groups, kept, strict=True) for step in own[:n]]
