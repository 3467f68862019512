"""What the host of a call is told while it waits, and whether it still does."""

from collections.abc import Callable, Generator
from contextlib import contextmanager
from time import monotonic
from typing import Any

from anyio import from_thread
from mcp.server.mcpserver import Context

from ..agent.stopping import watched
from .preparing import BEAT


class Progress:
    """Tells the host of one call what is done; may be used in the thread of the call only."""

    def __init__(self, context: Context[Any, Any]) -> None:
        self._context = context
        self._steps = 0
        self._last_report = monotonic()

    def report(self, what: str) -> None:
        """One more step is done. Ends the call where the host no longer waits for it."""
        from_thread.check_cancelled()
        self._steps += 1
        self._last_report = monotonic()
        from_thread.run(self._context.report_progress, self._steps, None, what)

    def reporter(self, what: str) -> Callable[[], None]:
        """Reports the same step at every call."""
        return lambda: self.report(what)

    @contextmanager
    def watching(self, what: str) -> Generator[None]:
        """Report now and then that the block is still at work, and end it with the call."""

        def watch() -> None:
            from_thread.check_cancelled()
            if monotonic() - self._last_report > BEAT:
                self.report(what)

        try:
            with watched(watch):
                yield
        except Exception:  # LangGraph makes an error of its own of a cancelled node
            from_thread.check_cancelled()
            raise
