"""Searches that several threads ask for at the same time, run as one batch.

On a GPU a batch of questions takes little longer than one; on a CPU it does not pay.
"""

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from threading import Condition
from typing import Any, cast

from .constraint import State
from .model import CausalModel
from .plan import BeamPlan, Found, Question
from .search import beam_search
from .writing import Reply


def search(
    model: CausalModel,
    question: Question[State],
    plan: BeamPlan,
    *,
    reply: Reply | None = None,
) -> Found[State]:
    """`beam_search` for one question; with those of other threads if this one takes part."""
    gathering = _CURRENT.get()
    if gathering is None:
        return beam_search(model, [question], plan, reply=reply)[0]
    return gathering.search(model, question, plan, reply)


class Gathering:
    """Holds searches back until every thread that takes part has asked for one, or has left."""

    def __init__(self) -> None:
        self._changed = Condition()
        self._parties = 0
        self._waiting: list[_Asked] = []

    @contextmanager
    def taking_part(self) -> Generator[None]:
        """Have the searches of this thread wait for those of the others."""
        with self._changed:
            self._parties += 1
        token = _CURRENT.set(self)
        try:
            yield
        finally:
            _CURRENT.reset(token)
            with self._changed:
                self._parties -= 1
                self._changed.notify_all()

    def search(
        self,
        model: CausalModel,
        question: Question[State],
        plan: BeamPlan,
        reply: Reply | None,
    ) -> Found[State]:
        """Have a search answered; the thread that completes a batch runs it for all."""
        asked = _Asked(model, question, plan, reply)
        with self._changed:
            self._waiting.append(asked)
            self._changed.notify_all()
            while asked.found is None and asked.error is None:
                if len(self._waiting) < self._parties or not self._waiting:
                    self._changed.wait()
                    continue
                batch, self._waiting = self._waiting, []
                self._changed.release()
                try:
                    _run(batch)
                finally:
                    self._changed.acquire()
                    self._changed.notify_all()
        if asked.error is not None:
            raise asked.error
        return cast("Found[State]", asked.found)


_CURRENT: ContextVar[Gathering | None] = ContextVar("gathering", default=None)


@dataclass
class _Asked:
    """A search that a thread waits for."""

    model: CausalModel
    question: Question[Any]
    plan: BeamPlan
    reply: Reply | None
    found: Found[Any] | None = None
    error: Exception | None = None


def _run(batch: Sequence[_Asked]) -> None:
    """Answer all, those of one plan at once."""
    while batch:
        first = batch[0]
        alike = [own for own in batch if _alike(own, first)]
        batch = [own for own in batch if not _alike(own, first)]
        try:
            _search(alike)
        except Exception:  # each for itself: one question must not fail its neighbours
            for own in alike:
                try:
                    _search([own])
                except Exception as error:
                    own.error = error


def _alike(one: _Asked, other: _Asked) -> bool:
    return one.model is other.model and (one.plan, one.reply) == (other.plan, other.reply)


def _search(alike: Sequence[_Asked]) -> None:
    questions = [own.question for own in alike]
    found = beam_search(alike[0].model, questions, alike[0].plan, reply=alike[0].reply)
    for own, answer in zip(alike, found, strict=True):
        own.found = answer
