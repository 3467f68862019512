"""RDF files, `head|relation|tail` files and TSV files as a stream of triples."""

import contextlib
import gzip
import itertools
import re
import zlib
from collections.abc import Callable, Collection, Generator, Iterator, Sequence
from functools import lru_cache
from typing import IO, Any, TypeAlias, cast
from urllib.parse import quote

import pyoxigraph as ox

from ...errors import KGError
from ..nodes import MOST_NESTED
from .sources import (
    Format,
    Lines,
    OnRead,
    Shallow,
    ShallowJson,
    Source,
    check_entities,
    lines_of,
    opened,
    too_deep,
    unreadable,
)
from .statements import BrokenStatement, BrokenStatements, lines, read_statements, reason, turtle

_RDF: dict[Format, ox.RdfFormat] = {
    "ttl": ox.RdfFormat.TURTLE,
    "nt": ox.RdfFormat.N_TRIPLES,
    "nq": ox.RdfFormat.N_QUADS,
    "trig": ox.RdfFormat.TRIG,
    "rdf": ox.RdfFormat.RDF_XML,
    "jsonld": ox.RdfFormat.JSON_LD,
    "n3": ox.RdfFormat.N3,
}
_IN_STATEMENTS: Collection[Format] = ("nt", "nq", "ttl", "trig")
_BROKEN_TERM = re.compile("error while parsing (IRI|language tag) ")
"""What the parser says of RDF/XML that is whole, but for a term."""
_SEPARATORS: dict[Format, tuple[str, str]] = {
    "pipe": ("|", "head|relation|tail"),
    "tsv": ("\t", "head TAB relation TAB tail"),
}
_HEADERS = {("head", "relation", "tail"), ("subject", "predicate", "object"), ("s", "p", "o")}
_LABEL = ox.NamedNode("http://www.w3.org/2000/01/rdf-schema#label")
_TYPE = ox.NamedNode("http://www.w3.org/1999/02/22-rdf-syntax-ns#type")
_CLASS_OF = frozenset(("rdf:type", _TYPE.value, str(_TYPE)))
"""Relations of a table that say the class of their head."""
_MOST_NAMES = 200_000
"""Names of a table whose nodes are kept; after so many the label of a name is written again."""

_Rename: TypeAlias = Callable[[ox.BlankNode], ox.BlankNode]


def name_iri(name: str) -> str:
    """The IRI that stands for a name of a `head|relation|tail` or TSV file."""
    return "urn:groundwalk:" + quote(name, safe="")


def read_quads(
    sources: Sequence[Source],
    *,
    graphs: Collection[ox.NamedNode] = (),
    on_read: OnRead | None = None,
    broken: BrokenStatements | None = None,
) -> Iterator[ox.Quad]:
    """Every triple of the sources, in their order, as a quad of the default graph.

    With `graphs`, only what these named graphs hold. A triple may come more than once. A single
    N-Triples or N-Quads file keeps the names of its blank nodes, and in a folder they get a prefix
    for the file; in the other formats blank nodes are numbered as they appear, for which their
    names are kept in memory. `broken` is told of each broken statement; without it, the first one
    raises KGError, which names file and line. That is raised too where a file is broken beyond its
    statements, when there is no triple, and where more than 50 triples stand in one another
    (RDF 1.2).
    """
    broken_statements = broken or BrokenStatements("fail")
    blanks = _Blanks(alone=len(sources) == 1)
    quads = itertools.chain.from_iterable(
        _read_source(number, source, blanks, graphs, on_read, broken_statements)
        for number, source in enumerate(sources)
    )
    first = next(quads, None)
    if first is None:
        names = ", ".join(source.path.name for source in sources[:3])
        where = f" in the graph {' or '.join(map(str, graphs))}" if graphs else ""
        note = broken_statements.left_out.note
        raise KGError(
            f"{names} holds no triples{where}{note and f'; {note}'}",
            "check that this is the right file",
        )
    yield first
    yield from quads


class _Blanks:
    """Names for the blank nodes of several files, the same in every run."""

    def __init__(self, *, alone: bool) -> None:
        self._alone = alone
        self._numbers = itertools.count()

    def renaming(self, number: int, form: Format) -> _Rename | None:
        """How the blank nodes of a file are renamed, if at all."""
        if form not in ("nt", "nq"):
            numbered: dict[str, str] = {}

            def renumbered(node: ox.BlankNode) -> ox.BlankNode:
                if node.value not in numbered:
                    numbered[node.value] = f"b{next(self._numbers)}"
                return ox.BlankNode(numbered[node.value])

            return renumbered
        if self._alone:
            return None
        return lambda node: ox.BlankNode(f"f{number}-{node.value}")


def _read_source(
    number: int,
    source: Source,
    blanks: _Blanks,
    graphs: Collection[ox.NamedNode],
    on_read: OnRead | None,
    broken: BrokenStatements,
) -> Iterator[ox.Quad]:
    if source.format in _SEPARATORS:
        return iter(()) if graphs else _read_columns(source, on_read, broken)
    quads = _read_rdf(source, on_read, broken)
    return _in_one_graph(quads, frozenset(graphs), blanks.renaming(number, source.format))


