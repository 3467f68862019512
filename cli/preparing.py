"""A value that is made before it is needed, while whoever needs it is still being spoken with."""

from collections.abc import Callable
from concurrent.futures import Future, wait
from threading import Lock, Thread
from typing import Generic, TypeVar

Made = TypeVar("Made")

BEAT = 2.0
"""Seconds between two signs of life to somebody who waits."""


class Prepared(Generic[Made]):
    """Makes its value in a thread of its own. Threads that need it wait.

    What making it raises is raised where it is needed; then the next call makes it anew.
    """

    def __init__(self, make: Callable[[], Made]) -> None:
        self._make = make
        self._lock = Lock()
        self._future: Future[Made] | None = None

    def begin(self) -> Future[Made]:
        """The value that is there or being made; begun if it is not, or could not be made."""
        with self._lock:
            if self._future is None or (self._future.done() and self._future.exception()):
                self._future = Future()
                arguments = (self._make, self._future)
                Thread(target=_run, args=arguments, name="preparing", daemon=True).start()
            return self._future

    def get(self, on_wait: Callable[[], None] = lambda: None) -> Made:
        """The value, once it is there; `on_wait` is called now and then until it is.

        Raises what making it raised.
        """
        future = self.begin()
        while not wait([future], timeout=BEAT).done:
            on_wait()
        return future.result()

    def settle(self, seconds: float | None = None) -> None:
        """Wait, or so long at most, for what was begun, whatever comes of it."""
        if self._future is not None:
            wait([self._future], timeout=seconds)

    @property
    def has_begun(self) -> bool:
        """Whether it was ever begun."""
        return self._future is not None

    @property
    def is_at_work(self) -> bool:
        """Whether it has begun and is not done."""
        return self._future is not None and not self._future.done()

    @property
    def failure(self) -> BaseException | None:
        """What the last try raised, where it is over and failed."""
        return self._future.exception() if self._future and self._future.done() else None


def _run(make: Callable[[], Made], future: Future[Made]) -> None:
    try:
        future.set_result(make())
    except BaseException as error:
        future.set_exception(error)
