"""A program on a pseudo-terminal, and what a person would see of it."""

import fcntl
import os
import pty
import select
import struct
import subprocess
import sys
import termios
from collections.abc import Callable, Mapping
from pathlib import Path
from time import monotonic
from types import TracebackType

import pyte

_BEGIN = """
import fcntl, signal, termios
fcntl.ioctl(0, termios.TIOCSCTTY, 0)
signal.signal(signal.SIGINT, signal.default_int_handler)
"""
"""Takes the terminal as its own, and hears Ctrl-C though the tests may have been told not to."""
_PATIENCE = 600.0
"""Seconds without what is waited for; a busy machine is slow, only a broken chat is silent."""


class Terminal:
    """A terminal that runs Python code, and takes in whatever it writes.

    Its screen is so high that nothing scrolls away, unless it is made lower.
    """

    def __init__(
        self,
        code: str,
        environment: Mapping[str, str],
        folder: Path,
        *,
        rows: int = 300,
        columns: int = 120,
    ) -> None:
        self._master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        self.screen = pyte.Screen(columns, rows)
        self.screen.write_process_input = self._reply  # the program asks where its cursor is
        self._stream = pyte.ByteStream(self.screen)
        self.process = subprocess.Popen(
            [sys.executable, "-c", _BEGIN + code],
            stdin=slave,
            stdout=slave,
            stderr=slave,
            cwd=folder,
            env={**environment, "TERM": "xterm-256color"},
            start_new_session=True,
        )
        os.close(slave)

    def __enter__(self) -> "Terminal":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        self.process.kill()
        self.process.wait()
        os.close(self._master)

    def text(self) -> str:
        """What is on the screen."""
        lines = [line.rstrip() for line in self.screen.display]
        return "\n".join(lines).rstrip("\n") + "\n"

    def before_the_cursor(self) -> str:
        """The cursor's line up to where it stands."""
        cursor = self.screen.cursor
        return "".join(self.screen.buffer[cursor.y][x].data for x in range(cursor.x))

    def type(self, text: str) -> None:
        """Press the keys for a text; `\\x03` is Ctrl-C, `\\x04` Ctrl-D, `\\r` Enter."""
        os.write(self._master, text.encode())

    def wait_for(self, seen: Callable[[], bool]) -> None:
        """Take in what the program writes until something is seen. Raises AssertionError."""
        end = monotonic() + _PATIENCE
        while not seen():
            assert monotonic() < end, f"waited in vain:\n{self.text()}"
            assert self._take_in(0.2) or seen(), f"the program ended:\n{self.text()}"

    def wait_for_prompt(self, prompt: str, *, after: int) -> None:
        """Wait until the cursor stands after a prompt in a line below line `after`."""
        self.wait_for(lambda: self.before_the_cursor() == prompt and self.screen.cursor.y > after)

    def wait_for_the_end(self) -> int:
        """Take in everything until the program ends; its exit code."""
        end = monotonic() + _PATIENCE
        while self._take_in(0.2):
            assert monotonic() < end, f"does not end:\n{self.text()}"
        return self.process.wait(timeout=60)

    def _take_in(self, seconds: float) -> bool:
        """Whether there may be more."""
        ready, _, _ = select.select([self._master], [], [], seconds)
        if ready:
            try:
                written = os.read(self._master, 1 << 16)
            except OSError:  # how Linux says that nobody has the other end open
                return False
            self._stream.feed(written)
            return bool(written)
        return True

    def _reply(self, data: str) -> None:
        os.write(self._master, data.encode())
