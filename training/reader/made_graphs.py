"""Graphs that are made up, to be asked about as any graph is.

One is made over a schema, which says which relations lead from which class to which: things of
these classes get invented names, and are joined at random. Or it is made over a domain, a file of
`training/wordings/*/domains/`: what there is in it, the relations between that, each with labels
that a graph may have for it, and how people ask for either end. The labels of each such graph are
drawn, so that the words of questions are learnt to mean many labels. The generator of
`training/queries/questions.py` asks about either.
"""

import tomllib
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any, NamedTuple
from urllib.parse import quote

from ...agent.errors import InputError
from ...agent.kg import KnowledgeGraph, open_kg
from ...agent.kg.terms import Term
from ...agent.linking.words import PREPOSITIONS
from ...agent.query.account import names_of
from ...agent.reader.lexicon import label_words
from ..material import Material, gather
from ..queries.questions import Shares
from ..queries.typed import typed_question
from ..recipe import Recipe
from ..wording.phrasebook import Compares
from .examples import Example, made_example
from .sources import Hop, SchemaLabels

MADE_GRAPH = "made.ttl"
MADE, WORDED = "made", "worded"
"""The names of questions that are made: in the words of labels, and in those of people."""
VALUES = ("number", "date", "text", "boolean")
"""The kinds of values that relations lead to."""
_WORDINGS = ("word", "noun", "that", "ask")
_NUMBERS = frozenset(("number", "float", "int", "integer", "double", "long"))
_DATES = frozenset(("time", "datetime", "date", "year"))
_TEXTS = frozenset(("text", "string", "rawstring", "boolean", "others", "key", "uri"))
_VALUES = _NUMBERS | _DATES | _TEXTS | {""}
_THINGS = 12
"""Things of a class."""
_RENAMED = 0.6
"""How many classes of a domain have the label of one of their nouns."""
_BASE = "https://made.example/"
_SHARES = Shares(unread=0.14, filler=0.15, noise=0.25)
"""How questions over made graphs are mixed: with less around them than by default."""
_SYLLABLES = "ba do ki lu me no pa ri sa te vu zo lan mor nel tis gra".split()
_LABEL = "<http://www.w3.org/2000/01/rdf-schema#label>"
_DATE = "<http://www.w3.org/2001/XMLSchema#date>"
_BOOLEAN = "<http://www.w3.org/2001/XMLSchema#boolean>"


def is_value(end: str) -> bool:
    """Whether the end of a relation is a value, or not known."""
    return end in _VALUES


def freebase_domains(freebase: Sequence[tuple[str, Hop]]) -> dict[str, SchemaLabels]:
    """The relations of Freebase by domain: each a schema of its own, where it is of use.

    Given are the ids of relations with what they are.
    """
    by_domain = defaultdict[str, list[Hop]](list)
    for id_, hop in freebase:
        by_domain[id_.partition(".")[0]].append(hop)
    return {
        name: SchemaLabels(tuple(hops))
        for name, hops in by_domain.items()
        if 5 <= len(hops) <= 150 and not all(is_value(hop.tail) for hop in hops)
    }


def fewer(schema: SchemaLabels, most: int, rng: Random) -> SchemaLabels:
    """A schema with at most so many relations, drawn at random, and the classes that they join."""
    hops = list(schema.hops)
    rng.shuffle(hops)
    ends = (end for hop in hops[:most] if hop.head for end in (hop.head, hop.tail))
    classes = dict.fromkeys(end for end in ends if not is_value(end))
    return SchemaLabels(tuple(hops[:most]), tuple(classes))


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
    compares: Mapping[str, Sequence[str]]
    """How numbers and dates are compared, as `Compares` has them."""


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
        relations = [_relation(relation) for relation in table["relation"]]
    except (tomllib.TOMLDecodeError, KeyError, TypeError, ValueError) as error:
        raise InputError(f"{file.name}: {error}", "see training/wordings/README.md") from error
    for relation in relations:
        for end in (relation.head, relation.tail):
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
        _compares(table.get("compares", {})),
    )


