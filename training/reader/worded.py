"""Domains with the words in which people ask about them, as the reader learns from.

A file of `training/wordings/*/domains/` has one domain: what there is in it, the relations between
that, each with labels that a graph may have for it, and how people ask for either end. Graphs are
made over it, each with labels of its own, so that the words of questions are learnt to mean many
labels.
"""

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

from ...agent.errors import InputError
from .made import write_graph
from .sources import Hop, SchemaLabels

_WORDINGS = ("word", "noun", "that", "ask")
VALUES = ("number", "date", "text")


@dataclass(frozen=True)
class Relation:
    """A relation of a domain; `inverse` are its labels where a graph has it the other way round."""

    head: str
    tail: str
    labels: tuple[str, ...]
    inverse: tuple[str, ...]
    values: tuple[str, ...]
    """Texts that are its tails, where these are texts."""
    asks_tail: Mapping[str, Sequence[str]]
    asks_head: Mapping[str, Sequence[str]]


@dataclass(frozen=True)
class Domain:
    """What there is in a domain, each by its nouns, and its relations."""

    name: str
    things: Mapping[str, Sequence[str]]
    relations: Sequence[Relation]


def read_domain(file: Path) -> Domain:
    """A domain. Raises InputError, which names the file, where something is missing."""
    try:
        table = tomllib.loads(file.read_text(encoding="utf-8"))
        things = {name: tuple(nouns) for name, nouns in table["things"].items()}
        relations = [_relation(own) for own in table["relation"]]
    except (tomllib.TOMLDecodeError, KeyError, TypeError, ValueError) as error:
        raise InputError(f"{file.name}: {error}", "see training/wordings/README.md") from error
    for own in relations:
        for end in (own.head, own.tail):
            if end not in things and end not in VALUES:
                raise InputError(f"{file.name}: {end!r} is no thing", "name it in [things]")
    return Domain(file.stem, things, relations)


def _relation(table: Mapping[str, Any]) -> Relation:
    return Relation(
        table["head"],
        table["tail"],
        tuple(table["labels"]),
        tuple(table.get("inverse", ())),
        tuple(table.get("values", ())),
        {name: tuple(table["asks_tail"].get(name, ())) for name in _WORDINGS},
        {name: tuple(table.get("asks_head", {}).get(name, ())) for name in _WORDINGS},
    )


def write_domain(domain: Domain, graph: Path, phrasebook: Path, rng: Random) -> SchemaLabels:
    """Write a graph over a domain and the phrasebook for it; the labels are drawn."""
    hops, tables, texts = list[Hop](), list[str](), dict[str, Sequence[str]]()
    for own in domain.relations:
        turned = bool(own.inverse) and rng.random() < 0.35
        taken = {hop.label for hop in hops}
        labels = [label for label in (own.inverse if turned else own.labels) if label not in taken]
        if not labels:
            continue
        label = rng.choice(labels)
        ends = (own.tail, own.head) if turned else (own.head, own.tail)
        hops.append(Hop(label, *ends))
        if own.values:
            texts[label] = own.values
        forward, backward = (
            (own.asks_head, own.asks_tail) if turned else (own.asks_tail, own.asks_head)
        )
        tables += _table(label, forward)
        tables += _table(f"^{label}", backward)
    schema = SchemaLabels(tuple(hops), tuple(domain.things))
    write_graph(schema, graph, rng, texts)
    classes = [f"{_text(name)} = {_texts(nouns)}" for name, nouns in domain.things.items()]
    phrasebook.write_text("\n".join(["[classes]", *classes, *tables, ""]), encoding="utf-8")
    return schema


def _table(move: str, wordings: Mapping[str, Sequence[str]]) -> list[str]:
    if not any(wordings.values()):
        return []
    lines = [f"{name} = {_texts(texts)}" for name, texts in wordings.items() if texts]
    return ["", f"[{_text(move)}]", *lines]


def _texts(texts: Sequence[str]) -> str:
    return f"[{', '.join(map(_text, texts))}]"


def _text(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
