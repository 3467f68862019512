"""What a query comes to, wherever it was executed, and sets whose members can be proved."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce
from typing import Literal, TypeAlias

import numpy as np

from ..kg.terms import Step, Term
from .facts import Ids

Cell: TypeAlias = Term | int | float | None
"""What a row of columns holds: a term, a number that was computed, or nothing."""

Form: TypeAlias = Literal["members", "number", "truth", "rows", "connection"]

MOST_MEMBERS = 10_000
"""Members that are listed and proved."""
MOST_COUNTED = 100
"""Members that are listed and proved beside a number or a yes; it counts all."""

Steps: TypeAlias = tuple[Step, ...]
Proof: TypeAlias = Callable[[int], Steps]
"""The steps that make a term a member, each touching one before it."""


@dataclass(frozen=True)
class Outcome:
    """The denotation of a query, and the triples that it rests on.

    `members` are those of the final set, sorted by term, or by rank where an extreme was asked; at
    most `MOST_MEMBERS` of the `size` that there are, and `MOST_COUNTED` where only a number or a
    yes was asked. `value` is the number that was computed, in its `unit`, or the yes or no.
    `proofs` has for each member the steps of `kg.walks` that make it one: the walk from the start,
    then those of its conditions, each touching one before it. `compared` are the steps to values
    that an extreme or a sum is of. `instead` are the members before the last condition, where that
    left none. `absent` says what is not in the graph, where the outcome rests on that.
    """

    form: Form
    members: tuple[Term, ...] = ()
    size: int = 0
    value: int | float | bool | None = None
    unit: str = ""
    rows: tuple[tuple[Cell, ...], ...] = ()
    proofs: Mapping[Term, Steps] = field(default_factory=dict[Term, Steps])
    compared: Steps = ()
    instead: tuple[Term, ...] = ()
    absent: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


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

    def both(self, other: "Members") -> "Members":
        """Those that are in another set too, with both proofs."""
        ids = np.intersect1d(self.ids, other.ids, assume_unique=True)
        return Members(ids, lambda one: (*self.prove(one), *other.prove(one)))


def union(sets: Sequence[Members]) -> Members:
    """The members of any of some sets, with the proofs of all that they are in."""

    def prove(one: int) -> Steps:
        holding = (members for members in sets if _has(members.ids, one))
        return tuple(step for members in holding for step in members.prove(one))

    return Members(reduce(np.union1d, [members.ids for members in sets]), prove)


def _has(ids: Ids, one: int) -> bool:
    index = int(np.searchsorted(ids, one))
    return index < len(ids) and int(ids[index]) == one
