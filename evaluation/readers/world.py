"""The hand-written questions over the KG that comes with the package."""

from dataclasses import replace
from importlib import resources

from ...agent.errors import InputError
from ..samples import Sample
from .jsonl import read_jsonl

_FILES = {"test": "questions.jsonl", "tuning": "tuning.jsonl"}


def read_world(split: str = "test") -> tuple[Sample, ...]:
    """The questions over the bundled KG; some have no answer, on purpose. Raises InputError."""
    if split not in _FILES:
        raise InputError(f"the world questions have no split {split!r}", "splits: test, tuning")
    package = f"{__name__.split('.')[0]}.data.world"
    with resources.as_file(resources.files(package) / _FILES[split]) as file:
        return tuple(
            replace(sample, topics=tuple(f"<{iri}>" for iri in sample.topics))
            for sample in read_jsonl(file)
        )
