"""The statements of N-Triples, N-Quads, Turtle and TriG, each apart, so that one may be left out.

What is kept is what the file would be without the broken ones. Of Turtle and TriG a statement goes
to the dot that ends it. Where that dot cannot be told for certain, as where a string does not end,
the file is refused: text of a string must never be read as statements.

`BrokenStatements` refuses a file at the first broken one, or counts those that are left out.
"""

import io
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Literal, NamedTuple, TypeAlias, cast

import pyoxigraph as ox

from ...errors import KGError
from .sources import LONGEST_LINE, Shallow, lines_of

OnBroken: TypeAlias = Literal["fail", "skip"]
"""Whether a broken statement of a file ends its reading, or is left out and counted."""

_SHOWN = 3


@dataclass(frozen=True)
class LeftOut:
    """How many statements of its files a KG lacks, and for the first few where they are and why.

    A statement is a line of a format of lines, what ends in a dot of Turtle and TriG, and a triple
    of RDF/XML and JSON-LD.
    """

    statements: int = 0
    first: tuple[str, ...] = ()

    @property
    def note(self) -> str:
        """One line for the user; empty where nothing was left out."""
        if not self.statements:
            return ""
        one = self.statements == 1
        what = "1 broken statement was" if one else f"{self.statements:,} broken statements were"
        more = "; ..." if self.statements > len(self.first) else ""
        return f"{what} left out of the graph: {'; '.join(self.first)}{more}"


class BrokenStatements:
    """Collects the broken statements of a build."""

    def __init__(self, on_broken: OnBroken) -> None:
        self.skipped = on_broken == "skip"
        self._count = 0
        self._first: list[str] = []

    def report(self, error: KGError) -> None:
        """Count a statement, of which the error says where it is and what is wrong; or raise it."""
        if not self.skipped:
            raise error
        self._count += 1
        if self.shows_next:
            self._first.append(error.message)

    @property
    def shows_next(self) -> bool:
        """Whether the next one is shown with file and line, and not only counted."""
        return len(self._first) < _SHOWN

    @property
    def left_out(self) -> LeftOut:
        """What was met so far."""
        return LeftOut(self._count, tuple(self._first))


_BATCH = 1 << 18
"""Bytes of statements that are parsed at once, and one by one only where one of them is broken."""

_MOST_WORDS = 8
"""More than stand before the braces of a graph."""

_SURE_HINT = (
    "correct it: where the statement ends cannot be told, so that it cannot be left out alone"
)
_TOKEN = re.compile(
    rb"""
    (?P<comment>\#[^\r\n]*)
    | (?P<long>\"{3}|'{3})
    | (?P<string>"(?:[^"\\\r\n]|\\.)*"|'(?:[^'\\\r\n]|\\.)*')
    | (?P<pair><<\(?|\)?>>)
    | (?P<iri><[^>\r\n]*>)
    | (?P<open>[\[(]|\{\|)
    | (?P<close>[\])]|\|\})
    | (?P<brace>[{}])
    | (?P<dot>\.(?!\d))
    | (?P<unclosed>["'<])
    | (?P<word>(?:[^\s\#"'<>\[\](){}|.\\]|\\.|\.(?![\s\#<\[(]|\Z))+|[^\s])
    """,
    re.VERBOSE,
)
_LONG_END = {quote: re.compile(rb"\\.|" + quote, re.DOTALL) for quote in (b'"""', b"'''")}
_DIRECTIVE = re.compile(rb"@?(?:prefix|base|version)\Z", re.IGNORECASE)
_DOUBTFUL = re.compile(rb"""[\s<].*["']|".*""")
"""An IRI that is broken, and in which a string may begin."""

_POSITION = re.compile(
    r"^Parser error (?:at line \d+ )?(?:at )?(?:between )?(?:line \d+ )?columns? \d+"
    r"(?: and (?:line \d+ )?(?:column )?\d+)?: "
)
"""The place in a message of the parser."""


