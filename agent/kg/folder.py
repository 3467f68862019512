"""Opens a KG; a built one is a folder: `meta.json`, `store/` (Oxigraph) and `labels.sqlite`."""

import contextlib
import json
import os
import re
import shutil
import sqlite3
import tempfile
from collections.abc import Generator, Sequence
from dataclasses import asdict, replace
from hashlib import sha256
from pathlib import Path

import pyoxigraph as ox

from ..errors import KGError
from .broken import OnBroken
from .building import OnProgress, Recipe, build_folder, build_in_memory, recipe
from .graph import KnowledgeGraph
from .holding import Held
from .labels import LabelIndex
from .languages import speaking
from .meta import FORMAT, read_meta
from .oxigraph import OxigraphStore
from .profile import GENERIC, Profile
from .reading import Reading
from .sources import find_sources
from .store import Counts

WORLD = "world"
"""The source that means the KG that comes with the package."""

_MOST_IN_MEMORY = 256 << 20
"""Bytes of sources that are built in memory where no cache can be written."""

_UNWRITABLE = (OSError, RuntimeError, sqlite3.Error)
"""What a full or forbidden disk raises: from Python, from Oxigraph, from SQLite."""


def open_kg(
    src: str,
    *,
    cache: Path | None = None,
    profile: Profile = GENERIC,
    graphs: Sequence[str] = (),
    reading: Reading | None = None,
    languages: Sequence[str] = (),
    on_broken: OnBroken = "fail",
    on_progress: OnProgress | None = None,
) -> KnowledgeGraph:
    """Open `world`, a built folder, an RDF, pipe or TSV file, a folder of RDF, or an endpoint.

    A file is built once into the cache folder (`$GROUNDWALK_CACHE`, else the user's own), keyed by
    its content, profile and graphs, and opened read-only after that; where no cache can be written
    a small one is built in memory. With `graphs`, the KG is what the named graphs of these IRIs
    hold together. `reading` says what walks make of it, as the profile prefers where it is silent;
    nothing is built again for another. `languages` are tags, the most wanted first, in the place of
    the profile's: names are shown in the first that a term has, and questions are linked by names
    in all of them; a file is built once for each choice, a built folder keeps its own. With
    `on_broken="skip"` broken statements of a file are left out, and told in `left_out`; by default
    the first one refuses the file.
    `on_progress` is told how far a build is. A SPARQL endpoint (`http://...`) is asked when
    something is to be known; how is set by `GROUNDWALK_SPARQL_*` variables. Raises KGError,
    InputError for wrong settings, and ServiceError when an endpoint does not answer.
    """
    spoken = speaking(profile, languages)
    if is_endpoint(src):
        return _read_as(_open_endpoint(src, spoken, _iris(graphs)), reading)
    if not src.strip():
        raise KGError("no knowledge graph was named", "give a file, a folder or `world`")
    path = Path(src).expanduser()
    if src != WORLD and is_built(path):
        opened = _as_wanted(open_built(path), path, profile, _iris(graphs))
        return _read_as(_as_spoken(opened, path, languages), reading)
    with _sources_of(src) as path:
        wanted = recipe(src, find_sources(path), spoken, _iris(graphs), on_broken)
        return _read_as(_open_sources(wanted, cache or cache_folder(), on_progress), reading)


