"""What a KG says of its relations: which are each other's inverse, and which are above others."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from ..profile import SCHEMA_NAMESPACES, Profile
from ..store import Store
from ..terms import Term, is_iri
from .options import Reading

Turned = tuple[Term, bool]
"""A relation, and whether its triples are taken backwards."""


@dataclass(frozen=True)
class Schema:
    """As which relations the triples of a relation count, and whose triples a relation has.

    Only relations of which more is said than that they are themselves are in the mappings. A fact
    of a relation in `inverted` has another that says the same backwards.
    """

    counts_as: Mapping[Term, tuple[Turned, ...]]
    made_of: Mapping[Term, tuple[Turned, ...]]
    inverted: frozenset[Term]

    def shown(self, relation: Term) -> tuple[Turned, ...]:
        """The relations that a triple of this one counts as, itself first."""
        return self.counts_as.get(relation, ((relation, False),))

    def sources(self, relation: Term) -> tuple[Turned, ...]:
        """The relations whose triples count as this one's, itself first."""
        return self.made_of.get(relation, ((relation, False),))

    def is_involved(self, relation: Term) -> bool:
        """Whether a fact of the relation may have several sources."""
        return relation in self.made_of


def read_schema(store: Store, profile: Profile, reading: Reading) -> Schema:
    """Read it from the triples of the profile's predicates, which need be no facts.

    Relations that the profile skips, and those of RDF, RDFS and OWL, are never walked; what holds
    through them holds all the same. Raises ServiceError.
    """
    above = _pairs(store, profile.sub_property_of) if reading.sub_property_of else set()
    inverses = _pairs(store, profile.inverse_of) if reading.inverse_of else set()
    links: defaultdict[Term, set[Turned]] = defaultdict(set)
    for lower, upper in above:
        links[lower].add((upper, False))
    for one, other in inverses:
        links[one].add((other, True))
        links[other].add((one, True))

    def is_walked(relation: Term) -> bool:
        return not (profile.skips(relation) or relation[1:].startswith(SCHEMA_NAMESPACES))

    counts_as: dict[Term, tuple[Turned, ...]] = {}
    made_of: defaultdict[Term, set[Turned]] = defaultdict(set)
    for relation in sorted(links):
        own = (relation, False)
        others = {turned for turned in _reached(own, links) if is_walked(turned[0])} - {own}
        if others:
            counts_as[relation] = (own, *sorted(others))
            for other, turned in others:
                made_of[other].add((relation, turned))
    inverted = {
        relation
        for relation in links
        if any(turned and is_walked(other) for other, turned in links[relation])
    }
    return Schema(
        counts_as,
        {r: ((r, False), *sorted(sources - {(r, False)})) for r, sources in made_of.items()},
        frozenset(inverted),
    )


def _reached(start: Turned, links: Mapping[Term, Iterable[Turned]]) -> set[Turned]:
    found, left = {start}, [start]
    while left:
        relation, turned = left.pop()
        for other, turns in links.get(relation, ()):
            following = other, turned != turns
            if following not in found:
                found.add(following)
                left.append(following)
    return found


def _pairs(store: Store, predicates: Iterable[Term]) -> set[tuple[Term, Term]]:
    return {
        (triple.head, triple.tail)
        for predicate in predicates
        for triple in store.statements(predicate)
        if is_iri(triple.head) and is_iri(triple.tail)
    }
