"""The beam search of one question, whose words come out one by one as soon as they are certain."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Generic

from .beams import Beam, BeamSearch
from .constraint import State
from .model import CausalModel
from .plan import BeamPlan, Cost, Hypothesis, Question
from .session import Searched, Session, Start
from .tree import ROOT


@dataclass(frozen=True)
class Streamed(Generic[State]):
    """A word, and what the search has cost so far; with the last word that is all."""

    hypothesis: Hypothesis[State]
    cost: Cost


def stream_search(
    model: CausalModel, question: Question[State], plan: BeamPlan
) -> Iterator[Streamed[State]]:
    """The hypotheses of `beam_search`, in its order, each as soon as nothing can come before it.

    That is when every running beam scores less. With groups or a length penalty it is only at the
    end. Raises ConstraintError where the model cannot hold prompt and walk.
    """
    session = Session(model, [question.prompt], question.shared)
    start = Start(0, ROOT, question.constraint)
    search = BeamSearch(session.trees[0], question.constraint, plan)

    def shown(beam: Beam[State]) -> Streamed[State]:
        ((hypothesis,),) = session.hypotheses([Searched(start, [beam])])
        session.count(0, search, [beam])
        return Streamed(hypothesis, session.cost(0))

    count = 0
    steps = search.run()
    while True:
        try:
            wanted = next(steps)
        except StopIteration as stop:
            every: list[Beam[State]] = stop.value
            yield from (shown(beam) for beam in every[count:])
            return
        certain = search.certain()
        yield from (shown(beam) for beam in certain[count:])
        count = len(certain)
        session.score([(0, search, wanted)])
