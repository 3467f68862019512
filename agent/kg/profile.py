"""Which predicates of a KG are names, descriptions and classes, and which are facts to walk.

A profile is a TOML file: a table `prefixes` and lists of IRIs, written `prefix:name` or `<iri>`,
for the fields of `Profile`; `collapse` is true or false. With `extends = "NAME"` its lists stand
before those of another. `[patterns.NAME]` are tables with the fields of `FactPattern`, in which
`^prefix:name` is a predicate from the node to the head.

Also the languages that names are shown in and questions are asked in, which replace a profile's.
"""

import os
import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from importlib import resources
from pathlib import Path
from typing import Any, Literal, TypeAlias, cast, get_args

import pyoxigraph as ox

from ..errors import InputError, KGError
from .classes import SUBCLASS
from .patterns import FactPattern, HeadWay
from .terms import Term

TextList: TypeAlias = Literal["labels", "aliases", "hidden", "descriptions"]
"""The lists of predicates whose literals are texts of a term."""

SCHEMA_NAMESPACES = (
    "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
    "http://www.w3.org/2000/01/rdf-schema#",
    "http://www.w3.org/2002/07/owl#",
)
"""Terms of these namespaces describe a KG's vocabulary and never an entity."""

INDIVIDUALS = frozenset(
    f"<http://www.w3.org/{name}>"
    for name in ("2002/07/owl#NamedIndividual", "2002/07/owl#Thing", "2000/01/rdf-schema#Resource")
)
"""The classes of those namespaces that entities are in."""

UNLABELLED = "unlabelled"
"""In `Profile.nodes`: an IRI or blank node without a label."""

_HINT = "see the profiles in agent/kg/profiles for the form"


