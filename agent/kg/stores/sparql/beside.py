"""Asks an endpoint for several things at the same time: as many as wait for nothing else.

What one caller asks for side by side takes five connections at most, however it is nested.
"""

from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar, copy_context
from threading import BoundedSemaphore, Lock, Thread
from typing import Any

from ....errors import ServiceError, UnavailableError

MOST_AT_ONCE = 5
"""Requests of one caller that are under way at the same time."""

_TURNS: ContextVar[BoundedSemaphore | None] = ContextVar("turns", default=None)


@contextmanager
def turn() -> Generator[None]:
    """Around one request: waits while the caller has as many under way as it may have."""
    turns = _TURNS.get()
    if turns is None:
        yield
    else:
        with turns:
            yield


def side_by_side(*works: Callable[[], Any]) -> list[Any]:
    """What each piece of work returns, in their order.

    Whoever counts requests counts those of all. Where one raises, the others are done all the same,
    so that what they learn is kept; then what the first of them raised is raised. None begins after
    a service is down. An interrupt waits for none.
    """
    if len(works) < 2:
        return [work() for work in works]
    jobs = _Jobs(works)
    token = _TURNS.set(_TURNS.get() or BoundedSemaphore(MOST_AT_ONCE))
    try:
        threads = [
            Thread(target=copy_context().run, args=(jobs.work,), daemon=True)
            for _ in range(min(len(works), MOST_AT_ONCE))
        ]
    finally:
        _TURNS.reset(token)
    try:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    except BaseException:  # an interrupt: what has not begun is not asked any more
        jobs.stop()
        raise
    return jobs.results()


def quietly(work: Callable[[], object]) -> None:
    """Do work ahead, of which a failure is none: what was not read is asked for when needed."""
    with suppress(ServiceError):
        work()


class _Jobs:
    """Pieces of work that threads take one after the other."""

    def __init__(self, works: tuple[Callable[[], Any], ...]) -> None:
        self._works: Iterator[tuple[int, Callable[[], Any]]] = iter([*enumerate(works)])
        self._done: dict[int, Any] = {}
        self._problems: dict[int, BaseException] = {}
        self._lock = Lock()

    def stop(self) -> None:
        """Begin no more pieces."""
        with self._lock:
            self._works = iter(())

    def work(self) -> None:
        while True:
            with self._lock:
                number, work = next(self._works, (-1, None))
            if work is None:
                return
            try:
                self._done[number] = work()
            except BaseException as problem:  # raised by `results`, in the thread that asked
                self._problems[number] = problem
                if isinstance(problem, UnavailableError):
                    self.stop()

    def results(self) -> list[Any]:
        """Raises the first problem."""
        if self._problems:
            raise self._problems[min(self._problems)]
        return [self._done[number] for number in sorted(self._done)]
