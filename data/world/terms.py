"""The three kinds of thing a triple of the world graph can point to, and how Turtle writes them."""

from __future__ import annotations

from dataclasses import dataclass

BASE = "https://groundwalk.example/world/"
ENTITY_PREFIXES = (
    "city",
    "continent",
    "country",
    "currency",
    "lake",
    "language",
    "mountain",
    "ocean",
    "organisation",
    "range",
    "region",
    "river",
    "sea",
    "subregion",
)
PREFIXES: dict[str, str] = {
    **{prefix: f"{BASE}{prefix}/" for prefix in ENTITY_PREFIXES},
    "rdf": "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
    "rdfs": "http://www.w3.org/2000/01/rdf-schema#",
    "schema": "https://schema.org/",
    "skos": "http://www.w3.org/2004/02/skos/core#",
    "v": f"{BASE}vocab#",
    "xsd": "http://www.w3.org/2001/XMLSchema#",
}


class WorldError(ValueError):
    """Something in the tables is wrong; the message names the file and the line."""


@dataclass(frozen=True, order=True)
class Name:
    """An IRI, kept as the prefix and the local name under which Turtle shows it."""

    prefix: str
    local: str

    @property
    def iri(self) -> str:
        """The full IRI."""
        return PREFIXES[self.prefix] + self.local

    def turtle(self) -> str:
        """The prefixed name; ``rdf:type`` has the short form ``a``."""
        return "a" if self == TYPE else f"{self.prefix}:{self.local}"


@dataclass(frozen=True, order=True)
class Text:
    """An English literal."""

    value: str

    def turtle(self) -> str:
        """The quoted and escaped literal with its language tag."""
        escaped = self.value.replace("\\", "\\\\").replace('"', '\\"')
        return f'"{escaped}"@en'


@dataclass(frozen=True, order=True)
class Number:
    """A whole number, a literal of the datatype ``xsd:integer``."""

    value: int

    def turtle(self) -> str:
        """The bare digits, which Turtle reads as ``xsd:integer``."""
        return str(self.value)


Term = Name | Text | Number
Triple = tuple[Name, Name, Term]

TYPE = Name("rdf", "type")
LABEL = Name("rdfs", "label")
COMMENT = Name("rdfs", "comment")
DOMAIN = Name("rdfs", "domain")
DOMAIN_INCLUDES = Name("schema", "domainIncludes")
RANGE = Name("rdfs", "range")
RANGE_INCLUDES = Name("schema", "rangeIncludes")
ALTERNATIVE = Name("skos", "altLabel")
HIDDEN = Name("skos", "hiddenLabel")
DESCRIPTION = Name("schema", "description")
INTEGER = Name("xsd", "integer")