@dataclass(frozen=True)
class Profile:
    """How to read a KG: its naming predicates in order of preference, and what is not a fact.

    What none of `labels` names is called by one of `titles`, which are facts; and what none of
    these names by its `name_parts`, pairs of the predicates of given and family names.
    A fact is a triple whose predicate the profile does not skip; those of `facts` it does not,
    whatever other list they are in. `patterns` read facts that are said by a node of their own, and
    `names` are what relations without a label are called;
    `conjunctions` lead from a node to an RDF list whose members all hold. `text_nodes` are texts
    that have nodes, as SKOS-XL's labels: each the name of a list of texts, the predicate to the
    node, and the one from it to the text. `languages` are tags in order of
    preference, `""` being a literal without one; `en` also takes `en-gb`. An IRI prefix is the
    beginning of a term, as `<http://example.org/vocab#`. `relation_labels_from` are pairs of them:
    a relation of the first prefix that has no label is called what the term of the second is, as
    Wikidata names `wdt:P19` by `wd:P19`. `nodes` tells how statement (CVT) nodes are recognised:
    by IRI prefixes, or UNLABELLED; never where it is empty. Where `collapse` is set, walks pass
    through them unless told otherwise. `same_as`, `inverse_of` and `sub_property_of` are predicates
    that mean what OWL's and RDFS's do, honoured by option (`agent.kg.derived`). `units` are pairs
    of a datatype and the unit in which its numbers are shown. `relation_units` are predicates from
    a relation to the unit of its numbers, in a text or as a term of `units`.
    """

    name: str
    labels: tuple[Term, ...] = ()
    titles: tuple[Term, ...] = ()
    name_parts: tuple[tuple[Term, Term], ...] = ()
    aliases: tuple[Term, ...] = ()
    hidden: tuple[Term, ...] = ()
    descriptions: tuple[Term, ...] = ()
    types: tuple[Term, ...] = ()
    schema: tuple[Term, ...] = ()
    languages: tuple[str, ...] = ("en", "")
    skipped_prefixes: tuple[str, ...] = ()
    relation_labels_from: tuple[tuple[str, str], ...] = ()
    nodes: tuple[str, ...] = ()
    collapse: bool = False
    same_as: tuple[Term, ...] = ()
    inverse_of: tuple[Term, ...] = ()
    sub_property_of: tuple[Term, ...] = ()
    units: tuple[tuple[Term, str], ...] = ()
    relation_units: tuple[Term, ...] = ()
    facts: tuple[Term, ...] = ()
    names: tuple[tuple[Term, str], ...] = ()
    text_nodes: tuple[tuple[str, Term, Term], ...] = ()
    conjunctions: tuple[Term, ...] = ()
    patterns: tuple[FactPattern, ...] = ()

    @cached_property
    def skipped(self) -> frozenset[Term]:
        """The predicates that are skipped by name; see `skips`."""
        named = frozenset(
            self.labels + self.aliases + self.hidden + self.descriptions + self.types + self.schema
        )
        texts = {predicate for _, *both in self.text_nodes for predicate in both}
        return (named | texts) - {*self.facts}

    def text_predicates(self, name: TextList) -> tuple[Term, ...]:
        """The predicates of a list of texts, those to nodes that have the texts last."""
        nodes = (way for one, way, _ in self.text_nodes if one == name)
        return tuple(dict.fromkeys((*getattr(self, name), *nodes)))

    @cached_property
    def naming(self) -> frozenset[Term]:
        """The predicates whose texts are names of what has them."""
        return frozenset(self.labels + self.aliases + self.hidden)

    @cached_property
    def naming_facts(self) -> frozenset[Term]:
        """The predicates of facts that are names, or parts of one, where nothing else is."""
        return frozenset(self.titles).union(*self.name_parts)

    @cached_property
    def name_of(self) -> Mapping[Term, str]:
        """The name of each relation that has one here; of pairs for one relation the first."""
        return dict(reversed(self.names))

    @cached_property
    def pattern_of(self) -> Mapping[str, FactPattern]:
        """The patterns by their names."""
        return {pattern.name: pattern for pattern in self.patterns}

    @cached_property
    def through(self) -> frozenset[Term]:
        """The predicates between the heads of facts and the nodes that say them."""
        return frozenset(term for pattern in self.patterns for term, _ in pattern.heads)

    @cached_property
    def relates_classes(self) -> bool:
        """Whether a class below another is related to it, or a member of it, as in an ontology."""
        return bool(self.patterns) or SUBCLASS in self.types or not self.skips(SUBCLASS)

    @cached_property
    def unit_of(self) -> Mapping[Term, str]:
        """The unit of each datatype that has one; of pairs for one datatype the first counts."""
        return dict(reversed(self.units))

    def skips(self, relation: Term) -> bool:
        """Whether the triples of a predicate are no facts."""
        return relation in self.skipped or relation.startswith(self.skipped_prefixes)

    def labelled_as(self, relation: Term) -> Term | None:
        """The term whose label a relation without one takes: by the longest prefix that fits."""
        fitting = [pair for pair in self.relation_labels_from if relation.startswith(pair[0])]
        if not fitting:
            return None
        prefix, other = max(fitting, key=lambda pair: len(pair[0]))
        return other + relation.removeprefix(prefix)

    def language_rank(self, tag: str) -> int | None:
        """The rank of a language tag in the order of preference; None when it is not wanted."""
        for rank, wanted in enumerate(self.languages):
            if tag == wanted or (wanted and tag.startswith(wanted + "-")):
                return rank
        return None


def from_record(record: Mapping[str, Any]) -> Profile:
    """A profile from its fields as JSON holds them. Raises TypeError for other fields."""
    fields = {key: _frozen(value) for key, value in record.items() if key != "patterns"}
    patterns = (
        {key: _frozen(v) for key, v in pattern.items()} for pattern in record.get("patterns", ())
    )
    return Profile(**fields, patterns=tuple(FactPattern(**pattern) for pattern in patterns))


_FOLDER = resources.files(__name__.rpartition(".")[0]) / "profiles"
PACKAGED = tuple(sorted(Path(file.name).stem for file in _FOLDER.iterdir()))
"""The names of the profiles that come with the package."""

_AUTO = "auto"


def load_profile(name_or_path: str) -> Profile:
    """The profile of a name (`generic`, `wikidata`, `owl` ...), or of a TOML file.

    Raises KGError when there is none, or the file is not a profile.
    """
    if name_or_path == _AUTO:
        return AUTO
    file = Path(name_or_path).expanduser()
    if file.suffix == ".toml":
        return _read_profile(file.stem, name_or_path, file)
    if name_or_path not in PACKAGED:
        raise KGError(
            f"no profile is called {name_or_path!r}; there are {', '.join(PACKAGED)} and {_AUTO}",
            "give one of these names, or the path of a .toml file",
        )
    with resources.as_file(_FOLDER / f"{name_or_path}.toml") as path:
        return _read_profile(name_or_path, name_or_path, path)


