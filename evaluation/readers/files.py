"""The files of a dataset: which of a folder are a split, and their rows.

Files are lines of text, JSON lines or a JSON list, all also gzipped, or Parquet.
"""

import gzip
import itertools
import json
import re
import zlib
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, cast

from ...agent.errors import DatasetError, InputError, KGError
from ...agent.kg.files.sources import lines_of, opened
from .parsing import Row, reason

_SUFFIXES = (".jsonl", ".json", ".jsonl.gz", ".json.gz", ".parquet")
_SHARD = re.compile(r"-(\d{5})-of-(\d{5})(?:-[0-9a-f]+)?\.parquet")
_MOST_NAMES = 8

_PARQUET_ROWS = 64
"""Rows that are in memory at once: one may hold a graph of thousands of triples."""


def split_files(data: Path, split: str, names: Sequence[str] = ("{split}",)) -> list[Path]:
    """The files of a split: `data` itself where it is none, else those of a name in that folder.

    `names` are the names that a file of the split may have, without what `_SUFFIXES` adds; the
    folder `data` in the folder, as datasets on the hub have it, and their Parquet shards
    (`test-00000-of-00002.parquet`) count too. Raises InputError for a split that is no name or is
    not given, DatasetError where there is no such file, or only some of its shards.
    """
    if not data.is_dir():
        return [data]
    if not split:
        raise InputError(
            f"{data} is a folder", f"name the split that is wanted, or the file; {_holds(data)}"
        )
    _check_name(split)
    stems = [name.format(split=split) for name in names]
    for folder in (data, data / "data"):
        for stem in stems:
            whole = [folder / f"{stem}{suffix}" for suffix in _SUFFIXES]
            if found := [file for file in whole if file.is_file()][:1] or _shards(folder, stem):
                return found
    raise DatasetError(f"{data} has no {stems[0]}{_SUFFIXES[0]} or the like", _holds(data))


def unreadable(file: Path, error: OSError) -> DatasetError:
    """What to say when a file of a dataset cannot be opened."""
    reason = error.strerror or str(error)
    folder = next((parent for parent in file.parents if parent.is_dir()), file.parent)
    return DatasetError(f"{file} cannot be read: {reason}", f"check the path: {_holds(folder)}")


def _check_name(split: str) -> None:
    if not re.fullmatch(r"\w[\w.+-]*", split):
        raise InputError(f"there is no split {split!r}", "give a name such as test")


def _shards(folder: Path, stem: str) -> list[Path]:
    shards = {
        file: (int(match[1]), int(match[2]))
        for file in sorted(folder.glob(f"{stem}-*.parquet"))
        if (match := _SHARD.fullmatch(file.name.removeprefix(stem)))
    }
    if shards:
        total = max(number for _, number in shards.values())
        missing = sorted(set(range(total)) - {number for number, _ in shards.values()})
        if missing:
            lacking = f"{stem}-{missing[0]:05}-of-{total:05}.parquet"
            raise DatasetError(f"{folder} has no {lacking}", "copy all files of the split")
        if len(shards) > total:
            raise DatasetError(
                f"{folder} has several versions of {stem}", "leave the files of one of them"
            )
    return list(shards)


def _holds(folder: Path) -> str:
    try:
        names = sorted(path.name for path in folder.iterdir())
    except OSError:
        return f"{folder} cannot be opened"
    if not names:
        return f"{folder} is empty"
    more = f" and {len(names) - _MOST_NAMES} more" if len(names) > _MOST_NAMES else ""
    return f"{folder} holds {', '.join(names[:_MOST_NAMES])}{more}"


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
            raise DatasetError(f"{row.location}: {reason(error)}", "copy the file again") from error
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
