"""Executing a relation path on the store: all the entities that it reaches, not just a beam's."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from .store import Store
from .terms import Path, RelationPath, Step, Term

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
    frontier: int = _FRONTIER,
    degree: int = _DEGREE,
    either: bool = False,
) -> Execution:
    """Follow `relations` from every topic, never onto a banned entity (RoG, Algorithm 1).

    With `either`, each is followed in both directions, as in RoG's undirected graph. At most `keep`
    paths are kept for an end, at most `frontier` entities at a hop, and at most `degree` steps are
    taken from one entity in a direction.
    """
    level = {topic: Reached(topic, (Path(topic, ()),), 1) for topic in topics}
    truncated = False
    bounds = _Bounds(frozenset(banned), keep, frontier, degree)
    for relation, inverse in relations:
        ways = (inverse, not inverse) if either else (inverse,)
        level, cut = _follow(store, level, relation, ways, bounds)
        truncated |= cut
    return Execution(_ranked(level.values()), truncated, len(relations) * (1 + either))


def execute_together(
    store: Store,
    topics: Sequence[Term],
    relations: RelationPath,
    *,
    banned: Collection[Term] = (),
    keep: int = 5,
) -> Execution:
    """Follow `relations` from all topics to where they lead in common, and from there on.

    The currency of the country that borders both topics is that of one country. Where they have
    nothing in common, or it leads nowhere, all ends are reached.
    """
    starts = [{topic: Reached(topic, (Path(topic, ()),), 1)} for topic in topics]
    bounds = _Bounds(frozenset(banned), max(keep, len(topics)))
    levels, truncated, requests = _together(store, starts, relations, bounds)
    ends = sorted({end for level in levels for end in level})
    least = keep if len(levels) == len(topics) else bounds.keep
    reached = [_merged([own[end] for own in levels if end in own], least) for end in ends]
    return Execution(_ranked(reached), truncated, requests)


class _Bounds(NamedTuple):
    """What no hop may come to, how many paths an end keeps, and how far a hop may spread."""

    banned: frozenset[Term]
    keep: int
    frontier: int = _FRONTIER
    degree: int = _DEGREE


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
            if step.target not in paths and len(paths) >= bounds.frontier:
                truncated = True
                continue
            kept = paths.setdefault(step.target, [])
            support[step.target] = support.get(step.target, 0) + level[node].support
            kept.extend(_longer(level[node].paths, step)[: bounds.keep - len(kept)])
    return {end: Reached(end, tuple(paths[end]), support[end]) for end in paths}, truncated


def _together(
    store: Store,
    levels: Sequence[Mapping[Term, Reached]],
    relations: RelationPath,
    bounds: _Bounds,
) -> tuple[Sequence[Mapping[Term, Reached]], bool, int]:
    """What each level reaches, one where they meet and go on; whether it was cut; the requests."""
    if not relations:
        return levels, False, 0
    (relation, inverse), rest = relations[0], relations[1:]
    followed = [_follow(store, level, relation, (inverse,), bounds) for level in levels]
    reached, cut, requests = [own for own, _ in followed], any(c for _, c in followed), len(levels)
    if len(reached) > 1 and (common := set[Term].intersection(*map(set[Term], reached))):
        met = {end: _merged([own[end] for own in reached], bounds.keep) for end in common}
        ends, truncated, asked = _together(store, [met], rest, bounds)
        cut, requests = cut or truncated, requests + asked
        if any(ends):
            return ends, cut, requests
    ends, truncated, asked = _together(store, reached, rest, bounds)
    return ends, cut or truncated, requests + asked


def _merged(several: Sequence[Reached], keep: int) -> Reached:
    """An entity that several topics reach, with paths from each of them."""
    share = max(1, keep // len(several))
    paths = tuple(path for entity in several for path in entity.paths[:share])
    return Reached(several[0].end, paths, sum(entity.support for entity in several))


def _ranked(reached: Iterable[Reached]) -> tuple[Reached, ...]:
    return tuple(sorted(reached, key=lambda r: (-r.support, r.end)))


def _longer(paths: Sequence[Path], step: Step) -> list[Path]:
    return [Path(path.topic, (*path.steps, step)) for path in paths]
