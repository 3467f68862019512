"""The vote: what the decoded paths say together, when no general LLM reasons over them.

Paths vote for their relation path with their probability. The relation path that wins is executed
on the store, so that a question with fifty answers gets fifty, not as many as there are beams.
Deterministic: ties go to the shorter, then the smaller relation path.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from ..kg.execution import execute
from ..kg.store import Store
from ..kg.terms import Path, RelationPath, Term
from ..state import Candidate, Options
from .records import path_of

_SHARE = 0.2
"""A topic's share of the best topic's votes below which it does not count as one."""


@dataclass(frozen=True)
class Elected:
    """An answer of the winning relation path."""

    end: Term
    paths: tuple[Path, ...]
    score: float


@dataclass(frozen=True)
class Outcome:
    """The answers, how sure the model was of their relation path, and what was left out."""

    elected: tuple[Elected, ...]
    relations: RelationPath
    confidence: float
    left_out: int
    truncated: bool
    requests: int


def vote(
    store: Store, candidates: Sequence[Candidate], linked: Sequence[Term], options: Options
) -> Outcome | None:
    """The outcome for the candidates, or None when there are none; `linked` are all topics."""
    ballots: dict[RelationPath, list[tuple[Path, Candidate]]] = {}
    for decoded in candidates:
        path = path_of(decoded["topic"]["term"], decoded["steps"])
        ballots.setdefault(path.relations, []).append((path, decoded))
    if not ballots:
        return None

    def votes(relations: RelationPath) -> float:
        return round(sum(math.exp(c["score"]) for _, c in ballots[relations]), 6)

    relations = min(ballots, key=lambda r: (-votes(r), len(r), r))
    topics = _topics(ballots[relations])
    decoded = {path.end for path, _ in ballots[relations]}
    result = execute(
        store,
        topics,
        relations,
        banned=() if options.revisits == "walk" else linked,
        keep=options.max_chains,
    )
    most = max((r.support for r in result.reached), default=1)
    ranked = sorted(result.reached, key=lambda r: (-r.support, r.end not in decoded, r.end))
    total = min(votes(relations), 1.0)
    shown = ranked[: options.max_answers]
    return Outcome(
        elected=tuple(Elected(r.end, r.paths, round(total * r.support / most, 6)) for r in shown),
        relations=relations,
        confidence=max(c["relevance"] for _, c in ballots[relations]),
        left_out=len(ranked) - len(shown),
        truncated=result.truncated,
        requests=result.requests,
    )


def _topics(ballots: Sequence[tuple[Path, Candidate]]) -> list[Term]:
    mass: dict[Term, float] = {}
    for path, decoded in ballots:
        mass[path.topic] = mass.get(path.topic, 0.0) + math.exp(decoded["score"])
    best = max(mass.values())
    return sorted(topic for topic, share in mass.items() if share >= _SHARE * best)
