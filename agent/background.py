"""An event loop in a thread of its own, for plain functions whose waiting must surely end.

A deadline ends what runs there in whatever phase it is, and an interrupt of the caller does too.
"""

import asyncio
import threading
from collections.abc import Coroutine
from typing import Any, TypeVar

Done = TypeVar("Done")


class Background:
    """Runs coroutines; the thread starts with the first. A forked process needs one of its own."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
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
                threading.Thread(target=_serve, args=(self._loop,), daemon=True).start()
            return self._loop


def _serve(loop: asyncio.AbstractEventLoop) -> None:
    try:
        loop.run_forever()
    finally:
        loop.close()
