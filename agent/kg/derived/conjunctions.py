"""Conjunctions: nodes that stand for all members of an RDF list, as `owl:intersectionOf` has them.

What is a conjunction, is each of its members, and of their members. They are followed downwards,
from a conjunction to its members, and upwards. A conjunction is a blank node.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import product

from ..patterns import is_blank
from ..store import Way
from ..terms import Step, Term, is_literal
from .layer import NodeSource, Run

FIRST = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#first>"
REST = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#rest>"

_DEEPEST = 10
"""Conjunctions in one another."""
_LONGEST = 1_000
"""Members of a conjunction."""


def along(
    source: NodeSource,
    nodes: Iterable[Term],
    ways: Iterable[tuple[Term, bool]],
    limit: int = 100_000,
) -> dict[Term, list[Step]]:
    """The real steps that leave each node along any of some predicates, at most `limit` of each."""
    asked = [Way(node, *way) for node, way in product(dict.fromkeys(nodes), dict.fromkeys(ways))]
    around: defaultdict[Term, list[Step]] = defaultdict(list)
    for way, steps in zip(asked, source.follow_each(asked, limit=limit), strict=True):
        around[way.node].extend(steps)
    return around


class Conjunctions:
    """What is a member of which conjunction. Every method raises ServiceError."""

    def __init__(self, source: NodeSource, predicates: Sequence[Term]) -> None:
        """`predicates` lead from conjunctions to their lists; without any there are none."""
        self._source = source
        self.predicates = predicates

    def members(
        self, terms: Sequence[Term], *, deepest: int = _DEEPEST, with_blank: bool = False
    ) -> dict[Term, list[Run]]:
        """The ways from each blank node that is a conjunction to its members.

        Members of members too. Blank ones only where `with_blank`.
        """
        if not self.predicates:
            return {}
        member_runs: defaultdict[Term, list[Run]] = defaultdict(list)
        left: list[tuple[Term, Run]] = [(term, ()) for term in terms if is_blank(term)]
        seen_pairs = {(term, term) for term, _ in left}
        for _ in range(deepest):
            cells = self._first_cells(left)
            left = []
            for term, run in self._listed(cells):
                member = run[-1].target
                if (term, member) in seen_pairs:
                    continue
                seen_pairs.add((term, member))
                if is_blank(member):
                    left.append((term, run))
                if with_blank or not is_blank(member):
                    member_runs[term].append(run)
            if not left:
                break
        return member_runs

    def _first_cells(self, left: Sequence[tuple[Term, Run]]) -> list[tuple[Term, Run]]:
        """The ways on from conjunctions to the first cells of their lists."""
        lists = along(
            self._source,
            (_end_of(term, run) for term, run in left),
            ((predicate, False) for predicate in self.predicates),
        )
        return [(t, (*run, s)) for t, run in left for s in lists.get(_end_of(t, run), ())]

    def _listed(self, cells: list[tuple[Term, Run]]) -> Iterator[tuple[Term, Run]]:
        """The ways on from the first cells of lists to what the lists hold."""
        seen_cells = {(term, run[-1].target) for term, run in cells}
        for _ in range(_LONGEST):
            if not cells:
                return
            around = along(
                self._source, (run[-1].target for _, run in cells), ((FIRST, False), (REST, False))
            )
            onward: list[tuple[Term, Run]] = []
            for term, run in cells:
                for step in around.get(run[-1].target, ()):
                    if step.triple.relation == FIRST:
                        if not is_literal(step.target):
                            yield term, (*run, step)
                    elif is_blank(step.target) and (term, step.target) not in seen_cells:
                        seen_cells.add((term, step.target))
                        onward.append((term, (*run, step)))
            cells = onward

    def owners(self, nodes: Sequence[Term]) -> dict[Term, list[Term]]:
        """Each node with the conjunctions that it is a member of, directly or not."""
        owners = {node: [node] for node in nodes}
        left = [(node, node) for node in nodes]
        for _ in range(_DEEPEST if self.predicates else 0):
            cells = along(self._source, (owner for _, owner in left), ((FIRST, True),))
            above = self.of_cells(sorted({s.target for around in cells.values() for s in around}))
            onward = {
                (node, conjunction)
                for node, owner in left
                for cell in cells.get(owner, ())
                for conjunction in above.get(cell.target, ())
                if conjunction not in owners[node]
            }
            left = sorted(onward)
            for node, conjunction in left:
                owners[node].append(conjunction)
            if not left:
                break
        return owners

    def of_cells(self, cells: Sequence[Term]) -> dict[Term, list[Term]]:
        """The blank nodes that are conjunctions of the lists that cells are in."""
        below: defaultdict[Term, list[Term]] = defaultdict(list)
        all_cells, left = set(cells), [cell for cell in cells if is_blank(cell)]
        for _ in range(_LONGEST - 1):
            if not left:
                break
            around = along(self._source, left, ((REST, True),))
            left = []
            for cell, steps in around.items():
                for step in steps:
                    below[step.target].append(cell)
                    if step.target not in all_cells:
                        all_cells.add(step.target)
                        left += [step.target] if is_blank(step.target) else []
        owned = along(self._source, all_cells, ((predicate, True) for predicate in self.predicates))
        conjunctions_of: dict[Term, list[Term]] = {}
        for start in sorted(owned):
            conjunctions = [s.target for s in owned[start] if is_blank(s.target)]
            for cell in _cells_from(start, below) if conjunctions else ():
                conjunctions_of.setdefault(cell, []).extend(conjunctions)
        return conjunctions_of


def _cells_from(start: Term, below: Mapping[Term, Sequence[Term]]) -> set[Term]:
    """A cell of a list and all cells after it."""
    cells, left = {start}, [start]
    while left:
        new = {cell for cell in below.get(left.pop(), ()) if cell not in cells}
        cells |= new
        left.extend(new)
    return cells


def _end_of(term: Term, run: Run) -> Term:
    return run[-1].target if run else term
