"""The languages that names are shown in and questions are asked in."""

import re
from collections.abc import Sequence
from dataclasses import replace

from ..errors import InputError
from .profile import Profile

_TAG = re.compile(r"[a-z]{1,8}(?:-[a-z0-9]{1,8})*")


def language_tags(text: str) -> tuple[str, ...]:
    """The tags of a list such as `de,en`, each once. Raises InputError for what is none."""
    tags = [tag.strip().lower().replace("_", "-") for tag in text.split(",") if tag.strip()]
    for tag in tags:
        if not _TAG.fullmatch(tag):
            raise InputError(f"{tag!r} is not the tag of a language", "give tags such as de,en")
    return tuple(dict.fromkeys(tags))


def speaking(profile: Profile, languages: Sequence[str]) -> Profile:
    """The profile with these languages, the most wanted first; its own where there are none.

    Texts without a language come after them.
    """
    if not languages:
        return profile
    tags = tuple(dict.fromkeys((*(tag.lower() for tag in languages if tag), "")))
    return replace(profile, languages=tags)


def precedence(languages: Sequence[str], rank: int) -> int:
    """When a text counts, before its predicate does: texts in a language wanted more come first.

    `rank` is the place of its language among `languages`. Texts without a language count as in the
    language before them.
    """
    return sum(1 for tag in languages[: rank + 1] if tag)
