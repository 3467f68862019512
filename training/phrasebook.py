"""How people word the relations of a graph: read from a phrasebook, or made from their labels."""

import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any, TypeAlias

from ..agent.decoding.wire import INVERSE, SEPARATOR
from ..agent.errors import InputError, KGError
from .english import English, Texts, choose
from .graph import Graph, Move, Moves
from .template import parse

Key: TypeAlias = tuple[str, ...]
"""Moves as a path spells them."""

_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


@dataclass(frozen=True)
class Wording:
    """What a phrasebook says of one move, or of two that have wordings of their own."""

    word: Texts = ()
    """Bare nouns for what is reached."""
    noun: Texts = ()
    """Noun phrases for what is reached."""
    that: Texts = ()
    """What follows a class noun for what is reached."""
    ask: Texts = ()
    """Whole questions."""
    through: frozenset[str] = frozenset()
    """Relations asked of {x} and meant of what this one reaches (the language of a city)."""
    carries: frozenset[str] = frozenset()
    """Relations whose targets take this one's `that` (cities where people speak French)."""


@dataclass(frozen=True)
class Noun:
    """A class noun in both numbers."""

    one: str
    many: str


@dataclass(frozen=True)
class Phrasebook:
    """Wordings by moves, class nouns by class label, and words that may stand for each other."""

    wordings: Mapping[Key, Wording]
    classes: Mapping[str, tuple[Noun, ...]]
    synonyms: Mapping[str, Texts]

    def nouns(self, kind: str) -> tuple[Noun, ...]:
        """The class nouns for a class label."""
        return self.classes.get(kind) or (Noun(kind or "thing", plural(kind or "thing")),)


def key_of(graph: Graph, moves: Moves) -> Key:
    """The key of some moves."""
    return tuple(graph.spell(move) for move in moves)


def make_phrasebook(
    graph: Graph,
    english: English,
    file: Path | None = None,
    aliases: Mapping[str, Sequence[str]] | None = None,
) -> Phrasebook:
    """Read a phrasebook and word generically what it leaves out.

    `aliases` are other names of relations, by label. Raises InputError when the file is malformed
    and KGError when it words a relation that the graph does not have; both name the line.
    """
    written = _read(file, graph) if file else Phrasebook({}, {}, {})
    wordings = dict(written.wordings)
    for move in graph.edges:
        key = (graph.spell(move),)
        label = graph.labels[move.relation]
        if key not in wordings:
            names = [_words(name) for name in (label, *(aliases or {}).get(label, ()))]
            wordings[key] = _generic(english, move, dict.fromkeys(names))
    return replace(written, wordings=wordings)


def split_phrasebook(book: Phrasebook, *, held_out: bool) -> Phrasebook:
    """Only the held-out third of each list of wordings, or only the rest."""
    return replace(
        book,
        wordings={
            key: replace(
                wording,
                noun=choose(wording.noun, held_out=held_out),
                that=choose(wording.that, held_out=held_out),
                ask=choose(wording.ask, held_out=held_out),
            )
            for key, wording in book.wordings.items()
        },
    )


def plural(noun: str) -> str:
    """The regular English plural."""
    if noun.endswith(("s", "x", "z", "ch", "sh")):
        return noun + "es"
    if noun.endswith("y") and noun[-2:-1] not in "aeiou":
        return noun[:-1] + "ies"
    return noun + "s"


def _read(file: Path, graph: Graph) -> Phrasebook:
    try:
        text = file.read_text(encoding="utf-8")
        tables: dict[str, Any] = tomllib.loads(text)
    except OSError as error:
        raise InputError(f"{file}: cannot be read ({error.strerror})") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InputError(f"{file}: is not valid TOML ({error})") from error
    known = {
        graph.spell(Move(place, inverse))
        for place in range(len(graph.relations))
        for inverse in (False, True)
    }
    wordings = dict[Key, Wording]()
    for name, table in tables.items():
        if name in ("classes", "synonyms"):
            continue
        key = tuple(name.split(SEPARATOR))
        unknown = [spelling for spelling in key if spelling not in known]
        if unknown:
            raise KGError(
                f"{_place(file, text, name)}: the graph has no relation {unknown[0]!r}",
                f"its relations are {', '.join(sorted(graph.labels))}",
            )
        wordings[key] = _wording(file, text, name, table)
    return Phrasebook(
        wordings,
        {kind: tuple(_noun(n) for n in nouns) for kind, nouns in tables.get("classes", {}).items()},
        {word: tuple(others) for word, others in tables.get("synonyms", {}).items()},
    )


def _wording(file: Path, text: str, name: str, table: dict[str, list[str]]) -> Wording:
    unknown = table.keys() - {field.name for field in fields(Wording)}
    if unknown:
        raise InputError(
            f"{_place(file, text, name)}: {name!r} has the unknown key {sorted(unknown)[0]!r}",
            f"the keys are {', '.join(field.name for field in fields(Wording))}",
        )
    for template in (t for key in ("word", "noun", "that", "ask") for t in table.get(key, [])):
        try:
            parse(template)
        except InputError as error:
            raise InputError(
                f"{_place(file, text, template)}: {error.message}", error.hint
            ) from error
    lists = {key: tuple(table.get(key, [])) for key in ("word", "noun", "that", "ask")}
    return Wording(
        **lists,
        through=frozenset(table.get("through", [])),
        carries=frozenset(table.get("carries", [])),
    )


def _place(file: Path, text: str, part: str) -> str:
    found = text.find(part)
    return f"{file}:{text.count(chr(10), 0, max(found, 0)) + 1}"


def _noun(text: str) -> Noun:
    one, _, many = text.partition("/")
    return Noun(one, many or plural(one))


def _words(label: str) -> str:
    return " ".join(_CAMEL.sub(" ", label).replace("_", " ").replace("-", " ").lower().split())


def _generic(english: English, move: Move, names: Iterable[str]) -> Wording:
    prefix = "inverse_" if move.inverse else ""

    def templates(section: str) -> Texts:
        return tuple(
            template.replace("{r//r*}", f"{{{name}//{plural(name)}}}").replace("{r}", name)
            for name in map(_plain, names)
            for template in english.generic[prefix + section]
        )

    return Wording(templates("word"), templates("noun"), templates("that"), templates("ask"))


def _plain(name: str) -> str:
    """A name without the signs that templates are written with."""
    return re.sub(r"[(){}|/]", " ", name).strip().removeprefix(INVERSE) or "relation"
