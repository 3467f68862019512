"""Loading a local causal language model: a Hugging Face folder, or a hub id the user named."""

import json
import os
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, fields
from importlib.resources import files
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, Literal, cast
from weakref import WeakKeyDictionary

from ..errors import ModelError, ShortageError
from ..shortage import is_shortage
from .hub import may_be_hub_id, only_in_cache
from .quantised import QUANTISED, quantised
from .scope import Scope, read_scope
from .sound import unsound

if TYPE_CHECKING:
    from torch import nn
    from transformers import PreTrainedModel, PreTrainedTokenizerBase

SETTINGS_FILE = "groundwalk.json"
READER_FILE = "reader.json"
"""What a folder has that holds a reader, and no model."""
BUNDLED = "bundled"

_AGAIN = "train the model again with this version"
_SMALL = 100_000_000
"""Bytes of weights below which one thread is as fast as many."""


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


@dataclass(frozen=True)
class LocalModel:
    """A model, its tokenizer and how it wants to be asked.

    Where `load_generator` read them without the library, they offer of it what decoding takes.
    """

    source: str
    model: "PreTrainedModel"
    tokenizer: "PreTrainedTokenizerBase"
    settings: ModelSettings
    scope: Scope | None = None
    """What the words of a question say for an answer, where it was trained on a graph."""


def load_model(source: str = BUNDLED, *, device: str = "cpu", dtype: str = "auto") -> LocalModel:
    """Load a model from a folder or the hub's local cache; `bundled` is the one shipped here.

    A hub id is downloaded only if it is no folder and the user's `HF_HUB_OFFLINE` allows it; a hub
    that does not answer is given up within seconds, and what its local cache holds serves. The
    `dtype` is the name of a number format of torch, `auto` for that of the file, `8bit` or `4bit`.
    Raises ModelError when something is missing or broken or it is not a causal language model, and
    ShortageError when it does not fit into memory.
    """
    folder = model_folder(source)
    if folder is not None:
        _check(folder)
    only_local = folder is not None or only_in_cache(source)
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer
    from transformers.utils.logging import disable_progress_bar, set_verbosity_error

    few = dtype in QUANTISED
    if not (few or dtype == "auto" or isinstance(getattr(torch, dtype, None), torch.dtype)):
        hint = f"float32, bfloat16, float16, {' or '.join(QUANTISED)}"
        raise ModelError(f"{dtype}: is not a number format", hint)
    try:
        torch.empty(0, device=device)
    except (RuntimeError, AssertionError) as error:
        raise ModelError(f"{device}: this device is not to be had here", "try cpu") from error
    bits = quantised(dtype, device) if few else {}
    set_verbosity_error()
    disable_progress_bar()
    where = str(folder or source)
    try:
        tokenizer = AutoTokenizer.from_pretrained(
            where, trust_remote_code=False, local_files_only=only_local
        )
        model, loaded = cast(Any, AutoModelForCausalLM).from_pretrained(
            where,
            output_loading_info=True,
            dtype="auto" if few or dtype == "auto" else getattr(torch, dtype),
            trust_remote_code=False,
            use_safetensors=True,
            local_files_only=only_local,
            **bits,
        )
        problem = unsound(model, tokenizer, loaded["missing_keys"])
        if device == "cpu" and not few:
            _own(model)
        (model if few else model.to(device)).eval()
    except Exception as error:  # the libraries raise many kinds for a bad folder
        if is_shortage(error):
            hint = "give a smaller model, or --dtype 8bit"
            raise ShortageError(f"{source}: the model needs more memory than there is", hint) from (
                error
            )
        reason = " ".join(str(error).split())[:300]
        raise ModelError(
            f"{source}: the model does not load ({reason})",
            "give a folder with config.json, tokenizer.json and model.safetensors of a causal "
            "language model, or a hub id that you can download",
        ) from error
    if problem:
        raise ModelError(f"{source}: the model is broken: {problem}", "copy its folder again")
    settings = read_settings(folder) if folder else ModelSettings()
    return LocalModel(source, model, tokenizer, settings, read_scope(folder))


def load_generator(
    source: str = BUNDLED, *, device: str = "cpu", dtype: str = "auto"
) -> LocalModel:
    """The same model as `load_model`, at once where groundwalk trained it: for decoding.

    Importing transformers takes seconds, and such a model on a CPU needs nothing of it; its logits
    and tokens are the same. `load_model` has it as the library does, to be trained or saved.
    """
    folder = model_folder(source)
    if folder is None or device != "cpu" or dtype not in ("auto", "float32"):
        return load_model(source, device=device, dtype=dtype)
    try:
        from .plain_model import read_plain

        read = read_plain(folder)
        sound = read is not None and not unsound(*read, missing=())
    except Exception:  # whatever is wrong with the folder, `load_model` says it
        read, sound = None, False
    if read is None or not sound:
        return load_model(source, device=device, dtype=dtype)
    model, tokenizer = cast(Any, read)
    return LocalModel(source, model, tokenizer, read_settings(folder), read_scope(folder))


def writer(local: LocalModel) -> "PreTrainedModel":
    """The model as transformers has it, whose `generate` writes free text.

    One that was read without the library is read with it now. Raises ModelError as `load_model`.
    """
    from ..decoding.llama import Llama

    model: object = local.model
    if not isinstance(model, Llama):
        return local.model
    with _WRITING:
        if model not in _WRITERS:
            _WRITERS[model] = load_model(local.source).model
    return _WRITERS[model]


_WRITING = Lock()
_WRITERS: "WeakKeyDictionary[Any, Any]" = WeakKeyDictionary()


def _own(model: "PreTrainedModel") -> None:
    """Copy the weights out of their file, which else is read as they are used.

    A process dies where such a file is cut short, and reasons with other weights where they change.
    """
    for weights in (*model.parameters(), *model.buffers()):
        weights.data = weights.data.clone()


def use_few_threads(source: str) -> None:
    """Keep a small model on one thread: it gains nothing from more, and loses by sharing cores.

    To be called before torch is imported, by a process that is all groundwalk's own; what the user
    set in `OMP_NUM_THREADS` stays.
    """
    folder = model_folder(source)
    if folder and sum(file.stat().st_size for file in folder.glob("*.safetensors")) < _SMALL:
        os.environ.setdefault("OMP_NUM_THREADS", "1")


@contextmanager
def few_threads(model: "nn.Module") -> Generator[None]:
    """Use one thread within a block if a model is small, as `use_few_threads` for a process."""
    import torch

    threads = torch.get_num_threads()
    if sum(part.numel() * part.element_size() for part in model.parameters()) < _SMALL:
        torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(threads)


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
    _check(folder)
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
        known = {own.name for own in fields(ModelSettings)}
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
        raise ModelError(f"{source}: is a reader, and no model", "give it with --reader")
    if path.exists():
        return path
    if not may_be_hub_id(source):
        raise ModelError(f"{source}: there is no such model folder", "check the path")
    return None


def _check(folder: Path) -> None:
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
