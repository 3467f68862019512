"""Beam search along constraints: the K most likely words of each question's automaton."""

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from threading import Condition
from typing import Any, cast

from .constraint import State
from .model import CausalModel
from .plan import BeamPlan, Hypothesis, Question, SearchResult
from .session import Reply, Session, Start, write_replies
from .tree import ROOT


def beam_search(
    model: CausalModel,
    questions: Sequence[Question[State]],
    plan: BeamPlan,
    *,
    relevance: bool = True,
    reply: Reply | None = None,
) -> list[SearchResult[State]]:
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
        hypotheses = session.hypotheses(searches)
    else:
        hypotheses = [
            [Hypothesis(b.tokens, b.score, 1.0, b.state) for b in searched.best]
            for searched in searches
        ]
    if reply is not None:
        ends = [(s.start.row, beam.node) for s in searches for beam in s.best]
        replies = iter(write_replies(session, ends, reply))
        hypotheses = [[replace(h, reply=next(replies)) for h in some] for some in hypotheses]
    return [SearchResult(some, session.cost(row)) for row, some in enumerate(hypotheses)]


def search(
    model: CausalModel,
    question: Question[State],
    plan: BeamPlan,
    *,
    reply: Reply | None = None,
) -> SearchResult[State]:
    """`beam_search` for one question; with those of other threads if this one takes part."""
    gathering = _CURRENT.get()
    if gathering is None:
        return beam_search(model, [question], plan, reply=reply)[0]
    return gathering.search(model, question, plan, reply)


class Gathering:
    """Has the searches that several threads ask for at the same time run as one batch.

    Searches are held back until every thread that takes part has asked for one, or has left. On a
    GPU a batch of questions takes little longer than one; on a CPU it does not pay.
    """

    def __init__(self) -> None:
        self._changed = Condition()
        self._threads = 0
        self._waiting: list[_Request] = []

    @contextmanager
    def taking_part(self) -> Generator[None]:
        """Have the searches of this thread wait for those of the others."""
        with self._changed:
            self._threads += 1
        token = _CURRENT.set(self)
        try:
            yield
        finally:
            _CURRENT.reset(token)
            with self._changed:
                self._threads -= 1
                self._changed.notify_all()

    def search(
        self, model: CausalModel, question: Question[State], plan: BeamPlan, reply: Reply | None
    ) -> SearchResult[State]:
        """Have a search answered; the thread that completes a batch runs it for all."""
        request = _Request(model, question, plan, reply)
        with self._changed:
            self._waiting.append(request)
            self._changed.notify_all()
            while request.result is None and request.error is None:
                if len(self._waiting) < self._threads or not self._waiting:
                    self._changed.wait()
                    continue
                batch, self._waiting = self._waiting, []
                self._changed.release()
                try:
                    _run(batch)
                finally:
                    self._changed.acquire()
                    self._changed.notify_all()
        if request.error is not None:
            raise request.error
        return cast("SearchResult[State]", request.result)


_CURRENT: ContextVar[Gathering | None] = ContextVar("gathering", default=None)


@dataclass
class _Request:
    """A search that a thread waits for."""

    model: CausalModel
    question: Question[Any]
    plan: BeamPlan
    reply: Reply | None
    result: SearchResult[Any] | None = None
    error: Exception | None = None


def _run(batch: Sequence[_Request]) -> None:
    """Answer all, those of one plan at once."""
    while batch:
        first = batch[0]
        batchable = [request for request in batch if _can_be_batched(request, first)]
        batch = [request for request in batch if not _can_be_batched(request, first)]
        try:
            _search(batchable)
        except Exception:  # each for itself: one question must not fail its neighbours
            for request in batchable:
                try:
                    _search([request])
                except Exception as error:
                    request.error = error


def _can_be_batched(request: _Request, first: _Request) -> bool:
    return request.model is first.model and (request.plan, request.reply) == (
        first.plan,
        first.reply,
    )


def _search(batch: Sequence[_Request]) -> None:
    questions = [request.question for request in batch]
    results = beam_search(batch[0].model, questions, batch[0].plan, reply=batch[0].reply)
    for request, result in zip(batch, results, strict=True):
        request.result = result