def _in_one_graph(
    quads: Iterator[ox.Quad], graphs: Collection[ox.NamedNode], rename: _Rename | None
) -> Iterator[ox.Quad]:
    default = ox.DefaultGraph()
    for quad in quads:
        head, tail, graph = quad.subject, quad.object, quad.graph_name
        if graphs and graph not in graphs:
            continue
        if isinstance(tail, ox.Triple):
            yield ox.Quad(_renamed(head, rename), quad.predicate, _renamed_triple(tail, rename))
        elif rename and (isinstance(head, ox.BlankNode) or isinstance(tail, ox.BlankNode)):
            yield ox.Quad(_renamed(head, rename), quad.predicate, _renamed(tail, rename))
        elif graph == default:
            yield quad
        else:
            yield ox.Quad(head, quad.predicate, tail)


def _renamed(node: Any, rename: _Rename | None) -> Any:
    return rename(node) if rename and isinstance(node, ox.BlankNode) else node


def _renamed_triple(triple: ox.Triple, rename: _Rename | None) -> ox.Triple:
    around = [triple]
    while isinstance(tail := around[-1].object, ox.Triple):
        around.append(tail)
    if len(around) > MOST_NESTED:
        raise too_deep()
    node = _renamed(tail, rename)
    for enclosing in reversed(around):
        node = ox.Triple(_renamed(enclosing.subject, rename), enclosing.predicate, node)
    return node


def _read_rdf(
    source: Source, on_read: OnRead | None, broken: BrokenStatements
) -> Iterator[ox.Quad]:
    if source.format == "jsonld" or (broken.skipped and source.format == "rdf"):
        return _read_leniently(source, on_read, broken)
    if broken.skipped and source.format in _IN_STATEMENTS:
        return _read_apart(source, on_read, broken)
    return _read_whole(source, on_read)


def _read_whole(source: Source, on_read: OnRead | None) -> Iterator[ox.Quad]:
    """A file whose first broken statement ends the reading."""
    with _refused(source), opened(source.path, on_read) as file:
        if source.format == "rdf":
            check_entities(source.path)
        try:
            shallow = cast("IO[bytes]", Shallow(file))
            yield from ox.parse(shallow, _RDF[source.format], base_iri=source.base)
        except (SyntaxError, MemoryError) as error:
            line = error.lineno if isinstance(error, SyntaxError) else None
            why = reason(error)
            alone = source.format in _IN_STATEMENTS or bool(_BROKEN_TERM.match(why))
            raise _error_at(source, line or _line_of_the_end(source), why, alone=alone) from error


def _read_apart(
    source: Source, on_read: OnRead | None, broken: BrokenStatements
) -> Iterator[ox.Quad]:
    """A file of which broken statements are left out."""
    name, form = source.path.name, source.format
    with _refused(source), opened(source.path, on_read) as file:
        if form in ("nt", "nq"):
            statements = lines(source.path, file)
        else:
            statements = turtle(source.path, file, trig=form == "trig")
        for quad in read_statements(statements, name, _RDF[form], source.base):
            if isinstance(quad, BrokenStatement):
                broken.report(_error_at(source, quad.line, quad.reason, alone=True))
            else:
                yield quad


def _read_leniently(
    source: Source, on_read: OnRead | None, broken: BrokenStatements
) -> Iterator[ox.Quad]:
    """RDF/XML or JSON-LD, of which the parser lets all terms pass, and this none that is broken.

    A parser that checks them itself reads what follows wrongly, or, of JSON-LD, says nothing.
    """
    is_json = source.format == "jsonld"
    with _refused(source), opened(source.path, on_read) as file:
        if not is_json:
            check_entities(source.path)
        fed = ShallowJson(file, source.path.name) if is_json else Lines(file)
        try:
            quads = ox.parse(
                cast("IO[bytes]", fed), _RDF[source.format], base_iri=source.base, lenient=True
            )
            for quad in quads:
                problem = _problem(quad)
                if problem is None:
                    yield quad
                elif not (is_json and _is_ignored(quad.predicate)):
                    text, why = problem
                    line = fed.number
                    if is_json:
                        line = _line_with(source, text) if broken.shows_next else 0
                    broken.report(_error_at(source, line, why, alone=True))
        except SyntaxError as error:
            line = error.lineno or (0 if is_json else fed.number)
            raise _error_at(source, line, reason(error)) from error
        except MemoryError as error:
            raise _error_at(source, fed.number, reason(error)) from error


@contextlib.contextmanager
def _refused(source: Source) -> Generator[None]:
    """Every way in which a file may not be read, as a KGError."""
    name = source.path.name
    try:
        yield
    except SyntaxError as error:
        raise _error_at(source, error.lineno or 0, reason(error)) from error
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise KGError(f"{name} is not a whole .gz file: {error}", "copy it again") from error
    except UnicodeDecodeError as error:
        raise KGError(f"{name} is not UTF-8: {error.reason}", "save the file as UTF-8") from error
    except OSError as error:
        raise unreadable(source.path, error) from error


