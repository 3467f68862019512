"""Whether chains are true at their source: in the user's store, not in a copy made from it."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Literal, NamedTuple, TypeAlias

from .metering import unanswered
from .store import Store
from .terms import Path, Term, is_connected, is_unknown, is_well_formed

Verdict: TypeAlias = Literal["supported", "unsupported", "unknown"]

_VERDICTS: Mapping[bool | None, Verdict] = {
    True: "supported",
    False: "unsupported",
    None: "unknown",
}


class PathVerdict(NamedTuple):
    """What the source says of a path, or of a chain.

    `steps` has one verdict for each triple. `connected` tells whether they hang together from a
    topic entity on. `verdict` is that of the whole; supported means true, not relevant.
    """

    path: Path
    verdict: Verdict
    steps: tuple[Verdict, ...]
    connected: bool


def verify_paths(
    store: Store, topics: Iterable[Term], paths: Sequence[Path], *, chains: Collection[Path] = ()
) -> list[PathVerdict]:
    """Judge paths by one batched question to the store about all their triples.

    A path that is not connected, does not start at a topic or has no step is unsupported whatever
    its triples; of those that are in `chains`, each triple must only touch a topic or one before it
    (DoG section 2.2). A triple with an unknown term is unsupported. Steps are unknown where the
    store did not answer, and so are the paths of them: a triple is supported only where the store
    said so. A `metered` block is told why it did not.
    """
    starts = frozenset(topics)
    triples = list(dict.fromkeys(step.triple for path in paths for step in path.steps))
    verdicts: dict[object, Verdict] = dict.fromkeys(triples, "unsupported")
    known = [triple for triple in triples if not any(map(is_unknown, triple))]
    verdicts.update(dict.fromkeys(known, "unknown"))
    with unanswered():
        for triple, held in zip(known, store.holds(known), strict=True):
            verdicts[triple] = _VERDICTS[held]
    judged = list[PathVerdict]()
    for path in paths:
        connected = (is_well_formed if path in chains else is_connected)(starts, path)
        judged.append(_judge(path, connected, tuple(verdicts[s.triple] for s in path.steps)))
    return judged


def _judge(path: Path, connected: bool, steps: tuple[Verdict, ...]) -> PathVerdict:
    whole: Verdict = "supported"
    if not connected or not steps or "unsupported" in steps:
        whole = "unsupported"
    elif "unknown" in steps:
        whole = "unknown"
    return PathVerdict(path, whole, steps, connected)
