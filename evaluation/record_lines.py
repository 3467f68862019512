"""Reading `samples.jsonl` back: every line checked, so that what follows can rely on it."""

import json
import re
from codecs import BOM_UTF8
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar, cast

from ..agent.errors import InputError
from .json_lines import json_line
from .records import SCHEMAS, Record

if TYPE_CHECKING:
    from pydantic import TypeAdapter

LINES_FILE = "samples.jsonl"
T = TypeVar("T")

_HALF = re.compile(rb"\\u[dD][89a-fA-F]")
"""What may be half a character, which pydantic's reader of JSON refuses."""


class QuestionKey(NamedTuple):
    """Which question a record is about, whatever the method."""

    dataset: str
    split: str
    id: str


def question_key(record: Record) -> QuestionKey:
    """Dataset, split and id of a record."""
    return QuestionKey(record["dataset"], record["split"], record["id"])


def read_records(folder: Path) -> list[Record]:
    """The records of a run directory, or of a file of such lines, in its order.

    Raises InputError, with the number of the line, for one that is torn, of another schema or not
    a record, and for a question that a method answered twice; also where nothing is there.
    """
    file = folder / LINES_FILE if folder.is_dir() else folder
    found: dict[tuple[QuestionKey, str], Record] = {}
    for number, line in numbered_lines(file):
        record = _record(line, f"{file}, line {number}")
        key = question_key(record), record["method"]
        if key in found:
            raise InputError(f"{file}, line {number}: {record['id']} was asked before", _HINT)
        found[key] = record
    if not found:
        raise InputError(f"{file} holds no lines", "is the run of this folder finished?")
    return list(found.values())


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


_HINT = "run `groundwalk eval run` again, which mends a torn line, or name another directory"


def checked(shape: type[T], line: bytes, place: str, hint: str) -> T:
    """A JSON line as a TypedDict `shape`. Raises InputError, which starts with `place`, else.

    Half a character in its texts is read as U+FFFD.
    """
    from pydantic import ValidationError

    try:
        return cast(T, _adapter(shape).validate_json(_mended(line)))
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False, include_context=False)[0]
        where = ".".join(map(str, first["loc"]))
        raise InputError(f"{place}: {where + ': ' if where else ''}{first['msg']}", hint) from None


def _mended(line: bytes) -> bytes:
    """The line, without halves of characters where it has some."""
    if _HALF.search(line) is None:
        return line
    try:
        return json_line(json.loads(line))
    except (ValueError, RecursionError):
        return line


def _record(line: bytes, place: str) -> Record:
    record = checked(Record, line, f"{place}: is not a record", _HINT)
    if record["schema"] not in SCHEMAS:
        known = f"not {' or '.join(map(str, SCHEMAS))}, which this version reads"
        raise InputError(f"{place}: has schema {record['schema']}, {known}", "run it again")
    return record


@lru_cache(maxsize=8)
def _adapter(shape: type) -> "TypeAdapter[Any]":
    from pydantic import TypeAdapter

    return TypeAdapter(shape)
