"""Work that whoever waits for it may end before it is done.

Long work calls `look_up` now and then; what is `watched` is told so in the same thread.
"""

from collections.abc import Callable, Generator
from contextlib import contextmanager
from contextvars import ContextVar
from threading import get_ident

_WATCH: ContextVar[tuple[int, Callable[[], None]] | None] = ContextVar("watch", default=None)


class StoppedError(Exception):
    """Work whose result nobody waits for any longer."""


@contextmanager
def watched(watch: Callable[[], None]) -> Generator[None]:
    """Have `watch` called now and then while the block works, in this thread only.

    What it raises ends the work.
    """
    token = _WATCH.set((get_ident(), watch))
    try:
        yield
    finally:
        _WATCH.reset(token)


def look_up() -> None:
    """Let whoever watches this work see that it goes on, or end it."""
    watch = _WATCH.get()
    if watch is not None and watch[0] == get_ident():
        watch[1]()
