"""What a run was made with: everything that is needed to make it again, and to go on with it."""

import os
import platform
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from hashlib import file_digest, sha256
from importlib import metadata, resources
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, cast

from ...agent.errors import DatasetError, InputError, ModelError
from ...agent.kg import Reading
from ...agent.kg.profile import PACKAGED
from ...agent.options import Options
from ...agent.services import public_address
from ..samples import PackedTriples, Part, Sample

if TYPE_CHECKING:
    from ...agent.kg import KnowledgeGraph

Topics: TypeAlias = Literal["linked", "given"]
"""Where the topic entities come from: the question's text, or the dataset."""

_PACKAGES = "groundwalk langgraph numpy pyoxigraph tokenizers torch transformers".split()

_FREE = (
    "questions.data",
    "questions.limit",
    "questions.count",
    "questions.digest",
    "questions.skipped",
    "kg.source",
    "model.source",
    "reader.source",
    "options.retrieved",
    "options.plans",
    "options.embeddings",
)
"""Settings that may differ when a run goes on: where the same content lies, and how long it is."""

_LOCAL = "hf:"
"""How an LLM is named that is a folder, the place of which may differ too."""

_ABOUT = ("begun", "speed.")
"""What is written down and decides no answer."""

_HINT = "choose another folder, or the settings of its config.json"


@dataclass(frozen=True)
class Questions:
    """Which questions were asked; `digest` is over all that is known about them."""

    dataset: str
    data: str
    split: str
    part: Part
    limit: int | None
    count: int
    digest: str
    skipped: int = 0
    """Rows of the dataset that were broken and left out."""
    sampled_of: int | None = None
    """Of how many they are a sample over the kinds, by the seed; None where they are the first."""

    @property
    def drawn_from(self) -> int | None:
        """The same, but None where they are all."""
        return None if self.sampled_of == self.count else self.sampled_of


@dataclass(frozen=True)
class Config:
    """The content of `config.json`."""

    methods: tuple[str, ...]
    questions: Questions
    topics: Topics
    options: dict[str, Any]
    """Those that every method was asked with, and whether others were as in its `paper`."""
    kg: dict[str, Any]
    model: dict[str, Any]
    reader: dict[str, Any]
    """What reads questions where the model does not."""
    llm: str
    prompts: str
    """The digest of the user's prompt templates; empty without any."""
    versions: dict[str, str]
    seed: int = 0
    begun: str = ""
    """The date and time at which the run was begun, in UTC."""
    speed: dict[str, Any] = field(default_factory=dict[str, Any])
    """How it was spread when it began: workers, questions at once, Ray."""
    contents: dict[str, str] = field(default_factory=dict[str, str])
    """What is behind names: digests of the files that options and `llm` name, or an address."""


def questions_digest(samples: Iterable[Sample]) -> str:
    """SHA-256 over everything that is known about some questions, in their order."""
    total = sha256()
    for sample in samples:
        first = (
            sample.id,
            sample.question,
            sample.answers,
            sample.topics,
            sample.hops,
            sample.tags,
        )
        total.update(repr((first, sample.type, sample.choices, sample.chains)).encode())
        if isinstance(sample.graph, PackedTriples):
            total.update(sample.graph.names + sample.graph.indices)
        elif sample.graph is not None:
            total.update(repr(list(sample.graph)).encode())
    return total.hexdigest()


def describe_kg(kg: "KnowledgeGraph") -> dict[str, Any]:
    """Where a KG came from, what was read how, and its size; that of an endpoint is not counted."""
    return {
        "source": kg.source,
        "digest": kg.digest,
        "pinned": kg.pinned,
        "graphs": list(kg.graphs),
        "profile": kg.profile.name,
        "profile_digest": sha256(repr(kg.profile).encode()).hexdigest(),
        "reading": asdict(kg.reading),
        "counts": kg.counts._asdict() if kg.pinned else None,
        **({"left_out": kg.left_out.statements} if kg.left_out.statements else {}),
    }


def describe_sample_graphs(reading: Reading) -> dict[str, Any]:
    """That every question brings its own KG, which the questions' digest covers."""
    return {"source": "the questions", "digest": "", "pinned": True, "reading": asdict(reading)}


def describe_model(source: str, device: str, dtype: str) -> dict[str, Any]:
    """Where a model comes from, its digest and how it wants to be asked; nothing is loaded."""
    from ...agent.llm.model_folder import model_settings

    return {
        "source": source,
        "settings": asdict(model_settings(source)),
        "digest": _model_digest(source),
        "device": device,
        "dtype": dtype,
    }


def describe_reader(source: str) -> dict[str, Any]:
    """Where a reader comes from, its digest, and that of its encoder where it has one.

    Raises InputError (ModelError) as `open_reader`.
    """
    from ...agent.llm.embeddings import encoder_folder
    from ...agent.reader.weights import BUNDLED, open_reader, reader_folder

    name = source or BUNDLED
    encoder = open_reader(name).settings.encoder
    digests = {"source": source, "digest": folder_digest(reader_folder(name))}
    if encoder:
        digests["encoder"] = tree_digest(encoder_folder(encoder, asks_hub=False))
    return digests


def describe_options(
    options: Options, *, paper: bool = False, user_set: Collection[str] = ()
) -> dict[str, Any]:
    """The options that every question was asked with.

    Beside settings of a paper, those that were set are named.
    """
    return {**asdict(options), "paper": paper, **({"set": sorted(user_set)} if paper else {})}


