"""The weights of a reader, with its lexicon, in a folder."""

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from functools import cache
from importlib import resources
from math import isfinite
from pathlib import Path
from typing import Any

import numpy as np

from ..caching import once
from ..errors import GroundwalkError, ModelError
from ..llm.embeddings import encoder_folder, is_encoder
from ..llm.model_folder import READER_FILE, hub_folder, may_be_hub_id
from ..llm.model_folder import SETTINGS_FILE as MODEL_FILE
from ..operations import Array
from .inputs import Size
from .judge import SHAPES as JUDGE_SHAPES
from .lexicon import LEXICON_FILE, Lexicon, open_encoder, read_lexicon, write_lexicon
from .network import Network, shapes_of

BUNDLED = "bundled"
"""The name of the reader that comes with groundwalk."""
_DATA = f"{__name__.partition('.')[0]}.data"
WEIGHTS_FILE = "reader.safetensors"
SETTINGS_FILE = READER_FILE
_FILES = (SETTINGS_FILE, WEIGHTS_FILE, LEXICON_FILE)
EVIDENCE = 5
"""The weights of a reader's evidence, as `agent.answers.sureness` has it, or none."""
_MEANINGS, _SCALES = "meanings.weight", "meanings.scale"
"""The vectors of words, which are stored as int8, and the scale of each."""
_EARLIER = "sureness"
"""What earlier versions wrote, whose weights are of other features."""
_OTHERS = (MODEL_FILE, "config.json", "modules.json")
"""By these it is known what else a folder is."""


@dataclass(frozen=True)
class ReaderSettings:
    """What is known of a reader before its weights are loaded.

    `threshold` is the least confidence with which it answers, `unread` the least share with which a
    word is left out; `kg` is the digest of the graph that it was tuned to, empty for any graph:
    elsewhere its threshold says less. `encoder` is the folder or hub id of the sentence encoder
    that says what words mean, empty where the reader has a table of them.
    """

    size: Size = Size()
    threshold: float = 0.5
    unread: float = 0.5
    kg: str = ""
    encoder: str = ""
    sureness: tuple[float, ...] = ()
    """What each feature of `agent.answers.sureness` weighs; none: only the probability counts."""


@dataclass(frozen=True)
class ReaderWeights:
    """A network with its lexicon, and what judges whole readings.

    Without a judge they are weighed by the words that they leave out.
    """

    network: Network
    lexicon: Lexicon
    settings: ReaderSettings
    judge: Mapping[str, Array] | None = None
    """The weights that `judge.py` names."""


@dataclass(frozen=True)
class GeneralReader:
    """A reader whose weights are loaded, once, when the first question needs them."""

    settings: ReaderSettings
    load: Callable[[], ReaderWeights]


def open_reader(source: str = BUNDLED) -> GeneralReader:
    """The reader in a folder or of the hub, or the bundled one, which is loaded once.

    Raises InputError (ModelError) where there is none, it is broken, or its encoder cannot be had;
    `load` does so for its weights, and those of the encoder.
    """
    return _bundled() if source == BUNDLED else _opened(reader_folder(source))


@cache
def _bundled() -> GeneralReader:
    return _opened(reader_folder(BUNDLED))


def _opened(folder: Path) -> GeneralReader:
    try:
        settings = read_settings(folder)
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise _broken(folder, error) from error
    if settings.encoder:
        encoder_folder(settings.encoder, asks_hub=False)  # raises where it cannot be had

    def load() -> ReaderWeights:
        try:
            return read_weights(folder)
        except GroundwalkError:
            raise
        except Exception as error:  # the libraries raise many kinds for a broken file
            raise _broken(folder, error) from error

    return GeneralReader(settings, once(load))


def reader_folder(source: str) -> Path:
    """The folder of a reader; of one of the hub that in the cache. Raises ModelError."""
    if source == BUNDLED:
        with resources.as_file(resources.files(_DATA) / "reader") as folder:
            return folder
    try:
        folder = Path(source).expanduser()
    except RuntimeError:  # a home of nobody
        folder = Path(source)
    if not folder.is_dir():
        if not may_be_hub_id(source):
            raise ModelError(f"{source}: there is no such folder with a reader", "check its name")
        folder = hub_folder(source, (*_FILES, *_OTHERS), (*_FILES, *_OTHERS))
    missing = [name for name in _FILES if not (folder / name).is_file()]
    if SETTINGS_FILE in missing and is_encoder(folder):
        raise ModelError(
            f"{source}: is a sentence encoder, on which a reader has to be trained",
            f"python -m groundwalk.training.reader.recipe OUT --encoder {source}",
        )
    if any((folder / name).is_file() for name in (MODEL_FILE, "config.json")):
        raise ModelError(f"{source}: is a model, and no reader", "give it as the model: --model")
    if missing:
        raise ModelError(
            f"{source}: is no folder with a reader, {missing[0]} is missing", "check its name"
        )
    return folder


