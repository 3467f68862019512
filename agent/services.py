"""What protects us from the services that we ask, and our secrets from what we show of them.

A circuit does not ask a service that is down again and again. A reply that is too long is not read
to its end. A deadline or an interrupt ends what waits, in whatever phase it is. Addresses and
messages are shown without keys and passwords.
"""

import asyncio
import math
import re
import time
from collections.abc import Coroutine, Generator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from threading import Lock, Thread
from typing import Any, TypeVar

from .errors import ServiceError, UnavailableError

_MOST = 3
"""Failures in a row after which the service counts as down."""


class Circuit:
    """Opens after three failures in a row; then one attempt is let through after every pause.

    Requests that are under way at the same time fail as one. A service that answers at all, even
    with what is of no use, closes it. Safe to share between threads. `pause` is in seconds.
    """

    def __init__(self, pause: float) -> None:
        self._pause = pause
        self._lock = Lock()
        self._failures = 0
        self._opens = 0.0
        self._failed_at = 0.0
        self._problem = UnavailableError("")

    @contextmanager
    def passing(self) -> Generator[bool]:
        """Around an exchange with the service; whether it is one attempt to see if it is back.

        Raises UnavailableError, at once, while the circuit is open.
        """
        trying, since = self._enter(), time.monotonic()
        try:
            yield trying
        except UnavailableError as problem:
            self._failed(problem, since)
            raise
        except ServiceError:
            self._reset()
            raise
        self._reset()

    def _enter(self) -> bool:
        with self._lock:
            if self._failures < _MOST:
                return False
            seconds_left = self._opens - time.monotonic()
            if seconds_left > 0:
                raise UnavailableError(
                    f"{self._problem.message}; after {self._failures} failures in a row it is not "
                    f"asked for {math.ceil(seconds_left)} s",
                    self._problem.hint,
                )
            self._opens += self._pause - seconds_left
            return True

    def _failed(self, problem: UnavailableError, since: float) -> None:
        """What was under way when the last failure was counted failed with it, and counts once."""
        with self._lock:
            if since >= self._failed_at:
                self._failures += 1
                self._failed_at = time.monotonic()
            self._problem = problem
            self._opens = time.monotonic() + self._pause

    def _reset(self) -> None:
        with self._lock:
            self._failures = 0


def asked_to_wait(header: str) -> float:
    """Seconds, from the text of a header of seconds or of a date; 0 where it is neither."""
    text = header.strip()
    if text.isascii() and text.isdigit():
        return float(text[:9])
    try:
        date = parsedate_to_datetime(text)
        date = date if date.tzinfo else date.replace(tzinfo=UTC)
        return max((date - datetime.now(UTC)).total_seconds(), 0.0)
    except (ValueError, OverflowError):
        return 0.0


Done = TypeVar("Done")


class Background:
    """Runs coroutines; the thread starts with the first. A forked process needs one of its own."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._loop: asyncio.AbstractEventLoop | None = None

    def run(self, work: Coroutine[Any, Any, Done]) -> Done:
        """What the work comes to; raises what it raises."""
        future = asyncio.run_coroutine_threadsafe(work, self._running())
        try:
            return future.result()
        except BaseException:
            future.cancel()
            raise

    def close(self, last: Coroutine[Any, Any, object]) -> None:
        """Do the `last` work, if there was any before, and end the thread."""
        with self._lock:
            loop, self._loop = self._loop, None
        if loop is None:
            last.close()
            return
        asyncio.run_coroutine_threadsafe(last, loop).result()
        loop.call_soon_threadsafe(loop.stop)

    def _running(self) -> asyncio.AbstractEventLoop:
        with self._lock:
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                Thread(target=_serve, args=(self._loop,), daemon=True).start()
            return self._loop


def _serve(loop: asyncio.AbstractEventLoop) -> None:
    try:
        loop.run_forever()
    finally:
        loop.close()


MOST_BYTES = 8 * 2**20
"""Of one reply of a language model: far more than a model writes, thoughts and JSON included."""
PLAIN = {"Accept-Encoding": "identity"}
"""The header that asks for it: a short reply that is packed may be a long one."""


class UnboundedError(Exception):
    """A reply that is too long, or may be. The message goes after the name of the service."""


class Body:
    """The bytes of a reply as they come; raises UnboundedError rather than hold too many."""

    def __init__(self, headers: Mapping[str, str]) -> None:
        """Raises UnboundedError where the reply is packed, which it was not asked to be."""
        if headers.get("content-encoding", "identity").strip().lower() != "identity":
            raise UnboundedError("packs its replies, which it was not asked for")
        self.read = bytearray()

    def add(self, piece: bytes) -> None:
        """Take the next piece."""
        self.read += piece
        if len(self.read) > MOST_BYTES:
            raise UnboundedError(f"sent more than {MOST_BYTES:,} bytes for one reply")


_CREDENTIALS = re.compile(r"\b(bearer|basic)\s+[\w.~+/=-]+", re.IGNORECASE)


def public_address(address: str) -> str:
    """An address without user, password and query, in which keys may stand.

    A password may hold signs that no address should, such as / and @: it ends at the last @.
    """
    scheme, _, rest = address.partition("//")
    return f"{scheme}//{rest.rpartition('@')[2].partition('?')[0]}"


def is_port(port: int | None) -> bool:
    """Whether an address may have a port, or leaves it out."""
    return port is None or 0 < port < 2**16


def masked(text: str, *secrets: str) -> str:
    """What a service says, with `***` for the keys and headers of a client that it repeats."""
    for secret in filter(None, secrets):
        text = text.replace(secret, "***")
    return _CREDENTIALS.sub(r"\1 ***", text)
