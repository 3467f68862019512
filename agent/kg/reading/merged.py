"""The layer of `owl:sameAs`: entities that are one have the facts of all, under one of them."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import product

from ..store import Way
from ..terms import Step, Term, Triple
from .layer import CheckedLayer, Derived, Run, choose, first, read_enough
from .same import Same, SameAs

_CHUNK = 1_000


class MergedStore(Derived):
    """Implements `Layer`. Its facts connect representatives, so no step leaves another member."""

    def __init__(self, inner: CheckedLayer, same: SameAs) -> None:
        super().__init__(inner)
        self._inner = inner
        self._same = same
        self.is_one_way = inner.is_one_way

    def neighbours(
        self, nodes: Sequence[Term], *, inverse: bool = True, limit: int = 100_000
    ) -> list[list[Step]]:
        """The facts that leave each node, and with `inverse` those that reach it."""
        same = self._same.look_up(nodes)

        def read(some: Sequence[Term], most: int) -> list[list[Step]]:
            members = [_represented(node, same) for node in some]
            asked = [member for own in members for member in own]
            found = iter(self._inner.neighbours(asked, inverse=inverse, limit=most))
            return [[step for _ in own for step in next(found)] for own in members]

        def derive(_: Sequence[Term], around: list[list[Step]]) -> list[list[Step]]:
            return self._merged(around)

        return read_enough(nodes, limit, read, derive)

    def follow_each(self, ways: Sequence[Way], *, limit: int = 100_000) -> list[list[Step]]:
        """The steps of each way, sorted by target."""
        same = self._same.look_up(way.node for way in ways)

        def read(some: Sequence[Way], most: int) -> list[list[Step]]:
            members = [_represented(way.node, same) for way in some]
            asked = [
                way._replace(node=member)
                for way, own in zip(some, members, strict=True)
                for member in own
            ]
            found = iter(self._inner.follow_each(asked, limit=most))
            return [[step for _ in own for step in next(found)] for own in members]

        def derive(_: Sequence[Way], around: list[list[Step]]) -> list[list[Step]]:
            return self._merged(around)

        return read_enough(ways, limit, read, derive)

    def relations_at(self, nodes: Sequence[Term], inverse: bool) -> list[list[Term]]:
        """The relations of the facts that leave each node, or with `inverse` reach it; sorted."""
        same = self._same.look_up(nodes)
        members = [_represented(node, same) for node in nodes]
        asked = [member for own in members for member in own]
        found = iter(self._inner.relations_at(asked, inverse))
        return [sorted({term for _ in own for term in next(found)}) for own in members]

    def facts(self) -> Iterator[Triple]:
        """Every fact, each once; what is one is found out before the first."""
        linked = sorted(self._same.linked())
        stands: dict[Term, Term] = {}
        for start in range(0, len(linked), _CHUNK):
            same = self._same.look_up(linked[start : start + _CHUNK])
            stands.update((term, own.representative) for term, own in same.items())
        seen: set[Triple] = set()
        for head, relation, tail in self._inner.facts():
            fact = Triple(stands.get(head, head), relation, stands.get(tail, tail))
            if head in stands or tail in stands:
                if fact in seen:
                    continue
                seen.add(fact)
            yield fact

    def expand(self, steps: Sequence[Step]) -> list[Run | None]:
        """A fact of two members, and the ways to them from the source and on to the target."""
        same = self._same.look_up(end for step in steps for end in (step.source, step.target))
        chosen = choose(self._inner, [_candidates(step, same) for step in steps])
        runs = iter(self._inner.expand([step for step in chosen if step]))
        found: list[Run | None] = []
        for step, inner in zip(steps, chosen, strict=True):
            run = next(runs) if inner else None
            if run is None or inner is None:
                found.append(None)
                continue
            there, on = same.get(step.source), same.get(step.target)
            way = there.way(step.source, inner.source) if there else ()
            found.append((*way, *run, *(on.way(inner.target, step.target) if on else ())))
        return found

    def _merged(self, around: Sequence[Sequence[Step]]) -> list[list[Step]]:
        """The steps between the representatives of their ends."""
        every = {end for steps in around for step in steps for end in (step.source, step.target)}
        stands = self._same.representatives(every)
        return [first((_moved(step, stands) for step in steps), len(steps)) for steps in around]


def _moved(step: Step, stands: Mapping[Term, Term]) -> Step:
    head, relation, tail = step.triple
    if stands.get(head, head) == head and stands.get(tail, tail) == tail:
        return step
    triple = Triple(stands.get(head, head), relation, stands.get(tail, tail))
    return Step(triple, step.inverse)


def _members(node: Term, same: dict[Term, Same]) -> list[Term]:
    return sorted(same[node].ways) if node in same else [node]


def _represented(node: Term, same: dict[Term, Same]) -> list[Term]:
    """The members that a node stands for; none where it does not stand for itself."""
    return [] if node in same and same[node].representative != node else _members(node, same)


def _candidates(step: Step, same: dict[Term, Same]) -> list[Step]:
    """The triples that a step may stand for; the one with its own ends first."""
    head, relation, tail = step.triple
    pairs = product(_own_first(head, same), _own_first(tail, same))
    return [Step(Triple(one, relation, other), step.inverse) for one, other in pairs]


def _own_first(term: Term, same: dict[Term, Same]) -> list[Term]:
    return [term, *(member for member in _members(term, same) if member != term)]
