"""verify: every triple of every chain is looked up at its source, and only proven answers pass.

The store is asked, not the index that the chains were decoded from: what changed since then shows
here. Supported means true in the KG, not relevant to the question; relevance is the confidence.
"""

from collections import Counter
from collections.abc import Sequence
from time import perf_counter
from typing import Any

from langgraph.runtime import Runtime

from ..kg import KnowledgeGraph
from ..kg.terms import Path, Term
from ..kg.verification import PathVerdict, verify_paths
from ..state import Answer, Candidate, Emitted, Options, State, Status, StepRecord
from . import Node
from .records import path_of
from .usage import spent


def verify(kg: KnowledgeGraph) -> Node:
    """Put a verdict on every step; keep supported chains, and the answers that have one.

    Decoded paths that no longer hold leave the state. Where the store did not answer, nothing
    counts as an answer and the status is `unchecked`.
    """

    def run(state: State, runtime: Runtime[Options]) -> dict[str, Any]:
        since = perf_counter()
        candidates, answers = state.get("candidates", []), state.get("answers", [])
        topics = frozenset(topic["term"] for topic in state.get("topics", []))
        chains = [c["steps"] for c in candidates] + [
            chain for answer in answers for chain in answer["chains"]
        ]
        judged = verify_paths(kg.store, topics, [_path(chain) for chain in chains])
        verdicts = iter(judged)
        checked = [_checked_candidate(c, next(verdicts)) for c in candidates]
        proven = [_checked_answer(a, [next(verdicts) for _ in a["chains"]]) for a in answers]
        unknown = any(
            step["verdict"] == "unknown" for a in proven for chain in a["chains"] for step in chain
        )
        kept = [
            {**answer, "chains": supported}
            for answer in proven
            if (supported := [chain for chain in answer["chains"] if _supported(chain)])
        ]
        walks = [c for c in checked if _supported(c["steps"])]
        runtime.stream_writer({"event": "verified", "candidates": walks, "answers": kept})
        status: Status = "answered" if kept else "unchecked" if unknown else "abstained"
        return {
            "candidates": walks,
            "answers": kept,
            "status": status,
            "emitted": _emitted(judged),
            "usage": spent(state, since, kg_requests=1 if chains else 0),
        }

    return run


def _emitted(judged: Sequence[PathVerdict]) -> Emitted:
    """Counts of the distinct paths and triples that were judged."""
    verdicts = {
        step.triple: verdict
        for path in judged
        for step, verdict in zip(path.path.steps, path.steps, strict=True)
    }
    loose = {step.triple for path in judged if not path.connected for step in path.path.steps}
    counts = Counter(verdicts.values())
    chains = {path.path: path.verdict for path in judged}
    return Emitted(
        triples=len(verdicts),
        supported=counts["supported"],
        unsupported=counts["unsupported"],
        unknown=counts["unknown"],
        ill=sum(t in loose or verdict == "unsupported" for t, verdict in verdicts.items()),
        chains=len(chains),
        supported_chains=sum(verdict == "supported" for verdict in chains.values()),
    )


def _path(chain: Sequence[StepRecord]) -> Path:
    first = chain[0]
    topic: Term = (first["tail"] if first["inverse"] else first["head"])["term"]
    return path_of(topic, chain)


def _checked(chain: Sequence[StepRecord], verdict: PathVerdict) -> list[StepRecord]:
    whole = verdict.verdict
    return [
        {**step, "verdict": own if whole == "supported" or own != "supported" else whole}
        for step, own in zip(chain, verdict.steps, strict=True)
    ]


def _checked_candidate(candidate: Candidate, verdict: PathVerdict) -> Candidate:
    return {**candidate, "steps": _checked(candidate["steps"], verdict)}


def _checked_answer(answer: Answer, verdicts: Sequence[PathVerdict]) -> Answer:
    chains = [_checked(c, v) for c, v in zip(answer["chains"], verdicts, strict=True)]
    return {**answer, "chains": chains}


def _supported(chain: Sequence[StepRecord]) -> bool:
    return all(step["verdict"] == "supported" for step in chain)
