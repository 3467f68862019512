"""Lines of JSON and how `samples.jsonl` is read back, so that what follows can rely on it.

Lines are UTF-8 with no half of a character in them, which every reader of JSON takes. Each is
checked when it is read.
"""

import json
import re
from codecs import BOM_UTF8
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, NamedTuple, TypeVar, cast

from ..agent.errors import InputError
from ..agent.records import StepRecord
from .records import SCHEMAS, Record

if TYPE_CHECKING:
    from pydantic import TypeAdapter


LINES_FILE = "samples.jsonl"
T = TypeVar("T")

_HALF = re.compile(rb"\\u[dD][89a-fA-F]")
"""What may be half a character, which pydantic's reader of JSON refuses."""

_HINT = "run `groundwalk eval run` again, which mends a torn line, or name another directory"


def json_line(content: object) -> bytes:
    """A value as a line of JSON. A lone surrogate, which no UTF-8 can hold, becomes U+FFFD."""
    return whole(json.dumps(content, ensure_ascii=False) + "\n").encode()


def whole(text: str) -> str:
    """A text in which each half of a character is U+FFFD, and two that fit are the character."""
    if text.isascii():
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


class QuestionKey(NamedTuple):
    """Which question a record is about, whatever the method."""

    dataset: str
    split: str
    id: str


def question_key(record: Record) -> QuestionKey:
    """Dataset, split and id of a record."""
    return QuestionKey(record["dataset"], record["split"], record["id"])


def is_proof(chain: Sequence[StepRecord]) -> bool:
    """Whether the store confirmed every triple of a chain."""
    return all(step["verdict"] == "supported" for step in chain)


def with_one_proof(record: Record) -> Record:
    """The record, changed to one proof an answer at most: the numbers need no more chains."""
    for answer in record["answers"]:
        answer["chains"] = list(islice(filter(is_proof, answer["chains"]), 1))
    return record


def read_records(folder: Path) -> list[Record]:
    """The records of a run directory, or of a file of such lines, in its order.

    Raises InputError as `whole_records`, also for a line that is torn and where nothing is there.
    """
    file = folder / LINES_FILE if folder.is_dir() else folder
    records = list(whole_records(file, skips_torn=False))
    if not records:
        raise InputError(f"{file} holds no lines", "is the run of this folder finished?")
    return records


def whole_records(file: Path, *, skips_torn: bool = True) -> Iterator[Record]:
    """The records of a file; a last line without its end is one still being written.

    Raises InputError, with the number of the line, for one of another schema or that is no record,
    and for a question that a method answered twice.
    """
    before: dict[tuple[QuestionKey, str], int] = {}
    for number, line in numbered_lines(file):
        if skips_torn and not line.endswith(b"\n"):
            return
        where = f"{file}, line {number}"
        record = checked(Record, line, f"{where}: is not a record", _HINT)
        if record["schema"] not in SCHEMAS:
            known = f"not {' or '.join(map(str, SCHEMAS))}, which this version reads"
            raise InputError(f"{where}: has schema {record['schema']}, {known}", "run it again")
        if len(record["right"]) != len(record["answers"]):
            raise InputError(f"{where}: is not a record: not every answer is right or wrong", _HINT)
        first = before.setdefault((question_key(record), record["method"]), number)
        if first != number:
            raise InputError(
                f"{where}: {record['id']} was answered before, in line {first}",
                "remove one of the lines",
            )
        yield record


def numbered_lines(file: Path) -> Iterator[tuple[int, bytes]]:
    """The lines of a file that are not blank, with their numbers from 1.

    A byte order mark is no part of the first one. Raises InputError when it cannot be read.
    """
    try:
        with file.open("rb") as lines:
            for number, line in enumerate(lines, 1):
                line = line.removeprefix(BOM_UTF8) if number == 1 else line
                if line.strip():
                    yield number, line
    except (OSError, ValueError) as error:
        reason = (error.strerror if isinstance(error, OSError) else None) or str(error)
        raise InputError(f"{file} cannot be read: {reason}", "check the path") from None


def open_lines(file: Path, why: str) -> IO[bytes]:
    """The file to append lines to, without a last line that was torn when writing was killed.

    Raises InputError, with the hint `why`, where it cannot be written.
    """
    try:
        lines = file.open("ab", buffering=0)
        lines.truncate(file.read_bytes().rfind(b"\n") + 1)
    except OSError as error:
        reason = error.strerror or str(error)
        raise InputError(f"{file} cannot be written: {reason}", why) from None
    return lines


def checked(shape: type[T], line: bytes, where: str, hint: str) -> T:
    """A JSON line as a TypedDict `shape`. Otherwise raises InputError, which starts with `where`.

    Half a character in its texts is read as U+FFFD.
    """
    from pydantic import ValidationError

    try:
        return cast(T, _adapter(shape).validate_json(_mended(line)))
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False, include_context=False)[0]
        key = ".".join(map(str, first["loc"]))
        raise InputError(f"{where}: {key + ': ' if key else ''}{first['msg']}", hint) from None


def _mended(line: bytes) -> bytes:
    """The line, without halves of characters where it has some."""
    if _HALF.search(line) is None:
        return line
    try:
        return json_line(json.loads(line))
    except (ValueError, RecursionError):
        return line


@lru_cache(maxsize=8)
def _adapter(shape: type) -> "TypeAdapter[Any]":
    from pydantic import TypeAdapter

    return TypeAdapter(shape)
