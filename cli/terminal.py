"""The terminal: whether there is one, and a spinner for what takes long."""

import sys
from collections.abc import Generator
from contextlib import contextmanager
from threading import Lock, Timer

from rich.console import Console

LONG = 0.5
"""Seconds after which a person wonders whether anything happens."""


@contextmanager
def waiting(console: Console, what: str, after: float = LONG) -> Generator[None]:
    """Say `what` is being waited for, once it takes longer than `after` seconds, on a terminal."""
    if console.quiet or not console.is_terminal:
        yield
        return
    status = console.status(f"[dim]{what} ...")
    lock, over = Lock(), False

    def start() -> None:
        with lock:
            if not over:
                status.start()

    timer = Timer(after, start)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        with lock:
            over = True
            status.stop()


def is_terminal() -> bool:
    """Whether a person reads along and can be asked."""
    return sys.stdin.isatty() and sys.stdout.isatty()
