"""A built KG is a folder: `meta.json`, `store/` (Oxigraph) and `labels.sqlite`."""

import contextlib
import json
import os
import shutil
import sqlite3
import tempfile
from collections.abc import Callable, Generator, Iterator
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any, cast

import pyoxigraph as ox

from ..errors import KGError
from .labelling import build_labels
from .labels import LabelIndex
from .oxigraph import OxigraphStore
from .profile import GENERIC, Profile
from .readers import Source, digest, find_sources, read_quads
from .store import Counts

FORMAT = 1
"""The version of the folder's layout; folders of another version are built again."""

WORLD = "world"
"""The source that means the KG that comes with the package."""

_PROGRESS_EVERY = 50_000
_UNWRITABLE = (OSError, RuntimeError, sqlite3.Error)
"""What a full or forbidden disk raises: from Python, from Oxigraph, from SQLite."""

Progress = Callable[[int], None]


@dataclass(frozen=True)
class KnowledgeGraph:
    """An opened KG. `folder` is where caches that belong to it may be kept; None in memory."""

    store: OxigraphStore
    labels: LabelIndex
    profile: Profile
    source: str
    digest: str
    counts: Counts
    folder: Path | None

    def close(self) -> None:
        """Close the label index."""
        self.labels.close()


@dataclass(frozen=True)
class _Meta:
    format: int
    source: str
    digest: str
    counts: Counts
    profile: Profile


def open_kg(
    src: str,
    *,
    cache: Path | None = None,
    profile: Profile = GENERIC,
    on_progress: Progress | None = None,
) -> KnowledgeGraph:
    """Open `world`, a built folder, an RDF, pipe or TSV file, or a folder of RDF files.

    A file is built once into the cache folder (`$GROUNDWALK_CACHE`, else the user's own), keyed by
    its content, and opened read-only after that; where no cache can be written it is built in
    memory. `on_progress` is told the number of triples read. Raises KGError.
    """
    if src.startswith(("http://", "https://")):
        raise KGError(
            "SPARQL endpoints are not supported yet in this version",
            "Download a dump of the graph and give the file.",
        )
    if not src.strip():
        raise KGError("no knowledge graph was named", "Give a file, a folder or `world`.")
    if src == WORLD:
        with _world() as path:
            return _open_sources(src, find_sources(path), cache, profile, on_progress)
    path = Path(src).expanduser()
    if is_built(path):
        return open_built(path)
    return _open_sources(src, find_sources(path), cache, profile, on_progress)


def build(
    src: str, out: Path, *, profile: Profile = GENERIC, on_progress: Progress | None = None
) -> Counts:
    """Build a KG folder from a file or a folder of RDF files; nothing is left behind on failure.

    Raises KGError, also when `out` exists or cannot be written.
    """
    if out.exists():
        raise KGError(f"{out} exists already", "Choose another folder, or remove that one.")
    with contextlib.ExitStack() as stack:
        path = stack.enter_context(_world()) if src == WORLD else Path(src).expanduser()
        if is_built(path):
            raise KGError(f"{path} is a built KG already", "Open it as it is.")
        sources = find_sources(path)
        try:
            meta = _build_folder(src, sources, digest(sources), out, profile, on_progress)
        except _UNWRITABLE as error:
            raise KGError(
                f"{out} cannot be written: {_reason(error)}", "Choose another folder."
            ) from error
    return meta.counts


def is_built(path: Path) -> bool:
    """Whether a path is a built KG folder, of whatever version."""
    return (path / "meta.json").is_file() and (path / "store").is_dir()


def open_built(folder: Path, *, source: str | None = None) -> KnowledgeGraph:
    """Open a built KG folder read-only; `source` is what the user calls it, if not what it was.

    Raises KGError when the folder is damaged or of another version.
    """
    meta = _read_meta(folder / "meta.json")
    name = source or meta.source
    try:
        store = ox.Store.read_only(str(folder / "store"))
    except (OSError, RuntimeError) as error:
        raise KGError(f"{folder} is damaged: {_reason(error)}", "Build the KG again.") from error
    return KnowledgeGraph(
        store=OxigraphStore(store, source=name, profile=meta.profile, counts=meta.counts),
        labels=LabelIndex.open(folder / "labels.sqlite"),
        profile=meta.profile,
        source=name,
        digest=meta.digest,
        counts=meta.counts,
        folder=folder,
    )


def cache_folder() -> Path:
    """Where built KGs are kept: `$GROUNDWALK_CACHE`, `$XDG_CACHE_HOME/groundwalk` or ~/.cache."""
    if own := os.environ.get("GROUNDWALK_CACHE"):
        return Path(own).expanduser()
    if shared := os.environ.get("XDG_CACHE_HOME"):
        return Path(shared) / "groundwalk"
    return Path("~/.cache/groundwalk").expanduser()


