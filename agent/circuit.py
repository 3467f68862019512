"""A circuit to a service: one that is down is not asked again and again."""

import math
import time
from collections.abc import Generator
from contextlib import contextmanager
from threading import Lock

from .errors import ServiceError, UnavailableError

_MOST = 3
"""Failures in a row after which the service counts as down."""


class Circuit:
    """Opens after three failures in a row; then one attempt is let through after every pause.

    A service that answers at all, even with what is of no use, closes it. Safe to share between
    threads. `pause` is in seconds.
    """

    def __init__(self, pause: float) -> None:
        self._pause = pause
        self._lock = Lock()
        self._failures = 0
        self._opens = 0.0
        self._problem = UnavailableError("")

    @contextmanager
    def passing(self) -> Generator[bool]:
        """Around an exchange with the service; whether it is one attempt to see if it is back.

        Raises UnavailableError, at once, while the circuit is open.
        """
        trying = self._enter()
        try:
            yield trying
        except UnavailableError as problem:
            self._failed(problem)
            raise
        except ServiceError:
            self._answered()
            raise
        self._answered()

    def _enter(self) -> bool:
        with self._lock:
            if self._failures < _MOST:
                return False
            left = self._opens - time.monotonic()
            if left > 0:
                raise UnavailableError(
                    f"{self._problem.message}; after {self._failures} failures in a row it is not "
                    f"asked for {math.ceil(left)} s",
                    self._problem.hint,
                )
            self._opens += self._pause - left
            return True

    def _failed(self, problem: UnavailableError) -> None:
        with self._lock:
            self._failures += 1
            self._problem = problem
            self._opens = time.monotonic() + self._pause

    def _answered(self) -> None:
        with self._lock:
            self._failures = 0