class Statement(NamedTuple):
    """One statement, from the `line` at which the one before it ended; the first line is 1.

    `graph` is what stands before the braces around it, of TriG. `directs` where it declares a
    prefix or a base, on which those after it depend.
    """

    line: int
    text: bytes
    graph: bytes | None = None
    directs: bool = False


class BrokenStatement(NamedTuple):
    """A statement that is left out: its line, and why."""

    line: int
    reason: str


def lines(path: Path, file: IO[bytes]) -> Iterator[Statement]:
    """The lines of N-Triples or N-Quads, which hold one statement each."""
    for number, line in lines_of(path, file):
        for text in line.splitlines():
            yield Statement(number, text + b"\n")


def turtle(path: Path, file: IO[bytes], *, trig: bool) -> Iterator[Statement]:
    """The statements of Turtle or TriG. Raises KGError where one does not surely end."""
    splitter = _Splitter(path.name, trig=trig)
    for number, line in lines_of(path, file):
        yield from splitter.split(number, line)
    yield from splitter.end()


class _Splitter:
    """Cuts lines where statements end; holds what of the last one has begun."""

    def __init__(self, name: str, *, trig: bool) -> None:
        self._name = name
        self._trig = trig
        self._graph: bytes | None = None
        self._quote = b""
        self._quote_line = 0
        self._reset(1)

    def _reset(self, line: int) -> None:
        self._text: list[bytes] = []
        self._size = 0
        self._line = line
        self._first = 0
        self._words: list[bytes] = []
        self._directs = False
        self._until = ""
        """The kind of token that ends it in the place of a dot, as in SPARQL."""
        self._depth = 0

    def split(self, number: int, line: bytes) -> Iterator[Statement]:
        """The statements that end in a line."""
        start = position = 0
        while position < len(line):
            if self._quote:
                position = self._after_quote(line, position)
                continue
            token = _TOKEN.search(line, position)
            if token is None:
                break
            kind, text, position = token.lastgroup or "", token[0], token.end()
            if kind == "comment":
                continue
            if kind == "brace" and self._trig and self._depth == 0:
                yield from self._brace(text, line[start : token.start()], number)
                start = position
                continue
            self._first = self._first or number
            self._read_token(kind, text, number)
            if self._is_end(kind):
                yield self._statement(line[start:position])
                self._reset(number)
                start = position
        self._text.append(line[start:])
        self._size += len(line) - start
        if self._size > LONGEST_LINE:
            raise KGError(
                f"{self._name}, line {self._first}: a statement is longer than "
                f"{LONGEST_LINE >> 20} MiB",
                _SURE_HINT,
            )

    def end(self) -> Iterator[Statement]:
        """The last statement, where no dot ends it."""
        if self._quote:
            raise self._unsure(self._quote_line, "a string in three quotes does not end")
        if self._depth or self._graph is not None:
            raise self._unsure(self._first or self._line, "a bracket that is not closed")
        if self._first:
            yield self._statement(b"")

    def _after_quote(self, line: bytes, position: int) -> int:
        for match in _LONG_END[self._quote].finditer(line, position):
            if match[0] == self._quote:
                self._quote = b""
                return match.end()
        return len(line)

    def _read_token(self, kind: str, text: bytes, number: int) -> None:
        if kind == "word" and _DIRECTIVE.match(text):
            self._directs = True
            if not self._words and not text.startswith(b"@"):
                self._until = "string" if text.lower() == b"version" else "iri"
        if len(self._words) < _MOST_WORDS:
            self._words.append(text)
        match kind:
            case "unclosed":
                what = "an IRI" if text == b"<" else "a string"
                raise self._unsure(number, f"{what} does not end on its line")
            case "iri" if _DOUBTFUL.search(text[1:-1]):
                raise self._unsure(number, "an IRI with a quote in it")
            case "long":
                self._quote, self._quote_line = text, number
            case "open" | "close" | "brace":
                opens = kind == "open" or text == b"{"
                self._depth = max(0, self._depth + (1 if opens else -1))
            case _:
                pass

    def _is_end(self, kind: str) -> bool:
        return kind == self._until or (kind == "dot" and self._depth == 0)

    def _brace(self, brace: bytes, before: bytes, number: int) -> Iterator[Statement]:
        """Of TriG: the beginning or the end of what a graph holds."""
        if brace == b"{" and self._graph is None:
            self._graph = b" ".join(self._words)
        elif brace == b"}" and self._graph is not None:
            if self._first:
                yield self._statement(before)
            self._graph = None
        else:
            raise self._unsure(number, f"a {brace.decode()} that belongs to no graph")
        self._reset(number)

    def _statement(self, rest: bytes) -> Statement:
        text = b"".join((*self._text, rest))
        return Statement(self._line, text, self._graph, self._directs)

    def _unsure(self, number: int, what: str) -> KGError:
        return KGError(f"{self._name}, line {number}: {what}", _SURE_HINT)


