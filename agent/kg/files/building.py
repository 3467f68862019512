"""Builds a KG: reads the sources into an Oxigraph store and its names into a label index.

`meta.json` says what a built folder was made of.

The triples stream from the parser to the store's bulk loader. Loading a file without reading its
triples here was measured to be no more than a tenth faster, and would neither name blank nodes
the same in every run nor merge named graphs.
"""

import contextlib
import json
import shutil
import sqlite3
import tempfile
import zlib
from collections.abc import Callable
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeAlias, cast

import pyoxigraph as ox

from ...errors import KGError
from ..labels.indexing import STEPS, build_labels
from ..profile import Profile, from_record
from ..store import Counts
from .detecting import settled
from .holding import exchange, making, remove_unheld
from .readers import read_quads
from .sources import Source, digest, opened
from .statements import BrokenStatements, LeftOut, OnBroken

FORMAT = 5
"""The version of the folder's layout; folders of another version are built again."""

_CLASSES_IN_TABLES = 2
"""The version of how a table says classes, by `rdf:type`; in the first it was a plain relation."""
_SAYS_CLASSES = (b"rdf:type", b"http://www.w3.org/1999/02/22-rdf-syntax-ns#type")
_BLOCK = 1 << 20

_AGAIN = "build the KG again"


@dataclass(frozen=True)
class Meta:
    """Where a built KG is from and how it was read; `graphs` are the named graphs it was cut to."""

    source: str
    digest: str
    profile: Profile
    graphs: tuple[str, ...]
    counts: Counts
    left_out: LeftOut = LeftOut()


def write_meta(folder: Path, meta: Meta) -> None:
    """Write `meta.json` into a built folder. Raises OSError."""
    record = {"format": FORMAT, **asdict(meta), "counts": meta.counts._asdict()}
    text = json.dumps(record, indent=2, ensure_ascii=False)
    (folder / "meta.json").write_text(text + "\n", encoding="utf-8")


def read_meta(folder: Path) -> Meta:
    """Read the `meta.json` of a built folder. Raises KGError for damage and other versions."""
    path = folder / "meta.json"
    try:
        record = cast("dict[str, Any]", json.loads(path.read_text(encoding="utf-8")))
        if record["format"] != FORMAT:
            raise KGError(
                f"{folder} has format {record['format']}; this version reads {FORMAT}", _AGAIN
            )
        return Meta(
            source=str(record["source"]),
            digest=str(record["digest"]),
            profile=from_record(record["profile"]),
            graphs=tuple(str(graph) for graph in record["graphs"]),
            counts=Counts(**record["counts"]),
            left_out=_left_out(record.get("left_out", {})),
        )
    except OSError as error:
        raise KGError(f"{path} cannot be read: {error.strerror or error}", "check it") from error
    except (KeyError, TypeError, ValueError, AttributeError, RecursionError) as error:
        raise KGError(f"{path} is damaged: {error}", _AGAIN) from error


def _left_out(record: dict[str, Any]) -> LeftOut:
    first = tuple(str(message) for message in record.get("first", ()))
    return LeftOut(int(record.get("statements", 0)), first)


class BuildProgress(NamedTuple):
    """How far a build is: bytes that are read, or steps of naming that are done."""

    stage: Literal["reading", "naming"]
    done: int
    total: int


OnProgress: TypeAlias = Callable[[BuildProgress], None]


@dataclass(frozen=True)
class Recipe:
    """What a KG is built from; `name` is what the user calls it."""

    name: str
    sources: tuple[Source, ...]
    digest: str
    profile: Profile
    graphs: tuple[str, ...]
    on_broken: OnBroken = "fail"


