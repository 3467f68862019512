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
) -> Execution:
    """Follow `relations` from every topic, never onto a banned entity (RoG, Algorithm 1).

    At most `keep` paths are kept for an end, at most `frontier` entities at a hop, and at most
    `degree` steps are taken from one entity.
    """
    level = {topic: Reached(topic, (Path(topic, ()),), 1) for topic in topics}
    truncated = False
    for relation, inverse in relations:
        nodes = sorted(level)
        paths: dict[Term, list[Path]] = {}
        support: dict[Term, int] = {}
        followed = store.follow(nodes, relation, inverse, limit=degree + 1)
        for node, steps in zip(nodes, followed, strict=True):
            targets = steps[:degree]
            truncated |= len(targets) < len(steps)
            for step in targets:
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
    return Execution(tuple(reached), truncated, len(relations))


def _longer(paths: Sequence[Path], step: Step) -> list[Path]:
    return [Path(path.topic, (*path.steps, step)) for path in paths]
