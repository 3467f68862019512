"""The confidence threshold, fitted on questions that people wrote, answered by the whole agent."""

from collections.abc import Callable, Sequence
from typing import Any

from ...agent.errors import DatasetError
from ...agent.kg import KnowledgeGraph
from ...agent.llm.local import LocalModel
from ...agent.options import Options
from ...evaluation.samples import Sample
from ...graphs.build import build_graph
from .calibrate import Judged, silence_threshold

_FRESH = "calibration"
"""The tag of questions that were not read for the wordings that train the model."""

_GENERATED = 0.05
"""How many of the generated questions without an answer may be answered."""


def without_answer(questions: Sequence[Sample]) -> list[Sample]:
    """Those that have none; where some of them are tagged `calibration`, they alone.

    Raises DatasetError when every question has one.
    """
    asked = [sample for sample in questions if not sample.answers]
    if questions and not asked:
        raise DatasetError(
            "the tuning questions all have answers, so nothing tells when to be silent",
            "add questions that the graph cannot answer, with an empty list of answers",
        )
    return [sample for sample in asked if _FRESH in sample.tags] or asked


def confidence_in(
    kg: KnowledgeGraph, local: LocalModel, method: str, *, returns: bool = False
) -> Callable[[Sample], float]:
    """What asks the agent a question by a method: how sure it is of what it finds, 0 if nothing.

    With `returns` a walk may come back to its topic. The question is not read as a query first.
    """
    agent = build_graph(method, kg=kg, generator=local)
    revisits = "walk" if returns else "no-topic"
    options = Options(on_ambiguous="best", confidence=0.0, queries=False, revisits=revisits)

    def confidence(sample: Sample) -> float:
        state: Any = agent.invoke({"question": sample.question}, context=options)
        return state["confidence"] if state["answers"] or state["result"] else 0.0

    return confidence


def tuned_threshold(confidences: Sequence[float], generated: Sequence[Judged] = ()) -> float:
    """The threshold at which the agent is silent where there is no answer.

    `confidences` are those in what it found for questions `without_answer`. Of those among
    `generated`, which are farther from what people ask, 5% may be answered; fewer than 20 tell
    nothing.
    """
    made = [one.confidence for one in generated if one.sample.moves is None]
    least = silence_threshold(made, share=_GENERATED) if len(made) * _GENERATED >= 1 else 0.0
    return round(max(silence_threshold(confidences), least), 4)
