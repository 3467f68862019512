"""The conditions of a query on the members of a set: values compared, counted, or present."""

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from ..errors import QuestionError
from ..kg.terms import is_literal
from .comparison import Mask, Operand, Units, compare, equal, operand_of, ordered, worded
from .facts import DATE, NUMBER, Ids, Pairs, distinct, starts_run
from .members import MOST_EXAMPLES, Members, Steps, counts, name_of, targets_of, trace, trace_each
from .phrases import as_noun
from .tree import Filter, Op, Query
from .words import equality

if TYPE_CHECKING:
    from .sets import Sets

MOST_COMPARED = 100
"""Values, or members, for which the steps to what is compared are kept."""


def filtered(sets: "Sets", condition: Filter, members: Members, *, top: bool = False) -> Members:
    """The members that pass a condition; `top` where they are all of the final set."""
    facts, hops = sets.facts, sets.bound.hops(condition.steps)
    pairs = sets.values(members.ids, condition)
    if condition.op == "not exists":
        sets.miss(f"they have no {as_noun(sets.name(condition))}")
        without = np.setdiff1d(members.ids, pairs.sources)
        if top and not len(without):
            sets.contradict(_with_values(sets, condition, members, pairs))
        return Members(without, members.prove)
    if condition.count:
        return _with_count(sets, condition, members, pairs)
    passing = pairs
    if condition.op != "exists":
        last, is_unequal = hops[-1][0] if hops else None, condition.op == "!="
        units = Units(facts, sets.name(condition), last, notes_left_out=not is_unequal)
        values = distinct(np.sort(pairs.targets))
        mask = _passing_values(sets, values, condition, units)[
            np.searchsorted(values, pairs.targets)
        ]
        passing = Pairs(pairs.sources[mask], pairs.targets[mask])
        sets.notes += units.notes
    ids = distinct(passing.sources)
    if condition.op == "!=":
        sets.miss(f"they have no {equality(sets.bound, condition, sets.names())}")
        unequal = np.setdiff1d(np.unique(pairs.sources), ids)
        if top and not len(unequal):
            sets.contradict(_with_values(sets, condition, members, passing))
        return Members(
            unequal,
            lambda one: (*members.prove(one), *sets.first_walk(one, hops)),
        )
    return _with_values(sets, condition, members, passing)


def _with_values(sets: "Sets", condition: Filter, members: Members, pairs: Pairs) -> Members:
    """The members that have any of some values, each proved by its first."""
    hops, first = sets.bound.hops(condition.steps), starts_run(pairs.sources)
    ids, targets = pairs.sources[first], pairs.targets[first]

    def prove(one: int) -> Steps:
        value = int(targets[np.searchsorted(ids, one)])
        return (*members.prove(one), *trace(sets.facts, one, hops, value))

    return Members(ids, prove)


def _with_count(sets: "Sets", condition: Filter, members: Members, pairs: Pairs) -> Members:
    numbers = counts(pairs, members.ids).astype(float)
    is_unequal = condition.op == "!="
    mask = np.zeros(len(numbers), bool)
    for wanted in _wanted_counts(sets, condition):
        mask |= compare(numbers, "=" if is_unequal else condition.op, wanted)
    mask ^= is_unequal
    if condition.op in ("=", "<", "<=") or (mask & (numbers == 0)).any():
        sets.miss(f"they have no more {as_noun(sets.name(condition))}")
    hops = sets.bound.hops(condition.steps)

    def prove(one: int) -> Steps:
        values = targets_of(pairs, one)[:MOST_COMPARED].tolist()
        return (*members.prove(one), *trace_each(sets.facts, one, hops, values))

    return Members(members.ids[mask], prove)


def _wanted_counts(sets: "Sets", condition: Filter) -> list[float]:
    """The numbers that counts are compared with; of the answers of a query those that are."""
    query = condition.value if isinstance(condition.value, Query) else None
    operand = _operand(sets, condition) if query is None else _answer_of(sets, query, "=")
    numbers = [] if operand.amount is None else [operand.amount]
    numbers += [number for _, of_unit in operand.numbers for number in of_unit.tolist()]
    if not numbers and query is None:
        raise QuestionError("how many there are compares with a number", "give one as the value")
    return numbers


def _passing_values(sets: "Sets", values: Ids, condition: Filter, units: Units) -> Mask:
    """Which values pass; of `!=`, those that are equal."""
    facts, operand, year = sets.facts, _operand(sets, condition), bool(condition.of)
    match condition.op:
        case "=" | "!=":
            return equal(facts, values, operand, units, year=year)
        case "starts" | "ends" | "contains":
            return worded(facts, values, condition.op, operand)
        case op:
            return ordered(facts, values, op, operand, units, year=year)


def _operand(sets: "Sets", condition: Filter) -> Operand:
    """What a condition compares with."""
    if isinstance(condition.value, Query):
        return _answer_of(sets, condition.value, condition.op)
    text = sets.bound.text_of(condition)
    assert text is not None
    term = None if condition.mention is None else sets.bound.mentioned(condition.mention).term
    if term is None:
        return operand_of(text, condition.unit)
    terms = sets.of_terms([term])
    if not is_literal(term):
        return Operand(terms, sets.bound.mentioned(condition.mention or 0).text)
    return replace(operand_of(text, condition.unit), terms=terms)


def _unit_unstated(sets: "Sets", query: Query) -> str:
    """The unit of the values that a query comes to, where these come without one."""
    if not query.steps or query.answer == "count":
        return ""
    hop = sets.bound.hops(query.steps)[-1]
    return Units(sets.facts, name_of(sets.facts, (hop,)), hop[0]).unstated


def _answer_of(sets: "Sets", query: Query, op: Op) -> Operand:
    """The answer of a query as what others are compared with."""
    inner = type(sets)(sets.facts, replace(sets.bound, query=query), sets.earlier)
    number, unit, members = inner.answer(query)
    shown = inner.ordered(members.ids)[:MOST_EXAMPLES]
    sets.notes += inner.notes
    proofs = list(inner.proofs(members, shown).values())[:MOST_COMPARED]
    sets.compared += [step for steps in proofs for step in steps]
    sets.compared += inner.compared
    unstated = _unit_unstated(inner, query)
    if query.answer != "list":
        unit = unit or unstated
        return Operand(number=None if number is None else float(number), unit=unit)
    ids, facts = members.ids, sets.facts
    kinds, sizes, units = facts.measured(ids)
    if op in ("=", "!="):
        of_units = ((number, (kinds == NUMBER) & (units == number)) for number in np.unique(units))
        numbers = (
            (facts.unit(u) or unstated, np.unique(sizes[mask]))
            for u, mask in of_units
            if mask.any()
        )
        return Operand(ids, numbers=tuple(numbers), dates=sizes[kinds == DATE])
    if not (kinds > 0).any():
        return Operand(ids)
    best = int(np.nanargmax(sizes) if op in ("<", "<=") else np.nanargmin(sizes))
    if len(ids) > 1:
        sets.notes.append(f"there are {len(ids)} values to compare with")
    size, is_date = float(sizes[best]), kinds[best] == DATE
    return Operand(
        ids[best : best + 1],
        number=None if is_date else size,
        date=size if is_date else None,
        unit=facts.unit(int(units[best])) or unstated,
    )
