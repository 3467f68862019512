"""Graphs that are made up over the schemas of others, to be asked about as any graph is.

A schema says which relations lead from which class to which; things of these classes get invented
names, and are joined at random. The generator of `training/query_questions.py` does the rest.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from random import Random
from urllib.parse import quote

from .sources import Hop, SchemaLabels

_NUMBERS = frozenset(("number", "float", "int", "integer", "double", "long"))
_DATES = frozenset(("time", "datetime", "date", "year"))
_TEXTS = frozenset(("text", "string", "rawstring", "boolean", "others", "key", "uri"))
_VALUES = _NUMBERS | _DATES | _TEXTS | {""}
_THINGS = 12
"""Things of a class."""
_BASE = "https://made.example/"
_SYLLABLES = "ba do ki lu me no pa ri sa te vu zo lan mor nel tis gra".split()


def is_value(end: str) -> bool:
    """Whether the end of a relation is a value, or not known."""
    return end in _VALUES


def domains(freebase: Sequence[tuple[str, Hop]]) -> dict[str, SchemaLabels]:
    """The relations of Freebase by domain: each a schema of its own, where it is of use.

    Given are the ids of relations with what they are.
    """
    several = defaultdict[str, list[Hop]](list)
    for id_, hop in freebase:
        several[id_.partition(".")[0]].append(hop)
    return {
        name: SchemaLabels(tuple(hops))
        for name, hops in several.items()
        if 5 <= len(hops) <= 150 and not all(is_value(hop.tail) for hop in hops)
    }


def fewer(schema: SchemaLabels, most: int, rng: Random) -> SchemaLabels:
    """A schema with at most so many relations, drawn at random, and the classes that they join."""
    hops = list(schema.hops)
    rng.shuffle(hops)
    ends = (end for hop in hops[:most] if hop.head for end in (hop.head, hop.tail))
    classes = dict.fromkeys(end for end in ends if not is_value(end))
    return SchemaLabels(tuple(hops[:most]), tuple(classes))


def write_graph(
    schema: SchemaLabels,
    file: Path,
    rng: Random,
    texts: Mapping[str, Sequence[str]] | None = None,
) -> None:
    """Write a made graph over a schema as Turtle.

    `texts` are those that a relation leads to, by its label; others are invented.
    """
    hops = [hop for hop in schema.hops if hop.head]
    classes = dict.fromkeys(
        own for hop in hops for own in (hop.head, hop.tail) if not is_value(own)
    )
    names = _names(rng)
    things = {kind: [(_iri(kind, n), next(names)) for n in range(_THINGS)] for kind in classes}
    lines = [
        f"<{_iri(kind)}> <http://www.w3.org/2000/01/rdf-schema#label> {_text(kind)} ."
        for kind in classes
    ]
    for kind, own in things.items():
        for iri, name in own:
            lines.append(f"<{iri}> a <{_iri(kind)}> .")
            lines.append(f"<{iri}> <http://www.w3.org/2000/01/rdf-schema#label> {_text(name)} .")
    for hop in dict.fromkeys(hops):
        relation = f"<{_BASE}relation/{quote(hop.label)}>"
        lines.append(
            f"{relation} <http://www.w3.org/2000/01/rdf-schema#label> {_text(hop.label)} ."
        )
        most = 1 if is_value(hop.tail) else rng.choice((1, 1, 2, 4))
        for iri, _ in things[hop.head]:
            if rng.random() < 0.85:
                for _ in range(rng.randint(1, most)):
                    known = (texts or {}).get(hop.label)
                    end = _text(rng.choice(known)) if known else _end(hop.tail, things, names, rng)
                    lines.append(f"<{iri}> {relation} {end} .")
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")


def _end(
    tail: str, things: Mapping[str, Sequence[tuple[str, str]]], names: Iterator[str], rng: Random
) -> str:
    if tail in things:
        return f"<{rng.choice(things[tail])[0]}>"
    if tail in _NUMBERS:
        return str(round(rng.choice((1, 10, 1000, 100_000)) * rng.uniform(1, 10)))
    if tail in _DATES:
        year = rng.randint(1700, 2024)
        return f'"{year}-{rng.randint(1, 12):02}-{rng.randint(1, 28):02}"^^<http://www.w3.org/2001/XMLSchema#date>'
    return _text(next(names))


def _iri(kind: str, number: int | None = None) -> str:
    own = f"{_BASE}{quote(kind)}"
    return own if number is None else f"{own}/{number}"


def _text(text: str) -> str:
    escaped = text.replace("\\", " ").replace('"', "'")
    return f'"{escaped}"'


def _names(rng: Random) -> Iterator[str]:
    """Invented names, each once."""
    seen = set[str]()
    while True:
        words = (
            "".join(rng.choices(_SYLLABLES, k=rng.randint(2, 4))) for _ in range(rng.choice((1, 2)))
        )
        name = " ".join(word.capitalize() for word in words)
        if name not in seen:
            seen.add(name)
            yield name
