"""Which profile a store asks for by what is in it: that of an ontology, of a thesaurus, or none."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple, cast

import pyoxigraph as ox

from ..nodes import to_node
from ..profile import AUTO, GENERIC, SCHEMA_NAMESPACES, Profile, load_profile, speaking

_RDF, _RDFS, _OWL = SCHEMA_NAMESPACES
_SKOS = "http://www.w3.org/2004/02/skos/core#"
_SKOS_XL = "http://www.w3.org/2008/05/skos-xl#"


def candidates(profile: Profile) -> tuple[Profile, ...]:
    """The profiles of which `settled` gives one."""
    if profile.name != AUTO.name:
        return (profile,)
    return profile, load_profile("owl"), load_profile("skos")


class Content(NamedTuple):
    """How much there is of what tells ontologies and thesauri from other graphs.

    `concepts` are SKOS's concepts, labels and the like, `things` what is in other classes that are
    not RDF's, RDFS's or OWL's. `axioms` say something of classes, `facts` relate IRIs and are only
    counted where that decides, `orders` put concepts in order.
    """

    classes: int
    concepts: int
    things: int
    axioms: int
    facts: Callable[[], int]
    orders: int


def settled(profile: Profile, store: ox.Store) -> Profile:
    """The profile itself; where it is to be found out, the one that a store asks for."""
    if profile.name != AUTO.name:
        return profile
    return profile_of(_content(store), profile.languages)


def profile_of(content: Content, languages: Sequence[str]) -> Profile:
    """The profile `owl` or `skos` of what is mostly an ontology or a thesaurus, else `generic`.

    An ontology has more classes than things of its own classes, and says more of classes than its
    facts relate anything. A thesaurus has more concepts and labels than other things.
    """
    name = GENERIC.name
    if content.classes > content.things + content.concepts and content.axioms >= content.facts():
        name = "owl" if content.axioms else name
    elif content.concepts > content.things + content.classes and content.orders:
        name = "skos"
    return speaking(load_profile(name), [tag for tag in languages if tag])


_CLASSES = " ".join(f"<{namespace}Class>" for namespace in (_OWL, _RDFS))
_CONCEPTS = [f"<{_SKOS}{n}>" for n in ("Concept", "ConceptScheme", "Collection")]
_CONCEPTS.append(f"<{_SKOS_XL}Label>")
_ORDERS = ("broader", "narrower", "related", "inScheme", "topConceptOf")
_OTHERS = " ".join(f'FILTER(!STRSTARTS(STR(?class), "{name}"))' for name in SCHEMA_NAMESPACES)
_SKIPPED = ", ".join(str(to_node(term)) for term in sorted(GENERIC.skipped))

OF_CLASSES = f"VALUES ?class {{ {_CLASSES} }} ?one <{_RDF}type> ?class ."
OF_CONCEPTS = f"VALUES ?class {{ {' '.join(_CONCEPTS)} }} ?one <{_RDF}type> ?class ."
OF_THINGS = (
    f"?one <{_RDF}type> ?class . FILTER(isIRI(?class) && ?class NOT IN ({', '.join(_CONCEPTS)})) "
    f"{_OTHERS}"
)
AXIOMS = f"VALUES ?relation {{ <{_RDFS}subClassOf> <{_OWL}onProperty> }} ?head ?relation ?tail ."
FACTS = f"?head ?relation ?tail . FILTER(isIRI(?tail) && ?relation NOT IN ({_SKIPPED}))"
"""Facts between IRIs as the profile `generic` has them."""
ORDERS = (
    f"VALUES ?relation {{ {' '.join(f'<{_SKOS}{name}>' for name in _ORDERS)} }} "
    "?head ?relation ?tail ."
)


def _content(store: ox.Store) -> Content:
    return Content(
        _count(store, OF_CLASSES),
        _count(store, OF_CONCEPTS),
        _count(store, OF_THINGS),
        _count(store, AXIOMS),
        partial(_count, store, FACTS),
        _count(store, ORDERS),
    )


def _count(store: ox.Store, pattern: str) -> int:
    query = f"SELECT (COUNT(*) AS ?number) {{ {pattern} }}"
    ((number,),) = cast("list[tuple[Any, ...]]", list(cast(Any, store.query(query))))
    return int(number.value)
