"""tog by a chat LLM, as in the paper (section 2, appendix E)."""

from collections.abc import Sequence
from pathlib import Path

from langchain_core.language_models import BaseChatModel

from ...agent.kg.walking.ranking import DIGITS, BM25Ranker
from ...agent.llm.asking import Asker
from ...agent.llm.reading import read_choices, read_verdict
from ...agent.prompting import render
from ...agent.state import Named, StepRecord
from ..prompted.conclusions import Conclusion, match_answers
from ..prompted.walks import (
    Walk,
    Way,
    entity_names,
    fact_lines,
    spelled_names,
    spelled_ways,
    walk_names,
)
from .judge import Picked


class ChatJudge:
    """Implements `Judge`: one call for each decision; what cannot be read, BM25 decides."""

    reasoner = "llm"

    def __init__(self, llm: BaseChatModel, question: str, prompts: Path | None) -> None:
        self._asker = Asker(llm)
        self._question = question
        self._prompts = prompts

    @property
    def cost(self) -> dict[str, int]:
        """What its decisions have cost so far."""
        return self._asker.cost

    @property
    def shortened(self) -> int:
        """How many replies were not whole."""
        return self._asker.shortened

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
            found = match_answers(names, topics, steps)
            if found.answers or found.unsupported:
                return found
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
