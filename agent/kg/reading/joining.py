"""The facts that pass through a mediator: pairs of its triples, joined."""

from collections import defaultdict
from collections.abc import Iterator, Sequence

from ..terms import Step, Term, Triple, is_literal
from .relations import Joined, parts_of

_Ends = dict[Term, list[Term]]
"""Relations of a mediator by what is at their other end."""


def joined_facts(steps: Sequence[Step], end: Term | None = None) -> Iterator[Triple]:
    """The facts through a mediator, whose steps are given; with `end`, those from or to it.

    `h -> M -> t` is one fact from h to t. Where the mediator's triples with two ends do not follow
    one another in either direction, they are joined all the same, as both leave it or both reach
    it: then the fact is from the end whose relation comes first, and to the literal if there is
    one. No fact is made of one triple alone, nor of two literals.
    """
    leaving: defaultdict[Term, list[Term]] = defaultdict(list)
    reaching: defaultdict[Term, list[Term]] = defaultdict(list)
    for step in steps:
        if step.target != step.source:
            (reaching if step.inverse else leaving)[step.target].append(step.triple.relation)
    ends = sorted({*leaving, *reaching})
    for place, one in enumerate(ends):
        for other in ends[place:]:
            if end is None or end in (one, other):
                yield from _between(one, other, leaving, reaching)


def is_own_inverse(relation: Term) -> bool:
    """Whether a joined relation is the same backwards."""
    joined = parts_of(relation)
    return joined is not None and joined == joined.turned


def _between(one: Term, other: Term, leaving: _Ends, reaching: _Ends) -> Iterator[Triple]:
    following = set(_following(one, other, leaving, reaching))
    following.update(_following(other, one, leaving, reaching))
    if following:
        yield from following
        return
    inverse = one in leaving
    ways = leaving if inverse else reaching
    for near in ways.get(one, ()):
        for far in ways.get(other, ()):
            if one != other or near < far:
                yield from _symmetric(one, Joined((near, inverse), (far, not inverse)), other)


def _following(head: Term, tail: Term, leaving: _Ends, reaching: _Ends) -> Iterator[Triple]:
    for first in reaching.get(head, ()):
        for second in leaving.get(tail, ()):
            yield Triple(head, Joined((first, False), (second, False)).term, tail)


def _symmetric(head: Term, joined: Joined, tail: Term) -> Iterator[Triple]:
    there, back = Triple(head, joined.term, tail), Triple(tail, joined.turned.term, head)
    if is_literal(head) or is_literal(tail):
        if not is_literal(head):
            yield there
        elif not is_literal(tail):
            yield back
    elif there.relation == back.relation:
        yield from {there, back}
    else:
        yield min(there, back, key=lambda triple: triple.relation)
