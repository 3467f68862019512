"""Opens a KG: files, a built folder, an endpoint, or an `rdflib.Graph` of an application.

A built folder has `meta.json`, `store/` (Oxigraph) and `labels.sqlite`.
"""

import contextlib
import json
import os
import re
import shutil
import sqlite3
import tempfile
from collections.abc import Generator, Iterable, Iterator, Sequence
from dataclasses import asdict, replace
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, cast, get_args

import pyoxigraph as ox

from ..errors import InputError, KGError
from .derived import Reading, ReadingWord, reading_in
from .derived.relations import PatternLabels
from .files.building import (
    FORMAT,
    OnProgress,
    Recipe,
    build_folder,
    build_in_memory,
    read_meta,
    recipe,
)
from .files.detecting import candidates, settled
from .files.holding import Held
from .files.sources import find_sources
from .files.statements import OnBroken
from .graph import KnowledgeGraph, is_endpoint
from .labels.index import LabelIndex
from .labels.indexing import build_labels
from .nodes import to_any_node
from .profile import AUTO, GENERIC, Profile, profile_of, speaking
from .store import Counts
from .stores.oxigraph import OxigraphStore
from .terms import Triple

if TYPE_CHECKING:
    import rdflib


WORLD = "world"
"""The source that means the KG that comes with the package."""

_MOST_IN_MEMORY = 256 << 20
"""Bytes of sources that are built in memory where no cache can be written."""

_UNWRITABLE = (OSError, RuntimeError, sqlite3.Error)
"""What a full or forbidden disk raises: from Python, from Oxigraph, from SQLite."""


def open_kg(
    src: str | os.PathLike[str],
    *,
    cache: Path | None = None,
    profile: Profile | str | os.PathLike[str] | None = None,
    graphs: Sequence[str] = (),
    reading: Reading | Iterable[ReadingWord] | None = None,
    languages: Sequence[str] = (),
    on_broken: OnBroken = "fail",
    on_progress: OnProgress | None = None,
) -> KnowledgeGraph:
    """Open `world`, a built folder, an RDF, pipe or TSV file, a folder of RDF, or an endpoint.

    A file is built once into the cache folder (`$GROUNDWALK_CACHE`, else the user's own), keyed by
    its content, profile and graphs, and opened read-only after that; where no cache can be written
    a small one is built in memory. `profile` is the name of one, such as `wikidata`, or a TOML
    file; without it one that fits is chosen. With `graphs`, the KG is what the named graphs of
    these IRIs hold together. `reading` says what walks make of it: a list of `collapse` or `keep`,
    which is what they do at statement nodes, and of what they honour: `same-as`, `inverse-of`,
    `sub-property-of`. Where it is silent it is as the profile prefers; nothing is built again for
    another.
    `languages` are tags, the most wanted first, in the place of
    the profile's: names are shown in the first that a term has, and questions are linked by names
    in all of them; a file is built once for each choice, a built folder keeps its own. With
    `on_broken="skip"` broken statements of a file are left out, and told in `left_out`; by default
    the first one refuses the file.
    `on_progress` is told how far a build is. A SPARQL endpoint (`http://...`) is asked when
    something is to be known; how is set by `GROUNDWALK_SPARQL_*` variables. Raises KGError,
    InputError for wrong settings, and ServiceError when an endpoint does not answer.

    >>> kg = open_kg("world")
    >>> kg.counts.facts > 4000
    True
    """
    src, chosen, wanted_reading = source_of(src), profile_of(profile), reading_in(reading)
    if on_broken not in get_args(OnBroken):
        raise InputError(f"on_broken={on_broken!r}: is none of fail and skip", "give one of them")
    spoken = speaking(chosen, languages)
    if is_endpoint(src):
        return _read_as(_open_endpoint(src, spoken, _iris(graphs)), wanted_reading)
    if not src.strip():
        raise KGError("no knowledge graph was named", "give a file, a folder or `world`")
    path = Path(src).expanduser()
    if src != WORLD and is_built(path):
        opened = _check_choices(open_built(path), path, chosen, _iris(graphs))
        return _read_as(_check_languages(opened, path, languages), wanted_reading)
    with _sources_of(src) as path:
        wanted = recipe(src, find_sources(path), spoken, _iris(graphs), on_broken)
        opened = _open_sources(wanted, cache or cache_folder(), on_progress)
        return _read_as(opened, wanted_reading)


