"""The confidence threshold, fitted on questions that people wrote, answered by the whole agent."""

from collections.abc import Sequence
from typing import Any, Literal

from ..agent.errors import DatasetError
from ..agent.kg import KnowledgeGraph
from ..agent.llm.local import LocalModel
from ..agent.options import Options
from ..evaluation.samples import Sample
from ..graphs.build import build_graph
from .calibrate import Judged, silence_threshold

_FRESH = "calibration"
"""The tag of questions that were not read for the wordings that train the model."""

_GENERATED = 0.05
"""How many of the generated questions without an answer may be answered."""


def tuned_threshold(
    kg: KnowledgeGraph,
    local: LocalModel,
    questions: Sequence[Sample],
    method: str,
    *,
    generated: Sequence[Judged] = (),
    revisits: Literal["no-topic", "walk"] = "no-topic",
) -> float:
    """The threshold at which the agent, with a method, is silent where there is no answer.

    Where some of the questions without one are tagged `calibration`, they alone tell. Of those
    among `generated`, which are farther from what people ask, 5% may be answered; fewer than 20
    tell nothing.
    Raises DatasetError when every question has one.
    """
    graph = build_graph(method, kg=kg, generator=local)
    options = Options(on_ambiguous="best", confidence=0.0, revisits=revisits)
    asked = [sample for sample in questions if not sample.answers]
    fresh = [sample for sample in asked if _FRESH in sample.tags]
    found: list[Any] = [
        graph.invoke({"question": sample.question}, context=options) for sample in fresh or asked
    ]
    confidences = [state["confidence"] if state["answers"] else 0.0 for state in found]
    if not confidences:
        raise DatasetError(
            "the tuning questions all have answers, so nothing tells when to be silent",
            "add questions that the graph cannot answer, with an empty list of answers",
        )
    made = [one.confidence for one in generated if one.sample.moves is None]
    least = silence_threshold(made, share=_GENERATED) if len(made) * _GENERATED >= 1 else 0.0
    return round(max(silence_threshold(confidences), least), 4)
