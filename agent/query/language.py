"""The words of a language that questions are read with, from a file: `languages/en.toml`."""

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib import resources
from typing import Any


@cache
def language_words(language: str = "en") -> Mapping[str, Any]:
    """The tables of a language of which there is a file."""
    folder = resources.files(__package__ or "").joinpath("languages")
    return tomllib.loads(folder.joinpath(f"{language}.toml").read_text(encoding="utf-8"))
