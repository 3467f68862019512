"""The folder of a model: where it is, what must be in it, and the JSON files beside its weights.

It may be one of the Hugging Face hub, whose library asks for several files, each again and again,
before it gives up: whether the hub can be had is known here within seconds.
"""

import json
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from functools import cache
from importlib.resources import files
from pathlib import Path
from threading import Thread
from typing import Any, Literal, TypeVar

from ..errors import ModelError

_MOST_SECONDS = 8.0
"""For the one request, names and proxies included."""


def may_be_hub_id(source: str) -> bool:
    """Whether a name that is no folder may be one of the hub: `owner/name`."""
    return source.count("/") == 1 and not source.startswith(("/", ".", "~"))


@cache
def hub_folder(
    source: str, key_files: tuple[str, ...], patterns: tuple[str, ...], *, asks_hub: bool = True
) -> Path:
    """The folder of the local cache with those files of a repository that match `patterns`.

    They are downloaded where it `asks_hub`, as `only_in_cache` says, once a process. Raises
    ModelError.
    """
    from huggingface_hub import snapshot_download
    from huggingface_hub.utils import disable_progress_bars

    only_local = not asks_hub or only_in_cache(source, key_files)
    disable_progress_bars()
    try:
        folder = snapshot_download(
            source, allow_patterns=[*patterns], local_files_only=only_local, max_workers=1
        )
    except Exception as error:  # the libraries raise many kinds
        raise ModelError(
            f"{source}: cannot be had from the hub ({_one_line(error)})", "try again later"
        ) from error
    return Path(folder)


@cache
def only_in_cache(source: str, key_files: tuple[str, ...] = ("config.json",)) -> bool:
    """Whether a hub model is to be read from the local cache and nowhere else.

    The cache holds it where it has one of the `key_files`. It is to be read from there where
    `HF_HUB_OFFLINE` says so or the hub does not answer one short request. Raises ModelError where
    the cache does not hold it then, and where the hub says that it cannot be had. A process asks
    once.
    """
    from huggingface_hub.constants import is_offline_mode

    cached = is_in_cache(source, key_files)
    if is_offline_mode():
        if not cached:
            raise ModelError(
                f"{source}: is no folder and not in the local cache, and HF_HUB_OFFLINE is set",
                "give the folder of a model, or unset it for a download",
            )
        return True
    problem = _problem(source)
    if problem and not cached:
        raise ModelError(
            f"{source}: is no folder and not in the local cache, and the hub cannot be asked "
            f"({problem})",
            "check the path, or the connection",
        )
    return bool(problem)


def is_in_cache(source: str, key_files: Sequence[str]) -> bool:
    """Whether the local cache has one of these files of a hub model. Raises ModelError."""
    from huggingface_hub import try_to_load_from_cache
    from huggingface_hub.errors import HFValidationError

    try:
        return any(isinstance(try_to_load_from_cache(source, name), str) for name in key_files)
    except HFValidationError as error:
        raise ModelError(
            f"{source}: is no folder, and no name that the hub can have", "check the name"
        ) from error


def _problem(source: str) -> str:
    """Why the hub cannot be asked for a model; nothing where it has it. Raises ModelError."""
    raised: list[BaseException | None] = []

    def ask() -> None:
        from huggingface_hub import HfApi

        try:
            HfApi().model_info(source, timeout=_MOST_SECONDS)
            raised.append(None)
        except BaseException as error:
            raised.append(error)

    asking = Thread(target=ask, name="asking the hub", daemon=True)
    asking.start()
    asking.join(_MOST_SECONDS)
    if not raised:
        return f"no answer within {_MOST_SECONDS:.0f} s"
    return _reason(source, raised[0]) if raised[0] is not None else ""


def _reason(source: str, error: BaseException) -> str:
    from huggingface_hub.errors import GatedRepoError, HfHubHTTPError, RepositoryNotFoundError

    if isinstance(error, GatedRepoError):
        raise ModelError(
            f"{source}: the hub gives this model only to those who agreed to its terms",
            "agree to them on its page, then log in: hf auth login",
        ) from error
    if isinstance(error, RepositoryNotFoundError):
        raise ModelError(
            f"{source}: is no folder, and the hub has no such model that you may read",
            "check the name; for a private one log in: hf auth login",
        ) from error
    if isinstance(error, HfHubHTTPError):
        return f"status {error.response.status_code}"
    return _one_line(error)


def _one_line(error: BaseException) -> str:
    return " ".join(str(error).split())[:200] or type(error).__name__


Read = TypeVar("Read")

SETTINGS_FILE = "groundwalk.json"
READER_FILE = "reader.json"
"""What a folder has that holds a reader, and no model."""
BUNDLED = "bundled"
SMALL = 100_000_000
"""Bytes of weights below which one thread is as fast as many."""
_AGAIN = "train the model again with this version"