def _broken(folder: Path, error: Exception) -> ModelError:
    reason = " ".join(str(error).split())[:300]
    return ModelError(f"{folder}: the reader cannot be read ({reason})", "copy its folder again")


def read_settings(folder: Path) -> ReaderSettings:
    """What is known of a reader.

    Raises InputError (ModelError) for one of an earlier version, OSError, ValueError, KeyError and
    TypeError.
    """
    values: dict[str, Any] = json.loads((folder / SETTINGS_FILE).read_text(encoding="utf-8"))
    if _EARLIER in values:
        raise ModelError(
            f"{folder}: the reader is of an earlier version, which weighed evidence otherwise",
            "train it again with this version",
        )
    return ReaderSettings(
        Size(**values["size"]),
        float(values["threshold"]),
        float(values["unread"]),
        str(values.get("kg", "")),
        str(values.get("encoder", "")),
        _sureness(values.get("evidence", [])),
    )


def _sureness(values: Any) -> tuple[float, ...]:
    """The weights of evidence in a file. Raises ValueError for what they cannot be."""
    weights = tuple(float(value) for value in values) if isinstance(values, list) else ()
    if (values and len(weights) != EVIDENCE) or not all(map(isfinite, weights)):
        raise ValueError(f"evidence has {EVIDENCE} numbers, or none")
    return weights


def read_weights(folder: Path) -> ReaderWeights:
    """The reader in a folder, with its encoder.

    Raises InputError (ModelError) for the encoder and for weights of another version, ValueError
    and what safetensors raises for files that are broken.
    """
    from safetensors.numpy import load_file

    settings, lexicon = read_settings(folder), read_lexicon(folder)
    if len(lexicon.meanings) != settings.size.meanings:
        raise ValueError("its lexicon is of another reader")
    if settings.encoder:
        encoder = open_encoder(settings.encoder)
        if encoder.width != settings.size.meaning:
            raise ModelError(
                f"{settings.encoder}: says what a word means in {encoder.width} numbers, and the "
                f"reader {folder} was trained with {settings.size.meaning}",
                "put the encoder there that it was trained with",
            )
        lexicon = replace(lexicon, encoder=encoder)
    stored = load_file(folder / WEIGHTS_FILE)
    shapes, needed = {name: a.shape for name, a in stored.items()}, dict(shapes_of(settings.size))
    if _MEANINGS in stored and stored[_MEANINGS].dtype == np.int8:
        needed[_SCALES] = (needed[_MEANINGS][0], 1)
    if shapes != needed and shapes != {**needed, **JUDGE_SHAPES}:
        raise ModelError(
            f"{folder}: the weights of the reader have other shapes than this version reads",
            "train it again with this version",
        )
    weights = _dequantised(stored)
    judge = {name: weights.pop(name) for name in JUDGE_SHAPES if name in weights}
    return ReaderWeights(Network(settings.size, weights), lexicon, settings, judge or None)


def _quantised(weights: Mapping[str, Array]) -> dict[str, Array]:
    """Weights in half precision; the vectors of words as int8, with a scale for each."""
    stored = {name: array.astype(np.float16, order="C") for name, array in weights.items()}
    meanings = weights[_MEANINGS]
    scales = (np.abs(meanings).max(axis=1, keepdims=True) / 127).astype(np.float16)
    steps = meanings / np.where(scales, scales, 1).astype(np.float32)
    stored[_MEANINGS] = np.rint(steps).clip(-127, 127).astype(np.int8)
    return stored | {_SCALES: scales}


def _dequantised(stored: Mapping[str, Array]) -> dict[str, Array]:
    """The weights of a file; earlier versions stored the vectors of words in half precision too."""
    weights = {name: array.astype(np.float32) for name, array in stored.items()}
    if _SCALES in weights:
        weights[_MEANINGS] *= weights.pop(_SCALES)
    return weights


def write_weights(folder: Path, reader: ReaderWeights) -> None:
    """Write a reader into a folder: in half precision, the vectors of words as int8."""
    from safetensors.numpy import save_file

    every = {**reader.network.weights, **(reader.judge or {})}
    save_file(_quantised(every), folder / WEIGHTS_FILE)
    write_lexicon(folder, reader.lexicon)
    settings = asdict(reader.settings)
    settings["evidence"] = settings.pop("sureness")
    settings |= {name: round(settings[name], 4) for name in ("threshold", "unread")}
    (folder / SETTINGS_FILE).write_text(json.dumps(settings, indent=2) + "\n", encoding="utf-8")
