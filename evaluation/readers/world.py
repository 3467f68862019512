"""The hand-written questions over the KG that comes with the package."""

from dataclasses import replace
from importlib import resources
from pathlib import Path

from ...agent.errors import InputError
from ..samples import Sample
from .jsonl import read_jsonl

_PACKAGE = f"{__name__.split('.')[0]}.data.world"
WORLD_RETRIEVED = Path(str(resources.files(_PACKAGE) / "retrieved.jsonl"))
"""What the words of the questions retrieve, for the method `paths`."""

_FILES = {
    "test": ("questions.jsonl", "sealed.jsonl"),
    "open": ("questions.jsonl",),
    "sealed": ("sealed.jsonl",),
    "tuning": ("tuning.jsonl",),
}


def read_world(split: str = "test") -> tuple[Sample, ...]:
    """The questions over the bundled KG; some have no answer, on purpose. Raises InputError.

    Half of `test` is `sealed`: nobody looked at it while anything was trained or tuned.
    """
    if split not in _FILES:
        raise InputError(
            f"the world questions have no split {split!r}", f"splits: {', '.join(_FILES)}"
        )
    return tuple(
        replace(sample, topics=tuple(f"<{iri}>" for iri in sample.topics))
        for name in _FILES[split]
        for sample in _read(name)
    )


def _read(name: str) -> tuple[Sample, ...]:
    package = f"{__name__.split('.')[0]}.data.world"
    with resources.as_file(resources.files(package) / name) as file:
        return read_jsonl(file)
