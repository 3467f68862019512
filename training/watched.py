"""Hits@1 on a few held-out questions while a model is trained, and when to stop for it."""

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from ..agent.kg import KnowledgeGraph
from ..agent.llm.local import LocalModel, few_threads
from ..agent.options import Options
from .graph import Graph, execute
from .questions import Sample

if TYPE_CHECKING:
    from torch import Tensor
    from transformers import PreTrainedModel

LOOKS = 10
"""How often a run looks at them, where nothing else is said."""

OFTEN, PATIENCE = 40, 8
"""The looks and the patience of a run that stops by itself."""


class Watched:
    """Held-out questions that the agent answers greedily, with the weights as they are.

    The general reader is not asked before the model.
    """

    def __init__(
        self, kg: KnowledgeGraph, local: LocalModel, graph: Graph, samples: Sequence[Sample]
    ) -> None:
        self._kg = kg
        self._local = local
        self._graph = graph
        self._samples = samples

    @cached_property
    def _agent(self) -> Any:
        from ..graphs.build import build_graph

        return build_graph("gcr", kg=self._kg, generator=self._local)

    def hits(self) -> float | None:
        """The share of questions whose first answer is right; None where there are none."""
        if not self._samples:
            return None
        from ..agent.decoding.prefix import forget

        model = self._local.model
        forget(model)
        training = model.training
        model.eval()
        options = Options(on_ambiguous="best", confidence=0.0, queries=False, beams=1, max_chains=1)
        right = 0
        with few_threads(model):
            for sample in self._samples:
                state = self._agent.invoke({"question": sample.question}, context=options)
                first = state["answers"][0]["term"] if state["answers"] else None
                wanted = execute(self._graph, sample.walk[0], sample.moves or ())
                right += first in {self._graph.terms[node] for node in wanted}
        model.train(training)
        return right / len(self._samples)


class Looks:
    """What a run saw of its held-out questions, and the weights with which it saw the best.

    With `patience` a run ends after so many looks without a better score. Of equally good weights
    the later are the best.
    """

    def __init__(
        self, watched: Watched | None, steps: int, patience: int | None, looks: int = LOOKS
    ) -> None:
        self._watched = watched
        self._every = max(1, steps // looks)
        self._patience = patience
        self.seen = dict[int, float]()
        """Hits@1 by step."""
        self.weights: dict[str, Tensor] = {}
        """The best weights, where there is patience."""

    @property
    def last(self) -> float | None:
        """What was seen last."""
        return next(reversed(self.seen.values()), None)

    @property
    def is_over(self) -> bool:
        """Whether patience is at its end."""
        if self._patience is None or not self.seen:
            return False
        scores = list(self.seen.values())
        return len(scores) - 1 - scores.index(max(scores)) >= self._patience

    def is_due(self, step: int) -> bool:
        """Whether it is time to look."""
        return self._watched is not None and step % self._every == 0

    def look(self, step: int, model: "PreTrainedModel") -> None:
        """Look, and keep the weights if they are the best."""
        hits = self._watched.hits() if self._watched else None
        if hits is None:
            return
        self.seen[step] = round(hits, 4)
        if self._patience is not None and self.seen[step] == max(self.seen.values()):
            self.weights = {
                name: own.detach().to("cpu", copy=True) for name, own in _trained(model)
            }

    def resume(self, seen: Mapping[int, float], weights: "Mapping[str, Tensor]") -> None:
        """Take over what an earlier process saw."""
        self.seen, self.weights = dict(seen), dict(weights)

    def restore(self, model: "PreTrainedModel") -> None:
        """Give the model its best weights, where they were kept."""
        import torch

        if self.weights:
            with torch.no_grad():
                for name, own in _trained(model):
                    own.copy_(self.weights[name])


def _trained(model: "PreTrainedModel") -> "list[tuple[str, Tensor]]":
    return [(name, own) for name, own in model.named_parameters() if own.requires_grad]
