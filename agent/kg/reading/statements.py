"""The layer of reified statements: `stmt rdf:subject s; rdf:predicate p` becomes `stmt about:p s`.

So the statement node leads to what it is about, by a relation with the name of the predicate. A
statement about a statement in RDF 1.2 (`rdf:reifies` of a triple term) is not read: such a triple
is left out of every store here.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from itertools import chain

from ...errors import ServiceError
from ..store import Store, Way
from ..terms import Step, Term, Triple, is_iri, is_literal
from .layer import CheckedLayer, Derived, Run, first
from .relations import about, predicate_of

SUBJECT = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#subject>"
PREDICATE = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#predicate>"


class StatementStore(Derived):
    """Implements `CheckedLayer`. Where the source has no statements, it is not asked about any."""

    def __init__(self, inner: CheckedLayer, store: Store, skips: Callable[[Term], bool]) -> None:
        """`store` is the source; statements about predicates that `skips` takes are left out."""
        super().__init__(inner)
        self._inner = inner
        self._store = store
        self._skips = skips

    @cached_property
    def exist(self) -> bool:
        """Whether the source has any statement; where it cannot tell, there may be some."""
        try:
            return next(self._store.statements(SUBJECT), None) is not None
        except ServiceError:
            return True

    def neighbours(
        self, nodes: Sequence[Term], *, inverse: bool = True, limit: int = 100_000
    ) -> list[list[Step]]:
        """The facts that leave each node, and with `inverse` those that reach it."""
        found = self._inner.neighbours(nodes, inverse=inverse, limit=limit)
        if not self.exist:
            return found
        ways = (False, True) if inverse else (False,)
        more = [self._about(nodes, way, limit) for way in ways]
        return [first(chain.from_iterable(own), limit) for own in zip(found, *more, strict=True)]

    def follow_each(self, ways: Sequence[Way], *, limit: int = 100_000) -> list[list[Step]]:
        """The steps of each way, sorted by target."""
        ours = {way for way in ways if predicate_of(way.relation)}
        others = [way for way in ways if way not in ours]
        found = dict(zip(others, self._inner.follow_each(others, limit=limit), strict=True))
        for inverse in (False, True):
            own = sorted(way for way in ours if way.inverse == inverse)
            steps = self._about([way.node for way in own], inverse, limit)
            for way, several in zip(own, steps, strict=True):
                found[way] = [s for s in several if s.triple.relation == way.relation][:limit]
        return [found[way] for way in ways]

    def relations_at(self, nodes: Sequence[Term], inverse: bool) -> list[list[Term]]:
        """The relations of the facts that leave each node, or with `inverse` reach it; sorted."""
        found = self._inner.relations_at(nodes, inverse)
        if not self.exist:
            return found
        more = self._about(nodes, inverse, 1_000)
        return [
            sorted({*relations, *(step.triple.relation for step in steps)})
            for relations, steps in zip(found, more, strict=True)
        ]

    def facts(self) -> Iterator[Triple]:
        """Every fact, each once. What statements are about is kept in memory."""
        yield from self._inner.facts()
        predicates: dict[Term, set[Term]] = {}
        for triple in self._store.statements(PREDICATE):
            if self._is_told(triple.tail):
                predicates.setdefault(triple.head, set()).add(triple.tail)
        seen: set[Triple] = set()
        for triple in self._store.statements(SUBJECT):
            for predicate in predicates.get(triple.head, ()):
                fact = Triple(triple.head, about(predicate), triple.tail)
                if not is_literal(triple.tail) and fact not in seen:
                    seen.add(fact)
                    yield fact

    def is_one_way(self, triple: Triple) -> bool:
        """As in the layer below."""
        return not predicate_of(triple.relation) and self._inner.is_one_way(triple)

    def has(self, triples: Sequence[Triple]) -> list[bool | None]:
        """Whether each triple is a fact, or the two that it stands for are in the source."""
        groups = [_proof(t) or (t,) for t in triples]
        ours = [t for group in groups if len(group) > 1 for t in group]
        others = [group[0] for group in groups if len(group) == 1]
        held = dict(zip(ours, self._store.holds(ours), strict=True))
        held.update(zip(others, self._inner.has(others), strict=True))
        verdicts = [[held[t] for t in group] for group in groups]
        return [False if False in v else None if None in v else True for v in verdicts]

    def expand(self, steps: Sequence[Step]) -> list[Run | None]:
        """From the subject to its statement, and to the predicate and back: it is part of it."""
        proofs = [_proof(step.triple) for step in steps]
        others = [step for step, proof in zip(steps, proofs, strict=True) if not proof]
        runs = iter(self._inner.expand(others))
        found: list[Run | None] = []
        for step, proof in zip(steps, proofs, strict=True):
            if not proof:
                found.append(next(runs))
                continue
            subject, predicate = proof
            aside = (Step(predicate), Step(predicate, True))
            way = (Step(subject, step.inverse),)
            found.append((*way, *aside) if step.inverse else (*aside, *way))
        return found

    def _about(self, nodes: Sequence[Term], inverse: bool, limit: int) -> list[list[Step]]:
        """The steps from statements to what they are about, or back; sorted by relation, target."""
        wanted = [node for node in dict.fromkeys(nodes) if not is_literal(node)]
        around = self._store.follow(wanted, SUBJECT, inverse, limit=limit)
        steps = {
            node: [step for step in own if not is_literal(step.target)]
            for node, own in zip(wanted, around, strict=True)
        }
        statements = sorted({step.triple.head for own in steps.values() for step in own})
        predicates = {
            node: [step.target for step in own if self._is_told(step.target)]
            for node, own in zip(
                statements, self._store.follow(statements, PREDICATE, False), strict=True
            )
        }
        found = {
            node: first(
                (
                    Step(Triple(step.triple.head, about(predicate), step.triple.tail), inverse)
                    for step in own
                    for predicate in predicates[step.triple.head]
                ),
                limit,
            )
            for node, own in steps.items()
        }
        return [list(found.get(node, ())) for node in nodes]

    def _is_told(self, predicate: Term) -> bool:
        return is_iri(predicate) and not self._skips(predicate)


def _proof(triple: Triple) -> tuple[Triple, Triple] | None:
    predicate = predicate_of(triple.relation)
    if predicate is None:
        return None
    head, _, tail = triple
    return Triple(head, SUBJECT, tail), Triple(head, PREDICATE, predicate)
