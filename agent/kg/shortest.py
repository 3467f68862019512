"""All shortest paths from topic entities to some others, as far as a view shows them."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import islice

from .terms import Path, Step, Term
from .walk_listing import Around


def shortest_paths(
    around: Around, topics: Sequence[Term], targets: Collection[Term], hops: int, *, keep: int
) -> dict[Term, list[Path]]:
    """For each target that is reached, at most `keep` shortest paths from each topic.

    Breadth first, one look-up for each hop and topic; no path is longer than `hops`. A target that
    is the topic itself has none from it. Raises ServiceError.
    """
    found: dict[Term, list[Path]] = {}
    for topic in dict.fromkeys(topics):
        before = _before(around, topic, frozenset(targets), hops)
        for target in dict.fromkeys(targets):
            if target != topic and target in before:
                paths = islice(_back(before, topic, target), keep)
                found.setdefault(target, []).extend(paths)
    return found


def _before(
    around: Around, topic: Term, targets: Collection[Term], hops: int
) -> Mapping[Term, Sequence[Step]]:
    """For each entity that was reached, the last steps of the shortest paths to it."""
    before: dict[Term, list[Step]] = {topic: []}
    level = [topic]
    for _ in range(hops):
        if all(target in before for target in targets):
            break
        reached: dict[Term, list[Step]] = {}
        for steps in around.neighbours(level):
            for step in steps:
                if step.target not in before:
                    reached.setdefault(step.target, []).append(step)
        before |= reached
        level = sorted(reached)
    return before


def _back(before: Mapping[Term, Sequence[Step]], topic: Term, target: Term) -> Iterator[Path]:
    if target == topic:
        yield Path(topic, ())
        return
    for step in before[target]:
        for path in _back(before, topic, step.source):
            yield Path(topic, (*path.steps, step))
