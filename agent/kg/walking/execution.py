"""Executing a relation path on the store: all the entities that it reaches, not just a beam's."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from ..store import Store
from ..terms import Path, RelationPath, Step, Term

_FRONTIER = 20_000
_DEGREE = 100_000


@dataclass(frozen=True)
class Reached:
    """An entity that a relation path reaches: some of the paths to it, and how many there are."""

    end: Term
    paths: tuple[Path, ...]
    support: int


@dataclass(frozen=True)
class Execution:
    """What a relation path reaches, sorted by support, then term; and whether it was cut."""

    reached: tuple[Reached, ...]
    truncated: bool
    requests: int


def execute(
    store: Store,
    topics: Sequence[Term],
    relations: RelationPath,
    *,
    banned: Collection[Term] = (),
    keep: int = 5,
    degree: int = _DEGREE,
    either: bool = False,
) -> Execution:
    """Follow `relations` from every topic, never onto a banned entity (RoG, Algorithm 1).

    With `either`, each is followed in both directions, as in RoG's undirected graph. At most `keep`
    paths are kept for an end, at most 20,000 entities at a hop, and at most `degree` steps are
    taken from one entity in a direction.
    """
    level = {topic: Reached(topic, (Path(topic, ()),), 1) for topic in topics}
    truncated = False
    bounds = _Bounds(frozenset(banned), keep, degree)
    for relation, inverse in relations:
        ways = (inverse, not inverse) if either else (inverse,)
        level, cut = _follow(store, level, relation, ways, bounds)
        truncated |= cut
    return Execution(_ranked(level.values()), truncated, len(relations) * (1 + either))


class _Level(NamedTuple):
    """What a hop reaches, and whether that or one before it was cut."""

    reached: Mapping[Term, Reached]
    cut: bool


class _Bounds(NamedTuple):
    """What no hop may come to, how many paths an end keeps, and how far a hop may spread."""

    banned: frozenset[Term]
    keep: int
    degree: int = _DEGREE


class Junction:
    """Where relation paths from several topics meet; what a hop reaches is followed once."""

    def __init__(self, store: Store, *, banned: Collection[Term] = (), keep: int = 5) -> None:
        """Paths come to no banned entity; about `keep` are kept for an end, of each topic one."""
        self._store = store
        self._banned = frozenset(banned)
        self._keep = keep
        self._levels: dict[tuple[Term, RelationPath], _Level] = {}
        self.requests = 0

    def reached(self, walks: Sequence[tuple[Term, RelationPath]]) -> Execution:
        """What the relation path of each topic leads to in common.

        Those that end alike meet as early as they can, and go on together: the currency of the
        country that borders both topics is that of one country.
        """
        bounds, before = _Bounds(self._banned, max(self._keep, len(walks))), self.requests
        level = _Level({}, False)
        for shared in range(_shared_length([relations for _, relations in walks]), -1, -1):
            levels = [
                self._level(topic, path[: len(path) - shared], bounds) for topic, path in walks
            ]
            common = set[Term].intersection(*(set(topic_level.reached) for topic_level in levels))
            level = _Level(
                {
                    end: _merged([topic_level.reached[end] for topic_level in levels], bounds.keep)
                    for end in sorted(common)
                },
                any(topic_level.cut for topic_level in levels),
            )
            _, relations = walks[0]
            for move in relations[len(relations) - shared :]:
                level = self._next(level, move, bounds)
            if level.reached:
                break
        return Execution(_ranked(level.reached.values()), level.cut, self.requests - before)

    def _level(self, topic: Term, relations: RelationPath, bounds: _Bounds) -> _Level:
        if not relations:
            return _Level({topic: Reached(topic, (Path(topic, ()),), 1)}, False)
        if (topic, relations) not in self._levels:
            before = self._level(topic, relations[:-1], bounds)
            self._levels[topic, relations] = self._next(before, relations[-1], bounds)
        return self._levels[topic, relations]

    def _next(self, level: _Level, move: tuple[Term, bool], bounds: _Bounds) -> _Level:
        if not level.reached:
            return level
        relation, inverse = move
        reached, cut = _follow(self._store, level.reached, relation, (inverse,), bounds)
        self.requests += 1
        return _Level(reached, level.cut or cut)


def _follow(
    store: Store,
    level: Mapping[Term, Reached],
    relation: Term,
    ways: Sequence[bool],
    bounds: _Bounds,
) -> tuple[dict[Term, Reached], bool]:
    """What one hop reaches, and whether it was cut."""
    nodes, truncated = sorted(level), False
    paths: dict[Term, list[Path]] = {}
    support: dict[Term, int] = {}
    followed = [store.follow(nodes, relation, way, limit=bounds.degree + 1) for way in ways]
    for node, *around in zip(nodes, *followed, strict=True):
        truncated |= any(len(steps) > bounds.degree for steps in around)
        for step in (step for steps in around for step in steps[: bounds.degree]):
            if step.target in bounds.banned:
                continue
            if step.target not in paths and len(paths) >= _FRONTIER:
                truncated = True
                continue
            ending = paths.setdefault(step.target, [])
            support[step.target] = support.get(step.target, 0) + level[node].support
            ending.extend(_longer(level[node].paths, step)[: bounds.keep - len(ending)])
    return {end: Reached(end, tuple(paths[end]), support[end]) for end in paths}, truncated


def _shared_length(walks: Sequence[RelationPath]) -> int:
    """How many of their last relations all have, but for the first of the shortest."""
    most = min(map(len, walks)) - 1
    return next(
        (n for n in range(most) if len({relations[-1 - n] for relations in walks}) > 1), most
    )


def _merged(meeting: Sequence[Reached], keep: int) -> Reached:
    """An entity that several topics reach, with paths from each of them."""
    share = max(1, keep // len(meeting))
    paths = tuple(path for entity in meeting for path in entity.paths[:share])
    return Reached(meeting[0].end, paths, sum(entity.support for entity in meeting))


def _ranked(reached: Iterable[Reached]) -> tuple[Reached, ...]:
    return tuple(sorted(reached, key=lambda r: (-r.support, r.end)))


def _longer(paths: Sequence[Path], step: Step) -> list[Path]:
    return [Path(path.topic, (*path.steps, step)) for path in paths]
