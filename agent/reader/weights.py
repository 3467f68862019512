"""The weights of a reader, with its lexicon, in a folder."""

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import ModelError
from ..llm.local import READER_FILE
from ..llm.local import SETTINGS_FILE as MODEL_FILE
from ..once import once
from .lexicon import LEXICON_FILE, Lexicon, read_lexicon, write_lexicon
from .network import Size, make_network

if TYPE_CHECKING:
    from torch import nn

BUNDLED = "bundled"
"""The name of the reader that comes with groundwalk."""
_DATA = f"{__name__.partition('.')[0]}.data"
WEIGHTS_FILE = "reader.safetensors"
SETTINGS_FILE = READER_FILE


@dataclass(frozen=True)
class ReaderSettings:
    """What is known of a reader before its weights are loaded.

    `threshold` is the least confidence with which it answers, `unread` the least share with which a
    word is left out; `kg` is the digest of the graph that it was tuned to, empty for any graph:
    elsewhere its threshold says less.
    """

    size: Size = Size()
    threshold: float = 0.5
    unread: float = 0.5
    kg: str = ""


@dataclass(frozen=True)
class ReaderWeights:
    """A network with its lexicon."""

    network: "nn.Module"
    lexicon: Lexicon
    settings: ReaderSettings


@dataclass(frozen=True)
class GeneralReader:
    """A reader whose weights are loaded, once, when the first question needs them."""

    settings: ReaderSettings
    load: Callable[[], ReaderWeights]


def open_reader(source: str = BUNDLED) -> GeneralReader:
    """The reader in a folder, or the bundled one.

    Raises ModelError where there is none, or it is broken; `load` does so for its weights.
    """
    folder = reader_folder(source)
    try:
        settings = read_settings(folder)
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise _broken(folder, error) from error

    def load() -> ReaderWeights:
        try:
            return read_weights(folder)
        except Exception as error:  # the libraries raise many kinds for a broken file
            raise _broken(folder, error) from error

    return GeneralReader(settings, once(load))


def reader_folder(source: str) -> Path:
    """The folder of a reader. Raises ModelError where there is none."""
    if source == BUNDLED:
        with resources.as_file(resources.files(_DATA) / "reader") as folder:
            return folder
    try:
        folder = Path(source).expanduser()
    except RuntimeError:  # a home of nobody
        folder = Path(source)
    if not folder.is_dir():
        raise ModelError(f"{source}: there is no such folder with a reader", "check --reader")
    if any((folder / name).is_file() for name in (MODEL_FILE, "config.json")):
        raise ModelError(f"{source}: is a model, and no reader", "give it with --model")
    missing = [
        name
        for name in (SETTINGS_FILE, WEIGHTS_FILE, LEXICON_FILE)
        if not (folder / name).is_file()
    ]
    if missing:
        raise ModelError(
            f"{source}: is no folder with a reader, {missing[0]} is missing", "check --reader"
        )
    return folder


def _broken(folder: Path, error: Exception) -> ModelError:
    reason = " ".join(str(error).split())[:300]
    return ModelError(f"{folder}: the reader cannot be read ({reason})", "copy its folder again")


def read_settings(folder: Path) -> ReaderSettings:
    """What is known of a reader. Raises OSError, ValueError, KeyError and TypeError."""
    values: dict[str, Any] = json.loads((folder / SETTINGS_FILE).read_text(encoding="utf-8"))
    return ReaderSettings(
        Size(**values["size"]),
        float(values["threshold"]),
        float(values["unread"]),
        str(values.get("kg", "")),
    )


def read_weights(folder: Path) -> ReaderWeights:
    """The reader in a folder. Raises what torch and safetensors raise for files that are broken."""
    from safetensors.torch import load_file

    settings, lexicon = read_settings(folder), read_lexicon(folder)
    if len(lexicon.meanings) != settings.size.meanings:
        raise ValueError("its lexicon is of another reader")
    network = make_network(settings.size)
    weights = load_file(folder / WEIGHTS_FILE)
    network.load_state_dict({name: own.float() for name, own in weights.items()})
    return ReaderWeights(network.eval(), lexicon, settings)


def write_weights(folder: Path, reader: ReaderWeights) -> None:
    """Write a reader into a folder, in half precision."""
    from safetensors.torch import save_file

    state = reader.network.state_dict()
    save_file({name: own.half().contiguous() for name, own in state.items()}, folder / WEIGHTS_FILE)
    write_lexicon(folder, reader.lexicon)
    settings = asdict(reader.settings)
    settings |= {name: round(settings[name], 4) for name in ("threshold", "unread")}
    (folder / SETTINGS_FILE).write_text(json.dumps(settings, indent=2) + "\n", encoding="utf-8")