def profile_of(profile: object) -> Profile:
    """The profile that is meant: one as it is, or of a name or a TOML file; AUTO where none is.

    Raises KGError where there is none, and InputError for what is neither.
    """
    if profile is None:
        return AUTO
    if isinstance(profile, Profile):
        return profile
    if isinstance(profile, str | os.PathLike):
        return load_profile(os.fspath(cast("str | os.PathLike[str]", profile)))
    raise InputError(
        f"no profile: {type(profile).__name__}",
        "give a name, such as wikidata, or the path of a .toml file",
    )


def _read_profile(name: str, source: str, path: Path) -> Profile:
    try:
        text = path.read_text(encoding="utf-8")
        return _profile(name, source, tomllib.loads(text))
    except OSError as error:
        raise KGError(
            f"{source} cannot be read: {error.strerror or error}", "check the path of the profile"
        ) from error
    except UnicodeDecodeError as error:
        raise KGError(f"{source} is not UTF-8: {error.reason}", "save it as UTF-8") from error
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise KGError(f"{source} is not TOML: {error}", _HINT) from error


def _profile(name: str, source: str, record: dict[str, Any]) -> Profile:
    prefixes = _prefixes(source, record.pop("prefixes", {}))
    extended = record.pop("extends", None)
    if extended is not None and (not isinstance(extended, str) or extended.endswith(".toml")):
        raise KGError(f"{source}: `extends` must be the name of a profile, no file", _HINT)
    base = load_profile(extended) if extended else Profile("")
    known_fields: dict[str, Any] = {
        field.name: getattr(base, field.name) for field in fields(Profile)
    }
    del known_fields["name"]
    for key, value in record.items():
        if key not in known_fields:
            raise KGError(f"{source}: there is no field `{key}` in a profile", _HINT)
        if key == "collapse":
            if not isinstance(value, bool):
                raise KGError(f"{source}: `{key}` must be true or false", _HINT)
            known_fields[key] = value
            continue
        if key == "patterns":
            patterns = _patterns(source, value, prefixes)
            named = {pattern.name for pattern in patterns}
            known_fields[key] = (*patterns, *(p for p in known_fields[key] if p.name not in named))
            continue
        values = _field(source, key, value, prefixes)
        known_fields[key] = (
            values if key == "languages" else tuple(dict.fromkeys((*values, *known_fields[key])))
        )
    return Profile(name, **known_fields)


def _patterns(source: str, value: object, prefixes: Mapping[str, str]) -> list[FactPattern]:
    tables = _table(source, "patterns", value)
    return [_pattern(source, name, tables[name], prefixes) for name in tables]


def _pattern(source: str, name: str, value: object, prefixes: Mapping[str, str]) -> FactPattern:
    key = f"patterns.{name}"

    def way(text: str) -> HeadWay:
        return _iri(source, text.removeprefix("^"), prefixes), text.startswith("^")

    fields: dict[str, Any] = {}
    for field_, setting in _table(source, key, value).items():
        match field_:
            case "heads":
                fields[field_] = tuple(map(way, _texts(source, key, setting)))
            case "relations" | "tails" | "numbers":
                texts = _texts(source, key, setting)
                fields[field_] = tuple(_iri(source, text, prefixes) for text in texts)
            case "member_by":
                (text,) = _texts(source, key, [setting])
                fields[field_] = _iri(source, text, prefixes)
            case "called" | "asked":
                (fields[field_],) = _texts(source, key, [setting])
            case "opens":
                if not isinstance(setting, bool):
                    raise KGError(f"{source}: `opens` of `{key}` must be true or false", _HINT)
                fields[field_] = setting
            case _:
                raise KGError(f"{source}: there is no field `{field_}` in a pattern", _HINT)
    whole = fields.get("relations") and fields.get("tails") or fields.get("member_by")
    if not (fields.get("heads") and whole):
        raise KGError(f"{source}: `{key}` needs heads, relations and tails", _HINT)
    return FactPattern(name, **fields)


def _field(source: str, key: str, value: object, prefixes: Mapping[str, str]) -> tuple[Any, ...]:
    def iri(text: str) -> Term:
        return _iri(source, text, prefixes)

    def prefix(text: str) -> str:
        return iri(text).removesuffix(">")

    match key:
        case "relation_labels_from":
            pairs = _pairs(source, key, value, "IRI prefixes")
            return tuple((prefix(item), prefix(value_)) for item, value_ in pairs)
        case "name_parts":
            pairs = _pairs(source, key, value, "IRIs")
            return tuple((iri(given), iri(family)) for given, family in pairs)
        case "units" | "names":
            pairs = _pairs(source, key, value, "an IRI and a text")
            return tuple((iri(term), text) for term, text in pairs)
        case "text_nodes":
            return tuple(_text_node(source, item, prefixes) for item in _list(source, key, value))
        case "languages":
            return tuple(text.lower() for text in _texts(source, key, value))
        case "skipped_prefixes":
            return tuple(map(prefix, _texts(source, key, value)))
        case "nodes":
            texts = _texts(source, key, value)
            return tuple(text if text == UNLABELLED else prefix(text) for text in texts)
        case _:
            return tuple(map(iri, _texts(source, key, value)))