@dataclass(frozen=True)
class ModelSettings:
    """How a model was trained to be asked; `groundwalk.json` beside its weights.

    A model that was not trained by groundwalk has no such file and gets these defaults.
    """

    format: int = 1
    hops: int = 2
    """The longest path that it was trained on."""
    inverse: bool = True
    """Whether its paths may walk a triple from tail to head."""
    masked: bool = False
    """Whether it reads topic entities as `[class]`."""
    instruct: bool = True
    """Whether the prompt starts with an instruction."""
    formats: tuple[str, ...] = ("path",)
    """The wire formats that it writes: `path`, `plan`, `chain`."""
    chains: Literal["kg", "walk"] = "kg"
    """How the triples of its chains are spelled, as `ChainLimits.spelling` says."""
    confidence: float = 0.0
    """The least relation confidence of an answer that is shown; 0 is uncalibrated."""
    confidences: Mapping[str, float] = field(default_factory=dict[str, float])
    """That of a format where it is another one."""
    kg: str = ""
    """The digest of the KG that it was trained on."""
    relations: tuple[str, ...] = ()
    """What the relations of that KG are called, normalised: so another version of it is known."""

    def threshold(self, form: str) -> float:
        """The least confidence of an answer that was decoded in a format."""
        return self.confidences.get(form, self.confidence)


def use_few_threads(source: str) -> None:
    """Keep a small model on one thread: it gains nothing from more, and loses by sharing cores.

    To be called before torch is imported, by a process that is all groundwalk's own; what the user
    set in `OMP_NUM_THREADS` stays.
    """
    folder = model_folder(source)
    if folder and sum(file.stat().st_size for file in folder.glob("*.safetensors")) < SMALL:
        os.environ.setdefault("OMP_NUM_THREADS", "1")


def check_source(source: str) -> None:
    """Raise ModelError for what is no folder and no hub model that can be had; nothing is loaded.

    It is known within seconds, before what loads a model is imported.
    """
    if model_folder(source) is None:
        only_in_cache(source)


def model_settings(source: str = BUNDLED) -> ModelSettings:
    """How a model wants to be asked, without loading it. Raises ModelError as `load_model`."""
    folder = model_folder(source)
    if folder is None:
        return ModelSettings()
    check_files(folder)
    return read_settings(folder)


def read_settings(folder: Path) -> ModelSettings:
    """Read `groundwalk.json`; unknown keys are from a newer version and are an error."""
    from pydantic import TypeAdapter, ValidationError

    file = folder / SETTINGS_FILE
    if not file.is_file():
        return ModelSettings()
    try:
        text = file.read_text(encoding="utf-8")
        values = json.loads(text)
        known = {setting.name for setting in fields(ModelSettings)}
        if not isinstance(values, dict) or not values.keys() <= known or values.get("format") != 1:
            raise ValueError("not settings of format 1")
        return TypeAdapter(ModelSettings).validate_json(text, strict=True)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False, include_context=False)[0]
        where = ".".join(map(str, first["loc"]))
        raise ModelError(f"{file}: cannot be read ({where}: {first['msg']})", _AGAIN) from error
    except (ValueError, OSError, RecursionError) as error:
        raise ModelError(f"{file}: cannot be read ({error})", _AGAIN) from error


def write_settings(folder: Path, settings: ModelSettings) -> None:
    """Write `groundwalk.json` beside the weights."""
    text = json.dumps(asdict(settings), indent=2)
    (folder / SETTINGS_FILE).write_text(text + "\n", encoding="utf-8")


def model_folder(source: str) -> Path | None:
    """The folder that a source names; None for a hub id. Raises ModelError."""
    if source == BUNDLED:
        return Path(str(files("groundwalk.data").joinpath("model")))
    path = Path(source).expanduser()
    if (path / READER_FILE).is_file():
        raise ModelError(f"{source}: is a reader, and no model", "give it as the reader: --reader")
    if path.exists():
        return path
    if not may_be_hub_id(source):
        raise ModelError(f"{source}: there is no such model folder", "check the path")
    return None


def check_files(folder: Path) -> None:
    """Raise ModelError for a folder that lacks what a model is made of."""
    if not folder.is_dir():
        raise ModelError(f"{folder}: is not a folder", "give the folder that holds config.json")
    missing = [
        name
        for name, present in {
            "config.json": (folder / "config.json").is_file(),
            "a tokenizer (tokenizer.json)": any(folder.glob("tokenizer*")),
            "weights (model.safetensors)": any(folder.glob("model*.safetensors")),
        }.items()
        if not present
    ]
    if missing:
        raise ModelError(
            f"{folder}: the model folder lacks {' and '.join(missing)}",
            "copy the missing files, or train a model with `groundwalk train`",
        )


_BROKEN = (
    OSError,
    ValueError,
    LookupError,
    TypeError,
    AttributeError,
    OverflowError,
    RecursionError,
)
"""What is raised over a file that holds something else."""


def read_model_json(file: Path, parse: Callable[[Any], Read]) -> Read:
    """What `parse` makes of a file's content. Raises ModelError where it is broken."""
    try:
        return parse(json.loads(file.read_text(encoding="utf-8")))
    except _BROKEN as error:
        raise ModelError(
            f"{file}: cannot be read ({type(error).__name__}: {error})",
            _AGAIN,
        ) from error
