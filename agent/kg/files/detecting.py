"""Which profile a store asks for: of an ontology, a thesaurus, a slice of Wikidata, or none."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain, islice, repeat
from typing import Any, NamedTuple, cast

import pyoxigraph as ox

from ..nodes import to_node
from ..profile import AUTO, GENERIC, SCHEMA_NAMESPACES, Profile, load_profile, speaking
from ..terms import Term

_RDF, _RDFS, _OWL = SCHEMA_NAMESPACES
_SKOS = "http://www.w3.org/2004/02/skos/core#"
_SKOS_XL = "http://www.w3.org/2008/05/skos-xl#"


def candidates(profile: Profile) -> tuple[Profile, ...]:
    """The profiles of which `settled` gives one."""
    if profile.name != AUTO.name:
        return (profile,)
    return profile, *map(load_profile, ("owl", "skos", "wikidata"))


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
    asked = profile_of(_content(store), profile.languages)
    if asked.name != GENERIC.name:
        return asked
    if _is_of_wikidata(store):
        return speaking(load_profile("wikidata"), [tag for tag in profile.languages if tag])
    classes = _classes(asked, store)
    namespaces = sorted({_namespace(class_) for class_ in classes})
    parts = (*_name_parts(namespaces, store), *asked.name_parts)
    naming = (*_naming_properties(namespaces, store), *_names_of_classes(classes, parts, store))
    return replace(asked, titles=(*naming, *asked.titles), name_parts=parts)


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


_NAMING = ("name", "fullName", "full_name", "hasName")
"""What vocabularies call the property that names a thing, the likeliest first."""
_NAME_PARTS = (
    ("firstName", "lastName"),
    ("first_name", "last_name"),
    ("givenName", "familyName"),
    ("given_name", "family_name"),
)
"""What vocabularies call the properties for given and family names."""

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
"""A word of the local name of a class; signs that are encoded are none."""

_INSTANCE_OF = ox.NamedNode("http://www.wikidata.org/prop/direct/P31")
"""What says the class of a thing in Wikidata and in slices of it."""
_WIKIBASE = "<http://wikiba.se/"
"""Where the classes of its statements are, which are no things."""
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


def _is_of_wikidata(store: ox.Store) -> bool:
    """Whether more things have Wikidata's property for their class than RDF's."""
    types = store.quads_for_pattern(None, ox.NamedNode(f"{_RDF}type"), None, None)
    others = (quad for quad in types if not str(quad.object).startswith(_WIKIBASE))
    ours = store.quads_for_pattern(None, _INSTANCE_OF, None, None)
    return any(other is None for _, other in zip(ours, chain(others, repeat(None)), strict=False))


def _classes(profile: Profile, store: ox.Store) -> list[Term]:
    """The store's classes that are of vocabularies of its own, sorted."""
    known = {_namespace(term) for term in (*profile.labels, *profile.schema, *profile.types)}
    query = f"SELECT DISTINCT ?class {{ ?one <{_RDF}type> ?class FILTER(isIRI(?class)) }}"
    classes = (str(class_) for (class_,) in cast("list[tuple[Any, ...]]", store.query(query)))
    return sorted(class_ for class_ in classes if _namespace(class_) not in known | {""})


def _naming_properties(namespaces: Iterable[str], store: ox.Store) -> Iterator[Term]:
    """The property that names things in each vocabulary."""
    for namespace in namespaces:
        names = (f"<{namespace}{name}>" for name in _NAMING)
        yield from islice((name for name in names if _has_texts(name, store)), 1)


def _names_of_classes(
    classes: Iterable[Term], parts: Iterable[tuple[Term, Term]], store: ox.Store
) -> Iterator[Term]:
    """The properties that name the members of one class, as `supplier_name` names suppliers.

    A property that other things have as well, as a product that of its supplier, names nothing; nor
    does one of persons with a given or a family name, as the `user_name` that they log in with.
    """
    known_parts = {part for pair in parts for part in pair}
    for class_ in classes:
        words = [
            word.lower() for word in _WORD.findall(class_[1:-1].removeprefix(_namespace(class_)))
        ]
        if not words:
            continue
        snake, (first, *others) = "_".join(words), words
        camel = first + "".join(map(str.capitalize, others))
        for name in (f"{snake}_name", f"{camel}Name"):
            term = f"<{_namespace(class_)}{name}>"
            if _has_texts(term, store) and _names_class(term, class_, known_parts, store):
                yield term


def _names_class(
    predicate: Term, class_: Term, other_names: Iterable[Term], store: ox.Store
) -> bool:
    """Whether all that has a predicate is in a class, and has none of some other names."""
    is_a, of_class = ox.NamedNode(f"{_RDF}type"), ox.NamedNode(class_[1:-1])
    others = [ox.NamedNode(name[1:-1]) for name in other_names]
    triples = store.quads_for_pattern(None, ox.NamedNode(predicate[1:-1]), None, None)
    return all(
        any(store.quads_for_pattern(triple.subject, is_a, of_class, None))
        and not any(
            any(store.quads_for_pattern(triple.subject, other, None, None)) for other in others
        )
        for triple in triples
    )


def _name_parts(namespaces: Iterable[str], store: ox.Store) -> Iterator[tuple[Term, Term]]:
    """The properties for given and family names in each vocabulary, where one of them is used."""
    for namespace in namespaces:
        for given, family in _NAME_PARTS:
            pair = f"<{namespace}{given}>", f"<{namespace}{family}>"
            if any(_has_texts(predicate, store) for predicate in pair):
                yield pair


def _has_texts(predicate: Term, store: ox.Store) -> bool:
    """Whether a predicate leads to literals, as far as its first triple tells."""
    named = ox.NamedNode(predicate[1:-1])
    triple = next(store.quads_for_pattern(None, named, None, None), None)
    return triple is not None and isinstance(triple.object, ox.Literal)


def _namespace(term: str) -> str:
    """What is before the local name of an IRI in brackets."""
    iri = term[1:-1]
    return iri[: max(iri.rfind("#"), iri.rfind("/")) + 1]


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
