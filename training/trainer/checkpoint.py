"""Where an interrupted training goes on: a hidden folder beside the model's, gone at its end."""

import json
import os
import shutil
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...agent.errors import GroundwalkError, InputError
from .watched import Watcher

if TYPE_CHECKING:
    from torch import Tensor


EVERY = 60.0
"""Seconds between checkpoints."""
_RECIPE = "recipe.json"
_STATE = "state.safetensors"
_SECONDS = "seconds.json"
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
        made = read_json(folder / _RECIPE)
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
    write_json(folder / _RECIPE, wanted)
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


class Elapsed:
    """The seconds of a training in all its processes, each up to its last checkpoint."""

    def __init__(self, folder: Path, since: float) -> None:
        """Those of this process are counted from `since`, on the monotonic clock."""
        self._file = folder / _SECONDS
        self._since = since
        before = read_json(self._file).get("seconds")
        self._before = float(before) if isinstance(before, int | float) else 0.0

    @property
    def seconds(self) -> float:
        """So far."""
        return self._before + time.monotonic() - self._since

    def save(self) -> None:
        """Write them down, for a process that goes on."""
        write_json(self._file, {"seconds": round(self.seconds, 1)})


def write_state(folder: Path, tensors: "dict[str, Tensor]", values: dict[str, Any]) -> None:
    """Write tensors and plain values as one file, which is either the old one or the new one."""
    from safetensors.torch import save

    whole = {name: tensor.detach().contiguous() for name, tensor in tensors.items()}
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


def write_json(file: Path, content: dict[str, Any]) -> None:
    """Write a file, which is either the old one or the new one."""
    _write(file, json.dumps(content, indent=2, ensure_ascii=False).encode())


def read_json(file: Path) -> dict[str, Any]:
    """What was written; empty where nothing was, or something else."""
    try:
        parsed = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    return parsed if isinstance(parsed, dict) else {}


def _write(file: Path, content: bytes) -> None:
    fresh = file.with_suffix(_FRESH)
    with fresh.open("wb") as opened:
        opened.write(content)
        opened.flush()
        os.fsync(opened.fileno())
    fresh.replace(file)
