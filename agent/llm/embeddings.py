"""Sentence encoders, from a folder or the hub: what the extra `embeddings` reads, as data alone."""

import json
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import InputError, ModelError
from .model_folder import hub_folder, is_in_cache

if TYPE_CHECKING:
    from langchain_core.embeddings import Embeddings

_LIBRARY = "sentence_transformers"
MODULES_FILE = "modules.json"
_KNOWN = (MODULES_FILE, "config.json")
_WANTED = ("*.json", "*.txt", "*.model", "*.safetensors")
_OWNER = "sentence-transformers"
"""Whose models are named without an owner."""
_PARTS = frozenset({"Transformer", "Pooling", "Normalize", "Dense", "LayerNorm", "StaticEmbedding"})
"""What an encoder may be made of: parts that run no code which its folder names."""


def is_encoder(folder: Path) -> bool:
    """Whether a folder says that it is a sentence encoder."""
    return any((folder / name).is_file() for name in (MODULES_FILE, f"config_{_LIBRARY}.json"))


def encoder_folder(name: str, *, asks_hub: bool = True) -> Path:
    """The folder of a sentence encoder, or that in the cache; the encoder is not loaded.

    Unless it `asks_hub` it is read from the cache alone. Raises InputError where the extra is not
    installed, and ModelError where there is no such encoder, or it has code of its own.
    """
    if find_spec(_LIBRARY) is None:
        raise InputError(
            f"{name}: a sentence encoder needs the package sentence-transformers",
            "pip install 'groundwalk[embeddings]'",
        )
    folder = Path(name)
    if not folder.is_dir():
        source = name if "/" in name else f"{_OWNER}/{name}"
        if not asks_hub and not is_in_cache(source, _KNOWN):
            raise ModelError(
                f"{name}: this sentence encoder is no folder and not in the local cache",
                f"hf download {source}",
            )
        folder = hub_folder(source, _KNOWN, _WANTED, asks_hub=asks_hub)
    _check_parts(name, folder / MODULES_FILE)
    return folder


def _check_parts(name: str, file: Path) -> None:
    """The library would import any class that the file names, from beside it too."""
    try:
        parts = json.loads(file.read_text(encoding="utf-8")) if file.is_file() else []
        classes = [str(module["type"]) for module in parts]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise _unloaded(name, error) from error
    for module in classes:
        if not module.startswith(f"{_LIBRARY}.") or module.rpartition(".")[2] not in _PARTS:
            raise ModelError(
                f"{name}: the embedding model has a part {module!r}, which could run code",
                f"give one of {', '.join(sorted(_PARTS))} alone",
            )


def load_embeddings(name: str, *, asks_hub: bool = True, device: str | None = None) -> "Embeddings":
    """A sentence encoder. Raises what `encoder_folder` does, and ModelError for a broken one."""
    folder = encoder_folder(name, asks_hub=asks_hub)
    from langchain_huggingface import HuggingFaceEmbeddings
    from transformers.utils.logging import disable_progress_bar, set_verbosity_error

    set_verbosity_error()
    disable_progress_bar()
    model_kwargs = {
        "trust_remote_code": False,
        "local_files_only": True,
        "device": device,
        "model_kwargs": {"use_safetensors": True},
    }
    try:
        made = HuggingFaceEmbeddings(model_name=str(folder), model_kwargs=model_kwargs)
        made.embed_query("word")  # what is broken says so here
    except Exception as error:  # the libraries raise many kinds for a bad folder
        raise _unloaded(name, error) from error
    return made


def _unloaded(name: str, error: Exception) -> ModelError:
    reason = " ".join(str(error).split())[:300]
    return ModelError(
        f"{name}: the embedding model does not load ({reason})",
        "give a folder or hub id of a sentence-transformers model",
    )
