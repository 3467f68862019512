"""What is known of languages: data alone, a file for each language, such as `en.toml`.

`[linking]` has the words that tell names from other words, and `[truths]` what tables write for
true and false. English also has how numbers are written, what is said in a conversation itself, how
examples of questions are worded, and in `en.ordinary.txt` its ordinary words, which in lower case
are more likely words than parts of names.
"""

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib import resources
from typing import Any


@cache
def language_words(language: str = "en") -> Mapping[str, Any]:
    """The tables of a language of which there is a file."""
    return tomllib.loads(_text(f"{language}.toml"))


@cache
def languages() -> tuple[str, ...]:
    """The tags of the languages of which there is a file."""
    files = resources.files(__package__ or "").iterdir()
    return tuple(sorted(f.name.removesuffix(".toml") for f in files if f.name.endswith(".toml")))


@cache
def ordinary_words() -> frozenset[str]:
    """The ordinary words of English, normalised; of each its shortest form."""
    return frozenset(_text("en.ordinary.txt").split())


def _text(file: str) -> str:
    return resources.files(__package__ or "").joinpath(file).read_text(encoding="utf-8")
