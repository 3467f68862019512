"""words, lookup: the best ranked relation path of the training questions that the graph holds."""

import math
from collections.abc import Callable, Iterator
from itertools import islice
from time import perf_counter
from typing import Any

from langgraph.runtime import Runtime

from ..kg import KnowledgeGraph
from ..llm.baselines import Guess
from ..llm.prompt import mask
from ..options import Options
from ..state import Candidate, State
from . import Node
from .planned import planned
from .records import question_mentions
from .usage import spent

_MOST = 1_000
"""Relation paths that are tried."""
_NOWHERE = "no relation path of the training questions leads anywhere from the topic entities"


def known(kg: KnowledgeGraph, rank: Callable[[str], Iterator[Guess]]) -> Node:
    """Candidates for the first relation path of `rank` that leaves a topic, within the view.

    `rank` reads the question with its topic entities masked. `induce` executes the path in full.
    """

    def run(state: State, runtime: Runtime[Options]) -> dict[str, Any]:
        since = perf_counter()
        options = runtime.context or Options()
        view = state.get("view")
        assert view is not None, "load comes before known"
        topics = [topic["term"] for topic in state.get("topics", [])]
        masked, _ = mask(state.get("question", ""), question_mentions(state))
        candidates, requests = list[Candidate](), 0
        for relations, probability in islice(rank(masked), _MOST):
            if not 0 < len(relations) <= view["hops"] or probability <= 0:
                continue
            if not view["inverse"] and any(inverse for _, inverse in relations):
                continue
            score = math.log(probability)
            candidates, asked = planned(
                kg, topics, relations, options, score=score, relevance=probability
            )
            requests += asked
            if candidates:
                break
        runtime.stream_writer({"event": "decoded", "paths": len(candidates)})
        notes = list(state.get("notes", []))
        if not candidates and _NOWHERE not in notes:
            notes.append(_NOWHERE)
        usage = spent(state, since, kg_requests=requests)
        return {"candidates": candidates, "notes": notes, "usage": usage}

    return run