def read_statements(
    statements: Iterable[Statement], name: str, form: ox.RdfFormat, base: str
) -> Iterator[ox.Quad | BrokenStatement]:
    """What the statements of a file say, and in their place those that are broken.

    Raises KGError for a broken prefix or base: it would change what all after it mean.
    """
    prologue = b""
    for batch in _batches(statements):
        try:
            quads, prologue = _parsed(batch, prologue, form, base)
            yield from quads
        except (SyntaxError, MemoryError):
            for statement in batch:
                try:
                    quads, prologue = _parsed([statement], prologue, form, base)
                except (SyntaxError, MemoryError) as error:
                    broken = _broken(statement, error)
                    if statement.directs:
                        raise KGError(
                            f"{name}, line {broken.line}: {broken.reason}",
                            "correct it: what the statements after it mean depends on it",
                        ) from error
                    yield broken
                else:
                    yield from quads


def reason(error: SyntaxError | MemoryError) -> str:
    """What the parser has to say, in a line, without the place."""
    if isinstance(error, MemoryError):
        return "a literal or an IRI is longer than 16 MiB"
    return _POSITION.sub("", " ".join(error.msg.split()))


def _batches(statements: Iterable[Statement]) -> Iterator[list[Statement]]:
    batch: list[Statement] = []
    size = 0
    for statement in statements:
        batch.append(statement)
        size += len(statement.text)
        if size > _BATCH:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def _parsed(
    batch: Iterable[Statement], prologue: bytes, form: ox.RdfFormat, base: str
) -> tuple[list[ox.Quad], bytes]:
    """What statements say after a prologue of one line, and the prologue of those after them.

    Raises SyntaxError and MemoryError.
    """
    text = prologue + b"".join(map(_by_itself, batch))
    file = cast("IO[bytes]", Shallow(io.BytesIO(text)))
    parser = ox.parse(file, form, base_iri=base)
    quads = list(parser)
    if form not in (ox.RdfFormat.TURTLE, ox.RdfFormat.TRIG):
        return quads, b""
    declared = [f"@prefix {prefix}: <{iri}> ." for prefix, iri in parser.prefixes.items()]
    return quads, " ".join([f"@base <{parser.base_iri}> .", *declared, ""]).encode()


def _by_itself(statement: Statement) -> bytes:
    """A statement as it stands for itself, its lines counted as in the file."""
    if statement.graph is None:
        return statement.text
    return b"%s {%s\n}" % (statement.graph, statement.text)


def _broken(statement: Statement, error: SyntaxError | MemoryError) -> BrokenStatement:
    line = (error.lineno or 1) if isinstance(error, SyntaxError) else 1
    # a statement's own first line holds the end of the one before it
    blank = len(statement.text) - len(statement.text.lstrip())
    begins = statement.text[:blank].count(b"\n")
    return BrokenStatement(statement.line + max(line - 1, begins), reason(error))
