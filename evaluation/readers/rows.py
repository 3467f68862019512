"""Rows of files: lines of text, JSON lines or a JSON list, all also gzipped, and Parquet."""

import gzip
import itertools
import json
import zlib
from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, cast

from ...agent.errors import DatasetError, InputError, KGError
from ...agent.kg.sources import lines_of, opened
from .files import unreadable
from .reading import Row, reason

_PARQUET_ROWS = 64
"""Rows that are in memory at once: one may hold a graph of thousands of triples."""


def read_lines(file: Path) -> Iterator[Row]:
    """The lines that are not blank, as bytes. Raises DatasetError where the file cannot be read."""
    with _opened(file) as content:
        for number, line in lines_of(file, content):
            if line.strip():
                yield Row(file, "line", number, line)


def read_rows(files: Iterable[Path]) -> Iterator[Row]:
    """The rows of files one after the other: what `fields` takes. Raises DatasetError."""
    for file in files:
        yield from _parquet(file) if file.suffix == ".parquet" else _json_rows(file)


def read_items(file: Path, key: str) -> Iterator[Row]:
    """The items of the list that stands in a JSON object under a key.

    Raises DatasetError where the file is not such an object.
    """
    with _opened(file) as content:
        whole = _loaded(file, content.read())
    items = cast("dict[str, object]", whole).get(key) if isinstance(whole, dict) else None
    if not isinstance(items, list):
        raise DatasetError(
            f"{file} is no JSON object with a list of `{key}`",
            "check that it is the right file",
        )
    for number, item in enumerate(cast("list[object]", items), 1):
        yield Row(file, "question", number, item)


def read_texts(file: Path) -> dict[int, str]:
    """The lines that are not blank, by number, of a file that must be right as a whole."""
    texts: dict[int, str] = {}
    for row in read_lines(file):
        try:
            texts[row.number] = line_text(row)
        except ValueError as error:
            raise DatasetError(f"{row.place}: {reason(error)}", "copy the file again") from error
    return texts


def line_text(row: Row) -> str:
    """The text of a line, without its end. Raises ValueError where it is not UTF-8."""
    return cast("bytes", row.content).decode().rstrip("\r\n")


def fields(row: Row) -> dict[str, Any]:
    """The fields of a row. Raises ValueError where it is not UTF-8, JSON or an object."""
    content = row.content
    if isinstance(content, bytes):
        content = json.loads(content.decode())
    if not isinstance(content, dict):
        raise ValueError("is not a JSON object")
    return cast("dict[str, Any]", content)


def _json_rows(file: Path) -> Iterator[Row]:
    rows = read_lines(file)
    first = next(rows, None)
    if first is None:
        return
    if not cast("bytes", first.content).lstrip().startswith(b"["):
        yield from itertools.chain([first], rows)
        return
    with _opened(file) as content:
        items = _loaded(file, content.read())
    for number, item in enumerate(cast("list[object]", items), 1):
        yield Row(file, "item", number, item)


def _loaded(file: Path, content: bytes) -> object:
    try:
        return json.loads(content.decode())
    except (ValueError, RecursionError) as error:
        line = error.lineno if isinstance(error, json.JSONDecodeError) else 0
        place = f"{file}, line {line}" if line else f"{file}"
        raise DatasetError(
            f"{place}: {reason(error)}", "check that it is the right file, and whole"
        ) from error


def _parquet(file: Path) -> Iterator[Row]:
    try:
        import pyarrow as arrow
        import pyarrow.parquet as parquet
    except ImportError as error:
        raise InputError(
            "reading Parquet takes pyarrow", "pip install 'groundwalk[data]'"
        ) from error
    if not file.exists():
        raise unreadable(file, FileNotFoundError(2, "No such file or directory"))
    read = 0
    try:
        with parquet.ParquetFile(file) as table:
            for batch in table.iter_batches(batch_size=_PARQUET_ROWS):
                for number, content in enumerate(batch.to_pylist(), read + 1):
                    yield Row(file, "row", number, content)
                read += batch.num_rows
    except (OSError, arrow.ArrowException) as error:
        why = str(error).splitlines()[0]
        raise DatasetError(f"{file} is not readable as Parquet: {why}", "Copy it again.") from error


@contextmanager
def _opened(file: Path) -> Generator[IO[bytes]]:
    try:
        with opened(file) as content:
            yield content
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise DatasetError(f"{file} is not a whole .gz file: {error}", "Copy it again.") from error
    except KGError as error:  # it is too large
        raise DatasetError(error.message, error.hint) from error
    except OSError as error:
        raise unreadable(file, error) from error
