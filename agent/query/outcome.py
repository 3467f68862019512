"""What a query comes to, wherever it was executed."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from ..kg.terms import Step, Term

Cell: TypeAlias = Term | int | float | None
"""What a row of columns holds: a term, a number that was computed, or nothing."""

Form: TypeAlias = Literal["members", "number", "truth", "rows", "connection"]

MOST_MEMBERS = 10_000
"""Members that are listed and proved; a number counts all."""


@dataclass(frozen=True)
class Outcome:
    """The denotation of a query, and the triples that it rests on.

    `members` are those of the final set, sorted by term, or by rank where an extreme was asked; at
    most `MOST_MEMBERS` of the `size` that there are. `value` is the number that was computed, or
    the yes or no. `proofs` has for each member the steps of `kg.walks` that make it one: the walk
    from the start, then those of its filters, each touching one before it. `compared` are the steps
    to all values that an extreme or a sum is of. `absent` says what is not in the graph, where the
    outcome rests on that.
    """

    form: Form
    members: tuple[Term, ...] = ()
    size: int = 0
    value: int | float | bool | None = None
    rows: tuple[tuple[Cell, ...], ...] = ()
    proofs: Mapping[Term, tuple[Step, ...]] = field(default_factory=dict[Term, tuple[Step, ...]])
    compared: tuple[Step, ...] = ()
    absent: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