def describe_contents(options: Options, llm: str) -> dict[str, str]:
    """What is behind the names of files and of the LLM, by the option that names it.

    That is a digest, for a hub id the id, and for `openai:` the address that the environment names,
    if it does, without secrets. Raises InputError (ModelError) for a file that cannot be read.
    """
    from ...agent.llm.model_folder import model_folder

    contents = dict[str, str]()
    for name in ("retrieved", "plans"):
        if file := getattr(options, name):
            contents[name] = _file_digest(name, Path(file))
    if options.embeddings:
        folder = Path(options.embeddings)
        contents["embeddings"] = tree_digest(folder) if folder.is_dir() else options.embeddings
    if llm.startswith(_LOCAL):
        model = model_folder(llm.removeprefix(_LOCAL))
        contents["llm"] = folder_digest(model) if model else llm
    elif llm.startswith("openai:"):
        address = os.environ.get("OPENAI_API_BASE") or os.environ.get("OPENAI_BASE_URL")
        contents |= {"llm": public_address(address)} if address else {}
    return contents


def installed_versions() -> dict[str, str]:
    """The versions of Python and of the packages that decide what comes out."""
    versions = {"python": platform.python_version()}
    for name in _PACKAGES:
        try:
            versions[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            versions[name] = "unknown"
    return versions


def folder_digest(folder: Path) -> str:
    """SHA-256 over the names and contents of a folder's own files, but those that are hidden."""
    return _files_digest(folder, folder.iterdir())


def tree_digest(folder: Path) -> str:
    """SHA-256 over the names and contents of all files in a folder and below it, as there."""
    return _files_digest(folder, folder.rglob("*"))


def check_same(before: Mapping[str, Any], now: Config, samples: Sequence[Sample]) -> None:
    """Raise InputError, which names what differs, where a run cannot go on with other settings.

    It may have more questions than before, after the same ones, and find its data elsewhere.
    """
    old, new = _named(before), _named(asdict(now))
    names = [name for name in (old | new) if _matters(name) and old.get(name) != new.get(name)]
    if old.get("reader.digest") is None and not new.get("reader.digest"):
        names = [name for name in names if name != "reader.digest"]  # of an earlier version
    if names == ["kg.profile_digest"] and _is_read_alike(new):
        names = []
    if names:
        shown = ", ".join(f"{n} was {_short(old.get(n))}, is {_short(new.get(n))}" for n in names)
        raise InputError(f"the run was made with other settings: {shown}", _HINT)
    count, digest = old.get("questions.count"), old.get("questions.digest")
    if not isinstance(count, int) or count > len(samples):
        raise InputError(
            f"the run has {count} questions, more than the {len(samples)} that are asked for now",
            f"ask for {count} or more, or choose another folder",
        )
    if questions_digest(samples[:count]) != digest:
        raise InputError("the run was made with other questions", _HINT)


def _is_read_alike(settings: Mapping[str, object]) -> bool:
    """Whether a profile's digest says less than the counts of the graph, which are the same.

    A later version may know more vocabulary in a profile that it brings.
    """
    return settings["kg.profile"] in PACKAGED and "kg.counts.facts" in settings


def _matters(name: str) -> bool:
    return name not in _FREE and not name.startswith(_ABOUT)


def _named(settings: Mapping[str, Any]) -> dict[str, object]:
    """Every setting by its dotted name; of an LLM in a folder, the content is enough."""
    named = dict(dotted(settings))
    if str(named.get("llm")).startswith(_LOCAL):
        named["llm"] = _LOCAL
    return named


def dotted(settings: Mapping[str, Any], above: str = "") -> Iterator[tuple[str, object]]:
    """Every setting by its dotted name, as JSON has it."""
    for name, value in settings.items():
        if isinstance(value, dict):
            yield from dotted(cast("dict[str, Any]", value), f"{above}{name}.")
        else:
            yield above + name, list(value) if isinstance(value, tuple) else value


def _short(value: object) -> str:
    text = str(value)
    return text if len(text) <= 40 else f"{text[:12]}..."


def _model_digest(source: str) -> str:
    """Of a folder its files; of a hub model the commit, which names them."""
    from ...agent.llm.model_folder import BUNDLED, only_in_cache

    if source == BUNDLED:
        package = f"{__name__.split('.')[0]}.data"
        with resources.as_file(resources.files(package) / "model") as folder:
            return folder_digest(folder)
    path = Path(source).expanduser()
    if path.is_dir():
        return folder_digest(path)
    from transformers import AutoConfig

    try:
        config = AutoConfig.from_pretrained(
            source, trust_remote_code=False, local_files_only=only_in_cache(source)
        )
    except (OSError, ValueError) as error:
        raise ModelError(
            f"{source}: the model does not load", "give a folder, or a hub id"
        ) from error
    return str(getattr(config, "_commit_hash", None) or "unknown")


def _file_digest(option: str, file: Path) -> str:
    try:
        with file.open("rb") as content:
            return file_digest(content, "sha256").hexdigest()
    except (OSError, ValueError) as error:
        reason = (error.strerror if isinstance(error, OSError) else None) or str(error)
        raise DatasetError(f"{file}: cannot be read ({reason})", f"check {option}") from error


def _files_digest(folder: Path, paths: Iterable[Path]) -> str:
    total = sha256()
    for file in sorted(path for path in paths if path.is_file() and path.name[0] != "."):
        with file.open("rb") as content:
            name = file.relative_to(folder).as_posix()
            total.update(f"{name} {file_digest(content, 'sha256').hexdigest()}\n".encode())
    return total.hexdigest()
