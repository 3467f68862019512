"""Which profile a store asks for by what is in it: that of an ontology, of a thesaurus, or none."""

from typing import Any, cast

import pyoxigraph as ox

from ..nodes import to_node
from ..profile import AUTO, GENERIC, SCHEMA_NAMESPACES, Profile, load_profile, speaking
from ..terms import Term

_RDF, _RDFS, _OWL = SCHEMA_NAMESPACES
_SKOS = "http://www.w3.org/2004/02/skos/core#"
_SKOS_XL = "http://www.w3.org/2008/05/skos-xl#"
_CLASSES = (f"<{_OWL}Class>", f"<{_RDFS}Class>")
_CONCEPT = f"<{_SKOS}Concept>"
_ONTOLOGY = tuple(f"<{iri}>" for iri in (f"{_RDFS}subClassOf", f"{_OWL}onProperty"))
_THESAURUS = tuple(
    f"<{_SKOS}{name}>" for name in ("broader", "narrower", "related", "inScheme", "topConceptOf")
)


def candidates(profile: Profile) -> tuple[Profile, ...]:
    """The profiles of which `settled` gives one."""
    if profile.name != AUTO.name:
        return (profile,)
    return profile, load_profile("owl"), load_profile("skos")


def settled(profile: Profile, store: ox.Store) -> Profile:
    """The profile itself; where it is to be found out, the one that a store asks for."""
    if profile.name != AUTO.name:
        return profile
    return speaking(_detected(store), [tag for tag in profile.languages if tag])


def _detected(store: ox.Store) -> Profile:
    """The profile `owl` or `skos` where most of a store is an ontology or a thesaurus.

    An ontology has more classes than things of its own classes, and says more of classes than its
    facts relate anything. A thesaurus has more concepts and labels than other things.
    """
    query = f"SELECT ?class (COUNT(*) AS ?members) {{ ?one <{_RDF}type> ?class }} GROUP BY ?class"
    members = {str(class_): int(number.value) for class_, number in _rows(store, query)}
    things = {c: n for c, n in members.items() if not c[1:].startswith(SCHEMA_NAMESPACES)}
    classes = sum(members.get(class_, 0) for class_ in _CLASSES)
    concepts = sum(n for c, n in things.items() if c[1:].startswith((_SKOS, _SKOS_XL)))
    others = sum(n for c, n in things.items() if not c.startswith("_:"))
    said = _count(store, _ONTOLOGY) if classes > others else 0
    if said and said >= _relating(store):
        return load_profile("owl")
    if _CONCEPT in things and 2 * concepts > others + classes and _count(store, _THESAURUS):
        return load_profile("skos")
    return GENERIC


def _count(store: ox.Store, predicates: tuple[Term, ...]) -> int:
    values = " ".join(predicates)
    where = f"{{ VALUES ?relation {{ {values} }} ?head ?relation ?tail }}"
    ((number,),) = _rows(store, f"SELECT (COUNT(*) AS ?number) {where}")
    return int(number.value)


def _relating(store: ox.Store) -> int:
    """The number of facts between things, as the profile `generic` takes them."""
    skipped = ", ".join(str(to_node(term)) for term in sorted(GENERIC.skipped))
    filters = f"FILTER(isIRI(?tail) && ?relation NOT IN ({skipped}))"
    query = f"SELECT (COUNT(*) AS ?number) {{ ?head ?relation ?tail {filters} }}"
    ((number,),) = _rows(store, query)
    return int(number.value)


def _rows(store: ox.Store, query: str) -> list[tuple[Any, ...]]:
    return cast("list[tuple[Any, ...]]", list(cast(Any, store.query(query))))
