"""Aggregates: extremes, groups and their sizes, and numbers over a whole set."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from .comparison import Mask, Sizes, Units, comparable, compare, largest, number_for_having
from .conditions import MOST_COMPARED
from .facts import Ids, Pairs, distinct, starts_run
from .members import (
    Members,
    Steps,
    counts,
    follow,
    lacking,
    name_of,
    targets_of,
    trace,
    trace_each,
    triple_step,
)
from .tree import Agg, Extreme, Query, Step

if TYPE_CHECKING:
    from .sets import Sets


def ranked(sets: "Sets", extreme: Extreme, members: Members, *, top: bool) -> Members:
    """The members with an extreme value; `top` where they are the final set."""
    facts, hops = sets.facts, sets.bound.hops(extreme.steps)
    name, pairs = sets.name(extreme), sets.values(members.ids, extreme)
    if extreme.count:
        sizes, best = counts(pairs, members.ids).astype(float), Pairs(members.ids, members.ids)
    else:
        units = Units(facts, name, hops[-1][0] if hops else None)
        sized, sizes, _ = comparable(facts, pairs, units, dates=True)
        sets.notes += units.notes
        indices = largest(sizes, sized, most=extreme.most)
        best = Pairs(sized.sources[indices], sized.targets[indices])
        sizes = sizes[indices]
        total, valued = len(members.ids), len(np.unique(pairs.sources))
        sets.notes += lacking(
            name or "value", total, without=total - valued, incomparable=valued - len(best.sources)
        )
    order = -sizes if extreme.most else sizes
    mask = _within_rank(order, extreme) if sets.within is None else np.ones(len(sizes), bool)
    ids, values = best.sources[mask], best.targets[mask]
    if top:
        sets.ranks = dict(zip(ids.tolist(), order[mask].tolist(), strict=True))
        for index in np.argsort(order, kind="stable")[:MOST_COMPARED] if not extreme.count else ():
            best_member, value = int(best.sources[index]), int(best.targets[index])
            sets.compared += trace(facts, best_member, hops, value)

    def prove(best_member: int) -> Steps:
        if extreme.count:
            compared = targets_of(pairs, best_member)[:MOST_COMPARED].tolist()
        else:
            compared = [int(values[np.searchsorted(ids, best_member)])]
        return (*members.prove(best_member), *trace_each(facts, best_member, hops, compared))

    return sets.narrowed(members, Members(ids, prove), top=top)


def _within_rank(order: Sizes, extreme: Extreme) -> Mask:
    """Which have the ranks that are asked for, the smallest first; equal ones share a rank."""
    if extreme.place is not None:
        sizes = np.unique(order)
        if extreme.place > len(sizes):
            return np.zeros(len(order), bool)
        return order == sizes[extreme.place - 1]
    if extreme.n >= len(order):
        return np.ones(len(order), bool)
    return order <= np.partition(order, extreme.n - 1)[extreme.n - 1]


def grouped(sets: "Sets", query: Query, members: Members, *, top: bool) -> Members:
    """The keys of a group: those that pass its conditions, and have an extreme aggregate."""
    facts, hops, extreme = sets.facts, sets.bound.hops(query.group), query.extreme
    pairs = follow(facts, members.ids, hops)
    order = np.lexsort((pairs.sources, pairs.targets))
    groups = Pairs(pairs.targets[order], pairs.sources[order])
    keys = groups.sources[starts_run(groups.sources)]
    mask = np.ones(len(keys), bool)
    for condition in query.having if sets.within is None else ():
        sizes, _ = per_key(sets, groups, keys, condition.agg, condition.of)
        wanted = number_for_having(sets.bound.text_of(condition))
        mask &= compare(sizes, condition.op, wanted) & ~np.isnan(sizes)
    keys = keys[mask]
    if extreme is not None and extreme.agg and sets.within is None:
        sizes, _ = per_key(sets, groups, keys, extreme.agg, extreme.of)
        keys, sizes = keys[~np.isnan(sizes)], sizes[~np.isnan(sizes)]
        ranks = -sizes if extreme.most else sizes
        mask = _within_rank(ranks, extreme)
        keys = keys[mask]
        if top:
            sets.ranks = dict(zip(keys.tolist(), ranks[mask].tolist(), strict=True))
    if top:
        sets.groups = groups

    aggregated = {having.of for having in query.having}
    aggregated |= {column.of for column in query.columns if column.agg}
    aggregated |= {extreme.of} if extreme is not None else set()
    walks = [sets.bound.hops(of) for of in sorted(filter(None, aggregated), key=str)]
    shown = MOST_COMPARED if aggregated else 1

    def prove(key: int) -> Steps:
        steps: list[Steps] = []
        for member in targets_of(groups, key)[:shown].tolist():
            steps += [members.prove(member), trace(facts, member, hops, key)]
            for walk in walks:
                values = follow(facts, np.array([member]), walk).targets[:MOST_COMPARED]
                steps.append(trace_each(facts, member, walk, values.tolist()))
        return tuple(dict.fromkeys(step for walk in steps for step in walk))

    return sets.narrowed(members, Members(keys, prove), top=top)


def per_key(
    sets: "Sets", groups: Pairs, keys: Ids, agg: Agg, steps: Sequence[Step]
) -> tuple[Sizes, str]:
    """An aggregate over the members of each key, and its unit; not a number without a value."""
    if agg == "count" and not steps:
        return counts(groups, keys).astype(float), ""
    hops = sets.bound.hops(steps)
    pairs = follow(sets.facts, np.unique(groups.targets), hops)
    sizes, unit = np.zeros(0), ""
    if agg != "count":
        last = hops[-1:]
        units = Units(sets.facts, name_of(sets.facts, last), last[0][0] if last else None)
        pairs, sizes, unit = comparable(sets.facts, pairs, units)
        unit, sets.notes = unit or units.shown, sets.notes + units.notes
        indices = largest(sizes, pairs, most=agg != "min")
        pairs, sizes = Pairs(pairs.sources[indices], pairs.targets[indices]), sizes[indices]
    result = np.full(len(keys), np.nan)
    for index, key in enumerate(keys.tolist()):
        mask = np.isin(pairs.sources, targets_of(groups, key))
        if agg == "count":
            result[index] = len(np.unique(pairs.targets[mask]))
        elif mask.any():
            result[index] = _aggregate(sizes[mask], agg)
    return result, unit


def aggregated(sets: "Sets", query: Query, agg: Agg) -> tuple[int | float | None, str, Members]:
    """A number over the things before the last step, its unit, and the things that have a value."""
    *before, last = query.steps
    facts, hop = sets.facts, (sets.bound.relation(last), last.inverse)
    measured = sets.members(Query(start=query.start, steps=tuple(before)), within=sets.within)
    last_steps = facts.step(measured.ids, *hop)
    reached = None if sets.within is None else distinct(np.sort(last_steps.targets))
    values = sets.members(query.model_copy(update={"answer": "list"}), within=reached)
    is_value = np.isin(last_steps.targets, values.ids)
    name = name_of(facts, (hop,))
    units = Units(facts, name, hop[0])
    passing = Pairs(last_steps.sources[is_value], last_steps.targets[is_value])
    pairs, sizes, unit = comparable(facts, passing, units)
    sets.notes += units.notes
    indices = largest(sizes, pairs, most=agg != "min")
    ids, best, sizes = pairs.sources[indices], pairs.targets[indices], sizes[indices]
    total, apart = len(measured.ids), len(np.unique(passing.sources)) - len(ids)
    if not is_value.all():
        sets.notes.append(f"{len(ids)} of {total} have such a {name}")
    valueless = total - len(np.unique(last_steps.sources))
    sets.notes += lacking(name, total, without=valueless, incomparable=apart)
    if repeated := int((counts(pairs, ids) > 1).sum()):
        which = "smallest" if agg == "min" else "largest"
        sets.notes.append(f"{repeated} have several values of {name}: the {which} counts")

    def step_from(member: int) -> Steps:
        value = int(best[np.searchsorted(ids, member)])
        return (triple_step(facts, member, *hop, value),)

    for member in ids[:MOST_COMPARED].tolist():
        sets.compared += step_from(member)
    number = _aggregate(sizes, agg) if len(sizes) else np.nan
    if np.isinf(number):
        sets.notes.append("the numbers are too large to compute with")
    members = Members(ids, lambda member: (*measured.prove(member), *step_from(member)))
    return rounded(number), unit or units.shown, members


def _aggregate(sizes: Sizes, agg: Agg) -> float:
    """An aggregate of numbers; infinite where they are too large."""
    with np.errstate(over="ignore"):
        match agg:
            case "sum":
                return float(sizes.sum())
            case "avg":
                return float(sizes.mean())
            case "min":
                return float(sizes.min())
            case "max":
                return float(sizes.max())
            case "count":
                return float(len(sizes))


def rounded(number: float) -> int | float | None:
    """A number without the dust of floating point, whole where it is; None if it is not finite."""
    if not np.isfinite(number):
        return None
    short = float(f"{number:.12g}")
    return int(short) if short.is_integer() and abs(short) < 2**53 else short
