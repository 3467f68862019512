"""What a run was made with: everything that is needed to make it again."""

import platform
from dataclasses import asdict, dataclass
from hashlib import file_digest, sha256
from importlib import metadata, resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..agent.state import Options
from .samples import Part, Sample

if TYPE_CHECKING:
    from ..agent.kg import KnowledgeGraph
    from ..agent.llm.local import LocalModel

_PACKAGES = ("groundwalk", "langgraph", "numpy", "pyoxigraph", "torch", "transformers")


@dataclass(frozen=True)
class Questions:
    """Which questions were asked; `digest` is over their ids, texts and gold answers."""

    dataset: str
    data: str
    split: str
    part: Part
    limit: int | None
    count: int
    digest: str


@dataclass(frozen=True)
class Config:
    """The content of `config.json`."""

    method: str
    questions: Questions
    options: dict[str, Any]
    kg: dict[str, Any]
    model: dict[str, Any]
    versions: dict[str, str]
    seed: int = 0


def describe_questions(
    samples: tuple[Sample, ...],
    dataset: str,
    data: Path | None,
    split: str,
    part: Part,
    limit: int | None,
) -> Questions:
    """Name the questions that were chosen."""
    content = repr([(s.id, s.question, [(g.term, g.label) for g in s.answers]) for s in samples])
    digest = sha256(content.encode()).hexdigest()
    source = "" if data is None else str(data)
    return Questions(dataset, source, split, part, limit, len(samples), digest)


def describe_kg(kg: "KnowledgeGraph") -> dict[str, Any]:
    """Where a KG came from, its digest and its size."""
    return {"source": kg.source, "digest": kg.digest, "counts": kg.counts._asdict()}


def describe_model(local: "LocalModel") -> dict[str, Any]:
    """Where a model came from, its digest and how it wants to be asked."""
    return {
        "source": local.source,
        "digest": _model_digest(local),
        "settings": asdict(local.settings),
    }


def describe_options(options: Options) -> dict[str, Any]:
    """The options that every question was asked with."""
    return asdict(options)


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
    """SHA-256 over the names and contents of a folder's own files."""
    total = sha256()
    for file in sorted(path for path in folder.iterdir() if path.is_file()):
        with file.open("rb") as content:
            total.update(f"{file.name} {file_digest(content, 'sha256').hexdigest()}\n".encode())
    return total.hexdigest()


def _model_digest(local: "LocalModel") -> str:
    """Of a folder its files; of a hub model the commit, which names them."""
    from ..agent.llm.local import BUNDLED

    if local.source == BUNDLED:
        package = f"{__name__.split('.')[0]}.data"
        with resources.as_file(resources.files(package) / "model") as folder:
            return folder_digest(folder)
    path = Path(local.source).expanduser()
    if path.is_dir():
        return folder_digest(path)
    return str(getattr(local.model.config, "_commit_hash", None) or "unknown")
