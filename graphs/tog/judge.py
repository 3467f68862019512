"""Who decides in tog: a chat LLM, or the likelihoods of the local model."""

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from ...agent.state import Named
from ..prompted.conclusions import Conclusion
from ..prompted.walks import Walk, Way


class Picked(NamedTuple):
    """The score of each option that was picked, by position, and the names that were no option.

    `relevance` is the factor that a pick puts to the relevance of its walk.
    """

    scores: dict[int, float]
    relevance: dict[int, float]
    invented: tuple[str, ...] = ()


class Judge(Protocol):
    """Decides for one question; each of its methods may raise UnansweredError."""

    @property
    def reasoner(self) -> str:
        """Who it is, as `State.reasoner` has it."""
        ...

    @property
    def cost(self) -> dict[str, int]:
        """What its decisions have cost so far, by the fields of `Usage`."""
        ...

    @property
    def shortened(self) -> int:
        """How many replies were not whole."""
        ...

    def relations(self, asked: Sequence[tuple[Walk, Sequence[Way]]], width: int) -> list[Picked]:
        """At most `width` of the ways out of each walk's end, with their scores (section 2.2.1)."""
        ...

    def entities(
        self, asked: Sequence[tuple[Walk, Way, Sequence[Named]]], width: int
    ) -> list[Picked]:
        """The scores of the entities that a way leads to (section 2.2.2)."""
        ...

    def enough(self, walks: Sequence[Walk], gathered: Sequence[Walk]) -> bool:
        """Whether what was gathered answers the question (section 2.3)."""
        ...

    def conclude(self, topics: Sequence[Named], gathered: Sequence[Walk]) -> Conclusion:
        """The answers that what was gathered gives."""
        ...
