"""From the files of a dataset to its samples: the files of a split, their rows, and the fields.

Files are lines of text, JSON lines or a JSON list, all also gzipped, or Parquet. Fields are
checked, ids are unique, and what is broken is reported with its place in the file.
"""

import gzip
import itertools
import json
import re
import zlib
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Literal, NamedTuple, TypeAlias, cast

from ...agent.errors import DatasetError, InputError, KGError
from ...agent.kg.files.sources import lines_of, opened
from ..samples import NamedTriple, PackedTriples, Sample, pack

OnBroken: TypeAlias = Literal["fail", "skip"]
"""What is done about a row that cannot be read, or has the id of another one."""

_SHOWN = 3


class Row(NamedTuple):
    """A line, row or item of a file, counted from 1; a line is still bytes."""

    file: Path
    unit: str
    number: int
    content: object

    @property
    def location(self) -> str:
        """Where it stands, for the user."""
        return f"{self.file}, {self.unit} {self.number}"


@dataclass(frozen=True)
class Skipped:
    """How many rows were left out, and for the first few where they stand and why."""

    count: int = 0
    first: tuple[str, ...] = ()


class Samples(NamedTuple):
    """What was read of a dataset, in its order, and what was not."""

    samples: tuple[Sample, ...]
    skipped: Skipped = Skipped()


ReadSplit: TypeAlias = Callable[[Path, str, OnBroken], Samples]
"""Reads the questions of a folder or file and a split."""


def collect(
    where: Path, rows: Iterable[Row], parse: Callable[[Row], Sample], on_broken: OnBroken
) -> Samples:
    """Parse every row; `parse` raises ValueError for a broken one, with the reason.

    A second row with the same id is broken too. Raises DatasetError for the first broken row if
    `on_broken` says so, and if nothing is left; `where` then names what was read.
    """
    samples: dict[str, Sample] = {}
    broken, shown = 0, list[str]()
    for row in rows:
        try:
            sample = parse(row)
            if sample.id in samples:
                raise ValueError(f"the id {sample.id!r} occurs twice")
        except (ValueError, RecursionError) as error:
            why = f"{row.location}: {reason(error)}"
            if on_broken == "fail":
                raise DatasetError(why, "correct or remove it") from error
            broken += 1
            shown += [why] * (broken <= _SHOWN)
        else:
            samples[sample.id] = sample
    if not samples:
        unread = f"; {broken} could not be read, such as {shown[0]}" if broken else ""
        raise DatasetError(f"{where} holds no questions{unread}", "check that it is the right file")
    return Samples(tuple(samples.values()), Skipped(broken, tuple(shown)))


def reason(error: Exception) -> str:
    """Why something could not be parsed, in the words of the user."""
    if isinstance(error, UnicodeDecodeError):
        return "is not UTF-8"
    return "is not JSON" if isinstance(error, json.JSONDecodeError) else str(error)


def sample_id(row: Row, value: object) -> str:
    """The id that the dataset gives, else one of the file's name and the row's number."""
    if value is None:
        return f"{row.file.stem}-{row.number:06}"
    if isinstance(value, str | int) and not isinstance(value, bool):
        return text(str(value), "id")
    raise ValueError("`id` is neither text nor a whole number")


def text(value: object, name: str, *, empty: bool = False) -> str:
    """A text without blanks around it; none, or a blank one, only where it may be `empty`."""
    if value is None:
        if empty:
            return ""
        raise ValueError(f"`{name}` is missing")
    if not isinstance(value, str) or not (empty or value.strip()):
        raise ValueError(f"`{name}` is not a text, or an empty one")
    try:
        value.encode()
    except UnicodeEncodeError:
        raise ValueError(f"`{name}` holds half a character") from None
    return value.strip()


def items(value: object, name: str, *, optional: bool = False) -> list[object]:
    """A list; the empty one where an `optional` one is missing."""
    if optional and value is None:
        return []
    if not isinstance(value, list):
        raise ValueError(f"`{name}` is missing" if value is None else f"`{name}` is not a list")
    return cast("list[object]", value)


def texts(value: object, name: str, *, optional: bool = False) -> tuple[str, ...]:
    """A list of texts, which may be missing where it is `optional`."""
    return tuple(text(item, name) for item in items(value, name, optional=optional))


def record(value: object, name: str, *, optional: bool = False) -> dict[str, object]:
    """An object; the empty one where an `optional` one is missing."""
    if optional and value is None:
        return {}
    if not isinstance(value, dict):
        raise ValueError(f"`{name}` is missing" if value is None else f"`{name}` is not an object")
    return cast("dict[str, object]", value)


def chain(value: object, name: str) -> tuple[NamedTriple, ...]:
    """A list of triples of names."""
    return tuple(_triples(value, name))


def graph(value: object, name: str) -> PackedTriples:
    """A list of triples of names, each kept once."""
    return pack(_triples(value, name))


def _triples(value: object, name: str) -> Iterator[NamedTriple]:
    known: dict[object, str] = {}
    for item in items(value, name):
        parts = items(item, name)
        if len(parts) != 3:
            raise ValueError(f"`{name}` holds something else than [head, relation, tail]")
        for part in parts:
            if not isinstance(part, str) or part not in known:
                known[part] = text(part, name)
        yield known[parts[0]], known[parts[1]], known[parts[2]]


_SUFFIXES = (".jsonl", ".json", ".jsonl.gz", ".json.gz", ".parquet")
_SHARD = re.compile(r"-(\d{5})-of-(\d{5})(?:-[0-9a-f]+)?\.parquet")
_MOST_NAMES = 8

_PARQUET_ROWS = 64
"""Rows that are in memory at once: one may hold a graph of thousands of triples."""


def split_files(data: Path, split: str, names: Sequence[str] = ("{split}",)) -> list[Path]:
    """The files of a split: those of a name in the folder `data`, or `data` where it is a file.

    A file is of no split but the one that it is called after. `names` are the names that a file of
    the split may have, without what `_SUFFIXES` adds; the folder `data` in the folder, as datasets
    on the hub have it, and their Parquet shards (`test-00000-of-00002.parquet`) count too. Raises
    InputError for a split that is no name, is not given or is not that of the file, DatasetError
    where there is no such file, or only some of its shards.
    """
    stems = [name.format(split=split) for name in names]
    if not data.is_dir():
        whole = [f"{stem}{suffix}" for stem in stems for suffix in _SUFFIXES]
        if split and data.name not in whole and data.exists():
            raise InputError(
                f"{data} is one file, and has no split {split!r}",
                "leave the split out, or give the folder that holds its file",
            )
        return [data]
    if not split:
        raise InputError(
            f"{data} is a folder", f"name the split that is wanted, or the file; {_holds(data)}"
        )
    _check_name(split)
    for folder in (data, data / "data"):
        for stem in stems:
            suffixed = [folder / f"{stem}{suffix}" for suffix in _SUFFIXES]
            if files := [file for file in suffixed if file.is_file()][:1] or _shards(folder, stem):
                return files
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
        location = f"{file}, line {line}" if line else f"{file}"
        raise DatasetError(
            f"{location}: {reason(error)}", "check that it is the right file, and whole"
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
