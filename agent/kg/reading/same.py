"""Which entities a KG calls the same (`owl:sameAs`), which of them stands for all, and the way."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from ..recent import Recent
from ..store import Labels, Store
from ..terms import Step, Term, is_literal
from .layer import Run

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
        found = self._known.take(wanted, self._read)
        return {term: same for term, same in found.items() if same}

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
        found: dict[Term, Same | None] = dict.fromkeys(terms)
        together = {root for term in terms if 1 < groups.size(root := groups.root(term))}
        whole = [m for root in sorted(together) if len(m := groups.members(root)) <= MOST_MEMBERS]
        degrees = self._degrees([term for members in whole for term in members])
        for members in whole:
            representative = min(members, key=lambda term: (-degrees[term], term))
            same = Same(representative, _ways(representative, links))
            found.update(dict.fromkeys(members, same))
        self._known.put(found)
        return found

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

    def unite(self, one: Term, other: Term) -> None:
        """Make one group of two; the smaller joins the larger."""
        small, large = sorted((self.root(one), self.root(other)), key=self.size)
        if small != large:
            self._above[small] = large
            self._members[large] = self.members(large) + self.members(small)
            self._members.pop(small, None)


def _ways(start: Term, links: Mapping[Term, Iterable[Step]]) -> dict[Term, Run]:
    """A shortest way from one term to each that it is one with; of several the first in order."""
    ways: dict[Term, Run] = {start: ()}
    left = [start]
    for term in left:
        for step in sorted(links[term], key=lambda step: (step.target, step)):
            if step.target not in ways:
                ways[step.target] = (*ways[term], step)
                left.append(step.target)
    return ways
