"""The stages of the bundled reader's training, each from the weights of the one before."""

from dataclasses import dataclass

from .batches import Drawing


@dataclass(frozen=True)
class Stage:
    """A part of the training; `rarity` as `stream_of` has it."""

    name: str
    steps: int
    rate: float
    drawing: Drawing
    rarity: float = 0.3
    joint: bool = True
    """Whether words and labels see each other."""
    schedule: int | None = None
    """Steps over which the rate falls, where it ends before."""
    middle: int | None = None
    """The step of which the weights are averaged with the last, a multiple of `Plan.heard`; on
    domains that are kept apart their mean was better than either."""


_AFFIXED = Drawing(affixed=0.6, renamed=0.5)
_BARE = Drawing(fewest=3, affixed=0.5, renamed=0.5, bare=0.4, both=0.5)

STAGES = (
    Stage("plain", 12_000, 2e-3, Drawing(barred=0.0), rarity=0.0, joint=False),
    # Labels are barred as a graph bars them, and rare kinds of action are drawn more often.
    Stage("barred", 5_000, 1e-3, Drawing(), joint=False),
    Stage("joint", 5_000, 1.5e-3, Drawing(), schedule=12_000),
    # Labels have words that say nothing, and other names more often.
    Stage("affixed", 6_000, 1.2e-3, _AFFIXED),
    # Many graphs have no classes, and relations go both ways.
    Stage("bare", 2_000, 8e-4, _BARE),
    Stage("longer", 6_000, 8e-4, _BARE, middle=1_500),
)