def _pairs(source: str, key: str, value: object, of_what: str) -> list[list[str]]:
    pairs = [_texts(source, key, pair) for pair in _list(source, key, value)]
    if any(len(pair) != 2 for pair in pairs):
        raise KGError(f"{source}: `{key}` must be pairs of {of_what}", _HINT)
    return pairs


def _text_node(source: str, value: object, prefixes: Mapping[str, str]) -> tuple[str, Term, Term]:
    texts = _texts(source, "text_nodes", value)
    if len(texts) != 3 or texts[0] not in get_args(TextList):
        lists = ", ".join(get_args(TextList))
        raise KGError(
            f"{source}: `text_nodes` must be triples of one of {lists} and two IRIs", _HINT
        )
    return texts[0], _iri(source, texts[1], prefixes), _iri(source, texts[2], prefixes)


def _table(source: str, key: str, value: object) -> dict[str, object]:
    if not isinstance(value, dict):
        raise KGError(f"{source}: `{key}` must be a table", _HINT)
    return cast("dict[str, object]", value)


def _prefixes(source: str, value: object) -> dict[str, str]:
    table = _table(source, "prefixes", value)
    _texts(source, "prefixes", list(table.values()))
    return cast("dict[str, str]", table)


def _list(source: str, key: str, value: object) -> list[object]:
    if not isinstance(value, list):
        raise KGError(f"{source}: `{key}` must be a list", _HINT)
    return cast("list[object]", value)


def _texts(source: str, key: str, value: object) -> list[str]:
    items = _list(source, key, value)
    if not all(isinstance(item, str) for item in items):
        raise KGError(f"{source}: `{key}` must hold texts", _HINT)
    return cast("list[str]", items)


def _iri(source: str, text: str, prefixes: Mapping[str, str]) -> Term:
    if text.startswith("<") and text.endswith(">"):
        iri = text[1:-1]
    else:
        prefix, colon, local = text.partition(":")
        if not colon or prefix not in prefixes:
            raise KGError(f"{source}: `{text}` has no prefix of the table `prefixes`", _HINT)
        iri = prefixes[prefix] + local
    try:
        return str(ox.NamedNode(iri))
    except ValueError as error:
        raise KGError(f"{source}: `{iri}` is not an IRI", "give absolute IRIs") from error


def _frozen(value: object) -> Any:
    if isinstance(value, list):
        return tuple(_frozen(item) for item in cast("Iterable[object]", value))
    return value


GENERIC = load_profile("generic")
"""RDF as most people publish it: RDFS, SKOS, schema.org, Dublin Core and FOAF naming."""

AUTO = replace(GENERIC, name=_AUTO)
"""What a graph at hand asks for by what is in it, `owl`, `skos` or `generic`; else `generic`."""


_TAG = re.compile(r"[a-z]{1,8}(?:-[a-z0-9]{1,8})*")


def language_tags(text: str) -> tuple[str, ...]:
    """The tags of a list such as `de,en`, each once. Raises InputError for what is none."""
    tags = [tag.strip().lower().replace("_", "-") for tag in text.split(",") if tag.strip()]
    for tag in tags:
        if not _TAG.fullmatch(tag):
            raise InputError(f"{tag!r} is not the tag of a language", "give tags such as de,en")
    return tuple(dict.fromkeys(tags))


def speaking(profile: Profile, languages: Sequence[str]) -> Profile:
    """The profile with these languages, the most wanted first; its own where there are none.

    Texts without a language come after them.
    """
    if not languages:
        return profile
    tags = tuple(dict.fromkeys((*(tag.lower() for tag in languages if tag), "")))
    return replace(profile, languages=tags)


def precedence(languages: Sequence[str], rank: int) -> int:
    """When a text counts, before its predicate does: texts in a language wanted more come first.

    `rank` is the position of its language in `languages`. Texts without a language count as in the
    language before them.
    """
    return sum(1 for tag in languages[: rank + 1] if tag)