@contextlib.contextmanager
def _world() -> Generator[Path]:
    from importlib import resources

    package = f"{__name__.split('.')[0]}.data.world"
    with resources.as_file(resources.files(package) / "world.ttl") as path:
        yield path


def _open_sources(
    src: str,
    sources: list[Source],
    cache: Path | None,
    profile: Profile,
    on_progress: Progress | None,
) -> KnowledgeGraph:
    content = digest(sources)
    key = sha256(f"{FORMAT} {content} {json.dumps(asdict(profile))}".encode()).hexdigest()[:32]
    try:
        folder = (cache or cache_folder()) / "kg" / key
        if folder.exists():
            with contextlib.suppress(KGError):
                return open_built(folder, source=src)
            _remove(folder)
        _build_folder(src, sources, content, folder, profile, on_progress)
        return open_built(folder, source=src)
    except _UNWRITABLE:
        return _open_in_memory(src, sources, content, profile, on_progress)


def _open_in_memory(
    src: str,
    sources: list[Source],
    content: str,
    profile: Profile,
    on_progress: Progress | None,
) -> KnowledgeGraph:
    store, connection = ox.Store(), sqlite3.connect(":memory:", check_same_thread=False)
    counts = _fill(store, connection, src, sources, profile, on_progress)
    return KnowledgeGraph(
        store=OxigraphStore(store, source=src, profile=profile, counts=counts),
        labels=LabelIndex(connection),
        profile=profile,
        source=src,
        digest=content,
        counts=counts,
        folder=None,
    )


def _build_folder(
    src: str,
    sources: list[Source],
    content: str,
    out: Path,
    profile: Profile,
    on_progress: Progress | None,
) -> _Meta:
    """Build beside `out` and rename: whoever is first wins, and nobody sees a half-made folder."""
    out.parent.mkdir(parents=True, exist_ok=True)
    half_made = Path(tempfile.mkdtemp(prefix=f".{out.name}-", dir=out.parent))
    try:
        store = ox.Store(str(half_made / "store"))
        connection = sqlite3.connect(half_made / "labels.sqlite")
        try:
            connection.execute("PRAGMA journal_mode = OFF")
            connection.execute("PRAGMA synchronous = OFF")
            counts = _fill(store, connection, src, sources, profile, on_progress)
        finally:
            connection.close()
        store.flush()
        del store
        meta = _Meta(FORMAT, src, content, counts, profile)
        text = json.dumps({**asdict(meta), "counts": counts._asdict()}, indent=2)
        (half_made / "meta.json").write_text(text + "\n", encoding="utf-8")
        half_made.chmod(0o755)
        try:
            half_made.rename(out)
        except OSError:
            if not is_built(out):
                raise
        return meta
    finally:
        shutil.rmtree(half_made, ignore_errors=True)


def _fill(
    store: ox.Store,
    connection: sqlite3.Connection,
    src: str,
    sources: list[Source],
    profile: Profile,
    on_progress: Progress | None,
) -> Counts:
    store.bulk_extend(_counted(read_quads(sources), on_progress))
    facts = OxigraphStore(store, source=src, profile=profile)
    return build_labels(connection, facts, profile, len(store))


def _counted(quads: Iterator[ox.Quad], on_progress: Progress | None) -> Iterator[ox.Quad]:
    for number, quad in enumerate(quads, 1):
        if on_progress and number % _PROGRESS_EVERY == 0:
            on_progress(number)
        yield quad


def _read_meta(path: Path) -> _Meta:
    try:
        found = cast("dict[str, Any]", json.loads(path.read_text(encoding="utf-8")))
        if found["format"] != FORMAT:
            raise KGError(
                f"{path.parent} has format {found['format']}; this version reads {FORMAT}",
                "Build the KG again.",
            )
        profile: dict[str, Any] = {
            key: value if isinstance(value, str) else tuple(value)
            for key, value in found["profile"].items()
        }
        return _Meta(
            format=FORMAT,
            source=str(found["source"]),
            digest=str(found["digest"]),
            counts=Counts(**found["counts"]),
            profile=Profile(**profile),
        )
    except OSError as error:
        raise KGError(f"{path} cannot be read: {_reason(error)}", "Check it.") from error
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise KGError(f"{path} is damaged: {error}", "Build the KG again.") from error


def _remove(folder: Path) -> None:
    """Take a damaged folder away at once, so that a builder beside us can take its place."""
    aside = Path(tempfile.mkdtemp(prefix=".damaged-", dir=folder.parent))
    with contextlib.suppress(OSError):
        folder.rename(aside / "kg")
    shutil.rmtree(aside, ignore_errors=True)


def _reason(error: Exception) -> str:
    strerror = error.strerror if isinstance(error, OSError) else None
    return strerror or str(error)
