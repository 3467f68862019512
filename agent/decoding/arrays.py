"""Folders of arrays: written whole or not at all, read without loading them."""

import json
import os
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from .strings import Array


def save_arrays(folder: Path, arrays: Mapping[str, Array], meta: Mapping[str, Any]) -> None:
    """Make a folder of `NAME.npy` files and an `index.json`. Raises OSError where it cannot."""
    work = Path(tempfile.mkdtemp(prefix=f".{folder.name}-", dir=folder.parent))
    try:
        for name, array in arrays.items():
            np.save(work / f"{name}.npy", array)
        (work / "index.json").write_text(json.dumps(meta), encoding="utf-8")
        os.replace(work, folder)
    except OSError:
        shutil.rmtree(work, ignore_errors=True)
        if not folder.is_dir():  # somebody else may have made it in the meantime
            raise


def load_array(folder: Path, name: str) -> Array:
    """One array, mapped; a plain array, since `memmap` is slow to slice.

    Raises OSError or ValueError where the file is missing or damaged.
    """
    return np.load(folder / f"{name}.npy", mmap_mode="r").view(np.ndarray)
