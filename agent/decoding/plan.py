"""What a search is asked, and what it answers."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, Literal

from ..errors import ConstraintError
from .constraint import Constraint, State

Scores = Literal["allowed", "full"]
Engine = Literal["tree", "lines"]
"""How nodes are evaluated: in one tree that shares a cache, or each line by itself."""


@dataclass(frozen=True)
class BeamPlan:
    """How to search.

    Raises ConstraintError when the groups do not divide the beams.
    """

    beams: int = 10
    scores: Scores = "allowed"
    """`allowed` renormalises over the legal tokens (DoG equation 2), `full` does not (GCR)."""
    groups: int = 1
    """Groups of beams that search one after the other at each token (diverse beam search)."""
    diversity: float = 1.0
    """What a token costs for each beam of an earlier group that took it at the same step."""
    enough: int | None = None
    """The words after which those less likely than `least` are no longer looked for."""
    least: float = 0.0

    def __post_init__(self) -> None:
        if self.beams < 1 or self.groups < 1 or self.beams % self.groups:
            raise ConstraintError(f"{self.groups} groups do not divide {self.beams} beams")


@dataclass(frozen=True)
class Question(Generic[State]):
    """What one search of a batch is about: the tokens of its prompt, and what may follow them.

    The first `shared` tokens, an instruction that other questions have too, are computed once for a
    model and kept.
    """

    prompt: Sequence[int]
    constraint: Constraint[State]
    shared: int = 0


@dataclass(frozen=True)
class Cost:
    """What a search took; passes are shared by the questions of a batch.

    A prompt counts whole each time that it is given to the model, also where its beginning was kept
    from before. `tokens` are those after the prompts that the model took in, or that stand in the
    words found; `forced_tokens` those of them that were the only ones to be legal.
    """

    forward_passes: int = 0
    prompt_tokens: int = 0
    tokens: int = 0
    forced_tokens: int = 0
    engine: Engine = "tree"
    """`lines` where the model's layers cannot share a cache among beams, which takes longer."""

    def __add__(self, other: "Cost") -> "Cost":
        return Cost(
            self.forward_passes + other.forward_passes,
            self.prompt_tokens + other.prompt_tokens,
            self.tokens + other.tokens,
            self.forced_tokens + other.forced_tokens,
            other.engine if self.engine == "tree" else self.engine,
        )


@dataclass(frozen=True)
class Hypothesis(Generic[State]):
    """A finished word: its tokens with both tags, its score and its relevance.

    The score is its log-probability, less the diversity penalties where groups paid them.
    `relevance` is the probability, under the model without any constraint, of what the path
    commits to: that there is a path, its relations, and where it stops.
    """

    tokens: tuple[int, ...]
    score: float
    relevance: float
    state: State
    reply: tuple[int, ...] = ()
    """What the model wrote freely after the word, where it was asked to."""


@dataclass(frozen=True)
class SearchResult(Generic[State]):
    """The hypotheses of one question, best first, and what they cost."""

    hypotheses: list[Hypothesis[State]]
    cost: Cost


def usage_fields(cost: "Cost") -> dict[str, int]:
    """What the local model took, by the fields of `Usage`."""
    return {
        "forward_passes": cost.forward_passes,
        "prompt_tokens": cost.prompt_tokens,
        "tokens": cost.tokens,
        "forced_tokens": cost.forced_tokens,
    }
