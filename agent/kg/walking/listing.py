"""The walks that leave some entities, and the shortest paths between entities, in a view.

Walks are listed from each relation path in turn, so that no hub crowds out the others.
"""

from collections import deque
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import chain, islice
from typing import Literal, NamedTuple, Protocol

from ..terms import Path, RelationPath, Step, Term


class Around(Protocol):
    """Where walks may go."""

    def neighbours(self, nodes: Sequence[Term]) -> list[list[Step]]:
        """The steps that leave each node."""
        ...


class Listed(NamedTuple):
    """Walks, the shortest first, and whether there are more."""

    paths: list[Path]
    more: bool


def list_walks(
    around: Around,
    topics: Sequence[Term],
    hops: int,
    *,
    revisits: Literal["walk", "no-topic", "simple"] = "no-topic",
    most: int = 2_000,
) -> Listed:
    """At most `most` walks of 1 to `hops` steps: one of each relation path, then a second of each.

    Deterministic. One look-up for each hop. Raises ServiceError.
    """
    leaving = _leaving(around, topics, hops)
    banned = frozenset(topics if revisits != "walk" else ())
    paths, waiting = list[Path](), deque[Iterator[Path]]()
    rivals = (
        _walks(leaving, *kind, banned, simple=revisits == "simple")
        for kind in _relation_paths(leaving, topics, hops, banned)
    )
    for walks in rivals:
        if (path := next(walks, None)) is not None:
            paths.append(path)
            waiting.append(walks)
            if len(paths) == most:
                break
    while waiting and len(paths) < most:
        walks = waiting.popleft()
        if (path := next(walks, None)) is not None:
            paths.append(path)
            waiting.append(walks)
    more = any(next(walks, None) is not None for walks in chain(waiting, rivals))
    return Listed(paths, more)


_Leaving = Mapping[Term, Mapping[tuple[Term, bool], Sequence[Step]]]
"""The steps of each node by relation and direction."""


def _leaving(around: Around, topics: Sequence[Term], hops: int) -> _Leaving:
    leaving = dict[Term, dict[tuple[Term, bool], list[Step]]]()
    level = sorted(set(topics))
    for _ in range(hops):
        reached = set[Term]()
        for node, steps in zip(level, around.neighbours(level), strict=True):
            ways = leaving.setdefault(node, {})
            for step in steps:
                ways.setdefault((step.triple.relation, step.inverse), []).append(step)
                reached.add(step.target)
        level = sorted(reached - leaving.keys())
    return leaving


def _relation_paths(
    leaving: _Leaving, topics: Sequence[Term], hops: int, banned: Collection[Term]
) -> Iterator[tuple[Term, RelationPath]]:
    """Each topic and relation path that may have walks, breadth first."""
    waiting = deque((topic, RelationPath(), {topic}) for topic in dict.fromkeys(topics))
    while waiting:
        topic, relations, nodes = waiting.popleft()
        reached: dict[tuple[Term, bool], set[Term]] = {}
        for node in nodes:
            for way, steps in leaving.get(node, {}).items():
                reached.setdefault(way, set()).update(step.target for step in steps)
        for way in sorted(reached):
            longer = (*relations, way)
            yield topic, longer
            if len(longer) < hops:
                waiting.append((topic, longer, reached[way].difference(banned)))


def _walks(
    leaving: _Leaving,
    topic: Term,
    relations: RelationPath,
    banned: Collection[Term],
    *,
    simple: bool,
) -> Iterator[Path]:
    """The walks of one topic and relation path."""
    if not relations:
        yield Path(topic, ())
        return
    for path in _walks(leaving, topic, relations[:-1], banned, simple=simple):
        seen = {topic, *(step.target for step in path.steps)} if simple else frozenset[Term]()
        for step in leaving.get(path.end, {}).get(relations[-1], ()):
            if step.target not in banned and step.target not in seen:
                yield Path(topic, (*path.steps, step))


def shortest_paths(
    around: Around, topics: Sequence[Term], targets: Collection[Term], hops: int, *, keep: int
) -> dict[Term, list[Path]]:
    """For each target that is reached, at most `keep` shortest paths from each topic.

    Breadth first, one look-up for each hop and topic; no path is longer than `hops`. A target that
    is the topic itself has none from it. Raises ServiceError.
    """
    paths_to: dict[Term, list[Path]] = {}
    for topic in dict.fromkeys(topics):
        before = _last_steps(around, topic, frozenset(targets), hops)
        for target in dict.fromkeys(targets):
            if target != topic and target in before:
                paths = islice(_paths_back(before, topic, target), keep)
                paths_to.setdefault(target, []).extend(paths)
    return paths_to


def _last_steps(
    around: Around, topic: Term, targets: Collection[Term], hops: int
) -> Mapping[Term, Sequence[Step]]:
    """For each entity that was reached, the last steps of the shortest paths to it."""
    last_steps: dict[Term, list[Step]] = {topic: []}
    level = [topic]
    for _ in range(hops):
        if all(target in last_steps for target in targets):
            break
        reached: dict[Term, list[Step]] = {}
        for steps in around.neighbours(level):
            for step in steps:
                if step.target not in last_steps:
                    reached.setdefault(step.target, []).append(step)
        last_steps |= reached
        level = sorted(reached)
    return last_steps


def _paths_back(
    last_steps: Mapping[Term, Sequence[Step]], topic: Term, target: Term
) -> Iterator[Path]:
    if target == topic:
        yield Path(topic, ())
        return
    for step in last_steps[target]:
        for path in _paths_back(last_steps, topic, step.source):
            yield Path(topic, (*path.steps, step))
