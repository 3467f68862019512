"""Where an interrupted training goes on: a hidden folder beside the model's, gone at its end."""

import json
import os
import shutil
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..agent.errors import GroundwalkError, InputError
from .watch import Watcher

if TYPE_CHECKING:
    from torch import Tensor

EVERY = 60.0
"""Seconds between checkpoints."""
_RECIPE = "recipe.json"
_STATE = "state.safetensors"
_FRESH = ".fresh"
"""Of a file that is being written."""


def open_partial(out: Path, record: dict[str, Any], watcher: Watcher) -> Path:
    """The folder of checkpoints for `out`; emptied where other settings, or another graph, made it.

    `record` is plain JSON and says all that the trained weights depend on. Raises InputError where
    the folder is somebody else's.
    """
    folder = partial_folder(out)
    wanted = json.loads(json.dumps(record))
    if (folder / _RECIPE).exists():
        made = _read(folder / _RECIPE)
        if made == wanted:
            return folder
        names = sorted(k for k in {*made, *wanted} if made.get(k) != wanted.get(k))
        watcher.say(f"the settings changed ({', '.join(names)}): the training begins anew")
        shutil.rmtree(folder)
    elif folder.exists() and any(file.suffix != _FRESH for file in folder.iterdir()):
        raise InputError(
            f"{folder}: exists and holds no checkpoints", "give another folder for the model"
        )
    folder.mkdir(parents=True, exist_ok=True)
    _write(folder / _RECIPE, json.dumps(wanted, indent=2, ensure_ascii=False).encode())
    return folder


def partial_folder(out: Path) -> Path:
    """Where the checkpoints for `out` are."""
    return out.parent / f".{out.name}.partial"


@contextmanager
def needed(folder: Path) -> Generator[None]:
    """Remove the folder at the end; after an error of the user's, if it has no checkpoint."""
    try:
        yield
    except GroundwalkError:
        if [file.name for file in folder.iterdir()] == [_RECIPE]:
            shutil.rmtree(folder)
        raise
    shutil.rmtree(folder)


def write_state(folder: Path, tensors: "dict[str, Tensor]", values: dict[str, Any]) -> None:
    """Write tensors and plain values as one file, which is either the old one or the new one."""
    from safetensors.torch import save

    whole = {name: own.detach().contiguous() for name, own in tensors.items()}
    _write(folder / _STATE, save(whole, {"values": json.dumps(values)}))


def read_state(folder: Path) -> "tuple[dict[str, Tensor], dict[str, Any]] | None":
    """What was written last; None where nothing was."""
    from safetensors import safe_open

    file = folder / _STATE
    if not file.is_file():
        return None
    with safe_open(file, framework="pt") as opened:
        values = json.loads((opened.metadata() or {})["values"])
        return {name: opened.get_tensor(name) for name in opened.keys()}, values


def _write(file: Path, content: bytes) -> None:
    fresh = file.with_suffix(_FRESH)
    with fresh.open("wb") as opened:
        opened.write(content)
        opened.flush()
        os.fsync(opened.fileno())
    fresh.replace(file)


def _read(file: Path) -> dict[str, Any]:
    try:
        return json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
