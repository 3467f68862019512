"""How people word the relations of a graph: read from a phrasebook, or made from their labels."""

import re
import tomllib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeAlias

from ...agent.decoding.wire import INVERSE, SEPARATOR
from ...agent.errors import InputError, KGError
from ..questions.graph import Graph, Move
from .english import English, Texts
from .label_words import LabelWords, label_words, singular
from .template import parse

Key: TypeAlias = tuple[str, ...]
"""Moves as a path spells them."""


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
    starts: frozenset[str] = frozenset()
    """Classes of {x} that it is for; all where there are none."""
    ends: frozenset[str] = frozenset()
    """Classes of what is reached that it is for; all where there are none."""


@dataclass(frozen=True)
class Noun:
    """A class noun in both numbers."""

    one: str
    many: str


@dataclass(frozen=True)
class Names:
    """How the names of some classes, by label, behave in a sentence."""

    article: frozenset[str] = frozenset()
    """They are written with an article: the Nile."""
    plural: frozenset[str] = frozenset()
    """They may name many: the Alps."""
    visited: frozenset[str] = frozenset()
    """They are places that people live in and travel to; all classes where there are none."""
    values: frozenset[str] = frozenset()
    """They are no names but values, which stand alone and are not counted."""


@dataclass(frozen=True)
class Lack:
    """What people ask about entities of a class that the graph has no relation for."""

    attribute: Texts = ()
    """Nouns, asked as "the {n} of {x}"."""
    ask: Texts = ()
    """Whole questions."""


@dataclass(frozen=True)
class Near:
    """What makes a question that has an answer into one that has none."""

    thing: tuple[Noun, ...]
    """Classes that the graph knows nothing of."""
    modifier: Texts
    """What stands before a class noun."""
    intent: Texts
    """What stands before a plain verb, of several."""
    deed: Texts
    """What else is done to {x}, by several."""
    era: Texts
    """When."""


@dataclass(frozen=True)
class Phrasebook:
    """Wordings by moves, class nouns by class label, and words that may stand for each other.

    `foreign` are the classes that nobody asks a move of, by its spelling. `generic` has wordings
    for moves that no other fits.
    """

    wordings: Mapping[Key, tuple[Wording, ...]]
    classes: Mapping[str, tuple[Noun, ...]] = field(default_factory=dict[str, tuple[Noun, ...]])
    synonyms: Mapping[str, Texts] = field(default_factory=dict[str, Texts])
    lacks: Mapping[str, Lack] = field(default_factory=dict[str, Lack])
    names: Names = Names()
    near: Near | None = None
    foreign: Mapping[str, Texts] = field(default_factory=dict[str, Texts])
    generic: Mapping[Key, Wording] = field(default_factory=dict[Key, Wording])

    def wording(self, key: Key, start: str, end: str) -> Wording | None:
        """All that is said of some moves from one class to another."""
        return _joined(self.wordings.get(key, ()), start, end) or self.generic.get(key)

    def nouns(self, kind: str) -> tuple[Noun, ...]:
        """The class nouns for a class label."""
        return self.classes.get(kind) or (Noun(kind or "thing", plural(kind or "thing")),)


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
    written = _read(file, graph) if file else Phrasebook({})
    generic = dict[Key, Wording]()
    for move in graph.edges:
        label = graph.labels[move.relation]
        named = [label_words(name) for name in (label, *(aliases or {}).get(label, ()))]
        generic[(graph.spell(move),)] = _generic(english, move, named)
    return replace(written, generic=generic)


def plural(noun: str) -> str:
    """The regular English plural, also of what is one."""
    if singular(noun) != noun:
        return noun
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
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise InputError(f"{file}: is not valid TOML ({error})") from error
    known = {
        graph.spell(Move(place, inverse))
        for place in range(len(graph.relations))
        for inverse in (False, True)
    }
    wordings = dict[Key, tuple[Wording, ...]]()
    for name, table in tables.items():
        if name in _OTHER_TABLES:
            continue
        key = tuple(name.split(SEPARATOR))
        unknown = [spelling for spelling in key if spelling not in known]
        if unknown:
            raise KGError(
                f"{_place(file, text, name)}: the graph has no relation {unknown[0]!r}",
                f"its relations are {', '.join(sorted(graph.labels))}",
            )
        several = table if isinstance(table, list) else [table]
        wordings[key] = tuple(_wording(file, text, name, one) for one in several)
    return Phrasebook(
        wordings,
        classes={kind: tuple(map(_noun, n)) for kind, n in tables.get("classes", {}).items()},
        synonyms={word: tuple(others) for word, others in tables.get("synonyms", {}).items()},
        lacks={
            kind: Lack(*_lists(file, text, f"lacks.{kind}", table, _LACK_KEYS))
            for kind, table in tables.get("lacks", {}).items()
        },
        names=Names(
            *map(frozenset, _lists(file, text, "names", tables.get("names", {}), _NAME_KEYS))
        ),
        near=_near(file, text, tables["near"]) if "near" in tables else None,
        foreign=_foreign(file, text, tables.get("foreign", {}), graph, known),
    )


