"""Loading a local causal language model: a Hugging Face folder, or a hub id the user named."""

import math
from collections.abc import Collection, Generator, Iterable
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from threading import Lock
from typing import TYPE_CHECKING, Any, cast
from weakref import WeakKeyDictionary

import numpy as np

from ..decoding.llama import Llama
from ..errors import ModelError, ShortageError, is_shortage
from .bag_of_words import Scope, read_scope
from .model_folder import (
    BUNDLED,
    SMALL,
    ModelSettings,
    check_files,
    model_folder,
    only_in_cache,
    read_settings,
)

if TYPE_CHECKING:
    from transformers import PreTrainedModel, PreTrainedTokenizerBase

    from ..decoding.model import CausalModel, Tokenizer

QUANTISED = ("8bit", "4bit")
"""What `--dtype` takes for weights of so many bits."""


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
    """How likely the graph has an answer, by a question's words, where it was trained on one."""


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
        check_files(folder)
    need_torch(f"the model {source}")
    only_local = folder is not None or only_in_cache(source)
    from transformers import AutoModelForCausalLM, AutoTokenizer
    from transformers.utils.logging import disable_progress_bar, set_verbosity_error

    numbers = _number_format(dtype, device)
    quantised = dtype in QUANTISED
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
            trust_remote_code=False,
            use_safetensors=True,
            local_files_only=only_local,
            **numbers,
        )
        defect = defect_of(model, tokenizer, loaded["missing_keys"])
        if device == "cpu" and not quantised:
            _copy_weights(model)
        (model if quantised else model.to(device)).eval()
    except Exception as error:  # the libraries raise many kinds for a bad folder
        if is_shortage(error):
            problem = f"{source}: the model needs more memory than there is"
            raise ShortageError(problem, "give a smaller model, or --dtype 8bit") from error
        reason = " ".join(str(error).split())[:300]
        raise ModelError(
            f"{source}: the model does not load ({reason})",
            "give a folder with config.json, tokenizer.json and model.safetensors of a causal "
            "language model, or a hub id that you can download",
        ) from error
    if defect:
        raise ModelError(f"{source}: the model is broken: {defect}", "copy its folder again")
    settings = read_settings(folder) if folder else ModelSettings()
    return LocalModel(source, model, tokenizer, settings, read_scope(folder))


def need_torch(feature: str, extra: str = "models") -> None:
    """Raise ModelError where torch and transformers, which `feature` takes, are not installed."""
    if missing := [name for name in ("torch", "transformers") if find_spec(name) is None]:
        raise ModelError(
            f"{feature}: takes {' and '.join(missing)}, not installed here",
            f"pip install 'groundwalk[{extra}]'",
        )


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
        sound = read is not None and not defect_of(*read, missing=())
    except Exception:  # whatever is wrong with the folder, `load_model` says it
        read, sound = None, False
    if read is None or not sound:
        return load_model(source, device=device, dtype=dtype)
    model, tokenizer = cast(Any, read)
    return LocalModel(source, model, tokenizer, read_settings(folder), read_scope(folder))


def _number_format(dtype: str, device: str) -> dict[str, Any]:
    """What `from_pretrained` takes for `--dtype` on a device.

    Raises ModelError where there is no such format or device, and where a library is not installed.
    """
    import torch

    if dtype in QUANTISED or dtype == "auto":
        number: Any = "auto"
    else:
        number = getattr(torch, dtype, None)
        if not isinstance(number, torch.dtype):
            hint = f"float32, bfloat16, float16, {' or '.join(QUANTISED)}"
            raise ModelError(f"{dtype}: is not a number format", hint)
    try:
        torch.empty(0, device=device)
    except (RuntimeError, AssertionError) as error:
        raise ModelError(f"{device}: this device is not to be had here", "try cpu") from error
    if dtype not in QUANTISED:
        return {"dtype": number}
    if missing := [name for name in ("bitsandbytes", "accelerate") if find_spec(name) is None]:
        needed = " and ".join(missing)
        raise ModelError(f"{dtype}: {needed} is not installed", f"pip install {' '.join(missing)}")
    from transformers import BitsAndBytesConfig

    config: Any = BitsAndBytesConfig(load_in_8bit=dtype == "8bit", load_in_4bit=dtype == "4bit")
    return {"dtype": number, "quantization_config": config, "device_map": {"": device}}


def writer(local: LocalModel) -> "PreTrainedModel":
    """The model as transformers has it, whose `generate` writes free text.

    One that was read without the library is read with it now. Raises ModelError as `load_model`.
    """
    model: object = local.model
    if not isinstance(model, Llama):
        return local.model
    with _WRITING:
        if model not in _WRITERS:
            _WRITERS[model] = load_model(local.source).model
    return _WRITERS[model]


_WRITING = Lock()
_WRITERS: "WeakKeyDictionary[Any, Any]" = WeakKeyDictionary()


def _copy_weights(model: "PreTrainedModel") -> None:
    """Copy the weights out of their file, which else is read as they are used.

    A process dies where such a file is cut short, and reasons with other weights where they change.
    """
    for weights in (*model.parameters(), *model.buffers()):
        weights.data = weights.data.clone()


@contextmanager
def few_threads(weights: Iterable[Any]) -> Generator[None]:
    """Use one thread of torch within a block if weights are small, as `use_few_threads` does."""
    import torch

    threads = torch.get_num_threads()
    if sum(part.nbytes for part in weights) < SMALL:
        torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(threads)


def defect_of(model: "CausalModel", tokenizer: "Tokenizer", missing: Collection[str]) -> str:
    """What is wrong with a model, in words; nothing where all is well.

    `missing` are the weights that the file lacks, which the library made up.
    """
    if missing:
        more = f" and {len(missing) - 1} more" if len(missing) > 1 else ""
        return f"the weights lack {min(missing)}{more}, which config.json promises"
    for name, weights in model.named_parameters():
        if not _is_finite(weights):
            return f"the weights of {name} are no numbers"
    plain = isinstance(model, Llama)
    rows = model.config.vocab_size if plain else len(cast(Any, model.get_input_embeddings()).weight)
    special = set(tokenizer.all_special_tokens)
    unknown = [t for t, number in tokenizer.get_vocab().items() if number >= rows]
    if unknown and not special.issuperset(unknown):
        return f"the tokenizer has tokens that the model does not know, such as {min(unknown)!r}"
    return _template(tokenizer)


def _is_finite(weights: Any) -> bool:
    if isinstance(weights, np.ndarray):
        return bool(np.isfinite(weights).all())
    if not (weights.is_floating_point() and weights.numel()):
        return True
    return all(map(math.isfinite, weights.detach().aminmax()))


def _template(tokenizer: "Tokenizer") -> str:
    from jinja2 import TemplateSyntaxError

    if not tokenizer.chat_template:
        return ""
    try:
        cast(Any, tokenizer).apply_chat_template([{"role": "user", "content": "?"}], tokenize=False)
    except TemplateSyntaxError as error:
        return f"its chat template cannot be read: {error.message}"
    except Exception:  # what a template refuses of its own accord shows where it is used
        pass
    return ""
