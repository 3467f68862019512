"""Executing a relation path on the store: all the entities that it reaches, not just a beam's."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from .store import Store
from .terms import Path, RelationPath, Step, Term


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
    frontier: int = 20_000,
    degree: int = 100_000,
    either: bool = False,
) -> Execution:
    """Follow `relations` from every topic, never onto a banned entity (RoG, Algorithm 1).

    With `either`, each is followed in both directions, as in RoG's undirected graph. At most `keep`
    paths are kept for an end, at most `frontier` entities at a hop, and at most `degree` steps are
    taken from one entity in a direction.
    """
    level = {topic: Reached(topic, (Path(topic, ()),), 1) for topic in topics}
    truncated = False
    for relation, inverse in relations:
        nodes = sorted(level)
        paths: dict[Term, list[Path]] = {}
        support: dict[Term, int] = {}
        ways = (inverse, not inverse) if either else (inverse,)
        followed = [store.follow(nodes, relation, way, limit=degree + 1) for way in ways]
        for node, *around in zip(nodes, *followed, strict=True):
            truncated |= any(len(steps) > degree for steps in around)
            for step in (step for steps in around for step in steps[:degree]):
                if step.target in banned:
                    continue
                if step.target not in paths and len(paths) >= frontier:
                    truncated = True
                    continue
                kept = paths.setdefault(step.target, [])
                support[step.target] = support.get(step.target, 0) + level[node].support
                kept.extend(_longer(level[node].paths, step)[: keep - len(kept)])
        level = {end: Reached(end, tuple(paths[end]), support[end]) for end in paths}
    reached = sorted(level.values(), key=lambda r: (-r.support, r.end))
    return Execution(tuple(reached), truncated, len(relations) * (1 + either))


def _longer(paths: Sequence[Path], step: Step) -> list[Path]:
    return [Path(path.topic, (*path.steps, step)) for path in paths]
