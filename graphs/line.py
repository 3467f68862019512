"""The line in which the questions of a process wait, so that they are answered as they came.

Answered all at once they would all end with the last one, and keep an event loop from its work.
"""

from collections import deque
from collections.abc import AsyncGenerator, Generator
from concurrent.futures import Future
from contextlib import asynccontextmanager, contextmanager
from threading import Lock

from ..agent.errors import ShortageError

MOST_WAITING = 1_000


class Line:
    """Answers `at_once` questions beside one another; the others wait, first come first served.

    Threads and event loops may wait in the same line. Entering raises ShortageError where
    `most_waiting` wait already.
    """

    def __init__(self, at_once: int, most_waiting: int = MOST_WAITING) -> None:
        self._free = at_once
        self._most = most_waiting
        self._waiting = deque[Future[None]]()
        self._lock = Lock()

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
        from asyncio import wrap_future

        ticket = self._enter()
        try:
            await wrap_future(ticket)
            yield
        finally:
            self._leave(ticket)

    def _enter(self) -> Future[None]:
        """A ticket, done once it is its holder's turn."""
        ticket = Future[None]()
        with self._lock:
            if self._free:
                self._free -= 1
                ticket.set_result(None)
            elif len(self._waiting) >= self._most:
                raise ShortageError(
                    f"{len(self._waiting):,} questions are waiting already", "ask again later"
                )
            else:
                self._waiting.append(ticket)
        return ticket

    def _leave(self, ticket: Future[None]) -> None:
        """Hand the turn on; a holder that gave up waiting only leaves the line."""
        with self._lock:
            if ticket in self._waiting:
                self._waiting.remove(ticket)
                return
            while self._waiting:
                following = self._waiting.popleft()
                if following.set_running_or_notify_cancel():
                    following.set_result(None)
                    return
            self._free += 1
