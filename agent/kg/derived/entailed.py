"""The layer of `owl:inverseOf` and `rdfs:subPropertyOf`: triples count as those of others too.

Of a relation that has an inverse, facts are walked from head to tail only: a walk the other way
takes the inverse, under its own name. So nothing is walked twice. Facts with a literal for a tail
have no inverse. `Schema` is what the KG says of its relations: which are each other's inverse, and
which are above others.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from ..profile import SCHEMA_NAMESPACES, Profile
from ..store import Store, Way
from ..terms import Step, Term, Triple, is_iri, is_literal
from . import Reading
from .layer import CheckedLayer, Derived, Run, choose, first_steps, read_enough

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

    def implied(self, relation: Term) -> tuple[Turned, ...]:
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
    for relation_, other_relation in inverses:
        links[relation_].add((other_relation, True))
        links[other_relation].add((relation_, True))

    def is_walked(relation: Term) -> bool:
        return not (profile.skips(relation) or relation[1:].startswith(SCHEMA_NAMESPACES))

    counts_as: dict[Term, tuple[Turned, ...]] = {}
    made_of: defaultdict[Term, set[Turned]] = defaultdict(set)
    for relation in sorted(links):
        itself = (relation, False)
        others = {turned for turned in _all_linked(itself, links) if is_walked(turned[0])} - {
            itself
        }
        if others:
            counts_as[relation] = (itself, *sorted(others))
            for other_relation, turned in others:
                made_of[other_relation].add((relation, turned))
    inverted = {
        relation
        for relation in links
        if any(turned and is_walked(other_relation) for other_relation, turned in links[relation])
    }
    return Schema(
        counts_as,
        {r: ((r, False), *sorted(sources - {(r, False)})) for r, sources in made_of.items()},
        frozenset(inverted),
    )


def _all_linked(start: Turned, links: Mapping[Term, Iterable[Turned]]) -> set[Turned]:
    linked, left = {start}, [start]
    while left:
        relation, turned = left.pop()
        for other, turns in links.get(relation, ()):
            following = other, turned != turns
            if following not in linked:
                linked.add(following)
                left.append(following)
    return linked


def _pairs(store: Store, predicates: Iterable[Term]) -> set[tuple[Term, Term]]:
    return {
        (triple.head, triple.tail)
        for predicate in predicates
        for triple in store.statements(predicate)
        if is_iri(triple.head) and is_iri(triple.tail)
    }


class EntailedStore(Derived):
    """Implements `CheckedLayer`. The schema is read when it is first needed."""

    def __init__(self, inner: CheckedLayer, read: Callable[[], Schema]) -> None:
        super().__init__(inner)
        self._inner = inner
        self._read = read

    @cached_property
    def _schema(self) -> Schema:
        return self._read()

    def neighbours(
        self, nodes: Sequence[Term], *, inverse: bool = True, limit: int = 100_000
    ) -> list[list[Step]]:
        """The facts that leave each node, and with `inverse` those that reach it."""
        both = inverse or bool(self._schema.inverted)

        def read(some: Sequence[Term], most: int) -> list[list[Step]]:
            return self._inner.neighbours(some, inverse=both, limit=most)

        def derive(_: Sequence[Term], around: list[list[Step]]) -> list[list[Step]]:
            return [
                [
                    made
                    for step in steps
                    for made in self._implied_steps(step)
                    if inverse or not made.inverse
                ]
                for steps in around
            ]

        return read_enough(nodes, limit, read, derive)

    def follow_each(self, ways: Sequence[Way], *, limit: int = 100_000) -> list[list[Step]]:
        """The steps of each way, sorted by target; backwards also along one-way facts."""
        sources = [self._schema.sources(way.relation) for way in ways]
        asked = [
            Way(way.node, relation, way.inverse != turned)
            for way, way_sources in zip(ways, sources, strict=True)
            for relation, turned in way_sources
        ]
        results = iter(self._inner.follow_each(asked, limit=limit))
        return [
            first_steps(
                (
                    Step(triple, way.inverse)
                    for _, turned in way_sources
                    for step in next(results)
                    if (triple := _as(step.triple, way.relation, turned))
                ),
                limit,
            )
            for way, way_sources in zip(ways, sources, strict=True)
        ]

    def relations_at(self, nodes: Sequence[Term], inverse: bool) -> list[list[Term]]:
        """The relations of the facts that leave each node, or with `inverse` reach it; sorted."""
        schema = self._schema
        ways = {way: self._inner.relations_at(nodes, way) for way in (False, True)}
        results: list[list[Term]] = []
        for node, leaving, reaching in zip(nodes, ways[False], ways[True], strict=True):
            relations = {
                other
                for at_end, back in ((leaving, False), (reaching, True))
                for relation in at_end
                for other, turned in schema.implied(relation)
                if (back != turned) == inverse
            }
            if inverse and not is_literal(node):
                relations -= schema.inverted
            results.append(sorted(relations))
        return results

    def facts(self) -> Iterator[Triple]:
        """Every fact, each once."""
        schema = self._schema
        seen: set[Triple] = set()
        for triple in self._inner.facts():
            for fact in self._implied_facts(triple):
                if schema.is_involved(fact.relation):
                    if fact in seen:
                        continue
                    seen.add(fact)
                yield fact

    def is_one_way(self, triple: Triple) -> bool:
        """Whether the fact's relation has an inverse, which says it backwards."""
        return triple.relation in self._schema.inverted and not is_literal(triple.tail)

    def has(self, triples: Sequence[Triple]) -> list[bool | None]:
        """Whether each triple is a fact, by any relation that it may come from."""
        groups = [[step.triple for step in self._candidates(Step(triple))] for triple in triples]
        distinct = list(dict.fromkeys(triple for group in groups for triple in group))
        held = dict(zip(distinct, self._inner.has(distinct), strict=True))
        return [_any_true([held[triple] for triple in group]) for group in groups]

    def expand(self, steps: Sequence[Step]) -> list[Run | None]:
        """The triple itself where the KG holds it, else the first that counts as it."""
        chosen = choose(self._inner, [self._candidates(step) for step in steps])
        runs = iter(self._inner.expand([step for step in chosen if step]))
        return [next(runs) if step else None for step in chosen]

    def _candidates(self, step: Step) -> list[Step]:
        head, relation, tail = step.triple
        return [
            Step(Triple(tail, source, head), not step.inverse)
            if turned
            else Step(Triple(head, source, tail), step.inverse)
            for source, turned in self._schema.sources(relation)
            if not (turned and is_literal(tail))
        ]

    def _implied_facts(self, triple: Triple) -> Iterator[Triple]:
        for relation, turned in self._schema.implied(triple.relation):
            if fact := _as(triple, relation, turned):
                yield fact

    def _implied_steps(self, step: Step) -> Iterator[Step]:
        """The steps from the same node to the same target that a step makes."""
        for fact in self._implied_facts(step.triple):
            loop = fact.head == fact.tail
            if loop or fact.head == step.source:
                yield Step(fact)
            if (loop or fact.tail == step.source) and not self.is_one_way(fact):
                yield Step(fact, True)


def _as(triple: Triple, relation: Term, turned: bool) -> Triple | None:
    """A triple as one of another relation; None where a literal would be its head."""
    if not turned:
        return triple._replace(relation=relation)
    return None if is_literal(triple.tail) else Triple(triple.tail, relation, triple.head)


def _any_true(verdicts: Sequence[bool | None]) -> bool | None:
    return True if True in verdicts else None if None in verdicts else False
