"""RDF files, `head|relation|tail` files and TSV files as a stream of quads."""

import gzip
import itertools
import re
import zlib
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import IO, Any, Literal, NamedTuple, TypeAlias, cast
from urllib.parse import quote

import pyoxigraph as ox

from ..errors import KGError

Format: TypeAlias = Literal["ttl", "nt", "nq", "trig", "rdf", "jsonld", "n3", "pipe", "tsv"]

_RDF: dict[Format, ox.RdfFormat] = {
    "ttl": ox.RdfFormat.TURTLE,
    "nt": ox.RdfFormat.N_TRIPLES,
    "nq": ox.RdfFormat.N_QUADS,
    "trig": ox.RdfFormat.TRIG,
    "rdf": ox.RdfFormat.RDF_XML,
    "jsonld": ox.RdfFormat.JSON_LD,
    "n3": ox.RdfFormat.N3,
}
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
_SEPARATORS: dict[Format, tuple[str, str]] = {
    "pipe": ("|", "head|relation|tail"),
    "tsv": ("\t", "head TAB relation TAB tail"),
}
_HEADERS = {("head", "relation", "tail"), ("subject", "predicate", "object"), ("s", "p", "o")}
_BOM = b"\xef\xbb\xbf"
_LABEL = ox.NamedNode("http://www.w3.org/2000/01/rdf-schema#label")
_FORMATS_HINT = (
    "Give Turtle, N-Triples, N-Quads, TriG, RDF/XML or JSON-LD (also .gz), "
    "head|relation|tail lines, or TSV lines."
)
_WHERE = re.compile(r"^Parser error at (?:line \d+ )?(?:between )?columns? \d+(?: and \d+)?: ")


class Source(NamedTuple):
    """One file of a KG; `base` resolves the relative IRIs in it."""

    path: Path
    format: Format
    base: str


def name_iri(name: str) -> str:
    """The IRI that stands for a name of a `head|relation|tail` or TSV file."""
    return "urn:groundwalk:" + quote(name, safe="")


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
            raise KGError(f"{path}: no such file or folder", "Check the path of the graph.")
        form = _EXTENSIONS.get(_extension(path)) or _sniff(path)
        return [Source(path, form, "file:///kg")]
    except OSError as error:
        raise _unreadable(path, error) from error


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
            raise _unreadable(source.path, error) from error
        total.update(f"{source.format} {source.base} {content.hexdigest()}\n".encode())
    return total.hexdigest()


def read_quads(sources: list[Source]) -> Iterator[ox.Quad]:
    """Every quad of the sources, in their order; blank nodes are numbered as they appear.

    Raises KGError, naming file and line, at the first malformed line, and when there is no triple.
    """
    empty = True
    numbers = itertools.count()
    for source in sources:
        quads = _read_columns(source) if source.format in _SEPARATORS else _read_rdf(source)
        blanks: dict[ox.BlankNode, ox.BlankNode] = {}
        for quad in quads:
            empty = False
            yield ox.Quad(
                _renumber(quad.subject, blanks, numbers),
                quad.predicate,
                _renumber(quad.object, blanks, numbers),
                _renumber(quad.graph_name, blanks, numbers),
            )
    if empty:
        names = ", ".join(source.path.name for source in sources[:3])
        raise KGError(f"{names} holds no triples", "Check that this is the right file.")


def _renumber(node: Any, blanks: dict[ox.BlankNode, ox.BlankNode], numbers: Iterator[int]) -> Any:
    if isinstance(node, ox.BlankNode):
        if node not in blanks:
            blanks[node] = ox.BlankNode(f"b{next(numbers)}")
        return blanks[node]
    if isinstance(node, ox.Triple):
        return ox.Triple(
            _renumber(node.subject, blanks, numbers),
            node.predicate,
            _renumber(node.object, blanks, numbers),
        )
    return node


def _extension(path: Path) -> str:
    name = path.name.lower()
    return Path(name.removesuffix(".gz")).suffix


def _unreadable(path: Path, error: OSError) -> KGError:
    reason = error.strerror or str(error)
    return KGError(f"{path} cannot be read: {reason}", "Check the file and its permissions.")