def _error_at(source: Source, number: int, problem: str, *, alone: bool = False) -> KGError:
    """The error of a file, at a line where that is known; `alone` where the rest can be kept."""
    if "LoadDocumentCallback" in problem:
        problem = "its @context is an address"
    line = f", line {number}" if number else ""
    hint = _syntax_hint(problem, source.format)
    return KGError(
        f"{source.path.name}{line}: {problem}",
        f"{hint}, or leave out what is broken: --on-broken skip" if alone else hint,
    )


def _line_of_the_end(source: Source) -> int:
    """The line at which the parser gives a file up."""
    with opened(source.path) as file:
        fed = Lines(file)
        try:
            for _ in ox.parse(cast("IO[bytes]", fed), _RDF[source.format], base_iri=source.base):
                pass
        except (SyntaxError, MemoryError):
            return fed.number
    return 0


def _line_with(source: Source, text: str) -> int:
    """The first line with a JSON string that ends as a text does; 0 where there is none.

    The longest such end counts, from a `/`, `#` or `:` on: names are shortened in JSON-LD.
    """
    starts = [0, *(match.end() for match in re.finditer("[/#:]", text))]
    ends = {f'{text[start:]}"'.encode(errors="replace"): 0 for start in starts}
    ends.pop(b'"', None)
    with opened(source.path) as file:
        for number, line in lines_of(source.path, file):
            for end, first in ends.items():
                if not first and end in line:
                    ends[end] = number
    return next(filter(None, ends.values()), 0)


def _problem(quad: ox.Quad) -> tuple[str, str] | None:
    """The text of the first term of a quad that is no term of RDF, and why it is none."""
    tail = quad.object
    inner: list[Any] = []
    while isinstance(tail, ox.Triple):
        inner += [tail.subject, tail.predicate]
        tail = tail.object
    for node in (quad.subject, quad.predicate, tail, quad.graph_name, *inner):
        if isinstance(node, ox.NamedNode):
            text = node.value
            problem = _iri_problem(text)
        elif isinstance(node, ox.Literal):
            text = node.language or node.datatype.value
            problem = _tag_problem(text) if node.language else _iri_problem(text)
        else:
            continue
        if problem:
            return text, problem
    return None


@lru_cache(maxsize=1 << 14)
def _iri_problem(iri: str) -> str:
    try:
        ox.NamedNode(iri)
    except ValueError as error:
        return f"{iri!r} is not an IRI: {error}"
    return ""


@lru_cache(maxsize=1 << 10)
def _tag_problem(language: str) -> str:
    try:
        ox.Literal("", language=language)
    except ValueError as error:
        return f"{language!r} is not a language tag: {error}"
    return ""


def _is_ignored(predicate: ox.NamedNode) -> bool:
    """Whether a key of JSON-LD means nothing: no @context makes it an IRI."""
    return ":" not in predicate.value or predicate.value.startswith("_:")


def _syntax_hint(problem: str, form: Format) -> str:
    if "@context" in problem:
        return "write the JSON-LD context into the file: nothing is fetched from the network"
    if "UTF-8" in problem:
        return "save the file as UTF-8"
    return f"the file is read as {_RDF[form].name}; correct the line or rename the file"


def _read_columns(
    source: Source, on_read: OnRead | None, broken: BrokenStatements
) -> Iterator[ox.Quad]:
    separator, expected = _SEPARATORS[source.format]
    first = True
    nodes: dict[str, ox.NamedNode] = {}
    with _refused(source), opened(source.path, on_read) as file:
        for number, line in lines_of(source.path, file):
            try:
                columns = _columns(line, separator, expected)
            except KGError as error:
                where = f"{source.path.name}, line {number}"
                broken.report(KGError(f"{where}: {error.message}", error.hint))
                continue
            if columns is None:
                continue
            if first and tuple(column.casefold() for column in columns) in _HEADERS:
                continue
            first = False
            if len(nodes) > _MOST_NAMES:
                nodes.clear()
            head, relation, tail = columns
            for column in (head, tail) if relation in _CLASS_OF else columns:
                if column not in nodes:
                    nodes[column] = ox.NamedNode(name_iri(column))
                    yield ox.Quad(nodes[column], _LABEL, ox.Literal(column))
            predicate = _TYPE if relation in _CLASS_OF else nodes[relation]
            yield ox.Quad(nodes[head], predicate, nodes[tail])


def _columns(line: bytes, separator: str, expected: str) -> tuple[str, ...] | None:
    """The three names of a line, None for an empty one. Raises KGError for what is neither."""
    try:
        text = line.decode("utf-8").strip("\r\n")
    except UnicodeDecodeError as error:
        raise KGError(f"not UTF-8 ({error.reason})", "save the file as UTF-8") from error
    if not text.strip():
        return None
    columns = tuple(column.strip() for column in text.split(separator))
    if len(columns) != 3:
        count = f"{len(columns)} column{'s' if len(columns) > 1 else ''}"
        raise KGError(
            f"expected {expected}, found {count}",
            "every line holds one triple; a name cannot hold the separator",
        )
    if not all(columns):
        raise KGError(
            f"expected {expected}, found an empty name",
            "every line holds one triple of three names",
        )
    return columns
