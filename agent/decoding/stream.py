# pyright: reportPrivateUsage=false
"""The beam search of one question, whose words come out one by one as soon as they are certain.

A second driver of the search in `search.py`, and so at home with its parts.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Generic

from transformers import PreTrainedModel

from .constraint import State
from .engine import open_engine
from .search import (
    _DIGITS,
    BeamPlan,
    Cost,
    Hypothesis,
    Question,
    _Beam,
    _Group,
    _relevances,
    _score,
    _Search,
)


@dataclass(frozen=True)
class Streamed(Generic[State]):
    """A word, and what the search has cost so far; with the last word that is all."""

    hypothesis: Hypothesis[State]
    cost: Cost


def stream_search(
    model: PreTrainedModel, question: Question[State], plan: BeamPlan
) -> Iterator[Streamed[State]]:
    """The hypotheses of `beam_search`, in its order, each as soon as nothing can come before it.

    That is when every running beam scores less. With groups or a length penalty it is only at the
    end. Raises ConstraintError where the model cannot hold prompt and walk.
    """
    engine, forward = open_engine(model, [question.prompt])
    search = _Watched(forward.trees[0], question.constraint, plan)

    def shown(beam: _Beam[State]) -> Streamed[State]:
        relevance = _relevances(forward, [search], {0: [beam]})[0, beam.node]
        cost = Cost(forward.forward_passes, forward.tokens[0], search.forced, engine)
        return Streamed(Hypothesis(beam.tokens, beam.score, relevance, beam.state), cost)

    count = 0
    steps = search.run()
    while True:
        try:
            wanted = next(steps)
        except StopIteration as stop:
            every: list[_Beam[State]] = stop.value
            yield from (shown(beam) for beam in every[count:])
            return
        certain = search.certain()
        yield from (shown(beam) for beam in certain[count:])
        count = len(certain)
        _score(forward, [search], {0: wanted})


class _Watched(_Search[State]):
    """A search that tells which of its finished beams are certain."""

    _group: _Group[State] | None = None

    def _step(self, group: _Group[State], taken: Counter[int]) -> None:
        super()._step(group, taken)
        self._group = group

    def certain(self) -> Sequence[_Beam[State]]:
        """The first finished beams, best first: no running one can still come before them."""
        group = self._group
        if group is None or self.plan.groups > 1 or self.plan.length_penalty:
            return []
        best = max((round(beam.score, _DIGITS) for beam in group.running), default=-float("inf"))
        return [beam for beam in group.finished if round(beam.score, _DIGITS) > best]
