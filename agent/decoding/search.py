"""Beam search along constraints: the K most likely words of each question's automaton."""

from collections.abc import Sequence
from dataclasses import replace

from .constraint import State
from .model import CausalModel
from .plan import BeamPlan, Cost, Found, Hypothesis, Question, Scores
from .session import Session, Start
from .tree import ROOT
from .writing import Reply, write_replies

__all__ = ["BeamPlan", "Cost", "Found", "Hypothesis", "Question", "Scores", "beam_search"]


def beam_search(
    model: CausalModel,
    questions: Sequence[Question[State]],
    plan: BeamPlan,
    *,
    relevance: bool = True,
    reply: Reply | None = None,
) -> list[Found[State]]:
    """For each question the best words, best first; fewer than `plan.beams` if there are fewer.

    Without `relevance`, whole vocabularies are never looked at in `allowed` searches, and the
    field is 1. With `reply` the model writes freely after each word (GCR's hypothesis answers).
    Raises ConstraintError where the model cannot hold prompt and walk.
    """
    if not questions:
        return []
    session = Session(
        model, [question.prompt for question in questions], min(q.shared for q in questions)
    )
    starts = [Start(row, ROOT, question.constraint) for row, question in enumerate(questions)]
    searches = session.search(starts, plan)
    if relevance:
        found = session.hypotheses(searches)
    else:
        beams = [searched.best for searched in searches]
        found = [[Hypothesis(b.tokens, b.score, 1.0, b.state) for b in own] for own in beams]
    if reply is not None:
        ends = [(s.start.row, beam.node) for s in searches for beam in s.best]
        replies = iter(write_replies(session, ends, reply))
        found = [[replace(h, reply=next(replies)) for h in own] for own in found]
    return [Found(own, session.cost(row)) for row, own in enumerate(found)]
