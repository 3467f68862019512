"""The layer of statements about triples: `stmt about:p s` where a statement is of `s p o`.

So the statement node leads to what it is about, by a relation with the name of the predicate. RDF
has two forms of them: `reified` and `reifiers`.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from itertools import chain
from typing import Protocol

from ...errors import ServiceError
from ..store import Store, Way
from ..terms import Step, Term, Triple, is_literal
from .layer import CheckedLayer, Derived, Run, first
from .reified import Reified
from .reifiers import Reifiers
from .relations import predicate_of
from .same import turned_back

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
        self._every: tuple[Statements, ...] = (Reifiers(store, skips), Reified(store, skips))

    @cached_property
    def _forms(self) -> tuple[Statements, ...]:
        """The forms of statements that the source has; where it cannot tell, it may have them."""
        return tuple(form for form in self._every if self._has_any(form.relation))

    def among(self, terms: Iterable[Term]) -> set[Term]:
        """Those of the terms that are statements. Raises ServiceError."""
        left, found = list(terms), set[Term]()
        for form in self._forms if left else ():
            around = self._store.follow(left, form.relation, False, limit=_MOST_SUBJECTS)
            found.update(term for term, steps in zip(left, around, strict=True) if steps)
        return found

    def nodes(self) -> set[Term]:
        """Every statement. Raises ServiceError."""
        return {t.head for form in self._forms for t in self._store.statements(form.relation)}

    def neighbours(
        self, nodes: Sequence[Term], *, inverse: bool = True, limit: int = 100_000
    ) -> list[list[Step]]:
        """The facts that leave each node, and with `inverse` those that reach it."""
        found = self._inner.neighbours(nodes, inverse=inverse, limit=limit)
        if not self._forms:
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
        if not self._forms:
            return found
        more = self._about(nodes, inverse, 1_000)
        return [
            sorted({*relations, *(step.triple.relation for step in steps)})
            for relations, steps in zip(found, more, strict=True)
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
        for triple, *said in zip(ours, *forms, strict=True):
            held[triple] = True if True in said else None if None in said else False
        return [held[triple] for triple in triples]

    def expand(self, steps: Sequence[Step]) -> list[Run | None]:
        """From a statement to its subject, or back, along all that makes it a statement of it."""
        ours = list(dict.fromkeys(s.triple for s in steps if predicate_of(s.triple.relation)))
        others = iter(self._inner.expand([s for s in steps if not predicate_of(s.triple.relation)]))
        proofs: dict[Triple, Run] = {}
        for form in self._forms if ours else ():
            for triple, run in zip(ours, form.expand(ours), strict=True):
                if run is not None:
                    proofs.setdefault(triple, run)
        found: list[Run | None] = []
        for step in steps:
            if not predicate_of(step.triple.relation):
                found.append(next(others))
                continue
            run = proofs.get(step.triple)
            found.append(turned_back(run) if run and step.inverse else run)
        return found

    def _has_any(self, relation: Term) -> bool:
        try:
            return next(self._store.statements(relation), None) is not None
        except ServiceError:
            return True

    def _about(self, nodes: Sequence[Term], inverse: bool, limit: int) -> list[list[Step]]:
        """The steps from statements to what they are about, or back; sorted by relation, target."""
        wanted = [node for node in dict.fromkeys(nodes) if not is_literal(node)]
        forms = [form.steps(wanted, inverse, limit) for form in self._forms if wanted]
        found = {
            node: first(chain.from_iterable(own), limit)
            for node, *own in zip(wanted, *forms, strict=True)
        }
        return [list(found.get(node, ())) for node in nodes]
