"""The layer of `owl:sameAs`: entities that are the same have the facts of all.

`SameAs` finds the entities that are the same and which of them stands for all; `MergedStore` has
the facts under that one.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

from ...caching import Recent
from ..store import Labels, Store, Way
from ..terms import Step, Term, Triple, is_literal
from .layer import CheckedLayer, Derived, Run, choose, first_steps, read_enough

MOST_MEMBERS = 100
"""Entities that may be one. More of them are a mistake of the KG, and are left apart."""

_MOST_REMEMBERED = 100_000


@dataclass(frozen=True)
class Same:
    """Entities that are one: the representative has most facts, then the smallest term.

    `ways` leads from it to each member along real triples.
    """

    representative: Term
    ways: Mapping[Term, Run]

    def way(self, source: Term, target: Term) -> Run:
        """The real triples from one member to another, without turning back."""
        there, on = self.ways[source], self.ways[target]
        shared = 0
        while shared < min(len(there), len(on)) and there[shared] == on[shared]:
            shared += 1
        return (*turned_back(there[shared:]), *on[shared:])


class SameAs:
    """Looks up what is the same as a term, in batches; safe to share between threads."""

    def __init__(self, store: Store, labels: Labels, predicates: Sequence[Term]) -> None:
        """`predicates` say so in both directions, and as often as they follow one another."""
        self._store = store
        self._labels = labels
        self.predicates = predicates
        self._known: Recent[Term, Same | None] = Recent(_MOST_REMEMBERED)

    def look_up(self, terms: Iterable[Term]) -> dict[Term, Same]:
        """The entities that are one with each term, for those terms that are not alone.

        Raises ServiceError.
        """
        wanted = (term for term in terms if not is_literal(term))
        known = self._known.take(wanted, self._read)
        return {term: same for term, same in known.items() if same}

    def representatives(self, terms: Iterable[Term]) -> dict[Term, Term]:
        """What stands for each term: for most, the term itself. Raises ServiceError."""
        wanted = list(dict.fromkeys(terms))
        same = self.look_up(wanted)
        return {term: same[term].representative if term in same else term for term in wanted}

    def linked(self) -> set[Term]:
        """Every term that is said to be the same as another."""
        return {
            term
            for predicate in self.predicates
            for triple in self._store.statements(predicate)
            for term in (triple.head, triple.tail)
            if not is_literal(triple.tail)
        }

    def _read(self, terms: list[Term]) -> dict[Term, Same | None]:
        links, groups = self._explored(terms)
        same_of: dict[Term, Same | None] = dict.fromkeys(terms)
        together = {root for term in terms if 1 < groups.size(root := groups.root(term))}
        whole = [m for root in sorted(together) if len(m := groups.members(root)) <= MOST_MEMBERS]
        degrees = self._degrees([term for members in whole for term in members])
        for members in whole:
            representative = min(members, key=lambda term: (-degrees[term], term))
            same = Same(representative, _shortest_runs(representative, links))
            same_of.update(dict.fromkeys(members, same))
        self._known.put(same_of)
        return same_of

    def _explored(self, terms: Sequence[Term]) -> "tuple[dict[Term, set[Step]], _Groups]":
        """The steps between what is the same, from the terms as far as they lead.

        Not further where more is one than may be.
        """
        links: dict[Term, set[Step]] = {}
        groups = _Groups()
        left = sorted(terms)
        while left:
            for predicate in self.predicates:
                for inverse in (False, True):
                    around = self._store.follow(left, predicate, inverse, limit=MOST_MEMBERS + 1)
                    for term, steps in zip(left, around, strict=True):
                        steps = [step for step in steps if not is_literal(step.target)]
                        links.setdefault(term, set()).update(steps)
                        for step in steps:
                            groups.unite(term, step.target)
            new = {step.target for term in left for step in links[term]} - links.keys()
            left = sorted(t for t in new if groups.size(groups.root(t)) <= MOST_MEMBERS)
        return links, groups

    def _degrees(self, terms: Sequence[Term]) -> dict[Term, int]:
        return {info.term: info.degree for info in self._labels.describe(terms)} if terms else {}


def turned_back(run: Run) -> Run:
    """The same triples, walked from the end to the beginning."""
    return tuple(Step(step.triple, not step.inverse) for step in reversed(run))


class _Groups:
    """Terms in disjoint groups that grow together."""

    def __init__(self) -> None:
        self._above: dict[Term, Term] = {}
        self._members: dict[Term, list[Term]] = {}

    def root(self, term: Term) -> Term:
        """What all terms of a group have in common."""
        while (above := self._above.get(term, term)) != term:
            term = above
        return term

    def members(self, root: Term) -> list[Term]:
        """All terms of a group."""
        return self._members.get(root, [root])

    def size(self, root: Term) -> int:
        """Their number."""
        return len(self.members(root))

    def unite(self, term: Term, other: Term) -> None:
        """Make one group of two; the smaller joins the larger."""
        small, large = sorted((self.root(term), self.root(other)), key=self.size)
        if small != large:
            self._above[small] = large
            self._members[large] = self.members(large) + self.members(small)
            self._members.pop(small, None)


def _shortest_runs(start: Term, links: Mapping[Term, Iterable[Step]]) -> dict[Term, Run]:
    """A shortest way from one term to each that it is one with; of several the first in order."""
    runs: dict[Term, Run] = {start: ()}
    left = [start]
    for term in left:
        for step in sorted(links[term], key=lambda step: (step.target, step)):
            if step.target not in runs:
                runs[step.target] = (*runs[term], step)
                left.append(step.target)
    return runs


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
            asked = [member for group in members for member in group]
            step_lists = iter(self._inner.neighbours(asked, inverse=inverse, limit=most))
            return [[step for _ in group for step in next(step_lists)] for group in members]

        return read_enough(nodes, limit, read, lambda _, around: self._merged(around))

    def follow_each(self, ways: Sequence[Way], *, limit: int = 100_000) -> list[list[Step]]:
        """The steps of each way, sorted by target."""
        same = self._same.look_up(way.node for way in ways)

        def read(some: Sequence[Way], most: int) -> list[list[Step]]:
            members = [_represented(way.node, same) for way in some]
            asked = [
                way._replace(node=member)
                for way, group in zip(some, members, strict=True)
                for member in group
            ]
            step_lists = iter(self._inner.follow_each(asked, limit=most))
            return [[step for _ in group for step in next(step_lists)] for group in members]

        return read_enough(ways, limit, read, lambda _, around: self._merged(around))

    def relations_at(self, nodes: Sequence[Term], inverse: bool) -> list[list[Term]]:
        """The relations of the facts that leave each node, or with `inverse` reach it; sorted."""
        same = self._same.look_up(nodes)
        members = [_represented(node, same) for node in nodes]
        asked = [member for group in members for member in group]
        relation_lists = iter(self._inner.relations_at(asked, inverse))
        return [sorted({term for _ in group for term in next(relation_lists)}) for group in members]

    def facts(self) -> Iterator[Triple]:
        """Every fact, each once; what is one is found out before the first."""
        linked = sorted(self._same.linked())
        representative_of: dict[Term, Term] = {}
        for start in range(0, len(linked), _CHUNK):
            same = self._same.look_up(linked[start : start + _CHUNK])
            representative_of.update((term, one.representative) for term, one in same.items())
        seen_facts: set[Triple] = set()
        for head, relation, tail in self._inner.facts():
            fact = Triple(
                representative_of.get(head, head), relation, representative_of.get(tail, tail)
            )
            if head in representative_of or tail in representative_of:
                if fact in seen_facts:
                    continue
                seen_facts.add(fact)
            yield fact

    def expand(self, steps: Sequence[Step]) -> list[Run | None]:
        """A fact of two members, and the ways to them from the source and on to the target."""
        same = self._same.look_up(end for step in steps for end in (step.source, step.target))
        chosen = choose(self._inner, [_candidates(step, same) for step in steps])
        runs = iter(self._inner.expand([step for step in chosen if step]))
        proofs: list[Run | None] = []
        for step, inner in zip(steps, chosen, strict=True):
            run = next(runs) if inner else None
            if run is None or inner is None:
                proofs.append(None)
                continue
            there, on = same.get(step.source), same.get(step.target)
            way = there.way(step.source, inner.source) if there else ()
            proofs.append((*way, *run, *(on.way(inner.target, step.target) if on else ())))
        return proofs

    def _merged(self, around: Sequence[Sequence[Step]]) -> list[list[Step]]:
        """The steps between the representatives of their ends."""
        every = {end for steps in around for step in steps for end in (step.source, step.target)}
        stands = self._same.representatives(every)
        return [
            first_steps((_moved(step, stands) for step in steps), len(steps)) for steps in around
        ]


def _moved(step: Step, representative_of: Mapping[Term, Term]) -> Step:
    head, relation, tail = step.triple
    if representative_of.get(head, head) == head and representative_of.get(tail, tail) == tail:
        return step
    triple = Triple(representative_of.get(head, head), relation, representative_of.get(tail, tail))
    return Step(triple, step.inverse)


def _members(node: Term, same: dict[Term, Same]) -> list[Term]:
    return sorted(same[node].ways) if node in same else [node]


def _represented(node: Term, same: dict[Term, Same]) -> list[Term]:
    """The members that a node stands for; none where it does not stand for itself."""
    return [] if node in same and same[node].representative != node else _members(node, same)


def _candidates(step: Step, same: dict[Term, Same]) -> list[Step]:
    """The triples that a step may stand for; the one with its own ends first."""
    head, relation, tail = step.triple
    pairs = product(_itself_first(head, same), _itself_first(tail, same))
    return [Step(Triple(one, relation, other), step.inverse) for one, other in pairs]


def _itself_first(term: Term, same: dict[Term, Same]) -> list[Term]:
    return [term, *(member for member in _members(term, same) if member != term)]