def _compares(table: Any) -> Mapping[str, Sequence[str]]:
    """How values are compared. Raises ValueError for what does not say that."""
    if not isinstance(table, Mapping) or table.keys() - set(Compares._fields):
        raise ValueError(f"`compares` is a table of {', '.join(Compares._fields)}")
    return {name: tuple(table.get(name, ())) for name in Compares._fields}


def write_graph(
    schema: SchemaLabels,
    file: Path,
    rng: Random,
    texts: Mapping[str, Sequence[str]] | None = None,
    named: Mapping[str, Sequence[str]] | None = None,
) -> None:
    """Write a made graph over a schema as Turtle.

    `texts` are those that a relation leads to, by its label, and `named` the names of some things,
    by their class; others are invented.
    """
    hops = list(dict.fromkeys(hop for hop in schema.hops if hop.head))
    classes = [end for hop in hops for end in (hop.head, hop.tail) if not is_value(end)]
    names = _names(rng)
    things = {
        name: [
            (_iri(name, n), called)
            for n, called in enumerate([*(named or {}).get(name, ()), *islice(names, _THINGS)])
        ]
        for name in dict.fromkeys(classes)
    }
    lines = [f"{_iri(name)} {_LABEL} {_text(name)} ." for name in things]
    for kind, members in things.items():
        for iri, name in members:
            lines += (f"{iri} a {_iri(kind)} .", f"{iri} {_LABEL} {_text(name)} .")
    for hop in hops:
        lines += _facts(hop, things, names, (texts or {}).get(hop.label, ()), rng)
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")


def _facts(
    hop: Hop,
    things: Mapping[str, Sequence[tuple[str, str]]],
    names: Iterator[str],
    texts: Sequence[str],
    rng: Random,
) -> Iterator[str]:
    """The label of a relation, and its facts: most things of its class have some."""
    relation = relation_iri(hop.label)
    yield f"{relation} {_LABEL} {_text(hop.label)} ."
    most = 1 if is_value(hop.tail) else rng.choice((1, 1, 2, 4))
    for iri, _ in things[hop.head]:
        for _ in range(rng.randint(1, most) if rng.random() < 0.85 else 0):
            end = _text(rng.choice(texts)) if texts else _end(hop.tail, things, names, rng)
            yield f"{iri} {relation} {end} ."


def relation_iri(label: str) -> Term:
    """The relation of a made graph that has this label."""
    return _iri(f"relation/{label}")


def _end(
    tail: str, things: Mapping[str, Sequence[tuple[str, str]]], names: Iterator[str], rng: Random
) -> str:
    if tail in things:
        return rng.choice(things[tail])[0]
    if tail in _NUMBERS:
        return str(round(rng.choice((1, 10, 1000, 100_000)) * rng.uniform(1, 10)))
    if tail in _DATES:
        year = rng.randint(1700, 2024)
        return f'"{year}-{rng.randint(1, 12):02}-{rng.randint(1, 28):02}"^^{_DATE}'
    if tail == "boolean":
        return f'"{rng.choice(("true", "false"))}"^^{_BOOLEAN}'
    return _text(next(names))


def _iri(name: str, number: int | None = None) -> str:
    path = quote(name) if number is None else f"{quote(name)}/{number}"
    return f"<{_BASE}{path}>"


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


def write_domain(domain: Domain, graph: Path, phrasebook: Path, rng: Random) -> SchemaLabels:
    """Write a graph over a domain and the phrasebook for it; the labels are drawn."""
    hops, tables, texts = list[Hop](), list[str](), dict[str, Sequence[str]]()
    kinds = _class_labels(domain, rng)
    for relation in domain.relations:
        turned = bool(relation.inverse) and rng.random() < 0.35
        taken = {hop.label for hop in hops}
        names = relation.inverse if turned else relation.labels
        labels = [label for label in names if label not in taken]
        if not labels:
            continue
        label = rng.choice(labels)
        ends = [kinds.get(end, end) for end in (relation.head, relation.tail)]
        hops.append(Hop(label, *(reversed(ends) if turned else ends)))
        if relation.values:
            texts[label] = relation.values
        forward, backward = relation.asks_tail, relation.asks_head
        if turned:
            forward, backward = backward, forward
        tables += _table((label,), forward)
        tables += _table((label, "compares"), relation.compares)
        tables += _table((f"^{label}",), backward)
    schema = SchemaLabels(tuple(hops), tuple(kinds.values()))
    write_graph(schema, graph, rng, texts)
    classes = {kinds[name]: nouns for name, nouns in domain.things.items()}
    phrasebook.write_text("\n".join([*_nouns(classes), *tables, ""]), encoding="utf-8")
    return schema


