"""verify: every triple of every chain is looked up at its source, and only proven answers pass.

The store is asked, not the index that the chains were decoded from: what changed since then shows
here. Supported means true in the KG, not relevant to the question; relevance is the confidence.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from time import perf_counter
from typing import NamedTuple

from langgraph.runtime import Runtime

from ..answers.candidates import path_of, proves
from ..kg import KnowledgeGraph
from ..kg.store import metered
from ..kg.terms import Path, Term, node_of
from ..kg.verification.claims import PathVerdict, verify_paths
from ..options import Options
from ..records import Answer, Candidate, Emitted, Form, Status, StepRecord, spent
from ..state import State
from . import Node


class _Proof(NamedTuple):
    """A chain, its form, and the entity that it is said to prove."""

    steps: list[StepRecord]
    form: Form
    answer: Term


MOST_REFUSED = 5
"""Walks that stay in the state though they do not hold, so that a report can show them."""


def method_confidence(state: State, _: Options) -> float:
    """The confidence that a method had."""
    return state.get("confidence", 0.0)


def verify(kg: KnowledgeGraph, sure: Callable[[State, Options], float] = method_confidence) -> Node:
    """Put a verdict on every step; keep supported chains, and the answers that have one.

    What the triples cannot tell, whether they are what was asked, `sure` says.

    Decoded chains that no longer hold are no candidates, nor are those of which the store did not
    say whether they hold: a note tells how many these are, and why. Where nothing else is left to
    answer with, the status is `unchecked`.
    """

    def run(state: State, runtime: Runtime[Options]) -> State:
        since = perf_counter()
        candidates, answers = state.get("candidates", []), state.get("answers", [])
        topics = frozenset(topic["term"] for topic in state.get("topics", []))
        proofs = [_Proof(c["steps"], _form(c), c["answer"]["term"]) for c in candidates]
        proofs += [
            _Proof(chain, _form(answer), answer["term"])
            for answer in answers
            for chain in answer["chains"]
        ]
        paths = [_path(proof.steps) for proof in proofs]
        loose = {path for proof, path in zip(proofs, paths, strict=True) if proof.form == "chain"}
        with metered() as meter:
            judged = verify_paths(kg.store, topics, paths, chains=loose)
        checked = iter([_checked(*pair) for pair in zip(proofs, judged, strict=True)])
        decoded: list[Candidate] = [{**c, "steps": next(checked)} for c in candidates]
        walks = [c for c in decoded if _supported(c["steps"])]
        proven: list[Answer] = [
            {**answer, "chains": [next(checked) for _ in answer["chains"]]} for answer in answers
        ]
        unknown = any(
            step["verdict"] == "unknown"
            for answer in proven
            for chain in answer["chains"]
            for step in chain
        )
        supported_answers: list[Answer] = [
            {**answer, "chains": supported}
            for answer in proven
            if (supported := [chain for chain in answer["chains"] if _supported(chain)])
        ]
        runtime.stream_writer(
            {"event": "verified", "candidates": walks, "answers": supported_answers}
        )
        notes = [*state.get("notes", []), *_unchecked(judged, meter.failure)]
        status: Status = (
            "answered" if supported_answers else "unchecked" if unknown else "abstained"
        )
        return {
            "candidates": walks,
            "refused": [c for c in decoded if not _supported(c["steps"])][:MOST_REFUSED],
            "answers": supported_answers,
            "status": status,
            "notes": notes,
            "confidence": sure(state, runtime.context or Options()),
            "emitted": _emitted(judged, state.get("lost", 0)),
            "usage": spent(
                state.get("usage"), since, kg_requests=meter.requests or min(len(proofs), 1)
            ),
        }

    return run


def _unchecked(judged: Sequence[PathVerdict], failure: str) -> list[str]:
    """A note on the distinct chains of which the store did not say whether they hold, if any."""
    chains = {judgement.path: judgement.verdict for judgement in judged}
    unknown = sum(verdict == "unknown" for verdict in chains.values())
    why = failure or "the graph does not say clearly what it holds"
    return [f"{unknown} of {len(chains)} walks could not be checked: {why}"] if unknown else []


def _emitted(judged: Sequence[PathVerdict], lost_chains: int) -> Emitted:
    """Counts of the distinct chains and triples that were judged, and of the chains without any."""
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
        chains=len(chains) + lost_chains,
        supported_chains=sum(verdict == "supported" for verdict in chains.values()),
    )


def _form(record: Candidate | Answer) -> Form:
    return record.get("form", "path")


def _path(chain: Sequence[StepRecord]) -> Path:
    first = chain[0] if chain else None
    start = first and (first["tail"] if first["inverse"] else first["head"])
    return path_of(node_of(start["term"]) if start else "", chain)


def _checked(proof: _Proof, judged: PathVerdict) -> list[StepRecord]:
    """The steps with their verdicts; what does not prove the answer is not supported."""
    whole = judged.verdict
    if whole == "supported" and not proves(proof.form, proof.answer, judged.path):
        whole = "unsupported"
    return [
        {**step, "verdict": verdict if whole == "supported" or verdict != "supported" else whole}
        for step, verdict in zip(proof.steps, judged.steps, strict=True)
    ]


def _supported(chain: Sequence[StepRecord]) -> bool:
    return bool(chain) and all(step["verdict"] == "supported" for step in chain)