def source_of(source: object) -> str:
    """The source that a string or a path names. Raises InputError for anything else."""
    if isinstance(source, str):
        return source
    if isinstance(source, os.PathLike):
        path: str | bytes = os.fspath(cast("os.PathLike[str]", source))
        return os.fsdecode(path)
    raise InputError(
        f"a {type(source).__name__} is no knowledge graph",
        "give a path, an address or `world`, or what `open_kg` or `kg_of` gave",
    )


def build(
    src: str,
    folder: Path,
    *,
    profile: Profile = AUTO,
    graphs: Sequence[str] = (),
    languages: Sequence[str] = (),
    on_broken: OnBroken = "fail",
    replace: bool = False,
    on_progress: OnProgress | None = None,
) -> Counts:
    """Build a KG folder from a file or a folder of RDF files; nothing is left behind on failure.

    `languages` are those that it is asked in later, and `on_broken` says what becomes of broken
    statements, as for `open_kg`. With `replace`, a built KG at `folder` stays until the new one is
    whole, and then makes way for it at once; who has it open goes on with it. Raises KGError, also
    when `folder` cannot be written, or exists and is not to be replaced.
    """
    if is_endpoint(src):
        raise KGError("an endpoint cannot be built", "open it as it is: --kg http://...")
    exists = os.path.lexists(folder)
    if exists and not replace:
        raise KGError(f"{folder} exists already", "choose another folder, or give --replace")
    if exists and (folder.is_symlink() or not is_built(folder)):
        raise KGError(f"{folder} exists and is no built KG", "choose another folder")
    with _sources_of(src) as path:
        if is_built(path):
            raise KGError(f"{path} is a built KG already", "open it as it is")
        spoken = speaking(profile, languages)
        of_sources = recipe(src, find_sources(path), spoken, _iris(graphs), on_broken)
        try:
            return build_folder(of_sources, folder, on_progress, replace=exists).counts
        except _UNWRITABLE as error:
            raise KGError(
                f"{folder} cannot be written: {_reason(error)}",
                "make room there and in the temporary folder, or choose another one",
            ) from error


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
        store=_indexed_store(store, labels, name, meta.profile, meta.counts),
        labels=labels,
        profile=meta.profile,
        source=name,
        digest=meta.digest,
        folder=folder,
        graphs=meta.graphs,
        held=held,
        left_out=meta.left_out,
    )


def _indexed_store(
    store: ox.Store, labels: LabelIndex, name: str, profile: Profile, counts: Counts
) -> OxigraphStore:
    """A store that learns the relations of its facts from the label index."""
    return OxigraphStore(
        store,
        source=name,
        profile=profile,
        counts=counts,
        relations=lambda: (relation.term for relation in labels.relations()),
    )


def cache_folder() -> Path:
    """Where built KGs are kept: `$GROUNDWALK_CACHE`, `$XDG_CACHE_HOME/groundwalk` or ~/.cache."""
    if folder := os.environ.get("GROUNDWALK_CACHE"):
        return Path(folder).expanduser()
    if user_caches := os.environ.get("XDG_CACHE_HOME"):
        return Path(user_caches) / "groundwalk"
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


def _check_choices(
    kg: KnowledgeGraph, path: Path, profile: Profile, graphs: tuple[str, ...]
) -> KnowledgeGraph:
    """Refuse what can only be chosen when a KG is built."""
    if graphs and graphs != kg.graphs:
        raise KGError(f"{path} was built of other graphs", "build these graphs of its source")
    if profile not in (AUTO, GENERIC, kg.profile):
        raise KGError(
            f"{path} was built with the profile {kg.profile.name}",
            f"build it again with the profile {profile.name}",
        )
    return kg


def _check_languages(kg: KnowledgeGraph, path: Path, languages: Sequence[str]) -> KnowledgeGraph:
    """Refuse other languages than those in which a KG was built."""
    if speaking(kg.profile, languages) != kg.profile:
        built = ",".join(filter(None, kg.profile.languages)) or "no language"
        raise KGError(
            f"{path} was built for {built}, not for {','.join(languages)}",
            f"build it again: groundwalk kg build SRC --language {','.join(languages)}",
        )
    return kg


def _read_as(kg: KnowledgeGraph, reading: Reading) -> KnowledgeGraph:
    return replace(kg, reading=reading.settled(kg.profile))


