"""The layer of statements about triples: `stmt about:p s` where a statement is of `s p o`.

So the statement node leads to what it is about, by a relation with the name of the predicate. There
are three forms. `Reified`: `stmt rdf:subject s; rdf:predicate p`, and the same of OWL, of which the
terms are `owl:annotatedSource` and `owl:annotatedProperty`. `Reifiers` (RDF 1.2):
`r rdf:reifies <<( s p o )>>`, as in Turtle's `s p o ~ r {| ... |}`.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from itertools import chain
from typing import Protocol

from ...errors import ServiceError
from ..store import Store, Way
from ..terms import REIFIES, Step, Term, Triple, is_iri, is_literal, is_triple_term, triple_of
from .layer import CheckedLayer, Derived, Run, first_steps, read_enough
from .merged import turned_back
from .relations import about, predicate_of

_MOST_SUBJECTS = 100
"""Subjects read of a node that may be a statement, so that one does not fill an answer."""


class Statements(Protocol):
    """One form in which a KG makes statements about triples; all methods may raise ServiceError.

    Virtual triples lead from a statement to its subject by `about:p`. `relation` is what every
    statement of this form has. Statements about predicates that the profile skips make none.
    """

    relation: Term

    def all(self) -> Iterator[Triple]:
        """Every virtual triple; one may come several times."""
        ...

    def steps(self, nodes: Sequence[Term], inverse: bool, limit: int) -> list[list[Step]]:
        """The virtual steps that leave each node in one direction, at most `limit` of each."""
        ...

    def has(self, triples: Sequence[Triple]) -> Sequence[bool | None]:
        """Whether there is each virtual triple; None where the source did not say."""
        ...

    def expand(self, triples: Sequence[Triple]) -> list[Run | None]:
        """The real steps from head to tail of each virtual triple; None where there are none."""
        ...


class StatementStore(Derived):
    """Implements `CheckedLayer`. Where the source has no statements, it is not asked about any."""

    def __init__(self, inner: CheckedLayer, store: Store, skips: Callable[[Term], bool]) -> None:
        """`store` is the source; statements about predicates that `skips` takes are left out."""
        super().__init__(inner)
        self._inner = inner
        self._store = store
        self._every: tuple[Statements, ...] = (
            Reifiers(store, skips),
            Reified(store, skips, *ANNOTATED, checked=True),
            Reified(store, skips),
        )

    @cached_property
    def _forms(self) -> tuple[Statements, ...]:
        """The forms of statements that the source has; where it cannot tell, it may have them."""
        return tuple(form for form in self._every if self._has_any(form.relation))

    def among(self, terms: Iterable[Term]) -> set[Term]:
        """Those of the terms that are statements. Raises ServiceError."""
        left, statements = list(terms), set[Term]()
        for form in self._forms if left else ():
            around = self._store.follow(left, form.relation, False, limit=_MOST_SUBJECTS)
            statements.update(term for term, steps in zip(left, around, strict=True) if steps)
        return statements

    def nodes(self) -> set[Term]:
        """Every statement. Raises ServiceError."""
        return {t.head for form in self._forms for t in self._store.statements(form.relation)}

    def neighbours(
        self, nodes: Sequence[Term], *, inverse: bool = True, limit: int = 100_000
    ) -> list[list[Step]]:
        """The facts that leave each node, and with `inverse` those that reach it."""
        step_lists = self._inner.neighbours(nodes, inverse=inverse, limit=limit)
        if not self._forms:
            return step_lists
        ways = (False, True) if inverse else (False,)
        more = [self._about(nodes, way, limit) for way in ways]
        return [
            first_steps(chain.from_iterable(parts), limit)
            for parts in zip(step_lists, *more, strict=True)
        ]

    def follow_each(self, ways: Sequence[Way], *, limit: int = 100_000) -> list[list[Step]]:
        """The steps of each way, sorted by target."""
        ours = {way for way in ways if predicate_of(way.relation)}
        others = [way for way in ways if way not in ours]
        steps_of = dict(zip(others, self._inner.follow_each(others, limit=limit), strict=True))
        for inverse in (False, True):
            asked = sorted(way for way in ours if way.inverse == inverse)
            steps = self._about([way.node for way in asked], inverse, limit)
            for way, derived in zip(asked, steps, strict=True):
                steps_of[way] = [s for s in derived if s.triple.relation == way.relation][:limit]
        return [steps_of[way] for way in ways]

    def relations_at(self, nodes: Sequence[Term], inverse: bool) -> list[list[Term]]:
        """The relations of the facts that leave each node, or with `inverse` reach it; sorted."""
        relation_lists = self._inner.relations_at(nodes, inverse)
        if not self._forms:
            return relation_lists
        more = self._about(nodes, inverse, 1_000)
        return [
            sorted({*relations, *(step.triple.relation for step in steps)})
            for relations, steps in zip(relation_lists, more, strict=True)
        ]

    def facts(self) -> Iterator[Triple]:
        """Every fact, each once. What statements are about is kept in memory."""
        yield from self._inner.facts()
        seen: set[Triple] = set()
        for fact in chain.from_iterable(form.all() for form in self._forms):
            if fact not in seen:
                seen.add(fact)
                yield fact

    def is_one_way(self, triple: Triple) -> bool:
        """As in the layer below."""
        return not predicate_of(triple.relation) and self._inner.is_one_way(triple)

    def has(self, triples: Sequence[Triple]) -> list[bool | None]:
        """Whether each triple is a fact."""
        ours = [t for t in triples if predicate_of(t.relation)]
        others = [t for t in triples if not predicate_of(t.relation)]
        held = dict(zip(others, self._inner.has(others), strict=True))
        forms = [form.has(ours) for form in self._forms if ours]
        for triple, *verdicts in zip(ours, *forms, strict=True):
            held[triple] = True if True in verdicts else None if None in verdicts else False
        return [held[triple] for triple in triples]

    def expand(self, steps: Sequence[Step]) -> list[Run | None]:
        """From a statement to its subject, or back, along all that makes it a statement of it."""
        ours = list(dict.fromkeys(s.triple for s in steps if predicate_of(s.triple.relation)))
        plain_runs = iter(
            self._inner.expand([s for s in steps if not predicate_of(s.triple.relation)])
        )
        proofs: dict[Triple, Run] = {}
        for form in self._forms if ours else ():
            for triple, run in zip(ours, form.expand(ours), strict=True):
                if run is not None:
                    proofs.setdefault(triple, run)
        runs: list[Run | None] = []
        for step in steps:
            if not predicate_of(step.triple.relation):
                runs.append(next(plain_runs))
                continue
            run = proofs.get(step.triple)
            runs.append(turned_back(run) if run and step.inverse else run)
        return runs

    def _has_any(self, relation: Term) -> bool:
        try:
            return next(self._store.statements(relation), None) is not None
        except ServiceError:
            return True

    def _about(self, nodes: Sequence[Term], inverse: bool, limit: int) -> list[list[Step]]:
        """The steps from statements to what they are about, or back; sorted by relation, target."""
        wanted = [node for node in dict.fromkeys(nodes) if not is_literal(node)]
        forms = [form.steps(wanted, inverse, limit) for form in self._forms if wanted]
        by_node = {
            node: first_steps(chain.from_iterable(parts), limit)
            for node, *parts in zip(wanted, *forms, strict=True)
        }
        return [list(by_node.get(node, ())) for node in nodes]


SUBJECT = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#subject>"
PREDICATE = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#predicate>"
ANNOTATED = (
    "<http://www.w3.org/2002/07/owl#annotatedSource>",
    "<http://www.w3.org/2002/07/owl#annotatedProperty>",
)


class Reified:
    """Implements `Statements`."""

    def __init__(
        self,
        store: Store,
        skips: Callable[[Term], bool],
        subject: Term = SUBJECT,
        predicate: Term = PREDICATE,
        *,
        checked: bool = False,
    ) -> None:
        """`subject` and `predicate` lead from a statement to these. With `checked`, what is turned
        into triples is looked up: another form may have said it.
        """
        self.relation = subject
        self._predicate = predicate
        self._checked = checked
        self._store = store
        self._skips = skips

    def all(self) -> Iterator[Triple]:
        """What every statement is about; the predicates of all are kept in memory."""
        predicates: dict[Term, list[Term]] = {}
        for triple in self._store.statements(self._predicate):
            if self._is_walked(triple.tail):
                predicates.setdefault(triple.head, []).append(triple.tail)
        for triple in self._store.statements(self.relation):
            if not is_literal(triple.tail):
                for predicate in predicates.get(triple.head, ()):
                    yield Triple(triple.head, about(predicate), triple.tail)

    def steps(self, nodes: Sequence[Term], inverse: bool, limit: int) -> list[list[Step]]:
        """From statements to what they are about, or back."""

        def read(some: Sequence[Term], most: int) -> list[list[Step]]:
            return self._store.follow(some, self.relation, inverse, limit=most)

        def derive(_: Sequence[Term], around: list[list[Step]]) -> list[list[Step]]:
            return self._about(around)

        return read_enough(nodes, limit, read, derive)

    def _about(self, around: Sequence[Sequence[Step]]) -> list[list[Step]]:
        """What steps to subjects are together with the predicates of their statements."""
        around = [[step for step in steps if not is_literal(step.target)] for steps in around]
        statements = sorted({step.triple.head for steps in around for step in steps})
        predicates = {
            node: [step.target for step in steps if self._is_walked(step.target)]
            for node, steps in zip(
                statements, self._store.follow(statements, self._predicate, False), strict=True
            )
        }
        return [
            [
                Step(Triple(step.triple.head, about(predicate), step.triple.tail), step.inverse)
                for step in steps
                for predicate in predicates[step.triple.head]
            ]
            for steps in around
        ]

    def has(self, triples: Sequence[Triple]) -> list[bool | None]:
        """Whether the two triples that each stands for are in the source."""
        groups = [self._real_triples(triple) for triple in triples]
        parts = [part for group in groups for part in group]
        held = dict(zip(parts, self._store.holds(parts), strict=True))
        verdicts = [[held[part] for part in group] for group in groups]
        return [False if False in v else None if None in v else True for v in verdicts]

    def expand(self, triples: Sequence[Triple]) -> list[Run | None]:
        """From the statement to the predicate and back, as it is part of it, and to the subject."""
        held = self.has(triples) if self._checked else [True] * len(triples)
        runs: list[Run | None] = []
        for triple, is_held in zip(triples, held, strict=True):
            subject, predicate = self._real_triples(triple)
            run = (Step(predicate), Step(predicate, True), Step(subject))
            runs.append(None if is_held is False else run)
        return runs

    def _is_walked(self, predicate: Term) -> bool:
        return is_iri(predicate) and not self._skips(predicate)

    def _real_triples(self, triple: Triple) -> tuple[Triple, Triple]:
        head, relation, tail = triple
        predicate = predicate_of(relation) or relation
        return Triple(head, self.relation, tail), Triple(head, self._predicate, predicate)


class Reifiers:
    """Implements `Statements`. The triple itself need not be in the KG: it is only spoken of."""

    def __init__(self, store: Store, skips: Callable[[Term], bool]) -> None:
        self.relation = REIFIES
        self._store = store
        self._skips = skips

    def all(self) -> Iterator[Triple]:
        """What every reifier is about."""
        return (made for _, made in self._virtual(self._store.statements(REIFIES)))

    def steps(self, nodes: Sequence[Term], inverse: bool, limit: int) -> list[list[Step]]:
        """From reifiers to what they are about, or back."""

        def read(some: Sequence[Term], most: int) -> list[list[Step]]:
            return self._store.follow(some, REIFIES, inverse, limit=most)

        def derive(_: Sequence[Term], around: list[list[Step]]) -> list[list[Step]]:
            return [
                [Step(made, inverse) for _, made in self._virtual(step.triple for step in steps)]
                for steps in around
            ]

        return read_enough(nodes, limit, read, derive)

    def has(self, triples: Sequence[Triple]) -> list[bool | None]:
        """Whether each stands for a triple in the source."""
        return [run is not None for run in self.expand(triples)]

    def expand(self, triples: Sequence[Triple]) -> list[Run | None]:
        """From the reifier to the triple term; the smallest of several."""
        heads = list(dict.fromkeys(triple.head for triple in triples))
        proofs: dict[Triple, Triple] = {}
        for steps in self._store.follow(heads, REIFIES, False):
            for real, made in self._virtual(step.triple for step in steps):
                proofs[made] = min(real, proofs.get(made, real))
        return [(Step(proofs[t]),) if t in proofs else None for t in triples]

    def _virtual(self, triples: Iterable[Triple]) -> Iterator[tuple[Triple, Triple]]:
        """Triples of `rdf:reifies`, each with the virtual one that it makes."""
        for real in triples:
            if is_triple_term(real.tail):
                subject, predicate, _ = triple_of(real.tail)
                if not self._skips(predicate):
                    yield real, Triple(real.head, about(predicate), subject)
