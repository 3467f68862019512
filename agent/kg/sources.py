"""The files of a KG: which they are, their formats, their bytes and their digest."""

import contextlib
import gzip
import io
import re
import zlib
from collections.abc import Callable, Generator, Iterator
from hashlib import sha256
from pathlib import Path
from typing import IO, Any, Literal, NamedTuple, TypeAlias, cast
from urllib.parse import quote

from ..errors import KGError

Format: TypeAlias = Literal["ttl", "nt", "nq", "trig", "rdf", "jsonld", "n3", "pipe", "tsv"]

_RDF_EXTENSIONS: dict[str, Format] = {
    ".ttl": "ttl",
    ".turtle": "ttl",
    ".nt": "nt",
    ".nq": "nq",
    ".trig": "trig",
    ".rdf": "rdf",
    ".owl": "rdf",
    ".xml": "rdf",
    ".jsonld": "jsonld",
    ".n3": "n3",
}
_EXTENSIONS: dict[str, Format] = {
    **_RDF_EXTENSIONS,
    ".json": "jsonld",
    ".psv": "pipe",
    ".kb": "pipe",
    ".tsv": "tsv",
}
_BOM = b"\xef\xbb\xbf"
_BUFFER = 1 << 16
LONGEST_LINE = 64 << 20
"""Bytes of a line, or of a statement."""
_MOST_TIMES = 200
"""How much larger than itself a .gz file may be unpacked; dumps are ten to sixty times larger."""
_MOST_UNPACKED = 256 << 20
"""Bytes that any .gz file may unpack to."""
_FORMATS_HINT = (
    "give Turtle, N-Triples, N-Quads, TriG, RDF/XML or JSON-LD (also .gz), "
    "head|relation|tail lines, or TSV lines"
)


OnRead: TypeAlias = Callable[[int], None]
"""Is told how many more bytes of the files were read."""


class Source(NamedTuple):
    """One file of a KG; `base` resolves the relative IRIs in it."""

    path: Path
    format: Format
    base: str


def find_sources(path: Path) -> list[Source]:
    """The files of a KG: the file itself, or all RDF files of a folder, sorted by name.

    Raises KGError when there is no such file, it cannot be read, or the folder holds no RDF.
    """
    try:
        if path.is_dir():
            sources = [
                Source(file, _RDF_EXTENSIONS[_extension(file)], f"file:///{quote(file.name)}")
                for file in sorted(path.iterdir())
                if file.is_file() and _extension(file) in _RDF_EXTENSIONS
            ]
            if not sources:
                raise KGError(f"{path} holds no RDF files", _FORMATS_HINT)
            return sources
        if not path.exists():
            raise KGError(f"{path}: no such file or folder", "check the path of the graph")
        form = _EXTENSIONS.get(_extension(path)) or _sniff(path)
        return [Source(path, form, "file:///kg")]
    except OSError as error:
        raise unreadable(path, error) from error


def digest(sources: list[Source]) -> str:
    """The SHA-256 of the sources' content: the same files always give the same digest."""
    total = sha256()
    for source in sources:
        content = sha256()
        try:
            with source.path.open("rb") as file:
                while block := file.read(1 << 20):
                    content.update(block)
        except OSError as error:
            raise unreadable(source.path, error) from error
        total.update(f"{source.format} {source.base} {content.hexdigest()}\n".encode())
    return total.hexdigest()


@contextlib.contextmanager
def opened(path: Path, on_read: OnRead | None = None) -> Generator[IO[bytes]]:
    """The file's bytes, unpacked, after a byte order mark if there is one.

    To read a .gz file raises KGError once it has unpacked to 256 MiB and to 200 times its size.
    """
    with contextlib.ExitStack() as stack:
        raw = io.FileIO(path) if on_read is None else _Metered(path, on_read)
        file = cast("IO[bytes]", stack.enter_context(io.BufferedReader(raw, _BUFFER)))
        if path.name.lower().endswith(".gz"):
            unpacked = io.BufferedReader(_Unpacked(path, file), _BUFFER)
            file = cast("IO[bytes]", stack.enter_context(unpacked))
        if cast(io.BufferedReader, file).peek(len(_BOM)).startswith(_BOM):
            file.read(len(_BOM))
        yield file


def lines_of(path: Path, file: IO[bytes]) -> Iterator[tuple[int, bytes]]:
    """The lines of an opened file, numbered from 1. Raises KGError for one without an end."""
    for number, line in enumerate(iter(lambda: file.readline(LONGEST_LINE + 1), b""), 1):
        if len(line) > LONGEST_LINE:
            raise KGError(
                f"{path}, line {number}: is longer than {LONGEST_LINE >> 20} MiB",
                "check that it is the right file",
            )
        yield number, line


def unreadable(path: Path, error: OSError) -> KGError:
    """What to tell the user when a file of theirs does not open."""
    reason = error.strerror or str(error)
    return KGError(f"{path} cannot be read: {reason}", "check the file and its permissions")


def _extension(path: Path) -> str:
    name = path.name.lower()
    return Path(name.removesuffix(".gz")).suffix


class _Unpacked(io.RawIOBase):
    """What a gzip file holds, while it is in proportion to the file's size."""

    def __init__(self, path: Path, packed: IO[bytes]) -> None:
        self._path = path
        self._file = gzip.GzipFile(fileobj=packed)
        self._left = max(_MOST_UNPACKED, _MOST_TIMES * path.stat().st_size)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any, /) -> int:
        number = self._file.readinto(buffer)
        self._left -= number
        if self._left < 0:
            raise KGError(
                f"{self._path} unpacks to more than {_MOST_TIMES} times its size",
                "if that is meant, unpack it with gunzip and give the unpacked file",
            )
        return number


class _Metered(io.FileIO):
    """A file that tells how much of it is read."""

    def __init__(self, path: Path, on_read: OnRead) -> None:
        super().__init__(path)
        self._on_read = on_read

    def readinto(self, buffer: Any, /) -> int:
        number = super().readinto(buffer) or 0
        self._on_read(number)
        return number


def _sniff(path: Path) -> Format:
    """The format of a file that its name does not tell, by its first lines."""
    try:
        with opened(path) as file:
            lines = [file.readline(1 << 16) for _ in range(20)]
    except (EOFError, zlib.error) as error:
        raise KGError(f"{path} is not a whole .gz file: {error}", "copy it again") from error
    text = [line.decode("utf-8", "replace").strip() for line in lines]
    number, first = next(((i, line) for i, line in enumerate(text, 1) if line), (1, ""))
    if not first:
        raise KGError(f"{path.name} holds no triples", "check that this is the right file")
    if re.match(r"(<[^<>\s]*>|_:\S+)\s+<[^<>\s]*>\s+.*\.$", first):
        return "nq"
    if re.match(r"@?(prefix|base)\b", first, re.IGNORECASE):
        return "trig"
    if first.startswith(("<?xml", "<rdf:RDF")):
        return "rdf"
    if first.startswith(("{", "[")):
        return "jsonld"
    if first.count("\t") == 2:
        return "tsv"
    if "|" in first:
        return "pipe"
    raise KGError(
        f"{path.name}, line {number}: expected head|relation|tail, found 1 column", _FORMATS_HINT
    )
