"""Which of some labels a chat model's reply names."""

from collections.abc import Callable, Iterable

from .reading import compared, split_names

_ALIKE: tuple[Callable[[str], str], ...] = (str, str.casefold, compared)
"""What names are compared by, the strictest first."""


class Labels:
    """Labels, each with its position, to look names up in."""

    def __init__(self, labels: Iterable[str]) -> None:
        self._tables: list[dict[str, list[int]]] = [{} for _ in _ALIKE]
        for place, label in enumerate(labels):
            for key, table in zip(_ALIKE, self._tables, strict=True):
                table.setdefault(key(label), []).append(place)

    def places(self, name: str) -> list[int]:
        """Where the labels stand that are written as `name`, else those that are most like it."""
        tables = zip(_ALIKE, self._tables, strict=True)
        return next((found for key, table in tables if (found := table.get(key(name)))), [])

    def match(self, names: Iterable[str]) -> tuple[list[list[int]], list[str]]:
        """The places of every name that is a label, and the names that are none.

        A name that is no label is also read as a list of names.
        """
        found, others = list[list[int]](), list[str]()
        for name in names:
            parts = [name] if self.places(name) else split_names(name)
            known = [places for part in parts if (places := self.places(part))]
            found += known
            others += [part for part in parts if not self.places(part)] if known else [name]
        return found, list(dict.fromkeys(others))
