"""What a query comes to, wherever it was executed."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from ..kg.terms import Step, Term

Cell: TypeAlias = Term | int | float | None
"""What a row of columns holds: a term, a number that was computed, or nothing."""

Form: TypeAlias = Literal["members", "number", "truth", "rows", "connection"]

MOST_MEMBERS = 10_000
"""Members that are listed and proved."""
MOST_COUNTED = 100
"""Members that are listed and proved beside a number or a yes; it counts all."""


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
    proofs: Mapping[Term, tuple[Step, ...]] = field(default_factory=dict[Term, tuple[Step, ...]])
    compared: tuple[Step, ...] = ()
    instead: tuple[Term, ...] = ()
    absent: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
