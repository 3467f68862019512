"""Paths that somebody weighed without a probability, as candidates that can vote."""

from collections import defaultdict
from collections.abc import Sequence
from math import log
from typing import NamedTuple

from ..kg import KnowledgeGraph
from ..kg.terms import Path, RelationPath
from ..state import Candidate
from .records import proven_candidate


class Weighed(NamedTuple):
    """A path over `kg.walks`, its proof along triples of the store, and its weight, above 0."""

    path: Path
    proof: Path
    weight: float


def proven(kg: KnowledgeGraph, weighed: Sequence[tuple[Path, float]]) -> list[Weighed]:
    """The paths that the KG still holds. Raises ServiceError."""
    proofs = kg.prove([path for path, _ in weighed])
    return [
        Weighed(path, proof, weight)
        for (path, weight), proof in zip(weighed, proofs, strict=True)
        if proof
    ]


def shared_candidates(kg: KnowledgeGraph, weighed: Sequence[Weighed]) -> list[Candidate]:
    """The candidates of weighed paths.

    The score of one is the logarithm of its share of all weights; its relevance, and so in the end
    the confidence of an answer, is the share of its relation path. That says how much of what was
    found points this way, not how likely it is to be right.
    """
    total = sum(own.weight for own in weighed)
    ways = defaultdict[RelationPath, float](float)
    for own in weighed:
        ways[own.path.relations] += own.weight / total
    return [
        proven_candidate(
            kg, own.path, own.proof, log(own.weight / total), min(ways[own.path.relations], 1.0)
        )
        for own in weighed
    ]