_OTHER_TABLES = frozenset(("classes", "synonyms", "lacks", "names", "near", "foreign"))
_TEMPLATE_KEYS = ("word", "noun", "that", "ask")
_CLASS_KEYS = ("through", "carries", "from", "to")
_LACK_KEYS = ("attribute", "ask")
_NEAR_KEYS = ("thing", "modifier", "intent", "deed", "era")
_FILLED_KEYS = (*_TEMPLATE_KEYS, *_NEAR_KEYS)
_NAME_KEYS = ("article", "plural", "visited", "values")


def _near(file: Path, text: str, table: Mapping[str, Sequence[str]]) -> Near:
    thing, *others = _lists(file, text, "near", table, _NEAR_KEYS)
    if empty := [key for key in _NEAR_KEYS if not table.get(key)]:
        raise InputError(f"{_place(file, text, 'near')}: 'near' lacks {empty[0]!r}", "give some")
    return Near(tuple(map(_noun, thing)), *others)


def _foreign(
    file: Path, text: str, table: Mapping[str, Any], graph: Graph, known: Collection[str]
) -> Mapping[str, Texts]:
    for move, kinds in table.items():
        if not isinstance(kinds, list) or not all(isinstance(own, str) for own in kinds):
            raise InputError(f"{_place(file, text, '[foreign]')}: {move!r} is no list of classes")
    for what, has, given in (
        ("relation", known, [*table]),
        ("class", graph.nodes, [kind for kinds in table.values() for kind in kinds]),
    ):
        if unknown := [own for own in given if own not in has]:
            raise KGError(
                f"{_place(file, text, '[foreign]')}: the graph has no {what} {unknown[0]!r}",
                f"it has {', '.join(sorted(filter(None, has)))}",
            )
    return {move: tuple(kinds) for move, kinds in table.items()}


def _wording(file: Path, text: str, name: str, table: Mapping[str, Sequence[str]]) -> Wording:
    word, noun, that, ask, *classes = _lists(
        file, text, name, table, (*_TEMPLATE_KEYS, *_CLASS_KEYS)
    )
    through, carries, starts, ends = map(frozenset, classes)
    return Wording(word, noun, that, ask, through, carries, starts, ends)


def _lists(
    file: Path, text: str, name: str, table: Mapping[str, Sequence[str]], keys: Sequence[str]
) -> list[Texts]:
    """The values of some keys of a table; InputError where it has others, or a bad template."""
    unknown = table.keys() - set(keys)
    if unknown:
        raise InputError(
            f"{_place(file, text, name)}: {name!r} has the unknown key {sorted(unknown)[0]!r}",
            f"the keys are {', '.join(keys)}",
        )
    for template in (template for key in _FILLED_KEYS for template in table.get(key, ())):
        try:
            parse(template)
        except InputError as error:
            raise InputError(
                f"{_place(file, text, template)}: {error.message}", error.hint
            ) from error
    return [tuple(table.get(key, ())) for key in keys]


@lru_cache(maxsize=4096)
def _joined(wordings: tuple[Wording, ...], start: str, end: str) -> Wording | None:
    """The wordings that fit two classes as one."""
    fitting = [
        wording
        for wording in wordings
        if (not wording.starts or start in wording.starts)
        and (not wording.ends or end in wording.ends)
    ]
    if len(fitting) < 2:
        return fitting[0] if fitting else None
    return Wording(
        word=tuple(text for wording in fitting for text in wording.word),
        noun=tuple(text for wording in fitting for text in wording.noun),
        that=tuple(text for wording in fitting for text in wording.that),
        ask=tuple(text for wording in fitting for text in wording.ask),
        through=frozenset[str]().union(*(wording.through for wording in fitting)),
        carries=frozenset[str]().union(*(wording.carries for wording in fitting)),
    )


def _place(file: Path, text: str, part: str) -> str:
    found = text.find(part)
    return f"{file}:{text.count(chr(10), 0, max(found, 0)) + 1}"


def _noun(text: str) -> Noun:
    one, _, many = text.partition("/")
    return Noun(one, many or plural(one))


def _generic(english: English, move: Move, named: Sequence[LabelWords]) -> Wording:
    prefix = "inverse_" if move.inverse else ""
    nouns = dict.fromkeys(_plain(noun) for words in named for noun in words.nouns)
    verbs = dict.fromkeys(words.verb for words in named if words.verb)

    def templates(section: str) -> Texts:
        of_nouns = (
            template.replace("{r//r*}", f"{{{noun}//{plural(noun)}}}").replace("{r}", noun)
            for noun in nouns
            for template in english.generic[prefix + section]
        )
        of_verbs = (
            template.replace("{p}", _plain(verb.first)).replace("{d}", _plain(verb.second))
            for verb in verbs
            for template in english.generic.get(f"{verb.form}_{prefix}{section}", ())
        )
        return (*of_nouns, *of_verbs)

    return Wording(templates("word"), templates("noun"), templates("that"), templates("ask"))


def _plain(name: str) -> str:
    """A name without the signs that templates are written with."""
    return re.sub(r"[(){}|/]", " ", name).strip().removeprefix(INVERSE) or "relation"
