"""The confidence threshold, fitted on questions that people wrote, answered by the whole agent."""

from collections.abc import Sequence
from typing import Any, cast

from ..agent.kg import KnowledgeGraph
from ..agent.llm.local import LocalModel
from ..agent.state import Options
from ..evaluation.metrics import Predicted, strict
from ..evaluation.samples import Sample
from ..graphs.build import build_graph
from .calibrate import fit_threshold


def tuned_threshold(kg: KnowledgeGraph, local: LocalModel, questions: Sequence[Sample]) -> float:
    """The threshold that separates right first answers from wrong ones at the least cost.

    Any answer to a question that has none is a wrong one. 0 when there is nothing to tell apart.
    """
    graph = build_graph("gcr", kg=kg, generator=local)
    options = Options(on_ambiguous="best", confidence=0.0)
    confidences, rights = list[float](), list[bool]()
    for sample in questions:
        state = cast(Any, graph.invoke({"question": sample.question}, context=options))
        if state["answers"]:
            predicted = [Predicted(a["term"], (a["label"],)) for a in state["answers"]]
            scores = strict(sample.answers, predicted)
            confidences.append(state["confidence"])
            rights.append(scores is not None and scores["hits_at_1"] == 1.0)
    return round(fit_threshold(confidences, rights), 4)
