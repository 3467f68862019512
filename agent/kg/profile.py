"""Which predicates of a KG are names, descriptions and classes, and which are facts to walk."""

from dataclasses import dataclass

from .terms import Term

_OWL = "http://www.w3.org/2002/07/owl#"
_RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
_RDFS = "http://www.w3.org/2000/01/rdf-schema#"
_SKOS = "http://www.w3.org/2004/02/skos/core#"

SCHEMA_NAMESPACES = (_RDF, _RDFS, _OWL)
"""Terms of these namespaces describe a KG's vocabulary and never an entity."""

_RDF_SCHEMA = "first rest reifies subject predicate object"
_RDFS_SCHEMA = "domain range subClassOf subPropertyOf seeAlso isDefinedBy"
_OWL_SCHEMA = """
    allValuesFrom cardinality complementOf deprecated differentFrom disjointUnionOf disjointWith
    equivalentClass equivalentProperty hasValue imports intersectionOf inverseOf maxCardinality
    minCardinality onProperty oneOf priorVersion propertyChainAxiom propertyDisjointWith sameAs
    someValuesFrom unionOf versionIRI versionInfo
"""


def _iris(*iris: str) -> tuple[Term, ...]:
    return tuple(f"<{iri}>" for iri in iris)


def _schema_org(name: str) -> tuple[Term, ...]:
    return _iris(f"http://schema.org/{name}", f"https://schema.org/{name}")


@dataclass(frozen=True)
class Profile:
    """How to read a KG: its naming predicates in order of preference, and what is not a fact.

    A fact is a triple whose predicate is not in `skipped`. `languages` are tags in order of
    preference, `""` being a literal without one; `en` also takes `en-gb`.
    """

    name: str
    labels: tuple[Term, ...]
    aliases: tuple[Term, ...]
    hidden: tuple[Term, ...]
    descriptions: tuple[Term, ...]
    types: tuple[Term, ...]
    schema: tuple[Term, ...]
    languages: tuple[str, ...] = ("en", "")

    @property
    def skipped(self) -> frozenset[Term]:
        """The predicates whose triples are not facts."""
        return frozenset(
            self.labels + self.aliases + self.hidden + self.descriptions + self.types + self.schema
        )

    def language_rank(self, tag: str) -> int | None:
        """The place of a language tag in the order of preference; None when it is not wanted."""
        for rank, wanted in enumerate(self.languages):
            if tag == wanted or (wanted and tag.startswith(wanted + "-")):
                return rank
        return None


GENERIC = Profile(
    name="generic",
    labels=(
        *_iris(_RDFS + "label", _SKOS + "prefLabel"),
        *_schema_org("name"),
        *_iris("http://xmlns.com/foaf/0.1/name"),
    ),
    aliases=(*_iris(_SKOS + "altLabel"), *_schema_org("alternateName")),
    hidden=_iris(_SKOS + "hiddenLabel"),
    descriptions=(
        *_schema_org("description"),
        *_iris("http://purl.org/dc/terms/description", _SKOS + "definition", _RDFS + "comment"),
    ),
    types=_iris(_RDF + "type"),
    schema=(
        *_iris(*(_RDF + name for name in _RDF_SCHEMA.split())),
        *_iris(*(_RDFS + name for name in _RDFS_SCHEMA.split())),
        *_iris(*(_OWL + name for name in _OWL_SCHEMA.split())),
        *_schema_org("domainIncludes"),
        *_schema_org("rangeIncludes"),
        *_schema_org("inverseOf"),
    ),
)
"""RDF as most people publish it: RDFS, SKOS, schema.org, Dublin Core and FOAF naming."""
