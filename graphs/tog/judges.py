"""Who decides in tog: a chat LLM as in the paper (section 2, appendix E), or likelihoods.

The likelihoods of the local model have the paper's control flow without its prompts.
"""

from collections.abc import Sequence
from typing import NamedTuple

from ...agent.kg.walking.ranking import DIGITS, BM25Ranker
from ...agent.llm.replies import read_choices, read_verdict
from ...agent.llm.walk_choices import Crossing, Weight
from ...agent.records import Named, StepRecord
from ...prompts import render
from ..prompted.conclusions import Conclusion, elect, match_answers
from ..prompted.deciders import ChatDecider, LikelyDecider
from ..prompted.walks import (
    Walk,
    Way,
    entity_names,
    fact_lines,
    spelled_names,
    spelled_ways,
    walk_names,
)


class Picked(NamedTuple):
    """The score of each option that was picked, by position, and the names that were no option.

    `relevance` is the factor that a pick puts to the relevance of its walk.
    """

    scores: dict[int, float]
    relevance: dict[int, float]
    invented: tuple[str, ...] = ()


_LIKELY = 0.5
"""The probability of stopping from which what was gathered is enough."""


class LikelyJudge(LikelyDecider):
    """Each decision is one forward pass for all walks.

    A relation's score is its probability among those offered; an entity's is relative to the most
    likely one that the relation leads to. Walks are enough where the local model would rather stop
    than go on, on the average of their scores. The answers are the ends of the relation path that
    it most probably commits to, and that probability is the confidence.
    """

    def relations(self, asked: Sequence[tuple[Walk, Sequence[Way]]], width: int) -> list[Picked]:
        """The likeliest ways out of each walk's end (section 2.2.1)."""
        crossings = [Crossing(walk_names(walk), spelled_ways(ways)) for walk, ways in asked]
        return [_best(weights, width) for weights in self._choices.next(crossings)]

    def entities(
        self, asked: Sequence[tuple[Walk, Way, Sequence[Named]]], width: int
    ) -> list[Picked]:
        """The likeliest entities behind each way (section 2.2.2)."""
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
        """Whether stopping is more probable than going on (section 2.3)."""
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


class ChatJudge(ChatDecider):
    """One call for each decision; what cannot be read, BM25 decides."""

    def relations(self, asked: Sequence[tuple[Walk, Sequence[Way]]], width: int) -> list[Picked]:
        """One call for each walk that can go on."""
        return [self._relations(walk, ways, width) for walk, ways in asked]

    def entities(
        self, asked: Sequence[tuple[Walk, Way, Sequence[Named]]], width: int
    ) -> list[Picked]:
        """One call for each way that leads to several entities; a single one needs none."""
        return [self._entities(*one, width) for one in asked]

    def enough(self, walks: Sequence[Walk], gathered: Sequence[Walk]) -> bool:
        """One call; a reply that cannot be read means no."""
        prompt = self._prompt("enough", facts=fact_lines(_steps(gathered)))
        return bool(self._asker.read(prompt, read_verdict))

    def conclude(self, topics: Sequence[Named], gathered: Sequence[Walk]) -> Conclusion:
        """One call over the gathered triples; where that names nothing, plain chain of thought.

        What the LLM answers by itself is unsupported whatever it says.
        """
        steps = _steps(gathered)
        if steps:
            prompt = self._prompt("answer", facts=fact_lines(steps))
            names = self._asker.names(prompt, entity_names(steps))
            conclusion = match_answers(names, topics, steps)
            if conclusion.answers or conclusion.unsupported:
                return conclusion
        alone = self._asker.names(self._prompt("think"))
        return Conclusion([], alone, 0.0)

    def _relations(self, walk: Walk, ways: Sequence[Way], width: int) -> Picked:
        if not ways:
            return Picked({}, {})
        names = spelled_ways(ways)
        prompt = self._prompt("relations", width=width, entity=walk_names(walk)[-1], options=names)
        return self._picked(prompt, names, width)

    def _entities(self, walk: Walk, way: Way, entities: Sequence[Named], width: int) -> Picked:
        if len(entities) < 2:
            return Picked(dict.fromkeys(range(len(entities)), 1.0), {})
        names = spelled_names(entities)
        (relation,) = spelled_ways([way])
        prompt = self._prompt(
            "entities", entity=walk_names(walk)[-1], relation=relation, options=names
        )
        return self._picked(prompt, names, width)

    def _picked(self, prompt: str, names: Sequence[str], width: int) -> Picked:
        read = self._asker.read(prompt, lambda reply: read_choices(reply, names))
        invented = read.invented if read else ()
        if read is None or (invented and not read.scores):
            scores = _by_words(self._question, names)
        else:
            scores = read.scores
        best = sorted(scores, key=lambda i: (-round(scores[i], DIGITS), i))[:width]
        return Picked({i: scores[i] for i in best if scores[i] > 0}, {}, invented)

    def _prompt(self, name: str, **values: object) -> str:
        return render(f"tog/{name}.jinja", self._prompts, question=self._question, **values)


def _steps(walks: Sequence[Walk]) -> list[StepRecord]:
    return [step for walk in walks for step in walk["steps"]]


def _by_words(question: str, names: Sequence[str]) -> dict[int, float]:
    """Scores by the words that names share with the question; equal where none shares any."""
    scores = BM25Ranker().scores(question, names)
    total = sum(scores)
    return {i: score / total if total else 1 / len(names) for i, score in enumerate(scores)}
