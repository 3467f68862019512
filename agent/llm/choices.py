"""The choices of a question: how a prompt letters them, and names of a reply that are letters."""

import re
from collections.abc import Sequence
from string import ascii_uppercase

from ..kg.names import normalise, one_line
from .matching import Labels
from .reading import split_names

_LETTER = re.compile(r"(?:(?:option|choice)\s+)?\(?([a-z])(?:\s*[).:\]–-]+\s*(.*))?", re.I)


def lettered(choices: Sequence[str]) -> list[str]:
    """Each choice as a line of a prompt: `A. Oslo`, `B. Rome`; those after Z have no letter."""
    marks = [f"{letter}." for letter in ascii_uppercase] + ["-"] * len(choices)
    return [f"{mark} {one_line(text)}" for mark, text in zip(marks, choices, strict=False)]


def unlettered(names: Sequence[str], choices: Sequence[str]) -> list[str]:
    """The names, where one is a letter, as in `B`, `(B)`, `B. Rome` or `A, B`, its choice instead.

    What is the text of a choice is no letter of another.
    """
    texts, found = Labels(choices), list[str]()
    for name in names:
        parts = [name] if texts.places(name) or _choice(name, choices) else split_names(name)
        read = [part if texts.places(part) else _choice(part, choices) for part in parts]
        known = [part for part in read if part]
        found += known if known and len(known) == len(read) else [name]
    return list(dict.fromkeys(found))


def _choice(name: str, choices: Sequence[str]) -> str | None:
    """The choice whose letter a name is, alone or before its text."""
    letter = _LETTER.fullmatch(name)
    place = ascii_uppercase.find(letter[1].upper()) if letter else -1
    if letter is None or not 0 <= place < len(choices):
        return None
    text = normalise(letter[2] or "")
    return choices[place] if not text or text.startswith(normalise(choices[place])) else None
