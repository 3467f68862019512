"""Reified statements: `stmt rdf:subject s; rdf:predicate p`."""

from collections.abc import Callable, Iterator, Sequence

from ..store import Store
from ..terms import Step, Term, Triple, is_iri, is_literal
from .layer import Run, read_enough
from .relations import about, predicate_of

SUBJECT = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#subject>"
PREDICATE = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#predicate>"


class Reified:
    """Implements `Statements`."""

    def __init__(self, store: Store, skips: Callable[[Term], bool]) -> None:
        self.relation = SUBJECT
        self._store = store
        self._skips = skips

    def all(self) -> Iterator[Triple]:
        """What every statement is about; the predicates of all are kept in memory."""
        predicates: dict[Term, list[Term]] = {}
        for triple in self._store.statements(PREDICATE):
            if self._is_told(triple.tail):
                predicates.setdefault(triple.head, []).append(triple.tail)
        for triple in self._store.statements(SUBJECT):
            if not is_literal(triple.tail):
                for predicate in predicates.get(triple.head, ()):
                    yield Triple(triple.head, about(predicate), triple.tail)

    def steps(self, nodes: Sequence[Term], inverse: bool, limit: int) -> list[list[Step]]:
        """From statements to what they are about, or back."""

        def read(some: Sequence[Term], most: int) -> list[list[Step]]:
            return self._store.follow(some, SUBJECT, inverse, limit=most)

        def derive(_: Sequence[Term], around: list[list[Step]]) -> list[list[Step]]:
            return self._about(around)

        return read_enough(nodes, limit, read, derive)

    def _about(self, around: Sequence[Sequence[Step]]) -> list[list[Step]]:
        """What steps along `rdf:subject` are together with the predicates of their statements."""
        around = [[step for step in own if not is_literal(step.target)] for own in around]
        statements = sorted({step.triple.head for own in around for step in own})
        predicates = {
            node: [step.target for step in own if self._is_told(step.target)]
            for node, own in zip(
                statements, self._store.follow(statements, PREDICATE, False), strict=True
            )
        }
        return [
            [
                Step(Triple(step.triple.head, about(predicate), step.triple.tail), step.inverse)
                for step in own
                for predicate in predicates[step.triple.head]
            ]
            for own in around
        ]

    def has(self, triples: Sequence[Triple]) -> list[bool | None]:
        """Whether the two triples that each stands for are in the source."""
        groups = [_parts(triple) for triple in triples]
        parts = [part for group in groups for part in group]
        held = dict(zip(parts, self._store.holds(parts), strict=True))
        verdicts = [[held[part] for part in group] for group in groups]
        return [False if False in v else None if None in v else True for v in verdicts]

    def expand(self, triples: Sequence[Triple]) -> list[Run | None]:
        """From the statement to the predicate and back, as it is part of it, and to the subject."""
        return [
            (Step(predicate), Step(predicate, True), Step(subject))
            for subject, predicate in map(_parts, triples)
        ]

    def _is_told(self, predicate: Term) -> bool:
        return is_iri(predicate) and not self._skips(predicate)


def _parts(triple: Triple) -> tuple[Triple, Triple]:
    head, relation, tail = triple
    return Triple(head, SUBJECT, tail), Triple(head, PREDICATE, predicate_of(relation) or relation)
