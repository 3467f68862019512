"""Decoded paths by the relation path that they walk, and how likely each is meant."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ..kg.terms import Path, RelationPath, Term
from ..state import Candidate
from .records import path_of, walked_relations

SHARE = 0.2
"""A topic's share of the best one's votes below which it does not count as a topic."""


@dataclass(frozen=True)
class Party:
    """The paths that walk one relation path."""

    relations: RelationPath
    topics: Sequence[Term]
    """Those that it was found likely for."""
    relevances: Mapping[Term, float]
    """How likely its relations are meant, for each topic that it was found for."""
    relevance: float
    """The most of these."""
    votes: float
    telling: bool
    """Whether the model tells of any path how relevant it is."""

    def relevance_from(self, topic: Term) -> float:
        """How likely its relations are meant from a topic; from one without any, as from others."""
        return self.relevances.get(topic, self.relevance)

    def weight_from(self, topic: Term) -> float:
        """The same; where the model cannot tell, how likely its paths are."""
        return self.relevance_from(topic) if self.telling else self.votes


def parties_of(candidates: Sequence[Candidate]) -> list[Party]:
    """The candidates by relation path, the most voted first."""
    ballots: dict[RelationPath, list[tuple[Path, Candidate]]] = {}
    for decoded in candidates:
        path = path_of(decoded["topic"]["term"], decoded["steps"])
        ballots.setdefault(walked_relations(decoded), []).append((path, decoded))
    mass = _mass([ballot for own in ballots.values() for ballot in own])
    total = sum(mass.values()) or 1.0
    telling = any(decoded["relevance"] for decoded in candidates)
    parties = list[Party]()
    for relations, own in ballots.items():
        share = sum(mass[topic] for topic in {path.topic for path, _ in own}) / total
        relevances = dict[Term, float]()
        for path, decoded in own:
            most = max(decoded["relevance"], relevances.get(path.topic, 0.0))
            relevances[path.topic] = most
        relevance = max(relevances.values())
        votes = share * relevance if telling else sum(_mass(own).values())
        found = Party(relations, _topics(own), relevances, relevance, round(votes, 6), telling)
        parties.append(found)
    return sorted(parties, key=lambda p: (-p.votes, len(p.relations), p.relations))


def _topics(ballots: Sequence[tuple[Path, Candidate]]) -> list[Term]:
    mass = _mass(ballots)
    best = max(mass.values())
    return sorted(topic for topic, share in mass.items() if share >= SHARE * best)


def _mass(ballots: Sequence[tuple[Path, Candidate]]) -> dict[Term, float]:
    """The probability of the paths of each topic."""
    mass: dict[Term, float] = {}
    for path, decoded in ballots:
        mass[path.topic] = mass.get(path.topic, 0.0) + math.exp(decoded["score"])
    return mass
