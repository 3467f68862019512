"""Currencies, by the codes, signs and names that they are written with; none has a rate here.

These are in the file of the language (`agent/languages/en.toml`).
"""

import re
from collections.abc import Iterable, Mapping
from functools import cache
from typing import NamedTuple

from ..languages import language_words


class _Written(NamedTuple):
    """How currencies are written."""

    codes: Mapping[str, frozenset[str]]
    """The codes that each spelling may mean."""
    before: re.Pattern[str]
    """A code or a sign before a number."""
    after: re.Pattern[str]
    """A code, a sign or a name after a number."""


@cache
def _currency_words() -> _Written:
    table = language_words("en")["currencies"]
    codes = {code: frozenset((code,)) for code in table["codes"].split()}
    codes |= {code: frozenset((code.upper(),)) for code in table["small"].split()}
    codes |= {sign: frozenset(several.split()) for sign, several in table["signs"].items()}
    signs, names = _either(codes), _either(table["names"])
    codes |= {name: frozenset(several.split()) for name, several in table["names"].items()}
    return _Written(
        codes,
        re.compile(rf"(?<!\w)({signs})\s*\Z"),
        re.compile(rf"\s*((?i:{names})|{signs})(?!\w)"),
    )


def _either(spellings: Iterable[str]) -> str:
    return "|".join(map(re.escape, sorted(spellings, key=len, reverse=True)))


def currencies_of(text: str) -> frozenset[str]:
    """The codes of the currencies that a text may mean, as `$` may several; none for others."""
    codes = _currency_words().codes
    return codes.get(text) or codes.get(text.lower(), frozenset())


def currency_before(text: str, end: int) -> re.Match[str] | None:
    """The currency that stands before a number, in the group."""
    return _currency_words().before.search(text[:end])


def currency_after(text: str, start: int) -> str:
    """The currency that follows a number, as it is written; empty where none does."""
    following = _currency_words().after.match(text, start)
    return following[1] if following else ""
