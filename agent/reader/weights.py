"""The weights of a reader, with its lexicon, in a folder."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .lexicon import Lexicon, read_lexicon, write_lexicon
from .network import Size, make_network

if TYPE_CHECKING:
    from torch import nn

WEIGHTS_FILE = "reader.safetensors"
SETTINGS_FILE = "reader.json"


@dataclass(frozen=True)
class ReaderWeights:
    """A network with its lexicon.

    `threshold` is the least confidence with which it answers, `unread` the least share with which a
    word is left out.
    """

    network: "nn.Module"
    lexicon: Lexicon
    threshold: float = 0.5
    unread: float = 0.5


def read_weights(folder: Path) -> ReaderWeights:
    """The reader in a folder. Raises ValueError and OSError for files that are broken."""
    import torch
    from safetensors.torch import load_file

    settings: Mapping[str, Any] = json.loads((folder / SETTINGS_FILE).read_text(encoding="utf-8"))
    network = make_network(Size(**settings["size"]))
    weights = load_file(folder / WEIGHTS_FILE)
    network.load_state_dict({name: own.to(torch.float32) for name, own in weights.items()})
    return ReaderWeights(
        network.eval(),
        read_lexicon(folder),
        float(settings["threshold"]),
        float(settings["unread"]),
    )


def write_weights(folder: Path, reader: ReaderWeights, size: Size) -> None:
    """Write a reader into a folder, in half precision."""
    import torch
    from safetensors.torch import save_file

    state = reader.network.state_dict()
    weights = {name: own.to(torch.float16).contiguous() for name, own in state.items()}
    save_file(weights, folder / WEIGHTS_FILE)
    write_lexicon(folder, reader.lexicon)
    settings = {
        "size": asdict(size),
        "threshold": round(reader.threshold, 4),
        "unread": round(reader.unread, 4),
    }
    (folder / SETTINGS_FILE).write_text(json.dumps(settings, indent=2) + "\n", encoding="utf-8")