def build(
    src: str,
    out: Path,
    *,
    profile: Profile = GENERIC,
    graphs: Sequence[str] = (),
    languages: Sequence[str] = (),
    on_broken: OnBroken = "fail",
    replace: bool = False,
    on_progress: OnProgress | None = None,
) -> Counts:
    """Build a KG folder from a file or a folder of RDF files; nothing is left behind on failure.

    `languages` are those that it is asked in later, and `on_broken` says what becomes of broken
    statements, as for `open_kg`. With `replace`, a built KG
    that is at `out` stays until the new one is whole, and then makes way for it at once; who has
    it open goes on with it. Raises KGError, also when `out` cannot be written, or exists and is not
    to be replaced.
    """
    if is_endpoint(src):
        raise KGError("an endpoint cannot be built", "open it as it is: --kg http://...")
    there = os.path.lexists(out)
    if there and not replace:
        raise KGError(f"{out} exists already", "choose another folder, or give --replace")
    if there and (out.is_symlink() or not is_built(out)):
        raise KGError(f"{out} exists and is no built KG", "choose another folder")
    with _sources_of(src) as path:
        if is_built(path):
            raise KGError(f"{path} is a built KG already", "open it as it is")
        spoken = speaking(profile, languages)
        wanted = recipe(src, find_sources(path), spoken, _iris(graphs), on_broken)
        try:
            return build_folder(wanted, out, on_progress, replace=there).counts
        except _UNWRITABLE as error:
            raise KGError(
                f"{out} cannot be written: {_reason(error)}",
                "make room there and in the temporary folder, or choose another one",
            ) from error


def is_endpoint(src: str) -> bool:
    """Whether a source is the address of a SPARQL endpoint."""
    return src.strip().lower().startswith(("http:", "https:"))


def is_built(path: Path) -> bool:
    """Whether a path is a built KG folder, of whatever version."""
    return (path / "meta.json").is_file() and (path / "store").is_dir()


def open_built(folder: Path, *, source: str | None = None) -> KnowledgeGraph:
    """Open a built KG folder read-only; `source` is what the user calls it, if not what it was.

    All that is opened is of one build, also where the folder is replaced meanwhile. Raises KGError
    when the folder is damaged or of another version.
    """
    while True:
        try:
            held = Held(folder)
        except OSError as error:
            raise KGError(f"{folder} cannot be read: {_reason(error)}", "check it") from error
        try:
            opened = _open_held(folder, source, held)
        except KGError:
            if held.is_still(folder):
                raise
            continue
        if held.is_still(folder):
            return opened
        opened.close()


def _open_held(folder: Path, source: str | None, held: Held) -> KnowledgeGraph:
    meta = read_meta(folder)
    name = source or meta.source
    try:
        store = ox.Store.read_only(str(folder / "store"))
    except (OSError, RuntimeError) as error:
        raise KGError(f"{folder} is damaged: {_reason(error)}", "build the KG again") from error
    labels = LabelIndex.open(folder / "labels.sqlite")
    return KnowledgeGraph(
        store=OxigraphStore(
            store,
            source=name,
            profile=meta.profile,
            counts=meta.counts,
            relations=lambda: (found.term for found in labels.relations()),
        ),
        labels=labels,
        profile=meta.profile,
        source=name,
        digest=meta.digest,
        folder=folder,
        graphs=meta.graphs,
        held=held,
        left_out=meta.left_out,
    )


def cache_folder() -> Path:
    """Where built KGs are kept: `$GROUNDWALK_CACHE`, `$XDG_CACHE_HOME/groundwalk` or ~/.cache."""
    if own := os.environ.get("GROUNDWALK_CACHE"):
        return Path(own).expanduser()
    if shared := os.environ.get("XDG_CACHE_HOME"):
        return Path(shared) / "groundwalk"
    return Path("~/.cache/groundwalk").expanduser()


@contextlib.contextmanager
def _sources_of(src: str) -> Generator[Path]:
    if src != WORLD:
        yield Path(src).expanduser()
        return
    from importlib import resources

    package = f"{__name__.split('.')[0]}.data.world"
    with resources.as_file(resources.files(package) / "world.ttl") as path:
        yield path


def _iris(graphs: Sequence[str]) -> tuple[str, ...]:
    """The IRIs of graphs, given with or without brackets, each once and in order."""
    iris = {
        graph[1:-1] if graph.startswith("<") and graph.endswith(">") else graph for graph in graphs
    }
    for iri in iris:
        try:
            ox.NamedNode(iri)
        except ValueError as error:
            raise KGError(
                f"the graph {iri!r} is not an IRI", "give the whole IRI of a named graph"
            ) from error
    return tuple(sorted(iris))


