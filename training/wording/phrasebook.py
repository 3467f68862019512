"""How people word the relations of a graph: read from a phrasebook, or made from their labels."""

import re
import tomllib
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from ...agent.decoding.wire import INVERSE, SEPARATOR
from ...agent.errors import InputError, KGError
from ..questions.graph import Graph, Move
from .english import English, Texts
from .label_words import LabelWords, label_words, singular
from .template import parse

Key: TypeAlias = tuple[str, ...]
"""Moves as a path spells them."""


class Compares(NamedTuple):
    """How people compare the values of a relation: `{v}` is the comparison, `{g}` the rank."""

    clause: Texts = ()
    """What follows a class noun."""
    ask: Texts = ()
    """Questions for yes or no about {x}."""
    by: Texts = ()
    """Verb phrases that rank."""
    most: Texts = ()
    least: Texts = ()
    more: Texts = ()
    less: Texts = ()


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
    compares: Compares = Compares()
    """How its values are compared."""

    def fits(self, start: str, end: str) -> bool:
        """Whether it is for walks from one class to another."""
        return (not self.starts or start in self.starts) and (not self.ends or end in self.ends)


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
class Unanswerable:
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
    verb: Texts
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
    unanswerable: Mapping[str, Unanswerable] = field(default_factory=dict[str, Unanswerable])
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


_OTHER_TABLES = frozenset(("classes", "synonyms", "lacks", "names", "near", "foreign"))
_TEMPLATE_KEYS = ("word", "noun", "that", "ask")
_CLASS_KEYS = ("through", "carries", "from", "to")
_UNANSWERABLE_KEYS = ("attribute", "ask")
_NEAR_KEYS = ("thing", "modifier", "intent", "deed", "era")
_FILLED_KEYS = frozenset((*_TEMPLATE_KEYS, *_NEAR_KEYS, *Compares._fields))
_VALUE = re.compile(r"\{[vg]\}")
"""The slots of comparisons, which are filled before a template is read."""
_NAME_KEYS = ("article", "plural", "visited", "values")


def _read(file: Path, graph: Graph) -> Phrasebook:
    try:
        text = file.read_text(encoding="utf-8")
        tables: dict[str, Any] = tomllib.loads(text)
    except OSError as error:
        raise InputError(f"{file}: cannot be read ({error.strerror})") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise InputError(f"{file}: is not valid TOML ({error})") from error
    moves = (Move(number, way) for number in range(len(graph.relations)) for way in (False, True))
    return _Tables(file, text, graph, frozenset(map(graph.spell, moves))).phrasebook(tables)


