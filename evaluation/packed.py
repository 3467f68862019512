"""Triples in little room: a dataset with a graph a question holds millions of them at once."""

import json
from array import array
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from typing import cast

from .samples import NamedTriple


@dataclass(frozen=True)
class PackedTriples(Collection[NamedTriple]):
    """Triples in order, each once, at 12 bytes and what their names take as UTF-8.

    Immutable, hashable and cheap to send to another process; iterating makes the tuples anew.
    """

    names: bytes
    places: bytes

    def __iter__(self) -> Iterator[NamedTriple]:
        names = cast("list[str]", json.loads(self.names))
        places = iter(array("I", self.places))
        for head, relation, tail in zip(places, places, places, strict=True):
            yield names[head], names[relation], names[tail]

    def __len__(self) -> int:
        return len(self.places) // (3 * array("I").itemsize)

    def __contains__(self, triple: object) -> bool:
        return any(triple == own for own in self)


def pack(triples: Iterable[NamedTriple]) -> PackedTriples:
    """Pack triples of names without lone surrogates."""
    numbers: dict[str, int] = {}
    places = array("I")
    for head, relation, tail in dict.fromkeys(triples):
        for name in (head, relation, tail):
            place = numbers.get(name)
            if place is None:
                place = numbers[name] = len(numbers)
            places.append(place)
    return PackedTriples(json.dumps(list(numbers), ensure_ascii=False).encode(), places.tobytes())
