"""retrieve: the paths that are nearest to the question in words, then reasoned over.

GCR's retrieval baselines (Table 2): of up to 2,000 paths within the view's hops, each relation path
in turn, the best `beams` by BM25, or by the model that `embeddings` names. Their shares are no
confidences of the local model, so its threshold does not hold for them.
"""

import math
from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple

from ..agent.answers.candidates import proven_candidate
from ..agent.answers.question import Outcome, Question
from ..agent.decoding.wire import spell_paths
from ..agent.kg import KnowledgeGraph
from ..agent.kg.terms import Path, RelationPath
from ..agent.kg.walking.listing import list_walks
from ..agent.kg.walking.ranking import DIGITS, Ranker
from ..agent.records import Candidate
from .ground import Ground
from .method import REASONING, VIEW, Method
from .prompted.surroundings import ranker_of

_BEAMS = 10
_MOST = 2_000
"""Paths that are ranked."""
_SCALE = 20.0
"""By which cosines are multiplied before the softmax, as such models are trained with."""


def search_paths(question: Question, ground: Ground) -> Outcome:
    """The best of the ranked paths as candidates.

    Their probabilities are the softmax of their scores among each other, so the confidence of an
    answer tells how far ahead its relation path is, and is not calibrated.
    """
    options, kg = question.options, ground.kg
    listed = list_walks(
        ground.walks, question.terms, question.hops, revisits=options.revisits, most=_MOST
    )
    texts = spell_paths(kg.walk_labels, listed.paths)
    ranked = rank(question.text, listed.paths, texts, ranker_of(options))
    best = ranked[: options.beams or _BEAMS]
    scale = _SCALE if options.embeddings else 1.0
    top = max((score for _, score in best), default=0.0)
    weights = [(path, math.exp(scale * (score - top))) for path, score in best]
    candidates = shared_candidates(kg, proven(kg, weights))
    ground.emit({"event": "retrieved", "paths": len(candidates)})
    cut = [f"{_MOST:,} paths were ranked, and there are more"] if listed.more else []
    return Outcome(candidates, cuts=cut)


def rank(
    question: str, paths: Sequence[Path], texts: Sequence[str], ranker: Ranker
) -> list[tuple[Path, float]]:
    """The paths with their scores, best first; of equal ones the shorter, then by their texts."""
    scores = [round(score, DIGITS) for score in ranker.scores(question, texts)] if texts else []
    order = sorted(range(len(paths)), key=lambda i: (-scores[i], len(paths[i].steps), texts[i]))
    return [(paths[i], scores[i]) for i in order]


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
    """The candidates of paths that were weighed without a probability, so that they can vote.

    The score of one is the logarithm of its share of all weights; its relevance, and so in the end
    the confidence of an answer, is the share of its relation path. That says how much of what was
    retrieved points this way, not how likely it is to be right.
    """
    total = sum(path.weight for path in weighed)
    shares = defaultdict[RelationPath, float](float)
    for path in weighed:
        shares[path.path.relations] += path.weight / total
    return [
        proven_candidate(
            kg,
            path.path,
            path.proof,
            math.log(path.weight / total),
            min(shares[path.path.relations], 1.0),
        )
        for path in weighed
    ]


RETRIEVE = Method(
    search_paths,
    "paths ranked by words or embeddings, then reasoned over (lexical and dense retrieval)",
    prompts="paths",
    threshold=lambda _: 0.0,
    paper={"beams": 10, "hops": 2},
    uses=VIEW | REASONING | {"beams", "revisits", "examples", "embeddings"},
)
