"""retrieve: paths around the topic entities, ranked by how near they are to the question.

The lexical and dense baselines of GCR's Table 2: BM25, or a sentence embedding model.
"""

import math
from collections.abc import Sequence
from time import perf_counter
from typing import Any

from langgraph.runtime import Runtime

from ..decoding.spelling import spell_paths
from ..kg import KnowledgeGraph
from ..kg.ranking import DIGITS, Ranker
from ..kg.terms import Path
from ..kg.view import GraphView, NeighbourCache, ViewLimits
from ..kg.walk_listing import list_walks
from ..once import once
from ..options import Options
from ..state import State
from . import Node
from .ground import told
from .ranker import OpenDense, ranker_of
from .shares import proven, shared_candidates
from .usage import spent

_BEAMS = 10
_MOST = 2_000
"""Paths that are ranked."""
_SCALE = 20.0
"""By which cosines are multiplied before the softmax, as such models are trained with."""


def retrieve(kg: KnowledgeGraph, dense: OpenDense | None = None) -> Node:
    """The best of the ranked paths as candidates; `dense` opens an embedding model by its name.

    Their probabilities are the softmax of their scores among each other, so the confidence of an
    answer tells how far ahead its relation path is, and is not calibrated.
    """

    @once
    def neighbours() -> NeighbourCache:
        return NeighbourCache(kg.walks)

    def run(state: State, runtime: Runtime[Options]) -> dict[str, Any]:
        since = perf_counter()
        options = runtime.context or Options()
        view = state.get("view")
        assert view is not None, "load comes before retrieve"
        question = state.get("question", "")
        limits = ViewLimits(options.max_triples, options.max_degree, view["inverse"])
        around = GraphView(kg.walks, kg.walk_labels, limits, question, cache=neighbours())
        topics = [topic["term"] for topic in state.get("topics", [])]
        listed = list_walks(around, topics, view["hops"], revisits=options.revisits, most=_MOST)
        texts = spell_paths(kg.walk_labels, listed.paths)
        best = rank(question, listed.paths, texts, ranker_of(options, dense))
        best = best[: options.beams or _BEAMS]
        scale = _SCALE if options.embeddings else 1.0
        top = max((score for _, score in best), default=0.0)
        weights = [(path, math.exp(scale * (score - top))) for path, score in best]
        candidates = shared_candidates(kg, proven(kg, weights))
        runtime.stream_writer({"event": "retrieved", "paths": len(candidates)})
        notes = list(state.get("notes", []))
        cut = [f"{_MOST:,} paths were ranked, and there are more"] if listed.more else []
        notes += [note for note in (*cut, *told(kg, around)) if note not in notes]
        usage = spent(state, since, kg_requests=around.requests)
        return {"candidates": candidates, "lost": 0, "notes": notes, "usage": usage}

    return run


def rank(
    question: str, paths: Sequence[Path], texts: Sequence[str], ranker: Ranker
) -> list[tuple[Path, float]]:
    """The paths with their scores, best first; of equal ones the shorter, then by their texts."""
    scores = [round(score, DIGITS) for score in ranker.scores(question, texts)] if texts else []
    order = sorted(range(len(paths)), key=lambda i: (-scores[i], len(paths[i].steps), texts[i]))
    return [(paths[i], scores[i]) for i in order]
