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

_FILES = {"test": "questions.jsonl", "tuning": "tuning.jsonl"}


def read_world(split: str = "test") -> tuple[Sample, ...]:
    """The questions over the bundled KG; some have no answer, on purpose. Raises InputError."""
    if split not in _FILES:
        raise InputError(f"the world questions have no split {split!r}", "splits: test, tuning")
    with resources.as_file(resources.files(_PACKAGE) / _FILES[split]) as file:
        return tuple(
            replace(sample, topics=tuple(f"<{iri}>" for iri in sample.topics))
            for sample in read_jsonl(file)
        )
