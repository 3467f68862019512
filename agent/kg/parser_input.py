"""Files as the RDF parser takes them in: within what its stack and the memory hold.

The parser is native code: where its stack is full, the process ends.
"""

import re
from pathlib import Path
from typing import IO

from ..errors import KGError
from .nodes import MOST_NESTED
from .sources import opened

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
        at = 0
        for string in _STRING.finditer(text):
            outside.append(text[at : string.start()])
            at = string.end()
            if string["end"] is None:
                escaping = at < len(text)  # the backslash that nothing follows yet
                self._cut = b'"\\' if escaping else b'"'
                at = len(text)
                break
        outside.append(text[at:])
        return b"".join(outside).translate(None, _NO_BRACKETS)


def check_entities(path: Path) -> None:
    """Raise KGError where an entity of XML would be written out at length, or may be."""
    with opened(path) as file:
        start = file.read(_LONGEST_PROLOG)
    prolog = _COMMENT.sub(b"", start).partition(b"<!--")[0]
    sizes: dict[bytes, int] = {}
    for name, value in ((found[1], found[2][1:-1]) for found in _ENTITY.finditer(prolog)):
        inner = sum(sizes.get(own, 0) for own in _REFERENCE.findall(value))
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
