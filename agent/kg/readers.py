"""RDF files, `head|relation|tail` files and TSV files as a stream of triples."""

import gzip
import itertools
import re
import zlib
from collections.abc import Callable, Collection, Iterator, Sequence
from pathlib import Path
from typing import IO, Any, TypeAlias, cast
from urllib.parse import quote

import pyoxigraph as ox

from ..errors import KGError
from .nodes import MOST_NESTED
from .sources import Format, OnRead, Source, lines_of, opened, unreadable

_RDF: dict[Format, ox.RdfFormat] = {
    "ttl": ox.RdfFormat.TURTLE,
    "nt": ox.RdfFormat.N_TRIPLES,
    "nq": ox.RdfFormat.N_QUADS,
    "trig": ox.RdfFormat.TRIG,
    "rdf": ox.RdfFormat.RDF_XML,
    "jsonld": ox.RdfFormat.JSON_LD,
    "n3": ox.RdfFormat.N3,
}
_SEPARATORS: dict[Format, tuple[str, str]] = {
    "pipe": ("|", "head|relation|tail"),
    "tsv": ("\t", "head TAB relation TAB tail"),
}
_HEADERS = {("head", "relation", "tail"), ("subject", "predicate", "object"), ("s", "p", "o")}
_LABEL = ox.NamedNode("http://www.w3.org/2000/01/rdf-schema#label")
_WHERE = re.compile(r"^Parser error at (?:line \d+ )?(?:between )?columns? \d+(?: and \d+)?: ")
_MOST_NAMES = 200_000
"""Names of a table whose nodes are kept; after so many the label of a name is written again."""

_COMMENT = re.compile(rb"<!--.*?-->", re.DOTALL)
_ENTITY = re.compile(rb"""<!ENTITY\s+(\S+)\s+("[^"]*"|'[^']*')\s*>""")
_REFERENCE = re.compile(rb"&([^;&#]+);")
_ELEMENT = re.compile(rb"<[^!?]")
_LONGEST_PROLOG = 1 << 20
_LONGEST_ENTITY = 1_000
"""Characters that an entity may stand for; in RDF it is the beginning of an IRI."""
_MOST_OPEN = 2_000
"""Triple terms that may have begun and not ended, what literals seem to begin included."""

_Rename: TypeAlias = Callable[[ox.BlankNode], ox.BlankNode]


def name_iri(name: str) -> str:
    """The IRI that stands for a name of a `head|relation|tail` or TSV file."""
    return "urn:groundwalk:" + quote(name, safe="")


def read_quads(
    sources: Sequence[Source],
    *,
    graphs: Collection[ox.NamedNode] = (),
    on_read: OnRead | None = None,
) -> Iterator[ox.Quad]:
    """Every triple of the sources, in their order, as a quad of the default graph.

    With `graphs`, only what these named graphs hold. A triple may come more than once. A single
    N-Triples or N-Quads file keeps the names of its blank nodes, and in a folder they get a prefix
    for the file; in the other formats blank nodes are numbered as they appear, for which their
    names are kept in memory. Raises KGError, naming file and line, at the first malformed line, and
    when there is no triple; also where more than 50 triples stand in one another (RDF 1.2).
    """
    blanks = _Blanks(alone=len(sources) == 1)
    quads = itertools.chain.from_iterable(
        _read_source(number, source, blanks, graphs, on_read)
        for number, source in enumerate(sources)
    )
    first = next(quads, None)
    if first is None:
        names = ", ".join(source.path.name for source in sources[:3])
        where = f" in the graph {' or '.join(map(str, graphs))}" if graphs else ""
        raise KGError(f"{names} holds no triples{where}", "check that this is the right file")
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
) -> Iterator[ox.Quad]:
    if source.format in _SEPARATORS:
        return iter(()) if graphs else _read_columns(source, on_read)
    quads = _read_rdf(source, on_read)
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


def _check_entities(path: Path) -> None:
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


class _Shallow:
    """A file whose triple terms do not stand in one another by the thousand.

    The parser's stack would not hold them: the process would end.
    """

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._tail = b""
        self._open = 0

    def read(self, size: int = -1) -> bytes:
        chunk = self._file.read(size)
        text = self._tail + chunk
        self._open = max(0, self._open + text.count(b"<<(") - text.count(b")>>"))
        self._tail = text[-2:]
        if self._open > _MOST_OPEN:
            raise _too_deep()
        return chunk


