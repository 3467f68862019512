"""What English superlatives compare, from a table in a file."""

import re
import tomllib
from functools import cache
from importlib import resources
from typing import NamedTuple

from ..kg.names import normalise


class Superlative(NamedTuple):
    """Whether the largest value is meant, and what the value may be called."""

    most: bool
    properties: tuple[str, ...]


@cache
def superlatives() -> dict[str, Superlative]:
    """Every superlative by its words, lower case."""
    folder = resources.files(__package__ or "")
    table = tomllib.loads(folder.joinpath("superlatives.toml").read_text(encoding="utf-8"))
    return {
        word: Superlative(entry["most"], tuple(entry["properties"]))
        for entry in table["superlative"]
        for word in entry["words"]
    }


@cache
def superlative_pattern() -> str:
    """A pattern for any one of them, the longest first."""
    words = sorted(superlatives(), key=lambda word: -len(word))
    return "|".join(re.escape(word) for word in words)


def superlative(words: str) -> Superlative:
    """What words that the pattern matched compare."""
    return superlatives()[normalise(words)]