def _class_labels(domain: Domain, rng: Random) -> Mapping[str, str]:
    """What a graph calls each class: its name, or one of its nouns."""
    labels = dict[str, str]()
    for name, nouns in domain.things.items():
        taken = {*labels.values(), *(domain.things.keys() - {name})}
        ones = (noun.partition("/")[0] for noun in nouns)
        others = [one for one in ones if one not in taken and not is_value(one)]
        labels[name] = rng.choice(others) if others and rng.random() < _RENAMED else name
    return labels


def _nouns(classes: Mapping[str, Sequence[str]]) -> list[str]:
    """The table of a phrasebook that has the nouns of classes, by their labels."""
    lines = [f"{_toml_text(name)} = {_toml_texts(nouns)}" for name, nouns in classes.items()]
    return ["[classes]", *lines]


def _write_nouns(schema: SchemaLabels, phrasebook: Path) -> None:
    """Write a phrasebook that calls a `mountain hut` a hut, too, where no other class is one."""
    ends = (end for hop in schema.hops if hop.head for end in (hop.head, hop.tail))
    names = [name for name in dict.fromkeys(ends) if not is_value(name)]
    words = {name: " ".join(label_words(name)) for name in names if "(" not in name}
    last = Counter(word.rpartition(" ")[2] for word in words.values())
    classes = {
        name: [word, short]
        for name, word in words.items()
        if (short := word.rpartition(" ")[2]) != word and last[short] == 1
        if PREPOSITIONS.isdisjoint(word.split()) and word.replace(" ", "").isalpha()
    }
    phrasebook.write_text("\n".join([*_nouns(classes), ""]), encoding="utf-8")


def _table(name: Sequence[str], wordings: Mapping[str, Sequence[str]]) -> list[str]:
    if not any(wordings.values()):
        return []
    lines = [f"{key} = {_toml_texts(texts)}" for key, texts in wordings.items() if texts]
    return ["", f"[{'.'.join(map(_toml_text, name))}]", *lines]


def _toml_texts(texts: Sequence[str]) -> str:
    return f"[{', '.join(map(_toml_text, texts))}]"


def _toml_text(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


class MadeGraph(NamedTuple):
    """A graph that was made, what its schema is, and what questions about it are made of."""

    kg: KnowledgeGraph
    schema: SchemaLabels
    material: Material


def made_graph(over: SchemaLabels | Domain, folder: Path, seed: int) -> MadeGraph:
    """A graph that is made over a schema, or over a domain with its wordings, in `MADE_GRAPH`.

    Raises GroundwalkError for one that leaves nothing to ask.
    """
    file, phrasebook = folder / MADE_GRAPH, folder / "phrasebook.toml"
    if isinstance(over, Domain):
        over = write_domain(over, file, phrasebook, Random(seed))
    else:
        write_graph(over, file, Random(seed))
        _write_nouns(over, phrasebook)
    kg = open_kg(str(file))
    recipe = Recipe(formats=("path", "query"), seed=seed, phrasebook=phrasebook)
    return MadeGraph(kg, over, gather(kg, MADE, recipe))


def examples_over(
    kg: KnowledgeGraph, material: Material, schema: str, seed: int
) -> Iterator[Example]:
    """Questions over a graph, made anew without end."""
    named, queries = names_of(kg), material.queries
    if queries is not None and queries.operators is not None:
        operators = replace(queries.operators, names_texts=True)
        queries = replace(queries, operators=operators, shares=_SHARES)
    for question in () if queries is None else queries.stream(seed):
        asked = typed_question(question)
        example = asked and made_example(asked, MADE, schema, named)
        if example is not None:
            yield example
