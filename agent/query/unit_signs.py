"""How units of measure are commonly written, and the words of rates, as languages have them."""

from functools import cache
from typing import NamedTuple

from ..languages import language_words, languages


class _Written(NamedTuple):
    """How units are written."""

    signs: frozenset[str]
    parts: frozenset[str]
    """Signs of combinations."""
    in_names: frozenset[str]
    """Signs that are units at the end of a relation's name, too."""
    rates: frozenset[str]
    sizes: frozenset[str]


@cache
def _unit_words() -> _Written:
    table = language_words()["units"]
    signs = frozenset(table["signs"].split())
    return _Written(
        signs,
        signs | {*table["letters_combined"].split()},
        signs - {*table["not_in_names"]},
        frozenset(word for tag in languages() for word in language_words(tag)["units"]["rates"]),
        frozenset(table["sizes"].split()),
    )


def is_sign(text: str) -> bool:
    """Whether a text is a common sign or name of a unit, or a combination as `km/h`."""
    words = _unit_words()
    return text in words.signs or ("/" in text and words.parts.issuperset(text.split("/")))


def is_sign_in_names(text: str) -> bool:
    """Whether a text is a common unit where it ends the name of a relation."""
    return text in _unit_words().in_names


def is_size(text: str) -> bool:
    """Whether the letter of a unit is rather a size or a class, as in `size_l`."""
    return text in _unit_words().sizes


def is_word_of_rate(text: str) -> bool:
    """Whether a text is a word after which a unit is what something is counted by."""
    return text.lower() in _unit_words().rates
