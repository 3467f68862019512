"""Which of some labels, or of the lettered choices of a question, a chat model's reply names."""

import re
from collections.abc import Callable, Iterable, Sequence
from string import ascii_uppercase

from ..kg.labels.names import normalise, one_line
from .replies import compared, split_names

_ALIKE: tuple[Callable[[str], str], ...] = (str, str.casefold, compared)
"""What names are compared by, the strictest first."""


class Labels:
    """Labels, each with its position, to look names up in."""

    def __init__(self, labels: Iterable[str]) -> None:
        self._tables: list[dict[str, list[int]]] = [{} for _ in _ALIKE]
        for position, label in enumerate(labels):
            for key, table in zip(_ALIKE, self._tables, strict=True):
                table.setdefault(key(label), []).append(position)

    def positions(self, name: str) -> list[int]:
        """The labels that are written as `name`, else those that are most like it."""
        tables = zip(_ALIKE, self._tables, strict=True)
        return next((hits for key, table in tables if (hits := table.get(key(name)))), [])

    def match(self, names: Iterable[str]) -> tuple[list[list[int]], list[str]]:
        """The positions of every name that is a label, and the names that are none.

        A name that is no label is also read as a list of names.
        """
        matches, unmatched = list[list[int]](), list[str]()
        for name in names:
            parts = [name] if self.positions(name) else split_names(name)
            known = [positions for part in parts if (positions := self.positions(part))]
            matches += known
            unmatched += [part for part in parts if not self.positions(part)] if known else [name]
        return matches, list(dict.fromkeys(unmatched))


_LETTER = re.compile(r"(?:(?:option|choice)\s+)?\(?([a-z])(?:\s*[).:\]–-]+\s*(.*))?", re.I)


def lettered(choices: Sequence[str]) -> list[str]:
    """Each choice as a line of a prompt: `A. Oslo`, `B. Rome`; those after Z have no letter."""
    marks = [f"{letter}." for letter in ascii_uppercase] + ["-"] * len(choices)
    return [f"{mark} {one_line(text)}" for mark, text in zip(marks, choices, strict=False)]


def unlettered(names: Sequence[str], choices: Sequence[str]) -> list[str]:
    """The names, where one is a letter, as in `B`, `(B)`, `B. Rome` or `A, B`, its choice instead.

    What is the text of a choice is no letter of another.
    """
    labels, texts = Labels(choices), list[str]()
    for name in names:
        parts = [name] if labels.positions(name) or _choice(name, choices) else split_names(name)
        read = [part if labels.positions(part) else _choice(part, choices) for part in parts]
        known = [part for part in read if part]
        texts += known if known and len(known) == len(read) else [name]
    return list(dict.fromkeys(texts))


def _choice(name: str, choices: Sequence[str]) -> str | None:
    """The choice whose letter a name is, alone or before its text."""
    letter = _LETTER.fullmatch(name)
    number = ascii_uppercase.find(letter[1].upper()) if letter else -1
    if letter is None or not 0 <= number < len(choices):
        return None
    text, choice = normalise(letter[2] or ""), choices[number]
    return choice if not text or text.startswith(normalise(choice)) else None