def recipe(
    name: str,
    sources: list[Source],
    profile: Profile,
    graphs: tuple[str, ...],
    on_broken: OnBroken = "fail",
) -> Recipe:
    """The recipe of sources; its digest is that of their content and the graphs chosen.

    That of a table with classes changes with how these are read, so that it is built again.
    `on_broken` does not change it: where it changes what is built, there is nothing else to build.
    """
    content = digest(sources)
    if any(map(_says_classes, sources)):
        content = sha256(f"{content} {_CLASSES_IN_TABLES}".encode()).hexdigest()
    if graphs:
        content = sha256(" ".join((content, *graphs)).encode()).hexdigest()
    return Recipe(name, tuple(sources), content, profile, graphs, on_broken)


def _says_classes(source: Source) -> bool:
    """Whether a table may say classes; a file that is damaged is told of when it is read."""
    if source.format not in ("pipe", "tsv"):
        return False
    with contextlib.suppress(OSError, EOFError, zlib.error), opened(source.path) as file:
        before = b""
        while block := file.read(_BLOCK):
            text = before + block
            if any(name in text for name in _SAYS_CLASSES):
                return True
            before = text[-max(map(len, _SAYS_CLASSES)) :]
    return False


def build_folder(
    recipe: Recipe, folder: Path, on_progress: OnProgress | None, *, replace: bool = False
) -> Meta:
    """Build beside `folder` and rename: nobody sees a half-made folder, and failure leaves none.

    With `replace`, `folder` is there, and the new one takes its place at once. Where somebody reads
    the old one, a later build takes it away. Raises KGError for the sources; OSError,
    RuntimeError (Oxigraph) or sqlite3.Error for `folder`.
    """
    folder.parent.mkdir(parents=True, exist_ok=True)
    half_made = Path(tempfile.mkdtemp(prefix=f".{folder.name}-", dir=folder.parent))
    is_complete = False
    try:
        with making(half_made):
            meta = _fill_folder(recipe, half_made, on_progress)
            half_made.chmod(0o755)
            if replace:
                exchange(half_made, folder)
            else:
                half_made.rename(folder)
            is_complete = True
        return meta
    finally:
        if is_complete:
            remove_unheld(folder)
        else:
            shutil.rmtree(half_made, ignore_errors=True)


def build_in_memory(
    recipe: Recipe, on_progress: OnProgress | None
) -> tuple[ox.Store, sqlite3.Connection, Meta]:
    """Build a store and a label index that are gone with the process."""
    store, connection = ox.Store(), sqlite3.connect(":memory:", check_same_thread=False)
    return store, connection, _fill(store, connection, recipe, on_progress)


def _fill_folder(recipe: Recipe, folder: Path, on_progress: OnProgress | None) -> Meta:
    store = ox.Store(str(folder / "store"))
    connection = sqlite3.connect(folder / "labels.sqlite")
    try:
        connection.execute("PRAGMA journal_mode = OFF")
        connection.execute("PRAGMA synchronous = OFF")
        connection.execute("PRAGMA cache_size = -65536")
        meta = _fill(store, connection, recipe, on_progress)
    finally:
        connection.close()
    store.flush()
    write_meta(folder, meta)
    return meta


def _fill(
    store: ox.Store,
    connection: sqlite3.Connection,
    recipe: Recipe,
    on_progress: OnProgress | None,
) -> Meta:
    report: OnProgress = on_progress or (lambda _: None)
    total = sum(source.path.stat().st_size for source in recipe.sources)
    read = 0

    def on_read(number: int) -> None:
        nonlocal read
        read += number
        report(BuildProgress("reading", min(read, total), total))

    graphs = [ox.NamedNode(iri) for iri in recipe.graphs]
    broken = BrokenStatements(recipe.on_broken)
    store.bulk_extend(read_quads(recipe.sources, graphs=graphs, on_read=on_read, broken=broken))

    def on_step(step: int) -> None:
        report(BuildProgress("naming", step, STEPS))

    on_step(0)
    profile = settled(recipe.profile, store)
    counts = build_labels(connection, store, profile, on_step=on_step)
    return Meta(recipe.name, recipe.digest, profile, recipe.graphs, counts, broken.left_out)
