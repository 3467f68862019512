"""What a training run did, and what the trained model scores."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..agent.llm.local import ModelSettings
from .calibrate import Judged


@dataclass(frozen=True)
class Scores:
    """What the trained model does on questions that it was not trained on.

    `right` is the share of answerable questions for which the agent finds exactly the right
    entities, by number of hops; `refused` the share of unanswerable ones that it refuses.
    """

    right: dict[int, float] = field(default_factory=lambda: dict[int, float]())
    refused: float | None = None
    withheld: float = 0.0
    """The share of right answers below the confidence threshold."""
    questions: int = 0


@dataclass(frozen=True)
class TrainReport:
    """What a training run did; written into the model card."""

    out: Path
    kg: str
    settings: ModelSettings
    scores: Scores
    steps: int
    loss: float
    seconds: float
    parameters: int
    seed: int
    base: str = ""
    """The model that was fine-tuned."""
    recipe: dict[str, Any] = field(default_factory=dict[str, Any])
    """The settings of the training."""
    stopped: str = ""
    """Why it ended before its last step."""
    hits: dict[int, float] = field(default_factory=dict[int, float])
    """Hits@1 on a few held-out questions, by step."""
    baselines: dict[str, float] = field(default_factory=dict[str, float])
    """What simpler methods score on the same questions, by name."""
    source: str = "generated questions"
    lessons: int = 0
    dropped: dict[str, int] = field(default_factory=lambda: dict[str, int]())


def score(judged: Sequence[Judged], threshold: float) -> Scores:
    """Count what was judged."""
    by_hops: dict[int, list[bool]] = {}
    refused, kept = list[bool](), list[bool]()
    for one in judged:
        shown = one.confidence >= threshold
        if one.sample.moves is None:
            refused.append(not shown)
        else:
            by_hops.setdefault(len(one.sample.moves), []).append(one.right)
            if one.right:
                kept.append(shown)
    return Scores(
        right={hops: _share(rights) for hops, rights in sorted(by_hops.items())},
        refused=_share(refused) if refused else None,
        withheld=round(1 - _share(kept), 3) if kept else 0.0,
        questions=len(judged),
    )


def _share(values: list[bool]) -> float:
    return round(sum(values) / len(values), 3)
