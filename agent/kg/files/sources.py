"""The files of a KG: which they are, their formats, their bytes and their digest.

The RDF parser is native code: where its stack is full, the process ends. So it gets the bytes
within bounds: of the depth of nesting, and of what an entity of XML may stand for.
"""

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

from ...errors import KGError
from ..nodes import MOST_NESTED

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


_MOST_OPEN = 2_000
"""Triple terms that may have begun and not ended, what literals seem to begin included."""

_MOST_JSON = 200
"""Objects and arrays of JSON-LD that may stand in one another."""

_STRING = re.compile(rb'"(?:[^"\\]|\\.)*+(?P<end>")?', re.DOTALL)
_NO_BRACKETS = bytes(set(range(256)) - set(b"{}[]"))

_COMMENT = re.compile(rb"<!--.*?-->", re.DOTALL)
_ENTITY = re.compile(rb"""<!ENTITY\s+(\S+)\s+("[^"]*"|'[^']*')\s*>""")
_REFERENCE = re.compile(rb"&([^;&#]+);")
_ELEMENT = re.compile(rb"<[^!?]")
_LONGEST_PROLOG = 1 << 20
_LONGEST_ENTITY = 1_000
"""Characters that an entity may stand for; in RDF it is the beginning of an IRI."""


class Shallow:
    """A file whose triple terms do not stand in one another by the thousand."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._tail = b""
        self._open = 0

    def read(self, size: int = -1) -> bytes:
        """The next bytes. Raises KGError where the nesting is too deep."""
        chunk = self._file.read(size)
        text = self._tail + chunk
        self._open = max(0, self._open + text.count(b"<<(") - text.count(b")>>"))
        self._tail = text[-2:]
        if self._open > _MOST_OPEN:
            raise too_deep()
        return chunk


class Lines:
    """A file that is fed line by line, so that the parser is at the line of `number`, from 1."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._ended = True
        self.number = 0

    def read(self, size: int = -1) -> bytes:
        """The next line, or what of it `size` bytes hold."""
        chunk = self._file.readline(size)
        if chunk:
            self.number += self._ended
            self._ended = chunk.endswith(b"\n")
        return chunk


class ShallowJson(Lines):
    """JSON, fed line by line, whose objects and arrays do not stand in one another by the hundred.

    Brackets in strings do not count, wherever a string is cut between two reads.
    """

    def __init__(self, file: IO[bytes], name: str) -> None:
        """`name` is that of the file, for the user."""
        super().__init__(file)
        self._name = name
        self._depth = 0
        self._cut = b""
        """What of a string that has not ended decides how it goes on: its quote, a backslash."""

    def read(self, size: int = -1) -> bytes:
        """The next bytes. Raises KGError where the nesting is too deep."""
        chunk = super().read(size)
        brackets = self._brackets(chunk)
        if self._depth + len(brackets) > _MOST_JSON:
            for bracket in brackets:
                self._depth += 1 if bracket in b"{[" else -1
                if self._depth > _MOST_JSON:
                    raise KGError(
                        f"{self._name}, line {self.number}: more than {_MOST_JSON} objects or "
                        "arrays stand in one another",
                        'write them side by side, in "@graph"',
                    )
        else:
            opening = brackets.count(b"{") + brackets.count(b"[")
            self._depth += 2 * opening - len(brackets)
        return chunk

    def _brackets(self, chunk: bytes) -> bytes:
        """The brackets of the next bytes that are outside strings."""
        text = self._cut + chunk
        self._cut = b""
        outside: list[bytes] = []
        position = 0
        for string in _STRING.finditer(text):
            outside.append(text[position : string.start()])
            position = string.end()
            if string["end"] is None:
                escaping = position < len(text)  # the backslash that nothing follows yet
                self._cut = b'"\\' if escaping else b'"'
                position = len(text)
                break
        outside.append(text[position:])
        return b"".join(outside).translate(None, _NO_BRACKETS)


def check_entities(path: Path) -> None:
    """Raise KGError where an entity of XML would be written out at length, or may be."""
    with opened(path) as file:
        start = file.read(_LONGEST_PROLOG)
    prolog = _COMMENT.sub(b"", start).partition(b"<!--")[0]
    sizes: dict[bytes, int] = {}
    for name, value in ((match[1], match[2][1:-1]) for match in _ENTITY.finditer(prolog)):
        inner = sum(sizes.get(reference, 0) for reference in _REFERENCE.findall(value))
        sizes[name] = len(value) + inner
    longest = max(sizes.values(), default=0)
    if longest > _LONGEST_ENTITY:
        raise KGError(
            f"{path.name}: an entity of it stands for more than {_LONGEST_ENTITY} characters",
            "write the text in its place",
        )
    if len(start) == _LONGEST_PROLOG and not _ELEMENT.search(_ENTITY.sub(b"", prolog)):
        raise KGError(
            f"{path.name}: no element begins in its first {_LONGEST_PROLOG >> 20} MiB",
            "leave out what stands before it",
        )


def too_deep() -> KGError:
    """The error where triples stand in one another beyond what can be read."""
    return KGError(
        f"more than {MOST_NESTED} triples stand in one another", "leave such triples out"
    )
