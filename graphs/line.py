"""The line in which the questions of a process wait, so that they are answered as they came.

Answered all at once they would all end with the last one, and keep an event loop from its work.
"""

from asyncio import CancelledError, ensure_future, shield, to_thread, wrap_future
from asyncio import Future as AsyncFuture
from collections import deque
from collections.abc import AsyncGenerator, Callable, Generator
from concurrent.futures import Future
from contextlib import asynccontextmanager, contextmanager
from threading import Event, Lock
from time import monotonic
from typing import TypeVar

from ..agent.errors import BusyError
from ..agent.stopping import StoppedError, watched

Made = TypeVar("Made")

MOST_WAITING = 100
_LOADING = 1
"""Turns that count no longer once there is another: the first one loads what answers."""
_NEWEST = 0.1
"""What the turn that ended last counts in the mean."""


class Line:
    """Answers `at_once` questions beside one another; the others wait, first come first served.

    Threads and event loops may wait in the same line. Entering raises BusyError where
    `most_waiting` wait already.
    """

    def __init__(self, at_once: int, most_waiting: int = MOST_WAITING) -> None:
        self.at_once = at_once
        self.most_waiting = most_waiting
        self._free = at_once
        self._waiting = deque[Future[None]]()
        self._begun = dict[Future[None], float]()
        self._mean = 0.0
        self._ended = 0
        self._lock = Lock()

    @property
    def waiting(self) -> int:
        """How many wait now."""
        return len(self._waiting)

    @property
    def answering(self) -> int:
        """How many are being answered now."""
        return self.at_once - self._free

    @property
    def seconds(self) -> float:
        """How long who comes now will wait, at the pace of late; 0 where no turn has ended yet."""
        if self._free:
            return 0.0
        return self._mean * (1 + len(self._waiting) / self.at_once)

    @contextmanager
    def turn(self) -> Generator[None]:
        """Wait in this thread, and hold the turn until the block ends."""
        ticket = self._enter()
        try:
            ticket.result()
            yield
        finally:
            self._leave(ticket)

    @asynccontextmanager
    async def turn_async(self) -> AsyncGenerator[None]:
        """Wait without blocking the event loop, and hold the turn until the block ends."""
        ticket = self._enter()
        try:
            await wrap_future(ticket)
            yield
        finally:
            self._leave(ticket)

    async def in_thread(self, work: Callable[[], Made]) -> Made:
        """Wait without blocking the event loop, and have the work done in a thread.

        Who is cancelled waits no longer. The work then ends where it next looks up
        (`agent/stopping.py`), and holds its turn until it does.
        """
        ticket, given_up = self._enter(), Event()

        def watch() -> None:
            if given_up.is_set():
                raise StoppedError

        def watched_work() -> Made:
            try:
                with watched(watch):
                    return work()
            finally:
                self._leave(ticket)

        def ended(done: AsyncFuture[Made]) -> None:
            self._leave(ticket)
            _ = done.cancelled() or done.exception()  # nobody else may be there to take it

        try:
            await wrap_future(ticket)
        except CancelledError:
            self._leave(ticket)
            raise
        working = ensure_future(to_thread(watched_work))
        working.add_done_callback(ended)
        try:
            return await shield(working)
        except CancelledError:
            given_up.set()
            raise

    def _enter(self) -> Future[None]:
        """A ticket, done once it is its holder's turn."""
        ticket = Future[None]()
        with self._lock:
            if self._free:
                self._free -= 1
                self._begun[ticket] = monotonic()
                ticket.set_result(None)
            elif len(self._waiting) >= self.most_waiting:
                raise BusyError(
                    f"{len(self._waiting):,} questions are waiting already",
                    "ask again later",
                    self.seconds,
                )
            else:
                self._waiting.append(ticket)
        return ticket

    def _leave(self, ticket: Future[None]) -> None:
        """Hand the turn on; who has none only leaves the line."""
        with self._lock:
            begun, now = self._begun.pop(ticket, None), monotonic()
            if begun is None:
                if ticket in self._waiting:
                    self._waiting.remove(ticket)
                return
            self._ended += 1
            weight = 1.0 if self._ended <= _LOADING + 1 else _NEWEST
            self._mean += (now - begun - self._mean) * weight
            while self._waiting:
                following = self._waiting.popleft()
                if following.set_running_or_notify_cancel():
                    self._begun[following] = now
                    following.set_result(None)
                    return
            self._free += 1
