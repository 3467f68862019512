"""The JSON files beside the weights of a model."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from ..errors import ModelError

Read = TypeVar("Read")

_BROKEN = (
    OSError,
    ValueError,
    LookupError,
    TypeError,
    AttributeError,
    OverflowError,
    RecursionError,
)
"""What is raised over a file that holds something else."""


def read_model_json(file: Path, parse: Callable[[Any], Read]) -> Read:
    """What `parse` makes of a file's content. Raises ModelError where it is broken."""
    try:
        return parse(json.loads(file.read_text(encoding="utf-8")))
    except _BROKEN as error:
        raise ModelError(
            f"{file}: cannot be read ({type(error).__name__}: {error})",
            "train the model again with this version",
        ) from error
