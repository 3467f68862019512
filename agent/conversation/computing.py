"""Operations over verified answers: sets of them, and the members with the largest value."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from ..kg.terms import Term
from ..query.values import Value
from ..state import Answer, StepRecord


def union(sets: Sequence[Sequence[Answer]]) -> list[Answer]:
    """What is in any of the sets, each once, with the chains of all."""
    merged: dict[Term, Answer] = {}
    for answer in (answer for own in sets for answer in own):
        before = merged.get(answer["term"])
        merged[answer["term"]] = with_chains(before, answer["chains"]) if before else answer
    return list(merged.values())


def intersection(sets: Sequence[Sequence[Answer]]) -> list[Answer]:
    """What is in all of the sets, in the order of the first, with the chains of all."""
    shared = set.intersection(*({answer["term"] for answer in own} for own in sets))
    return [answer for answer in union(sets) if answer["term"] in shared]


def difference(
    first: Sequence[Answer], others: Sequence[Sequence[Answer]], left_out: Collection[Term] = ()
) -> list[Answer]:
    """What is in the first set, in none of the others, and is not left out."""
    gone = {answer["term"] for own in others for answer in own} | set(left_out)
    return [answer for answer in first if answer["term"] not in gone]


def with_chains(answer: Answer, chains: Sequence[list[StepRecord]]) -> Answer:
    """An answer with more chains, each once."""
    new = [chain for chain in chains if chain not in answer["chains"]]
    return {**answer, "chains": [*answer["chains"], *new]}


class Extreme(NamedTuple):
    """The members with the extreme value, and those that could not be compared."""

    members: list[Term]
    value: Value
    without: list[Term]


def extreme(
    members: Sequence[Term], values: Mapping[Term, Sequence[Value]], *, most: bool
) -> Extreme | None:
    """Who has the largest value, or the smallest; of several values of a member, that one counts.

    Values are compared in the unit that most members have; of two such, in the one that sorts
    first. None where no member has a value.
    """
    units = Counter(unit for m in members for unit in {v.unit for v in values.get(m, ())})
    if not units:
        return None
    unit = min(units, key=lambda own: (-units[own], own))
    choose = max if most else min
    best: dict[Term, Value] = {}
    for member in members:
        if own := [value for value in values.get(member, ()) if value.unit == unit]:
            best[member] = choose(own)
    top = choose(best.values())
    winners = [member for member in members if best.get(member) == top]
    return Extreme(winners, top, [member for member in members if member not in best])
