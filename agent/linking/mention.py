"""What linking returns: stretches of a question and the entities that they may mean."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

from ..kg.terms import Term

Matched: TypeAlias = Literal["label", "alias", "hidden", "part", "fuzzy", "dense"]

MARGIN = 0.045
"""The least lead in score with which the best candidate is taken without asking."""


@dataclass(frozen=True)
class Candidate:
    """An entity that a mention may mean; `kind` is its class label, `score` from 0 to 1."""

    term: Term
    name: str
    label: str
    description: str
    kind: str
    score: float
    matched: Matched


@dataclass(frozen=True)
class Mention:
    """A stretch of the question, `question[start:end] == text`, and its candidates, best first."""

    text: str
    start: int
    end: int
    candidates: tuple[Candidate, ...]


def is_ambiguous(mention: Mention, *, margin: float = MARGIN) -> bool:
    """Whether the two best candidates are too close to choose between."""
    scores = [candidate.score for candidate in mention.candidates[:2]]
    return len(scores) == 2 and scores[0] - scores[1] < margin
