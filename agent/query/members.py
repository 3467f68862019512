"""What a query comes to, and its sets: members that can be proved, and what hops lead to from them.

An outcome is the same wherever the query was executed.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ..decoding.arrays import spans
from ..kg.terms import RelationPath, Step, Term, Triple
from .facts import Facts, Ids, Pairs, sorted_pairs
from .phrases import as_noun

Cell: TypeAlias = Term | int | float | None
"""What a row of columns holds: a term, a number that was computed, or nothing."""

Form: TypeAlias = Literal["members", "number", "truth", "rows", "connection"]

MOST_MEMBERS = 10_000
"""Members that are listed and proved."""
MOST_COUNTED = 1_000
"""Members that are listed and proved beside a number; it counts all."""
MOST_EXAMPLES = 100
"""Members that are listed and proved beside a yes, or of a set beside the final one."""

Steps: TypeAlias = tuple[Step, ...]
Proof: TypeAlias = Callable[[int], Steps]
"""The steps that make a term a member, each touching one before it."""


@dataclass(frozen=True)
class Outcome:
    """The denotation of a query, and the triples that it rests on.

    `members` are those of the final set, sorted by term, or by rank where an extreme was asked; at
    most `MOST_MEMBERS` of the `size` that there are, `MOST_COUNTED` where only a number was asked,
    and `MOST_EXAMPLES` where a yes. `value` is the number that was computed, in its `unit`, or the
    yes or no. Where that is said of each of a set, `tested` is how many those are, and `size` of a
    no how many are exceptions. Where some of a set meet a condition, `narrowed` is how many that
    set has, and `without_value` how many of these have nothing to compare. `proofs` has for each
    member the steps of `kg.walks` that make it one: the walk from the start, then those of its
    conditions, each touching one before it. `compared` are the steps to values that an extreme or a
    sum is of. `instead` are the exceptions, or the members before the last condition, where that
    left none, and `against` the steps that left none, where that condition was a negation. `walks`
    has for each member a walk from the start by each last step to it, where these steps tell
    members apart; else it is empty. `units` are those of the numbers in each column of the `rows`;
    they are empty where none is known. `absent` says what is not in the graph, where the outcome
    rests on that.
    """

    form: Form
    members: tuple[Term, ...] = ()
    size: int = 0
    value: int | float | bool | None = None
    unit: str = ""
    tested: int = 0
    narrowed: int = 0
    without_value: int = 0
    rows: tuple[tuple[Cell, ...], ...] = ()
    units: tuple[str, ...] = ()
    proofs: Mapping[Term, Steps] = field(default_factory=dict[Term, Steps])
    walks: Mapping[Term, tuple[Steps, ...]] = field(default_factory=dict[Term, tuple[Steps, ...]])
    compared: Steps = ()
    instead: tuple[Term, ...] = ()
    against: Steps = ()
    absent: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def not_checked(shown: int, size: int) -> list[str]:
    """The note on what a number is of beyond the members that are proved; none where it is all."""
    note = f"{shown:,} of {size:,} were checked one by one; the others are not shown"
    return [note] if shown < size else []


def lacking(name: str, total: int, *, without: int, incomparable: int = 0) -> list[str]:
    """The notes on those of a set without a value, and on those whose values compare with none."""
    noun = as_noun(name)
    no_value = f"{without} of {total} have no {noun} in the graph"
    no_number = f"{incomparable} of {total} have no comparable {noun} in the graph"
    return [no_value] * (without > 0) + [no_number] * (incomparable > 0)


def no_steps(_: int) -> Steps:
    """The proof of what a set begins at."""
    return ()


@dataclass(frozen=True)
class Members:
    """A set of terms, and why each is in it."""

    ids: Ids
    prove: Proof = no_steps

    def within(self, ids: Ids | None) -> "Members":
        """Those that are in another set; with None all."""
        if ids is None:
            return self
        return Members(np.intersect1d(self.ids, ids, assume_unique=True), self.prove)

    def intersection(self, other: "Members") -> "Members":
        """Those that are in another set too, with both proofs."""
        ids = np.intersect1d(self.ids, other.ids, assume_unique=True)
        return Members(ids, lambda one: (*self.prove(one), *other.prove(one)))


def union(sets: Sequence[Members]) -> Members:
    """The members of any of some sets, with the proofs of all that they are in."""

    def prove(one: int) -> Steps:
        holding = (members for members in sets if _contains(members.ids, one))
        return tuple(step for members in holding for step in members.prove(one))

    return Members(reduce(np.union1d, [members.ids for members in sets]), prove)


def _contains(ids: Ids, one: int) -> bool:
    index = int(np.searchsorted(ids, one))
    return index < len(ids) and int(ids[index]) == one


def follow(facts: Facts, ids: Ids, hops: RelationPath) -> Pairs:
    """From each of a set to what the hops lead to, each pair once, sorted."""
    if len(hops) == 1:
        return facts.step(ids, *hops[0])
    pairs = Pairs(ids, ids)
    for relation, inverse in hops:
        nodes = np.unique(pairs.targets)
        steps = facts.step(nodes, relation, inverse)
        first = np.searchsorted(steps.sources, pairs.targets, "left")
        last = np.searchsorted(steps.sources, pairs.targets, "right")
        facts.check_size(int((last - first).sum()), relation)
        sources = np.repeat(pairs.sources, last - first)
        pairs = sorted_pairs(sources, steps.targets[spans(first, last)])
    return pairs


def trace(facts: Facts, start: int, hops: RelationPath, end: int) -> tuple[Step, ...]:
    """One walk along the hops from a node to another that they lead to."""
    levels = [np.array([start])]
    steps = list[Pairs]()
    for relation, inverse in hops:
        steps.append(facts.step(levels[-1], relation, inverse))
        levels.append(np.unique(steps[-1].targets))
    walk = list[Step]()
    for (relation, inverse), pairs in zip(reversed(hops), reversed(steps), strict=True):
        before = int(pairs.sources[pairs.targets == end].min())
        walk.append(triple_step(facts, before, relation, inverse, end))
        end = before
    return tuple(reversed(walk))


def trace_each(
    facts: Facts, start: int, hops: RelationPath, ends: Sequence[int]
) -> tuple[Step, ...]:
    """The walks from a node to each of some others, one after the other."""
    return tuple(step for end in ends for step in trace(facts, start, hops, end))


_MOST_WALKS = 1_000
"""So many walks by different last steps are kept of all members; where there are more, none is."""


def walks_apart(
    facts: Facts, before: Members, hop: tuple[Term, bool], pairs: Pairs, members: Ids
) -> dict[Term, tuple[Steps, ...]]:
    """A walk to each of some members by each step of a hop, where these tell members apart.

    `before` is the set that the hop leaves, along `pairs`. No walks are given where all members are
    reached from the same things, or the walks are too many.
    """
    leads = np.isin(pairs.targets, members)
    sources, targets = pairs.sources[leads].tolist(), pairs.targets[leads].tolist()
    if len(targets) > _MOST_WALKS:
        return {}
    sources_of: dict[int, set[int]] = {}
    for source, target in zip(sources, targets, strict=True):
        sources_of.setdefault(target, set()).add(source)
    if len(set(map(frozenset, sources_of.values()))) < 2:
        return {}
    proofs = {source: before.prove(source) for source in dict.fromkeys(sources)}
    return {
        facts.term(one): tuple(
            (*proofs[source], triple_step(facts, source, *hop, one)) for source in sorted(of)
        )
        for one, of in sources_of.items()
    }


def triple_step(facts: Facts, source: int, relation: Term, inverse: bool, target: int) -> Step:
    """The step between two nodes."""
    head, tail = (target, source) if inverse else (source, target)
    return Step(Triple(facts.term(head), relation, facts.term(tail)), inverse)


def counts(pairs: Pairs, ids: Ids) -> NDArray[np.int64]:
    """How many pairs each of a set has; the pairs are sorted."""
    last = np.searchsorted(pairs.sources, ids, "right")
    return last - np.searchsorted(pairs.sources, ids, "left")


def targets_of(pairs: Pairs, source: int) -> Ids:
    """What a source leads to; the pairs are sorted."""
    first, last = np.searchsorted(pairs.sources, [source, source + 1])
    return pairs.targets[first:last]


def name_of(facts: Facts, hops: RelationPath) -> str:
    """The display name of the last relation; empty where there are no hops."""
    return facts.kg.walk_labels.names([hops[-1][0]])[0] if hops else ""
