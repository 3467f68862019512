"""Beam search along constraints: the K most likely words of each question's automaton."""

from collections.abc import Sequence

from transformers import PreTrainedModel

from .constraint import State
from .plan import BeamPlan, Cost, Found, Hypothesis, Question, Scores
from .session import Session, Start
from .tree import ROOT

__all__ = ["BeamPlan", "Cost", "Found", "Hypothesis", "Question", "Scores", "beam_search"]


def beam_search(
    model: PreTrainedModel,
    questions: Sequence[Question[State]],
    plan: BeamPlan,
    *,
    relevance: bool = True,
) -> list[Found[State]]:
    """For each question the best words, best first; fewer than `plan.beams` if there are fewer.

    Without `relevance`, whole vocabularies are never looked at in `allowed` searches, and the
    field is 1. Raises ConstraintError where the model cannot hold prompt and walk.
    """
    session = Session(
        model, [question.prompt for question in questions], min(q.shared for q in questions)
    )
    starts = [Start(row, ROOT, question.constraint) for row, question in enumerate(questions)]
    searches = session.search(starts, plan)
    if relevance:
        hypotheses = session.hypotheses(searches)
    else:
        hypotheses = [
            [Hypothesis(b.tokens, b.score, 1.0, b.state) for b in s.best] for s in searches
        ]
    return [
        Found(own, session.cost(row, searched.forced))
        for row, (own, searched) in enumerate(zip(hypotheses, searches, strict=True))
    ]
