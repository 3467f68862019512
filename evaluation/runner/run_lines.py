"""`samples.jsonl` while a run writes it: appended line by line, mended after a crash, put in order.

A line is with the system before anything else happens, and on the disk before the next one is
written. What a crash may leave is a torn last line, which is cut off.
"""

import contextlib
import json
import os
import re
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple, cast

from ...agent.errors import DiskError, InputError
from ..record_lines import json_line, whole, with_one_proof
from ..records import SERVICE_FAILED, Record

_TEXT = rb'"(?:[^"\\]|\\.)*"'
_HEAD = re.compile(
    rb'\{"schema": \d+, "dataset": %b, "split": %b, "id": (%b), "method": (%b), ' % ((_TEXT,) * 4)
)
_UNANSWERED = re.compile(rb'"error": "%b|"llm_failed": [1-9]' % SERVICE_FAILED.encode())
"""In a line where a service did not answer: within texts no quote stands without a backslash."""


class Key(NamedTuple):
    """What tells the lines of one run apart."""

    id: str
    method: str


class _Span(NamedTuple):
    """Where in its file a line is, and whether a service did not answer."""

    start: int
    stop: int
    unanswered: bool = False


class RunLines:
    """The lines of a run, open to be appended to by this process alone."""

    def __init__(self, file: Path) -> None:
        """Open the file or make it, and cut off what is torn.

        Raises InputError for what is no file of a run, and OSError.
        """
        self._file = file
        self._handle = _opened(file)
        try:
            self._spans = _spans(file)
            self._size = max((span.stop for span in self._spans.values()), default=0)
            if self._size < file.stat().st_size:
                os.ftruncate(self._handle, self._size)
        except BaseException:
            os.close(self._handle)
            raise
        self._beside = ThreadPoolExecutor(1)
        self._synced: Future[None] | None = None

    def __enter__(self) -> "RunLines":
        return self

    def __exit__(self, *_: object) -> None:
        self._beside.shutdown()
        os.close(self._handle)

    def __len__(self) -> int:
        return len(self._spans)

    def __contains__(self, key: Key) -> bool:
        return key in self._spans

    def append(self, record: Record) -> None:
        """Write a line, and have the disk take it while the next question is answered.

        Where it cannot be written the file stays as it was. Raises DiskError.
        """
        data = json_line(record)
        try:
            self._sync()
            written = 0
            while written < len(data):
                written += os.write(self._handle, data[written:])
        except OSError as error:
            with contextlib.suppress(OSError):
                os.ftruncate(self._handle, self._size)
            raise unwritable(self._file, error) from error
        span = _Span(self._size, self._size + len(data))
        self._spans[Key(whole(record["id"]), record["method"])] = span
        self._size = span.stop
        self._synced = self._beside.submit(os.fsync, self._handle)

    def drop_unanswered(self) -> set[Key]:
        """Take away the lines of questions that a service failed, and tell which they were.

        The file is replaced at once or stays as it is. Raises DiskError.
        """
        dropped = {key for key, span in self._spans.items() if span.unanswered}
        if dropped:
            self._keep([key for key in self._spans if key not in dropped])
        return dropped

    def sort(self, order: Sequence[Key]) -> None:
        """Put the finished file in this order, so that runs with other workers compare.

        The file is replaced at once or stays as it is. Raises DiskError.
        """
        wanted = [key for key in order if key in self._spans]
        spans = [self._spans[key] for key in wanted]
        if spans != sorted(spans) or sum(s.stop - s.start for s in spans) != self._size:
            self._keep(wanted)

    def _keep(self, keys: Sequence[Key]) -> None:
        """Replace the file by these of its lines."""
        beside = self._file.with_name(f"{self._file.name}.new")
        spans, size = dict[Key, _Span](), 0
        try:
            self._sync()
            with beside.open("wb") as out:
                for key in keys:
                    start, stop, unanswered = self._spans[key]
                    out.write(os.pread(self._handle, stop - start, start))
                    spans[key] = _Span(size, size + stop - start, unanswered)
                    size = spans[key].stop
                out.flush()
                os.fsync(out.fileno())
            beside.replace(self._file)
            handle = _opened(self._file)
        except OSError as error:
            raise unwritable(self._file, error) from error
        os.close(self._handle)
        self._handle, self._spans, self._size, self._synced = handle, spans, size, None

    def _sync(self) -> None:
        """Wait until the disk has the lines. Raises OSError."""
        if self._synced is not None:
            self._synced.result()


def _opened(file: Path) -> int:
    return os.open(file, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o644)


def light_records(file: Path) -> Iterator[Record]:
    """The records of a whole file with one proof an answer at most, as numbers need no more.

    Raises InputError, with its number, for a line that is damaged.
    """
    with file.open("rb") as lines:
        for number, line in enumerate(lines, 1):
            try:
                yield with_one_proof(cast(Record, json.loads(line)))
            except (ValueError, KeyError, TypeError, RecursionError) as error:
                raise _damaged(file, number) from error


def unwritable(file: Path, error: OSError) -> DiskError:
    """What to tell the user when a file of a run cannot be written; what is there is kept."""
    reason = error.strerror or str(error)
    return DiskError(
        f"{file} cannot be written: {reason}",
        "make room; the same command goes on where this one stopped",
    )


def _spans(file: Path) -> dict[Key, _Span]:
    """Where the whole lines are; of two with one key the first."""
    spans: dict[Key, _Span] = {}
    size, start = file.stat().st_size, 0
    with file.open("rb") as lines:
        for number, line in enumerate(lines, 1):
            stop = start + len(line)
            if stop == size and not _is_whole(line):
                break
            key = _key(line)
            if key is None:
                raise _damaged(file, number)
            spans.setdefault(key, _Span(start, stop, _UNANSWERED.search(line) is not None))
            start = stop
    return spans


def _key(line: bytes) -> Key | None:
    """What a line is about; None where it is damaged as far as its beginning tells."""
    head = _HEAD.match(line)
    try:
        line.decode()
        return head and Key(json.loads(head[1]), json.loads(head[2]))
    except ValueError:
        return None


def _damaged(file: Path, number: int) -> InputError:
    hint = "remove the line; the same command asks its question again"
    return InputError(f"{file}, line {number}: is damaged", hint)


def _is_whole(line: bytes) -> bool:
    try:
        return line.endswith(b"\n") and isinstance(json.loads(line), dict)
    except (ValueError, RecursionError):
        return False
