"""How many HTTP requests a piece of work takes, whichever stores and labels it asks for what.

And why a store did not answer, where it tells that in the place of an answer.
"""

from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar
from threading import Lock

from ..errors import ServiceError


class Meter:
    """Counts requests as they are sent; none where everything is at hand."""

    def __init__(self) -> None:
        self.requests = 0
        self.failure = ""
        """Why a store last gave no answer, where it raised nothing."""
        self._lock = Lock()

    def count(self) -> None:
        """One more request was sent."""
        with self._lock:
            self.requests += 1


_METERS: ContextVar[tuple[Meter, ...]] = ContextVar("meters", default=())


@contextmanager
def metered() -> Generator[Meter]:
    """Count the requests that this thread, or task, causes until the end of the block."""
    meter = Meter()
    token = _METERS.set((*_METERS.get(), meter))
    try:
        yield meter
    finally:
        _METERS.reset(token)


def meters() -> tuple[Meter, ...]:
    """Whoever counts the requests that are sent from here."""
    return _METERS.get()


@contextmanager
def unanswered() -> Generator[None]:
    """End the block where a service does not answer; whoever counts is told why."""
    try:
        yield
    except ServiceError as error:
        tell_failure(error.message)


def tell_failure(why: str) -> None:
    """Tell whoever counts why a store gave no answer."""
    for meter in meters():
        meter.failure = why
