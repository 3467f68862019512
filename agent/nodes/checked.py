"""Chains that were not decoded for this question, looked up at their source before they count."""

from collections.abc import Collection, Iterable, Sequence

from ..errors import ServiceError
from ..kg import KnowledgeGraph
from ..kg.metering import metered
from ..kg.terms import Path, Term, place_of
from ..kg.verification import PathVerdict, verify_paths
from ..state import Answer, Named, StepRecord
from .records import path_of


def checked_answers(
    kg: KnowledgeGraph, topics: Sequence[Named], answers: Sequence[Answer]
) -> list[Answer]:
    """Earlier answers with those of their chains that the store still holds; those with any.

    A loose chain may begin at what an even earlier question was about. Raises ServiceError where
    the store does not answer.
    """
    chains = [(answer, chain) for answer in answers for chain in answer["chains"] if chain]
    paths = [path_of(start_of(chain), chain) for _, chain in chains]
    pairs = list(zip(chains, paths, strict=True))
    loose = list(dict.fromkeys(p for (own, _), p in pairs if own.get("form") == "chain"))
    strict = list(dict.fromkeys(path for path in paths if path not in loose))
    starts = [topic["term"] for topic in topics]
    judged = dict(zip(strict, _judged(kg, starts, strict), strict=True)) | dict(
        zip(loose, _judged(kg, {path.topic for path in loose}, loose, loose), strict=True)
    )
    kept: dict[Term, Answer] = {}
    for (answer, chain), path in pairs:
        if judged[path].verdict == "supported":
            kept.setdefault(answer["term"], {**answer, "chains": []})["chains"].append(chain)
    return list(kept.values())


def start_of(chain: Sequence[StepRecord]) -> Term:
    """The entity that a chain leaves."""
    first = chain[0]
    return place_of((first["tail"] if first["inverse"] else first["head"])["term"])


def _judged(
    kg: KnowledgeGraph, starts: Iterable[Term], paths: Sequence[Path], loose: Collection[Path] = ()
) -> list[PathVerdict]:
    with metered() as meter:
        judged = verify_paths(kg.store, starts, paths, chains=loose)
    if any(own.verdict == "unknown" for own in judged):
        silent = "the graph could not be asked whether it still holds a triple"
        raise ServiceError(meter.failure or silent)
    return judged