def _as_wanted(
    kg: KnowledgeGraph, path: Path, profile: Profile, graphs: tuple[str, ...]
) -> KnowledgeGraph:
    """Refuse what can only be chosen when a KG is built."""
    if graphs and graphs != kg.graphs:
        raise KGError(f"{path} was built of other graphs", "build these graphs of its source")
    if profile not in (GENERIC, kg.profile):
        raise KGError(
            f"{path} was built with the profile {kg.profile.name}",
            f"build it again with the profile {profile.name}",
        )
    return kg


def _as_spoken(kg: KnowledgeGraph, path: Path, languages: Sequence[str]) -> KnowledgeGraph:
    """Refuse other languages than those in which a KG was built."""
    if speaking(kg.profile, languages) != kg.profile:
        built = ",".join(filter(None, kg.profile.languages)) or "no language"
        raise KGError(
            f"{path} was built for {built}, not for {','.join(languages)}",
            f"build it again: groundwalk kg build SRC --language {','.join(languages)}",
        )
    return kg


def _read_as(kg: KnowledgeGraph, reading: Reading | None) -> KnowledgeGraph:
    return replace(kg, reading=(reading or Reading()).settled(kg.profile))


def _open_sources(wanted: Recipe, cache: Path, on_progress: OnProgress | None) -> KnowledgeGraph:
    settings = json.dumps([asdict(wanted.profile), wanted.graphs, wanted.on_broken])
    key = sha256(f"{FORMAT} {wanted.digest} {settings}".encode()).hexdigest()[:32]
    try:
        folder = cache / "kg" / key
        if folder.exists():
            with contextlib.suppress(KGError):
                return open_built(folder, source=wanted.name)
            _remove(folder)
        try:
            build_folder(wanted, folder, on_progress)
        except OSError:
            if not is_built(folder):  # else a builder beside us was first
                raise
        return open_built(folder, source=wanted.name)
    except _UNWRITABLE as error:
        if sum(source.path.stat().st_size for source in wanted.sources) > _MOST_IN_MEMORY:
            raise KGError(
                f"the cache {cache} cannot be written: {_reason(error)}",
                "set GROUNDWALK_CACHE to a folder with room for the graph",
            ) from error
        return _open_in_memory(wanted, on_progress)


def _open_endpoint(url: str, profile: Profile, graphs: tuple[str, ...]) -> KnowledgeGraph:
    from .sparql import endpoint_settings, open_endpoint

    given = {"graphs": tuple(f"<{iri}>" for iri in graphs)} if graphs else {}
    endpoint = open_endpoint(url, profile=profile, settings=endpoint_settings(**given))
    settings = json.dumps([asdict(profile), graphs])
    return KnowledgeGraph(
        store=endpoint.store,
        labels=endpoint.labels,
        profile=profile,
        source=endpoint.source,
        digest=sha256(f"{endpoint.address} {settings}".encode()).hexdigest(),
        folder=None,
        graphs=graphs,
        pinned=False,
    )


def _open_in_memory(wanted: Recipe, on_progress: OnProgress | None) -> KnowledgeGraph:
    store, connection, counts, left_out = build_in_memory(wanted, on_progress)
    name, profile, labels = wanted.name, wanted.profile, LabelIndex(connection)
    return KnowledgeGraph(
        store=OxigraphStore(
            store,
            source=name,
            profile=profile,
            counts=counts,
            relations=lambda: (found.term for found in labels.relations()),
        ),
        labels=labels,
        profile=profile,
        source=name,
        digest=wanted.digest,
        folder=None,
        graphs=wanted.graphs,
        left_out=left_out,
    )


def _remove(folder: Path) -> None:
    """Take a damaged folder away at once, so that a builder beside us can take its place."""
    aside = Path(tempfile.mkdtemp(prefix=".damaged-", dir=folder.parent))
    with contextlib.suppress(OSError):
        folder.rename(aside / "kg")
    shutil.rmtree(aside, ignore_errors=True)


def _reason(error: Exception) -> str:
    text = error.strerror or str(error) if isinstance(error, OSError) else str(error)
    return "the disk is full" if re.search("no space left|disk is full", text, re.I) else text
