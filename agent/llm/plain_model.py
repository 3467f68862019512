"""Reading a model that groundwalk trained from scratch, without importing transformers."""

import json
from pathlib import Path
from typing import Any, cast

import numpy as np

from ..decoding.llama import Llama, LlamaShape
from ..decoding.model import PlainTokenizer
from .bag_of_words import BASELINES_FILE, SCOPE_FILE

_FILES = {
    "config.json",
    "generation_config.json",
    "model.safetensors",
    "tokenizer.json",
    "tokenizer_config.json",
}
_BESIDE = {
    "groundwalk.json",
    SCOPE_FILE,
    BASELINES_FILE,
    "account.json",
    "account.safetensors",
    "README.md",
    "__pycache__",
}
"""What says nothing of the weights or of the tokenizer."""

_CONFIG = {
    "architectures": ["LlamaForCausalLM"],
    "attention_bias": False,
    "dtype": "float32",
    "hidden_act": "silu",
    "mlp_bias": False,
    "model_type": "llama",
    "tie_word_embeddings": True,
}
_SIZES = (
    "vocab_size",
    "hidden_size",
    "intermediate_size",
    "num_hidden_layers",
    "num_attention_heads",
    "head_dim",
    "max_position_embeddings",
)
_UNUSED = {
    "attention_dropout",
    "bos_token_id",
    "eos_token_id",
    "initializer_range",
    "pad_token_id",
    "pretraining_tp",
    "transformers_version",
    "use_cache",
}
"""What of the config decides nothing of a pass."""

_TOKENIZER = {
    "backend": "tokenizers",
    "clean_up_tokenization_spaces": False,
    "tokenizer_class": "TokenizersBackend",
}
_GENERATION = {
    "_from_model_config",
    "bos_token_id",
    "eos_token_id",
    "output_attentions",
    "output_hidden_states",
    "pad_token_id",
    "transformers_version",
    "use_cache",
}


def read_plain(folder: Path) -> tuple[Llama, PlainTokenizer] | None:
    """The model of a folder, or None where anything in it is not as groundwalk writes it.

    Raises what reading raises: OSError, ValueError and the libraries' own.
    """
    names = {file.name for file in folder.iterdir()}
    if not _FILES <= names or not names <= _FILES | _BESIDE:
        return None
    config, generation, tokenizing = (
        json.loads((folder / name).read_text(encoding="utf-8"))
        for name in ("config.json", "generation_config.json", "tokenizer_config.json")
    )
    shape = _shape(config)
    eos = generation.get("eos_token_id")
    if shape is None or not generation.keys() <= _GENERATION or not isinstance(eos, int):
        return None
    tokenizer = _tokenizer(folder / "tokenizer.json", tokenizing)
    if tokenizer is None:
        return None
    from safetensors.numpy import load

    stored = load((folder / "model.safetensors").read_bytes())
    if {name: tuple(array.shape) for name, array in stored.items()} != shape.weights():
        return None
    if any(array.dtype.name not in ("float32", "float16") for array in stored.values()):
        return None
    weights = {name: array.astype(np.float32) for name, array in stored.items()}
    return Llama(shape, weights, eos), tokenizer


def _shape(config: dict[str, Any]) -> LlamaShape | None:
    known = {*_CONFIG, *_SIZES, *_UNUSED, "num_key_value_heads", "rms_norm_eps", "rope_parameters"}
    if config.keys() - known or any(config.get(name) != value for name, value in _CONFIG.items()):
        return None
    sizes = {name: config.get(name) for name in _SIZES}
    rope, epsilon = config.get("rope_parameters"), config.get("rms_norm_eps")
    if not all(type(size) is int and size > 0 for size in sizes.values()):
        return None
    if config.get("num_key_value_heads") != config["num_attention_heads"]:
        return None
    if not isinstance(epsilon, float) or config["head_dim"] % 2:
        return None
    if not isinstance(rope, dict) or rope.keys() != {"rope_theta", "rope_type"}:
        return None
    theta = cast("dict[str, Any]", rope)["rope_theta"]
    if rope["rope_type"] != "default" or not isinstance(theta, float):
        return None
    return LlamaShape(**cast(Any, sizes), rms_norm_eps=epsilon, rope_theta=theta)


def _tokenizer(file: Path, config: dict[str, Any]) -> PlainTokenizer | None:
    from tokenizers import Tokenizer

    known = {*_TOKENIZER, "eos_token", "extra_special_tokens", "model_max_length", "pad_token"}
    if config.keys() != known or any(config[name] != value for name, value in _TOKENIZER.items()):
        return None
    eos, pad, extra = (config[n] for n in ("eos_token", "pad_token", "extra_special_tokens"))
    if not (isinstance(eos, str) and isinstance(pad, str) and isinstance(extra, list)):
        return None
    backend = Tokenizer.from_file(str(file))
    special = [eos, pad, *cast("list[str]", extra)]
    stored = {t.content for t in backend.get_added_tokens_decoder().values() if t.special}
    if set(special) != stored or len(special) != len(stored):
        return None
    if backend.padding is not None or backend.truncation is not None:
        return None
    return PlainTokenizer(backend, special, eos, pad)
