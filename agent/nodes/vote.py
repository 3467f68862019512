"""The vote: what the decoded paths say together, when no general LLM reasons over them.

Paths vote for their relation path with their probability. The likely relation paths are executed
on the store, so that a question with fifty answers gets fifty, not as many as there are beams;
those that reach the same entities stand together (a city's country, and the country whose capital
it is). Deterministic: ties go to the shorter, then the smaller relation path.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from ..kg.execution import Execution, execute
from ..kg.store import Store
from ..kg.terms import Path, RelationPath, Term
from ..state import Candidate, Options
from .records import path_of

_SHARE = 0.2
"""A topic's share of the best topic's votes below which it does not count as one."""


_CHANCE = 0.05
"""A relation path's share of the best one's votes below which it is not executed."""


@dataclass(frozen=True)
class Elected:
    """An answer of the winning relation path."""

    end: Term
    paths: tuple[Path, ...]
    score: float


@dataclass(frozen=True)
class _Party:
    """The paths that walk one relation path."""

    relations: RelationPath
    ballots: Sequence[tuple[Path, Candidate]]
    votes: float
    relevance: float


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
    parties = _parties(candidates)
    if not parties:
        return None
    most = max(party.votes for party in parties)
    runs = [
        (
            party,
            execute(
                store,
                _topics(party.ballots),
                party.relations,
                banned=() if options.revisits == "walk" else linked,
                keep=options.max_chains,
            ),
        )
        for party in parties
        if party.votes >= _CHANCE * most
    ]
    coalitions: dict[frozenset[Term], list[tuple[_Party, Execution]]] = {}
    for party, result in runs:
        coalitions.setdefault(frozenset(r.end for r in result.reached), []).append((party, result))
    won = max(coalitions.values(), key=lambda members: sum(party.votes for party, _ in members))
    party, result = won[0]

    decoded = {path.end for path, _ in party.ballots}
    ranked = sorted(result.reached, key=lambda r: (-r.support, r.end not in decoded, r.end))
    share = min(sum(party.votes for party, _ in won), 1.0)
    support = max((r.support for r in ranked), default=1)
    shown = ranked[: options.max_answers]
    return Outcome(
        elected=tuple(
            Elected(r.end, r.paths, round(share * r.support / support, 6)) for r in shown
        ),
        relations=party.relations,
        confidence=round(min(sum(party.relevance for party, _ in won), 1.0), 6),
        left_out=len(ranked) - len(shown),
        truncated=result.truncated,
        requests=sum(result.requests for _, result in runs),
    )


def _parties(candidates: Sequence[Candidate]) -> list[_Party]:
    """The candidates by relation path, the most voted first."""
    ballots: dict[RelationPath, list[tuple[Path, Candidate]]] = {}
    for decoded in candidates:
        path = path_of(decoded["topic"]["term"], decoded["steps"])
        ballots.setdefault(path.relations, []).append((path, decoded))
    parties = [
        _Party(
            relations,
            own,
            votes=round(sum(math.exp(c["score"]) for _, c in own), 6),
            relevance=max(c["relevance"] for _, c in own),
        )
        for relations, own in ballots.items()
    ]
    return sorted(parties, key=lambda p: (-p.votes, len(p.relations), p.relations))


def _topics(ballots: Sequence[tuple[Path, Candidate]]) -> list[Term]:
    mass: dict[Term, float] = {}
    for path, decoded in ballots:
        mass[path.topic] = mass.get(path.topic, 0.0) + math.exp(decoded["score"])
    best = max(mass.values())
    return sorted(topic for topic, share in mass.items() if share >= _SHARE * best)
