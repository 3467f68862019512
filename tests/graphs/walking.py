"""The bundled model as one that writes walks only: a reader takes questions apart for it."""

from dataclasses import replace
from functools import cache

from groundwalk.agent.llm.local import LocalModel, load_generator
from groundwalk.graphs.reading import FORMAT


@cache
def walking_model() -> LocalModel:
    """The bundled model without the format of queries, loaded once."""
    local = load_generator()
    formats = tuple(own for own in local.settings.formats if own != FORMAT)
    return replace(local, settings=replace(local.settings, formats=formats))