def _too_deep() -> KGError:
    return KGError(
        f"more than {MOST_NESTED} triples stand in one another", "leave such triples out"
    )


def _renamed_triple(triple: ox.Triple, rename: _Rename | None) -> ox.Triple:
    around = [triple]
    while isinstance(tail := around[-1].object, ox.Triple):
        around.append(tail)
    if len(around) > MOST_NESTED:
        raise _too_deep()
    node = _renamed(tail, rename)
    for own in reversed(around):
        node = ox.Triple(_renamed(own.subject, rename), own.predicate, node)
    return node


def _read_rdf(source: Source, on_read: OnRead | None) -> Iterator[ox.Quad]:
    name = source.path.name
    try:
        if source.format == "rdf":
            _check_entities(source.path)
        with opened(source.path, on_read) as file:
            shallow = cast("IO[bytes]", _Shallow(file))
            yield from ox.parse(shallow, _RDF[source.format], base_iri=source.base)
    except SyntaxError as error:
        number = error.lineno or (_broken_xml_line(source.path) if source.format == "rdf" else 0)
        line = f", line {number}" if number else ""
        reason = _WHERE.sub("", error.msg.splitlines()[0])
        if "LoadDocumentCallback" in reason:
            reason = "its @context is an address"
        raise KGError(f"{name}{line}: {reason}", _syntax_hint(reason, source.format)) from error
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise KGError(f"{name} is not a whole .gz file: {error}", "copy it again") from error
    except UnicodeDecodeError as error:
        raise KGError(f"{name} is not UTF-8: {error.reason}", "save the file as UTF-8") from error
    except OSError as error:
        raise unreadable(source.path, error) from error


def _broken_xml_line(path: Path) -> int:
    """The line at which a file stops being XML, which the RDF/XML parser does not tell; or 0."""
    from xml.parsers import expat

    parser = expat.ParserCreate()
    try:
        with opened(path) as file:
            parser.ParseFile(file)
    except expat.ExpatError as error:
        return error.lineno
    except (EOFError, gzip.BadGzipFile, zlib.error):  # the file is torn behind that line
        return 0
    return 0


def _syntax_hint(reason: str, form: Format) -> str:
    if "@context" in reason:
        return "write the JSON-LD context into the file: nothing is fetched from the network"
    if "UTF-8" in reason:
        return "save the file as UTF-8"
    return f"the file is read as {_RDF[form].name}; correct the line or rename the file"


def _read_columns(source: Source, on_read: OnRead | None) -> Iterator[ox.Quad]:
    separator, expected = _SEPARATORS[source.format]
    name = source.path.name
    number, first = 0, True
    nodes: dict[str, ox.NamedNode] = {}
    try:
        with opened(source.path, on_read) as file:
            for number, line in lines_of(source.path, file):
                text = line.decode("utf-8").strip("\r\n")
                if not text.strip():
                    continue
                columns = tuple(column.strip() for column in text.split(separator))
                if len(columns) != 3:
                    found = f"{len(columns)} column{'s' if len(columns) > 1 else ''}"
                    raise KGError(
                        f"{name}, line {number}: expected {expected}, found {found}",
                        "every line holds one triple; a name cannot hold the separator",
                    )
                if not all(columns):
                    raise KGError(
                        f"{name}, line {number}: expected {expected}, found an empty name",
                        "every line holds one triple of three names",
                    )
                if first and tuple(column.casefold() for column in columns) in _HEADERS:
                    continue
                first = False
                if len(nodes) > _MOST_NAMES:
                    nodes.clear()
                for column in columns:
                    if column not in nodes:
                        nodes[column] = ox.NamedNode(name_iri(column))
                        yield ox.Quad(nodes[column], _LABEL, ox.Literal(column))
                head, relation, tail = (nodes[column] for column in columns)
                yield ox.Quad(head, relation, tail)
    except UnicodeDecodeError as error:
        raise KGError(
            f"{name}, line {number}: not UTF-8 ({error.reason})", "save the file as UTF-8"
        ) from error
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise KGError(f"{name} is not a whole .gz file: {error}", "copy it again") from error
    except OSError as error:
        raise unreadable(source.path, error) from error
