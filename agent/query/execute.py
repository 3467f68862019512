"""Executing a query in full, as operations on arrays of the graph's facts.

The outcome is the denotation that `docs/queries.md` defines.
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import reduce
from itertools import product
from typing import TypeAlias

import numpy as np

from ..kg.terms import RelationPath, Step, Term
from ..kg.walking.listing import shortest_paths
from .aggregates import per_key, rounded
from .binding import Bound
from .comparison import Units
from .conditions import MOST_COMPARED
from .facts import NUMBER, Facts, Ids, Pairs
from .members import (
    MOST_COUNTED,
    MOST_EXAMPLES,
    MOST_MEMBERS,
    Cell,
    Form,
    Members,
    Outcome,
    Steps,
    counts,
    follow,
    name_of,
    not_checked,
    trace,
)
from .phrases import as_noun
from .sets import EarlierAnswers, Known, Sets
from .tree import ANYTHING, Column, Entity, OfClass, Query, asks_of_each, subject

SECONDS = 60.0
"""How long a query may take, unless another time is given."""
_MOST_HOPS = 6
"""Hops of the longest connection that is looked for."""

_Cells: TypeAlias = dict[int, list[int | float | None]]
"""What a column shows of each member: numbers of terms, or one number that was computed."""


def execute(
    facts: Facts, bound: Bound, *, earlier: EarlierAnswers | None = None, seconds: float = SECONDS
) -> Outcome:
    """What a query comes to. `earlier` knows the answers of the conversation.

    Raises QuestionError for what cannot be compared, ShortageError where a set is too large or the
    time is over, and ServiceError where the graph does not answer.
    """
    facts.limit(seconds)
    return _outcome(Sets(facts, bound, earlier))


def prove(facts: Facts, bound: Bound, members: Sequence[Term], known_members: Known) -> Outcome:
    """The outcome for some of the members that a query is known to have, with their proofs.

    Looks only around these members, and so ranks nothing: `known_members` gives the members of a
    set inside the query that is ranked. Raises as `execute` does.
    """
    facts.limit(SECONDS)
    return _outcome(Sets(facts, bound, None, facts.ids(members), known_members))


def _outcome(sets: Sets) -> Outcome:
    query = sets.bound.query
    if query.answer == "connection":
        return _connection(sets, query)
    if asks_of_each(query) and sets.within is None:
        return _truth_of_each(sets, query)
    number, unit, members = sets.answer(query)
    if query.answer == "yesno":
        return _truth(sets, query, members)
    if query.answer != "list":
        return _result(sets, "number", members, value=number, unit=unit)
    if query.columns:
        return _rows(sets, query, members)
    return _result(sets, "members", members)


def _result(
    sets: Sets,
    form: Form,
    members: Members,
    *,
    value: int | float | bool | None = None,
    proved_sets: Sequence[Members] = (),
    unit: str = "",
    rows: Sequence[tuple[Cell, ...]] = (),
) -> Outcome:
    """The outcome for a set, with the proofs of the listed members, and of `proved_sets`."""
    facts, ordered = sets.facts, sets.ordered(members.ids)
    most = {"number": MOST_COUNTED, "truth": MOST_EXAMPLES}.get(form, MOST_MEMBERS)
    listed = ordered[:most]
    proofs = sets.proofs(members, listed, proved_sets)
    walks = sets.walks(listed) if sets.walks and form == "members" else {}
    instead = (
        sets.before.ids[:MOST_EXAMPLES] if sets.before and not len(members.ids) else listed[:0]
    )
    notes = [*sets.notes, *sorted(facts.cut)]
    if form == "members" and len(listed) < len(ordered):
        notes.append(f"only {len(listed):,} of {len(ordered):,} are listed")
    if form == "number":
        notes += not_checked(len(listed), len(ordered))
    return Outcome(
        form,
        members=tuple(facts.terms(listed)),
        size=len(members.ids),
        value=value,
        unit=unit,
        rows=tuple(rows),
        proofs=proofs,
        walks=walks,
        compared=tuple(dict.fromkeys(sets.compared)),
        instead=tuple(facts.terms(instead)),
        against=tuple(dict.fromkeys(sets.against)) if not len(members.ids) else (),
        absent=tuple(dict.fromkeys(sets.absent)),
        notes=tuple(dict.fromkeys(notes)),
    )


def _truth(sets: Sets, query: Query, members: Members) -> Outcome:
    """Whether the set, and each of the further ones, has members."""
    further_sets = [sets.members(query_) for query_ in query.every] if sets.within is None else []
    truth = all(len(set_.ids) for set_ in (members, *further_sets))
    for query_ in further_sets:
        sets.compared += [step for one in query_.ids[:1].tolist() for step in query_.prove(one)]
    if further_sets and not truth:
        pairs = zip((query, *query.every), (members, *further_sets), strict=True)
        empty = [sets.words(query_) for query_, matches in pairs if not len(matches.ids)]
        sets.absent.append(f"nothing in the graph is: {'; '.join(empty)}")
    outcome = _result(sets, "truth", members, value=truth, proved_sets=further_sets)
    if sets.within is not None or (wider := _unconditioned(query)) is None:
        return outcome
    if not truth:
        values = _values_of_named(sets, query)
        against = dict.fromkeys((*values, *outcome.compared)) if values else outcome.against
        return replace(outcome, against=tuple(against))
    condition = query.filters[0]
    outcome = replace(outcome, narrowed=len(sets.members(wider).ids))
    if not condition.steps or condition.count or condition.op in ("exists", "not exists"):
        return outcome
    operand = {"value": None, "mention": None, "unit": "", "of": ""}
    without = condition.model_copy(update={"op": "not exists", **operand})
    lacking = sets.members(wider.model_copy(update={"filters": (without,)}))
    return replace(outcome, without_value=len(lacking.ids))


def _values_of_named(sets: Sets, query: Query) -> list[Step]:
    """The steps from the things that a query names to the values that its condition is about."""
    (condition,) = query.filters
    names_things = isinstance(query.start, tuple | Entity) and not query.steps
    if not names_things or condition.count or not condition.steps:
        return []
    named = sets.members(Query(start=query.start)).ids[:MOST_EXAMPLES]
    hops = sets.bound.hops(condition.steps)
    pairs = follow(sets.facts, named, hops)
    ends = zip(pairs.sources.tolist(), pairs.targets[:MOST_COMPARED].tolist(), strict=False)
    return [step for one, value in ends for step in trace(sets.facts, one, hops, value)]


def _unconditioned(query: Query) -> Query | None:
    """The set of a query without its one condition; None where it has others, or is of anything."""
    wider = query.model_copy(update={"filters": (), "answer": "list"})
    is_any = isinstance(query.start, OfClass) and query.start.name == ANYTHING and not query.steps
    if len(query.filters) != 1 or is_any or _has_more(wider):
        return None
    return wider


def _has_more(query: Query) -> bool:
    """Whether a query is more than a start, steps and a class."""
    plain = Query(start=query.start)
    parts = {name: getattr(query, name) for name in ("steps", "of_class", "class_id")}
    return query != plain.model_copy(update=parts)


def _truth_of_each(sets: Sets, query: Query) -> Outcome:
    """Whether each member of a set is in every one of the others; of an empty set none is."""
    members = sets.members(subject(query))
    if not len(members.ids):
        sets.absent.append(f"nothing in the graph is: {sets.words(subject(query))}")
        return _result(sets, "truth", members, value=False)
    conditions = [(other, sets.members(other)) for other in query.every]
    holding_all = reduce(Members.intersection, (holding for _, holding in conditions), members)
    tested = len(members.ids)
    if len(holding_all.ids) == tested:
        sets.notes += not_checked(min(tested, MOST_EXAMPLES), tested)
        return replace(_result(sets, "truth", holding_all, value=True), tested=tested)
    *earlier, last = (sets.words(other) for other, _ in conditions)
    among = f"both {', '.join(earlier)} and {last}" if earlier else last
    sets.miss(f"they are not among {among}")
    exceptions = Members(np.setdiff1d(members.ids, holding_all.ids), members.prove)
    listed = sets.ordered(exceptions.ids)[:MOST_EXAMPLES]
    sets.notes += not_checked(len(listed), len(exceptions.ids))
    return replace(
        _result(sets, "truth", Members(listed[:0]), value=False),
        size=len(exceptions.ids),
        tested=tested,
        instead=tuple(sets.facts.terms(listed)),
        proofs=sets.proofs(exceptions, listed),
    )


def _rows(sets: Sets, query: Query, members: Members) -> Outcome:
    """A row for each member and each combination of what its columns show."""
    facts, shown = sets.facts, sets.ordered(members.ids)[:MOST_MEMBERS]
    further: dict[int, list[Step]] = {}
    columns, units = list[_Cells](), [""]
    for column in query.columns:
        cells, unit = _column(sets, query, column, np.sort(shown), further)
        columns.append(cells)
        units.append(unit)
    rows = list[tuple[Cell, ...]]()
    for member in shown.tolist():
        for cells in product(*(column.get(member, [None]) for column in columns)):
            row = (
                cell if cell is None or column.agg else facts.term(int(cell))
                for cell, column in zip(cells, query.columns, strict=True)
            )
            rows.append((facts.term(member), *row))
    if len(rows) > MOST_MEMBERS:
        sets.notes.append(f"only {MOST_MEMBERS:,} of {len(rows):,} rows are listed")

    def prove(member: int) -> Steps:
        return (*members.prove(member), *further.get(member, ()))

    outcome = _result(sets, "rows", Members(members.ids, prove), rows=rows[:MOST_MEMBERS])
    return replace(outcome, units=tuple(units))


def _column(
    sets: Sets, query: Query, column: Column, ids: Ids, further: dict[int, list[Step]]
) -> tuple[_Cells, str]:
    """The cells of a column, and the unit of its numbers.

    The steps to what the cells show are added to `further`.
    """
    if column.agg and query.group:
        assert sets.groups is not None
        sizes, unit = per_key(sets, sets.groups, ids, column.agg, column.of)
        size_of = zip(ids.tolist(), sizes.tolist(), strict=True)
        return {member: [rounded(size)] for member, size in size_of}, unit
    hops = sets.bound.hops(column.of if column.agg else column.steps)
    pairs = follow(sets.facts, ids, hops)
    cells: _Cells = {}
    for member, value in zip(pairs.sources.tolist(), pairs.targets.tolist(), strict=True):
        cells.setdefault(member, []).append(value)
        steps = further.setdefault(member, [])
        if not column.agg or len(steps) < MOST_COMPARED:
            steps += trace(sets.facts, member, hops, value)
    if column.agg:
        sizes = counts(pairs, ids).tolist()
        return {member: [size] for member, size in zip(ids.tolist(), sizes, strict=True)}, ""
    if missing := len(ids) - len(cells):
        name = name_of(sets.facts, hops)
        sets.notes.append(f"{missing} of {len(ids)} have no {as_noun(name)} in the graph")
    return cells, _unit_of_cells(sets.facts, hops, pairs)


def _unit_of_cells(facts: Facts, hops: RelationPath, pairs: Pairs) -> str:
    """The unit of the numbers that come without one; empty where there are none."""
    kinds, _, units = facts.measured(np.unique(pairs.targets))
    is_bare = (kinds == NUMBER) & (units == 0)
    return Units(facts, name_of(facts, hops), hops[-1][0]).shown if is_bare.any() else ""


def _connection(sets: Sets, query: Query) -> Outcome:
    """The shortest walk from a member of the set to a member of the other one."""
    assert query.to is not None
    starts = sets.members(query.model_copy(update={"to": None, "answer": "list"}))
    ends = sets.members(query.to)
    sources, targets = sets.facts.terms(starts.ids), sets.facts.terms(ends.ids)
    by_pair = shortest_paths(sets.facts, sources, targets, _MOST_HOPS, keep=1)
    walks = sorted((len(path.steps), path) for paths in by_pair.values() for path in paths)
    absent, notes = tuple(sets.absent), (*sets.notes, *sorted(sets.facts.cut))
    if not walks:
        what = f"there is none of at most {_MOST_HOPS} hops"
        if set(sources) & set(targets):
            what = "something is in both sets, and no chain leads from one thing to another"
        return Outcome("connection", absent=absent, notes=(*notes, what))
    size, path = walks[0]
    compared = (
        step
        for members, term in ((starts, path.topic), (ends, path.end))
        for step in members.prove(int(sets.facts.ids([term])[0]))
    )
    return Outcome(
        "connection",
        (path.end,),
        1,
        size,
        proofs={path.end: path.steps},
        compared=tuple(compared),
        absent=absent,
        notes=notes,
    )