def _open_sources(recipe: Recipe, cache: Path, on_progress: OnProgress | None) -> KnowledgeGraph:
    profiles = [asdict(profile) for profile in candidates(recipe.profile)]
    settings = json.dumps([*profiles, recipe.graphs, recipe.on_broken])
    key = sha256(f"{FORMAT} {recipe.digest} {settings}".encode()).hexdigest()[:32]
    try:
        folder = cache / "kg" / key
        if folder.exists():
            with contextlib.suppress(KGError):
                return open_built(folder, source=recipe.name)
            _remove(folder)
        try:
            build_folder(recipe, folder, on_progress)
        except OSError:
            if not is_built(folder):  # else a builder beside us was first
                raise
        return open_built(folder, source=recipe.name)
    except _UNWRITABLE as error:
        if sum(source.path.stat().st_size for source in recipe.sources) > _MOST_IN_MEMORY:
            raise KGError(
                f"the cache {cache} cannot be written: {_reason(error)}",
                "set GROUNDWALK_CACHE to a folder with room for the graph",
            ) from error
        return _open_in_memory(recipe, on_progress)


def _open_endpoint(url: str, profile: Profile, graphs: tuple[str, ...]) -> KnowledgeGraph:
    from .stores.sparql import endpoint_settings, open_endpoint

    given = {"graphs": tuple(f"<{iri}>" for iri in graphs)} if graphs else {}
    endpoint = open_endpoint(url, profile=profile, settings=endpoint_settings(**given))
    profile, labels = endpoint.profile, endpoint.labels
    if profile.patterns:
        labels = PatternLabels(labels, profile.pattern_of, endpoint.nodes.relations)
    settings = json.dumps([asdict(profile), graphs])
    return KnowledgeGraph(
        store=endpoint.store,
        labels=labels,
        profile=profile,
        source=endpoint.source,
        digest=sha256(f"{endpoint.address} {settings}".encode()).hexdigest(),
        folder=None,
        graphs=graphs,
        pinned=False,
        nodes=endpoint.nodes,
    )


def _open_in_memory(recipe: Recipe, on_progress: OnProgress | None) -> KnowledgeGraph:
    store, connection, meta = build_in_memory(recipe, on_progress)
    labels = LabelIndex(connection)
    return KnowledgeGraph(
        store=_indexed_store(store, labels, recipe.name, meta.profile, meta.counts),
        labels=labels,
        profile=meta.profile,
        source=recipe.name,
        digest=recipe.digest,
        folder=None,
        graphs=recipe.graphs,
        left_out=meta.left_out,
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


def kg_of(
    graph: "rdflib.Graph",
    *,
    source: str = "rdflib",
    profile: Profile | str | os.PathLike[str] | None = None,
    reading: Reading | Iterable[ReadingWord] | None = None,
    languages: Sequence[str] = (),
) -> KnowledgeGraph:
    """The KG that an `rdflib.Graph` or `rdflib.Dataset` holds; it is never written to.

    The graph itself is the source that verification asks, at each question. Its names are read once
    and kept in memory, and so are its facts for decoding: after it has changed, call this again.
    Until then a triple that it no longer holds is not verified, and a new one is not found. The
    graphs of a dataset are read as one. `source` is what the KG is called; the rest as for
    `open_kg`. Raises InputError for what is no graph of rdflib, KGError for one without triples,
    ServiceError for one that does not answer or changes while it is read.

    >>> from rdflib import Graph
    >>> graph = Graph().parse(data="<urn:Kenya> <urn:capital> <urn:Nairobi> .", format="turtle")
    >>> kg_of(graph, source="mine").counts.triples
    1
    """
    from .stores.rdflib_graph import RdflibStore, check_graph

    check_graph(graph)
    reading_, chosen = reading_in(reading), profile_of(profile)
    triples = sorted(RdflibStore(graph, source=source).triples())
    if not triples:
        raise KGError(f"the graph {source} holds no triples", "check that this is the right graph")
    copy = ox.Store()
    copy.bulk_extend(_quads(triples))
    spoken = settled(speaking(chosen, languages), copy)
    store = RdflibStore(graph, source=source, profile=spoken)
    connection = sqlite3.connect(":memory:", check_same_thread=False)
    build_labels(connection, copy, spoken)
    content = sha256(str(asdict(spoken)).encode())
    for triple in triples:
        content.update(" ".join(triple).encode())
    kg = KnowledgeGraph(
        store=store,
        labels=LabelIndex(connection),
        profile=spoken,
        source=source,
        digest=content.hexdigest(),
        folder=None,
    )
    return _read_as(kg, reading_)


def _quads(triples: Sequence[Triple]) -> Iterator[ox.Quad]:
    for triple in triples:
        head, relation, tail = map(to_any_node, triple)
        yield ox.Quad(head, relation, tail)  # pyright: ignore[reportArgumentType]