@dataclass(frozen=True)
class _Tables:
    """What reads the tables of a phrasebook's file for a graph; its errors name the line."""

    file: Path
    text: str
    graph: Graph
    moves: frozenset[str]
    """The moves of the graph as they are spelled."""

    def phrasebook(self, tables: Mapping[str, Any]) -> Phrasebook:
        """All tables of the file. Raises InputError and KGError."""
        return Phrasebook(
            {
                tuple(name.split(SEPARATOR)): self._wordings(name, table)
                for name, table in tables.items()
                if name not in _OTHER_TABLES
            },
            classes={kind: tuple(map(_noun, n)) for kind, n in tables.get("classes", {}).items()},
            synonyms={word: tuple(others) for word, others in tables.get("synonyms", {}).items()},
            unanswerable={
                kind: Unanswerable(*self._lists(f"lacks.{kind}", table, _UNANSWERABLE_KEYS))
                for kind, table in tables.get("lacks", {}).items()
            },
            names=self._names(tables.get("names", {})),
            near=self._near(tables["near"]) if "near" in tables else None,
            foreign=self._foreign(tables.get("foreign", {})),
        )

    def _wordings(self, name: str, table: Any) -> tuple[Wording, ...]:
        """What is said of the moves in the name of a table, which may stand there several times."""
        hint = f"its relations are {', '.join(sorted(self.graph.labels))}"
        self._check_known("relation", self.moves, name.split(SEPARATOR), name, hint)
        return tuple(
            self._wording(name, one) for one in (table if isinstance(table, list) else [table])
        )

    def _wording(self, name: str, table: Mapping[str, Any]) -> Wording:
        values = table.get("compares", {})
        if not isinstance(values, dict):
            keys = ", ".join(Compares._fields)
            raise InputError(f"{self._line(name)}: `compares` is no table", f"its keys are {keys}")
        others = {key: texts for key, texts in table.items() if key != "compares"}
        keys = *_TEMPLATE_KEYS, *_CLASS_KEYS
        word, noun, that, ask, *classes = self._lists(name, others, keys)
        through, carries, starts, ends = map(frozenset, classes)
        compares = Compares(*self._lists(f"{name}.compares", values, Compares._fields))
        return Wording(word, noun, that, ask, through, carries, starts, ends, compares)

    def _names(self, table: Mapping[str, Sequence[str]]) -> Names:
        return Names(*map(frozenset, self._lists("names", table, _NAME_KEYS)))

    def _near(self, table: Mapping[str, Sequence[str]]) -> Near:
        thing, *others = self._lists("near", table, _NEAR_KEYS)
        if empty := [key for key in _NEAR_KEYS if not table.get(key)]:
            raise InputError(f"{self._line('near')}: 'near' lacks {empty[0]!r}", "give some")
        return Near(tuple(map(_noun, thing)), *others)

    def _foreign(self, table: Mapping[str, Any]) -> Mapping[str, Texts]:
        for move, kinds in table.items():
            if not isinstance(kinds, list) or not all(isinstance(kind, str) for kind in kinds):
                line = self._line("[foreign]")
                raise InputError(f"{line}: {move!r} is no list of classes")
        self._check_known("relation", self.moves, table, "[foreign]")
        classes = (kind for kinds in table.values() for kind in kinds)
        self._check_known("class", self.graph.nodes, classes, "[foreign]")
        return {move: tuple(kinds) for move, kinds in table.items()}

    def _lists(
        self, name: str, table: Mapping[str, Sequence[str]], keys: Sequence[str]
    ) -> list[Texts]:
        """The values of some keys of a table; InputError where it has others, or a bad template."""
        if unknown := sorted(table.keys() - set(keys)):
            raise InputError(
                f"{self._line(name)}: {name!r} has the unknown key {unknown[0]!r}",
                f"the keys are {', '.join(keys)}",
            )
        filled = [key for key in keys if key in _FILLED_KEYS]
        for template in (template for key in filled for template in table.get(key, ())):
            try:
                parse(_VALUE.sub("", template) if keys is Compares._fields else template)
            except InputError as error:
                line = self._line(template)
                raise InputError(f"{line}: {error.message}", error.hint) from error
        return [tuple(table.get(key, ())) for key in keys]

    def _check_known(
        self, what: str, known: Collection[str], names: Iterable[str], part: str, hint: str = ""
    ) -> None:
        """Raise KGError, with the line of a part, for the first name that the graph has not."""
        unknown = next((name for name in names if name not in known), None)
        if unknown is not None:
            raise KGError(
                f"{self._line(part)}: the graph has no {what} {unknown!r}",
                hint or f"it has {', '.join(sorted(filter(None, known)))}",
            )

    def _line(self, part: str) -> str:
        """The file and the line in which a part of it first stands."""
        before = self.text.partition(part)[0] if part in self.text else ""
        return f"{self.file}:{before.count(chr(10)) + 1}"


@lru_cache(maxsize=4096)
def _joined(wordings: tuple[Wording, ...], start: str, end: str) -> Wording | None:
    """The wordings that fit two classes as one."""
    fitting = [wording for wording in wordings if wording.fits(start, end)]
    if len(fitting) < 2:
        return fitting[0] if fitting else None
    chained = chain.from_iterable
    return Wording(
        word=tuple(chained(wording.word for wording in fitting)),
        noun=tuple(chained(wording.noun for wording in fitting)),
        that=tuple(chained(wording.that for wording in fitting)),
        ask=tuple(chained(wording.ask for wording in fitting)),
        through=frozenset(chained(wording.through for wording in fitting)),
        carries=frozenset(chained(wording.carries for wording in fitting)),
        compares=Compares(
            *(tuple(chained(forms)) for forms in zip(*(w.compares for w in fitting), strict=True))
        ),
    )


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
