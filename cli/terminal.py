"""The terminal: its streams, errors in one line, and a spinner for what takes long."""

import io
import json
import os
import signal
import sys
from collections.abc import Generator
from contextlib import contextmanager
from threading import Lock, Timer
from types import FrameType
from typing import TYPE_CHECKING, Any, TextIO

import typer

from ..agent.errors import GroundwalkError

if TYPE_CHECKING:
    from rich.console import Console

LONG = 0.5
"""Seconds after which a person wonders whether anything happens."""


@contextmanager
def waiting(console: "Console", what: str) -> Generator[None]:
    """Say `what` is being waited for, once it takes longer than `LONG`, on a terminal."""
    if console.quiet or not console.is_terminal:
        yield
        return
    status = console.status(f"[dim]{what} ...")
    lock, over = Lock(), False

    def start() -> None:
        with lock:
            if not over:
                status.start()

    timer = Timer(LONG, start)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        with lock:
            over = True
            status.stop()


@contextmanager
def held_keys() -> Generator[None]:
    """Keep what is typed meanwhile, unseen and key by key, for whoever reads next; Ctrl-C stops.

    Without this the terminal shows it at once, and turns Enter into the end of a line. Windows
    stays as it is.
    """
    try:
        import termios
    except ImportError:
        yield
        return
    before = termios.tcgetattr(sys.stdin)
    held = termios.tcgetattr(sys.stdin)
    held[0] &= ~termios.ICRNL
    held[3] &= ~(termios.ECHO | termios.ICANON)
    termios.tcsetattr(sys.stdin, termios.TCSANOW, held)
    try:
        yield
    finally:
        termios.tcsetattr(sys.stdin, termios.TCSANOW, before)


def is_terminal() -> bool:
    """Whether a person reads along and can be asked."""
    return sys.stdin.isatty() and sys.stdout.isatty()


def count(number: int, what: str, plural: str = "") -> str:
    """A number of things in words, such as `1 triple` or `2,000 triples`."""
    return f"{number:,} {what if number == 1 else plural or f'{what}s'}"


def internal_error(error: Exception) -> GroundwalkError:
    """What to report of an error that nobody raised on purpose."""
    line = " ".join(str(error).split())[:300]
    return GroundwalkError(
        f"internal error: {type(error).__name__}: {line}", "set GROUNDWALK_DEBUG=1 to see where"
    )


def in_one_line(error: GroundwalkError) -> str:
    """An error and its hint."""
    from ..agent.kg.labels.names import one_line

    return one_line(error.with_hint)


def report(error: GroundwalkError) -> None:
    """Print an error: as JSON on standard output if that was asked for, else on standard error.

    Where standard output is closed, it goes to standard error whatever was asked for.
    """
    if "--json" in sys.argv and not _is_closed(sys.stdout):
        fields = {"code": error.code, "message": error.message, "hint": error.hint}
        typer.echo(json.dumps({"status": "error", **fields}, ensure_ascii=False))
        return
    typer.echo(f"groundwalk: {in_one_line(error)}", err=True)


def quiet_libraries() -> None:
    """Keep the libraries' banners, bars and telemetry off the user's screen and network."""
    for name, value in {
        "TRANSFORMERS_VERBOSITY": "error",
        "TRANSFORMERS_NO_ADVISORY_WARNINGS": "1",
        "HF_HUB_DISABLE_PROGRESS_BARS": "1",
        "HF_HUB_DISABLE_TELEMETRY": "1",
        "TOKENIZERS_PARALLELISM": "false",
    }.items():
        os.environ.setdefault(name, value)


_IMPORTING = "<frozen importlib._bootstrap>"
"""The file, as Python calls it, of whatever imports a module."""
_AGAIN = 0.05
"""Seconds after which it is looked again whether an import has ended."""


def spare_imports() -> None:
    """Have Ctrl-C wait for an import that is under way: one cut short leaves half a module behind.

    Windows has no timers for that, and stays as it is.
    """

    def interrupt(_: int, frame: FrameType | None) -> None:
        while frame is not None:
            if frame.f_code.co_filename == _IMPORTING:
                signal.setitimer(signal.ITIMER_REAL, _AGAIN)
                return
            frame = frame.f_back
        raise KeyboardInterrupt

    if hasattr(signal, "setitimer"):
        for number in (signal.SIGINT, signal.SIGALRM):
            signal.signal(number, interrupt)


class ClosedOutput(io.FileIO):
    """The null device where standard output is closed; `lost` once anything was written there."""

    def __init__(self) -> None:
        super().__init__(os.devnull, "w")
        self.lost = False

    def write(self, data: Any, /) -> int:
        """Lose some bytes."""
        self.lost = True
        return super().write(data)


def _is_closed(stream: TextIO | None) -> bool:
    return isinstance(getattr(getattr(stream, "buffer", None), "raw", None), ClosedOutput)


def open_streams() -> ClosedOutput | None:
    """Put the null device where a standard stream is closed (`>&-`), so that writing is no error.

    Returns what takes the place of standard output, if that is closed. A device takes the stream's
    own number, or else the next file that is opened would, such as a database into which a library
    then prints.
    """
    closed = None
    if sys.stdin is None:  # pyright: ignore[reportUnnecessaryComparison]
        sys.stdin = open(os.devnull, encoding="utf-8")  # noqa: SIM115
    if sys.stdout is None:  # pyright: ignore[reportUnnecessaryComparison]
        closed = ClosedOutput()
        sys.stdout = io.TextIOWrapper(io.BufferedWriter(closed), encoding="utf-8")
    if sys.stderr is None:  # pyright: ignore[reportUnnecessaryComparison]
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
    return closed


def whole_writes(stream: TextIO) -> TextIO:
    """The stream, or one in its place that loses nothing where a disk takes a part of a text.

    Where PYTHONUNBUFFERED is set, Python's own writes once, and forgets what was not taken.
    """
    raw = getattr(stream, "buffer", None)
    if not (isinstance(stream, io.TextIOWrapper) and isinstance(raw, io.RawIOBase)):
        return stream
    writer = io.BufferedWriter(raw)
    return io.TextIOWrapper(
        writer, stream.encoding, "replace", line_buffering=True, write_through=True
    )