def _open(path: Path) -> IO[bytes]:
    """The file's bytes, unpacked, after a byte order mark if there is one."""
    packed = path.name.lower().endswith(".gz")
    file = cast("IO[bytes]", gzip.open(path) if packed else path.open("rb"))
    try:
        if file.read(len(_BOM)) != _BOM:
            file.seek(0)
    except BaseException:
        file.close()
        raise
    return file


def _sniff(path: Path) -> Format:
    """The format of a file that its name does not tell, by its first lines."""
    with _open(path) as file:
        try:
            lines = [file.readline(1 << 16) for _ in range(20)]
        except (EOFError, zlib.error) as error:
            raise KGError(f"{path} is not a whole .gz file: {error}", "Copy it again.") from error
    text = [line.decode("utf-8", "replace").strip() for line in lines]
    number, first = next(((i, line) for i, line in enumerate(text, 1) if line), (1, ""))
    if not first:
        raise KGError(f"{path.name} holds no triples", "Check that this is the right file.")
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


def _read_rdf(source: Source) -> Iterator[ox.Quad]:
    name = source.path.name
    try:
        with _open(source.path) as file:
            yield from ox.parse(file, _RDF[source.format], base_iri=source.base)
    except SyntaxError as error:
        number = error.lineno or (_broken_xml_line(source.path) if source.format == "rdf" else 0)
        line = f", line {number}" if number else ""
        reason = _WHERE.sub("", error.msg.splitlines()[0])
        if "LoadDocumentCallback" in reason:
            reason = "its @context is an address"
        raise KGError(f"{name}{line}: {reason}", _syntax_hint(reason, source.format)) from error
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise KGError(f"{name} is not a whole .gz file: {error}", "Copy it again.") from error
    except UnicodeDecodeError as error:
        raise KGError(f"{name} is not UTF-8: {error.reason}", "Save the file as UTF-8.") from error
    except OSError as error:
        raise _unreadable(source.path, error) from error


def _broken_xml_line(path: Path) -> int:
    """The line at which a file stops being XML, which the RDF/XML parser does not tell; or 0."""
    from xml.parsers import expat

    parser = expat.ParserCreate()
    try:
        with _open(path) as file:
            parser.ParseFile(file)
    except expat.ExpatError as error:
        return error.lineno
    return 0


def _syntax_hint(reason: str, form: Format) -> str:
    if "@context" in reason:
        return "Write the JSON-LD context into the file: nothing is fetched from the network."
    if "UTF-8" in reason:
        return "Save the file as UTF-8."
    return f"The file is read as {_RDF[form].name}; correct the line or rename the file."


def _read_columns(source: Source) -> Iterator[ox.Quad]:
    separator, expected = _SEPARATORS[source.format]
    name = source.path.name
    number = 0
    nodes: dict[str, ox.NamedNode] = {}
    try:
        with _open(source.path) as file:
            for number, line in enumerate(file, 1):
                text = line.decode("utf-8").strip("\r\n")
                if not text.strip():
                    continue
                columns = tuple(column.strip() for column in text.split(separator))
                if len(columns) != 3:
                    found = f"{len(columns)} column{'s' if len(columns) > 1 else ''}"
                    raise KGError(
                        f"{name}, line {number}: expected {expected}, found {found}",
                        "Every line holds one triple; a name cannot hold the separator.",
                    )
                if not all(columns):
                    raise KGError(
                        f"{name}, line {number}: expected {expected}, found an empty name",
                        "Every line holds one triple of three names.",
                    )
                if not nodes and tuple(column.casefold() for column in columns) in _HEADERS:
                    continue
                for column in columns:
                    if column not in nodes:
                        nodes[column] = ox.NamedNode(name_iri(column))
                        yield ox.Quad(nodes[column], _LABEL, ox.Literal(column))
                head, relation, tail = (nodes[column] for column in columns)
                yield ox.Quad(head, relation, tail)
    except UnicodeDecodeError as error:
        raise KGError(
            f"{name}, line {number}: not UTF-8 ({error.reason})", "Save the file as UTF-8."
        ) from error
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise KGError(f"{name} is not a whole .gz file: {error}", "Copy it again.") from error
    except OSError as error:
        raise _unreadable(source.path, error) from error
