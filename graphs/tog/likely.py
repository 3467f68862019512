"""tog by the likelihoods of the local model: the paper's control flow without its prompts."""

from collections.abc import Sequence

from ...agent.decoding.plan import of_model
from ...agent.llm.walk_choices import Crossing, WalkChoices, Weight
from ...agent.state import Named
from ..prompted.conclusions import Conclusion, elect
from ..prompted.walks import Walk, Way, spelled_names, spelled_ways, walk_names
from .judge import Picked

_LIKELY = 0.5
"""The probability of stopping from which what was gathered is enough."""


class LikelyJudge:
    """Implements `Judge`: each decision is one forward pass for all walks.

    A relation's score is its probability among those offered; an entity's is relative to the most
    likely one that the relation leads to. Walks are enough where the local model would rather stop
    than go on, on the average of their scores. The answers are the ends of the relation path that
    it most probably commits to, and that probability is the confidence.
    """

    reasoner = "likelihood"
    shortened = 0

    def __init__(self, choices: WalkChoices) -> None:
        self._choices = choices

    @property
    def cost(self) -> dict[str, int]:
        """What its decisions have cost so far."""
        return of_model(self._choices.cost)

    def relations(self, asked: Sequence[tuple[Walk, Sequence[Way]]], width: int) -> list[Picked]:
        """The likeliest ways out of each walk's end."""
        crossings = [Crossing(walk_names(walk), spelled_ways(ways)) for walk, ways in asked]
        return [_best(weights, width) for weights in self._choices.next(crossings)]

    def entities(
        self, asked: Sequence[tuple[Walk, Way, Sequence[Named]]], width: int
    ) -> list[Picked]:
        """The likeliest entities behind each way."""
        crossings = [
            Crossing([*walk_names(walk), *spelled_ways([way])], spelled_names(entities))
            for walk, way, entities in asked
        ]
        picked = list[Picked]()
        for weights in self._choices.next(crossings):
            top = max((weight.share for weight in weights), default=1.0)
            relative = [Weight(weight.share / top, 1.0) for weight in weights]
            picked.append(_best(relative, width))
        return picked

    def enough(self, walks: Sequence[Walk], gathered: Sequence[Walk]) -> bool:
        """Whether stopping is more probable than going on."""
        stops = self._choices.stops([walk_names(walk) for walk in walks])
        total = sum(walk["score"] for walk in walks)
        mean = sum(w["score"] * s.share for w, s in zip(walks, stops, strict=True))
        return total > 0 and mean / total >= _LIKELY

    def conclude(self, topics: Sequence[Named], gathered: Sequence[Walk]) -> Conclusion:
        """The ends of the likeliest relation path of all that were kept."""
        stops = self._choices.stops([walk_names(walk) for walk in gathered])
        weights = [w["relevance"] * s.relevance for w, s in zip(gathered, stops, strict=True)]
        return elect(gathered, weights)


def _best(weights: Sequence[Weight], width: int) -> Picked:
    best = sorted(range(len(weights)), key=lambda i: (-round(weights[i].share, 9), i))[:width]
    return Picked({i: weights[i].share for i in best}, {i: weights[i].relevance for i in best})
