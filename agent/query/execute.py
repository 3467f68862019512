"""Executing a query in full, as operations on arrays of the graph's facts.

What it comes to is the denotation that `docs/queries.md` defines. Nothing is ranked or left out but
what the bounds of `Facts` cut, and that is told.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce
from itertools import product
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from ..errors import QuestionError
from ..kg.shortest import shortest_paths
from ..kg.terms import RelationPath, Term, is_literal
from ..kg.terms import Step as TripleStep
from . import measures
from .binding import Bound
from .facts import DATE, NUMBER, Facts, Ids, Pairs, distinct
from .measures import Operand, Units, follow, trace, triple_step
from .outcome import MOST_COUNTED, MOST_MEMBERS, Cell, Outcome
from .tree import (
    Agg,
    AnyOf,
    Column,
    Domain,
    Entity,
    Extreme,
    Filter,
    Having,
    Last,
    Measure,
    OfClass,
    Op,
    Part,
    Query,
)
from .words import reading

SECONDS = 60.0
"""How long a query may take, unless another time is given."""
_MOST_COMPARED = 100
_ANYTHING = "anything"
_FEW = 1_000
"""Members of which each is asked for its class, before those of the class are."""
_MOST_HOPS = 6
"""Hops of the longest connection that is looked for."""

Proof = Callable[[int], tuple[TripleStep, ...]]
"""The triples that make a term a member, each touching one before it."""
Earlier = Callable[[Last | Part], Sequence[tuple[Term, tuple[TripleStep, ...]]]]
"""What was answered before: the terms, each with the triples that prove it."""

Known: TypeAlias = Callable[[Query], Sequence[Term]]
"""The members of a set, computed elsewhere."""


def execute(
    facts: Facts, bound: Bound, *, earlier: Earlier | None = None, seconds: float = SECONDS
) -> Outcome:
    """What a query comes to. `earlier` knows the answers of the conversation.

    Raises QuestionError for what cannot be compared, ShortageError where a set is too large or the
    time is over, and ServiceError where the graph does not answer.
    """
    facts.limit(seconds)
    return _Execution(facts, bound, earlier).outcome()


def prove(facts: Facts, bound: Bound, members: Sequence[Term], known: Known) -> Outcome:
    """The outcome for some of the members that a query is known to have, with their proofs.

    Looks only around these members, and so ranks nothing: `known` gives the members of a set inside
    the query that is ranked. Raises as `execute` does.
    """
    facts.limit(SECONDS)
    return _Execution(facts, bound, None, facts.ids(members), known).outcome()


@dataclass(frozen=True)
class _Set:
    """A set of terms, and why each is in it."""

    ids: Ids
    prove: Proof


def _nothing(_: int) -> tuple[TripleStep, ...]:
    return ()


@dataclass
class _Execution:
    facts: Facts
    bound: Bound
    earlier: Earlier | None
    within: Ids | None = None
    """The members that are known, where only their proofs are wanted."""
    known: Known | None = None
    notes: list[str] = field(default_factory=list[str])
    absent: list[str] = field(default_factory=list[str])
    before: _Set | None = None
    """Of a set that came to nothing: what it was before its last condition."""
    ranks: dict[int, float] = field(default_factory=dict[int, float])
    """The size by which each member of the final set was ranked."""
    compared: list[TripleStep] = field(default_factory=list[TripleStep])
    final: _Set | None = None
    """All members, where these are what is told."""
    groups: Pairs | None = None
    """The members of each key, where the final set is that of a group."""

    def outcome(self) -> Outcome:
        """The denotation of the topmost node."""
        query = self.bound.query
        match query.answer:
            case "connection":
                return self._connection(query)
            case "sum" | "avg" | "min" | "max":
                return self._aggregate(query, query.answer)
            case _:
                members = self._set(query, top=True, within=self.within)
        if query.answer == "list":
            self.final = members
        if query.answer == "count":
            return self._told("number", members, value=len(members.ids))
        if query.answer == "yesno":
            every = [self._set(own) for own in query.every] if self.within is None else []
            truth = bool(len(members.ids)) and all(len(own.ids) for own in every)
            for own in every:
                self.compared += [step for one in own.ids[:1].tolist() for step in own.prove(one)]
            if every and not truth:
                sets = zip((query, *query.every), (members, *every), strict=True)
                empty = [self._words(own) for own, found in sets if not len(found.ids)]
                self.absent.append(f"nothing in the graph is: {'; '.join(empty)}")
            return self._told("truth", members, value=truth, others=every)
        if query.columns:
            return self._rows(query, members)
        return self._told("members", members)

    def _told(
        self,
        form: str,
        members: _Set,
        *,
        value: int | float | bool | None = None,
        others: Sequence[_Set] = (),
        unit: str = "",
        rows: Sequence[tuple[Cell, ...]] = (),
    ) -> Outcome:
        ranked = self._ranked(members.ids)
        most = MOST_COUNTED if form in ("number", "truth") else MOST_MEMBERS
        shown = ranked[:most]
        sets = [members] if len(members.ids) else [self.before] if self.before else []
        proofs: dict[Term, tuple[TripleStep, ...]] = {}
        for own in (*sets, *others):
            for one in (shown if own is members else own.ids[:MOST_COUNTED]).tolist():
                before = proofs.get(term := self.facts.term(one), ())
                proofs[term] = tuple(dict.fromkeys((*before, *own.prove(one))))
        instead = sets[0].ids[:MOST_COUNTED] if sets and not len(members.ids) else shown[:0]
        notes = [*self.notes, *sorted(self.facts.cut)]
        if form == "members" and len(shown) < len(ranked):
            notes.append(f"only {len(shown):,} of {len(ranked):,} are listed")
        return Outcome(
            form=form,  # pyright: ignore[reportArgumentType]
            members=tuple(self.facts.terms(shown)),
            size=len(members.ids),
            value=value,
            unit=unit,
            rows=tuple(rows),
            proofs=proofs,
            compared=tuple(dict.fromkeys(self.compared)),
            instead=tuple(self.facts.terms(instead)),
            absent=tuple(dict.fromkeys(self.absent)),
            notes=tuple(dict.fromkeys(notes)),
        )

    def _ranked(self, ids: Ids) -> Ids:
        """The members by rank where they have one, then by term."""
        if len(ids) > MOST_MEMBERS and not self.ranks:
            return ids
        numbers = sorted(ids.tolist(), key=lambda i: (self.ranks.get(i, 0.0), self.facts.term(i)))
        return np.array(numbers, np.int64)

    # Sets

    def _set(self, query: Query, *, top: bool = False, within: Ids | None = None) -> _Set:
        """The members of a node; of those within a set, where one is given."""
        if query.group:
            members = self._plain(query, top, self._in_groups(query, within))
            return _kept(self._grouped(query, members, top), within)
        members = self._plain(query, top, within)
        if query.extreme is not None:
            members = self._extreme(members, query.extreme, top=top)
        return _kept(members, within)

    def _inner(self, query: Query, within: Ids | None, *, top: bool = False) -> _Set:
        """The members of a node in another one.

        Around known members nothing can be ranked. Which members a ranked set has is asked then.
        """
        if self.known is not None and (query.extreme is not None or query.having):
            ids = np.unique(self.facts.ids(self.known(query)))
            within = ids if within is None else np.intersect1d(ids, within)
        return self._set(query, top=top, within=within)

    def _plain(self, query: Query, top: bool, within: Ids | None) -> _Set:
        """The members before any extreme or group."""
        hops = self.bound.hops(query.steps)
        levels = self._back(within, hops)
        members = self._start(query, top=top, within=levels[0])
        for hop, level in zip(hops, levels[1:], strict=True):
            members = _kept(self._along(members, hop), level)
        if class_ := self._class(query.of_class, query.class_id):
            members = self._narrowed(members, self._of_class(members, class_), top=top)
        for condition in query.filters:
            members = self._narrowed(members, self._filtered(members, condition), top=top)
        for other in query.also:
            around = None if within is None else members.ids
            members = self._narrowed(members, _both(members, self._inner(other, around)), top=top)
        for other in query.without:
            around = None if within is None else members.ids
            gone = self._inner(other, around)
            members = self._narrowed(members, self._less(members, other, gone), top=top)
        return members

    def _back(self, within: Ids | None, hops: RelationPath) -> list[Ids | None]:
        """For each hop the nodes from which the known members are reached, the start first."""
        levels = [within]
        for relation, inverse in reversed(hops):
            after = levels[0]
            before = (
                None if after is None else self.facts.step(after, relation, not inverse).targets
            )
            levels.insert(0, None if before is None else distinct(np.sort(before)))
        return levels

    def _in_groups(self, query: Query, within: Ids | None) -> Ids | None:
        return self._back(within, self.bound.hops(query.group))[0]

    def _narrowed(self, before: _Set, after: _Set, *, top: bool) -> _Set:
        if top and len(before.ids) and not len(after.ids):
            self.before = before
        return after

    def _start(self, query: Query, *, top: bool, within: Ids | None) -> _Set:
        match query.start:
            case tuple() as numbers:
                terms = [self.bound.mentioned(number).term for number in numbers]
                return _kept(self._of_terms([term for term in terms if term is not None]), within)
            case Entity(entity=name, id=term):
                return _kept(self._of_terms([self.bound.entities[term or name]]), within)
            case OfClass(name=name, id=term):
                class_ = self._class(name, term)
                if class_ is None:
                    return _Set(self.facts.every_thing() if within is None else within, _nothing)
                ids = self._members_of(class_, within)
                return _Set(ids, lambda one: self._membership(one, class_))
            case Domain() as domain:
                relation = self.bound.relation(domain)
                ids = self._having(relation, within)
                return _Set(ids, lambda one: self._first_of(one, ((relation, False),)))
            case AnyOf(any=several):
                return _any([self._inner(own, within) for own in several])
            case Last() | Part() as start:
                if self.earlier is None:
                    raise QuestionError(
                        "the query speaks of earlier answers, and there are none",
                        "ask it in a conversation",
                    )
                proofs = dict(self.earlier(start))
                ids = self.facts.ids(proofs)
                return _Set(ids, lambda one: proofs[self.facts.term(one)])
            case Query() as inner:
                return self._inner(inner, within, top=top)

    def _members_of(self, class_: Term, within: Ids | None) -> Ids:
        if within is None:
            return self.facts.members(class_)
        (wanted,) = self.facts.ids([class_])
        pairs = [self.facts.step(within, kind, False) for kind in self.facts.kg.profile.types]
        found = [own.sources[own.targets == wanted] for own in pairs]
        return distinct(np.sort(np.concatenate(found))) if found else within[:0]

    def _having(self, relation: Term, within: Ids | None) -> Ids:
        if within is None:
            return self.facts.having(relation)
        return distinct(self.facts.step(within, relation, False).sources)

    def _of_terms(self, terms: Sequence[Term]) -> _Set:
        stands_for = self.facts.kg.representatives(terms)
        return _Set(self.facts.ids(stands_for[term] for term in terms), _nothing)

    def _class(self, name: str, term: str) -> Term | None:
        return self.bound.class_of(name, term) if name or term else None

    def _membership(self, one: int, class_: Term) -> tuple[TripleStep, ...]:
        for kind, target in self.facts.types_of(one):
            if self.facts.term(target) == class_:
                return (triple_step(self.facts, one, kind, False, target),)
        return ()

    def _first_of(self, one: int, hops: RelationPath) -> tuple[TripleStep, ...]:
        """The steps from a node to the first of what the hops lead to."""
        targets = follow(self.facts, np.array([one]), hops).targets
        return trace(self.facts, one, hops, int(targets[0])) if len(targets) else ()

    def _along(self, members: _Set, hop: tuple[Term, bool]) -> _Set:
        relation, inverse = hop
        pairs = self.facts.step(members.ids, relation, inverse)
        order = np.lexsort((pairs.sources, pairs.targets))
        sources, targets = pairs.sources[order], pairs.targets[order]
        ids, first = _firsts(targets)

        def prove(one: int) -> tuple[TripleStep, ...]:
            source = int(sources[first[np.searchsorted(ids, one)]])
            step = triple_step(self.facts, source, relation, inverse, one)
            return (*members.prove(source), step)

        return _Set(ids, prove)

    def _of_class(self, members: _Set, class_: Term) -> _Set:
        few = members.ids if len(members.ids) <= _FEW or self.within is not None else None
        found = self._members_of(class_, few)
        kept = np.intersect1d(members.ids, found, assume_unique=True)
        return _Set(kept, lambda one: (*members.prove(one), *self._membership(one, class_)))

    def _less(self, members: _Set, other: Query, gone: _Set) -> _Set:
        kept = np.setdiff1d(members.ids, gone.ids, assume_unique=True)
        if len(members.ids):
            self.absent.append(f"not in the graph: that these are among: {self._words(other)}")
        return _Set(kept, members.prove)

    # Conditions

    def _hops(self, measure: Measure) -> RelationPath:
        return tuple((self.bound.relation(step), step.inverse) for step in measure.steps)

    def _values(self, ids: Ids, measure: Measure) -> Pairs:
        pairs = follow(self.facts, ids, self._hops(measure))
        if measure.among is not None:
            kept = np.isin(pairs.targets, self._inner(measure.among, None).ids)
            pairs = Pairs(pairs.sources[kept], pairs.targets[kept])
        return pairs

    def _name(self, measure: Measure) -> str:
        """The display name of what is measured; empty for the thing itself."""
        hops = self._hops(measure)
        return measures.names_of(self.facts, [hops[-1][0]])[0] if hops else ""

    def _filtered(self, members: _Set, condition: Filter) -> _Set:
        hops, pairs = self._hops(condition), self._values(members.ids, condition)
        if condition.op == "not exists":
            kept = np.setdiff1d(members.ids, pairs.sources)
            self.absent.append(f"no {self._name(condition)} of these in the graph")
            return _Set(kept, members.prove)
        units = Units(self.facts, "" if condition.count else self._name(condition))
        if condition.count:
            return self._by_count(members, condition, pairs)
        if condition.op == "exists":
            passing = pairs
        else:
            values = distinct(np.sort(pairs.targets))
            mask = self._passing(values, condition, units)
            kept = mask[np.searchsorted(values, pairs.targets)]
            passing = Pairs(pairs.sources[kept], pairs.targets[kept])
        self.notes += units.notes
        ids, first = _firsts(passing.sources)
        if condition.op == "!=":
            ids = np.setdiff1d(np.unique(pairs.sources), ids)
            equal = condition.model_copy(update={"op": "="})
            said = self._words(Query(start=OfClass(name=_ANYTHING), filters=(equal,)))
            said = said.removeprefix(f"{_ANYTHING}, ")
            self.absent.append(f"not in the graph of these: {said}")
            return _Set(ids, lambda one: (*members.prove(one), *self._first_of(one, hops)))

        def prove(one: int) -> tuple[TripleStep, ...]:
            value = int(passing.targets[first[np.searchsorted(ids, one)]])
            return (*members.prove(one), *trace(self.facts, one, hops, value))

        return _Set(ids, prove)

    def _by_count(self, members: _Set, condition: Filter, pairs: Pairs) -> _Set:
        counts = measures.counts(pairs, members.ids).astype(float)
        op = "=" if condition.op == "!=" else condition.op
        holding = np.zeros(len(counts), bool)
        for number in self._numbers(condition):
            holding |= measures.holding(counts, op, number)
        mask = ~holding if condition.op == "!=" else holding
        kept = members.ids[mask]
        if condition.op in ("=", "<", "<=") or (mask & (counts == 0)).any():
            self.absent.append(f"no more {self._name(condition)} of these in the graph")
        hops = self._hops(condition)

        def prove(one: int) -> tuple[TripleStep, ...]:
            first, last = np.searchsorted(pairs.sources, [one, one + 1])
            values = pairs.targets[first:last][:_MOST_COMPARED].tolist()
            steps = (trace(self.facts, one, hops, value) for value in values)
            return (*members.prove(one), *(step for walk in steps for step in walk))

        return _Set(kept, prove)

    def _numbers(self, condition: Filter) -> list[float]:
        """The numbers that counts are compared with; of the answers of a query those that are."""
        query = condition.value if isinstance(condition.value, Query) else None
        operand = self._operand(condition) if query is None else self._value_of(query, "=")
        numbers = [] if operand.number is None else [operand.number]
        numbers += [number for _, several in operand.numbers for number in several.tolist()]
        if not numbers and query is None:
            raise QuestionError(
                "how many there are compares with a number", "give one as the value"
            )
        return numbers

    def _passing(self, values: Ids, condition: Filter, units: Units) -> NDArray[np.bool_]:
        """Which values pass; of `!=`, those that are equal."""
        operand, year = self._operand(condition), bool(condition.of)
        match condition.op:
            case "=" | "!=":
                return measures.equal(self.facts, values, operand, units, year=year)
            case "starts" | "ends" | "contains":
                return measures.worded(self.facts, values, condition.op, operand)
            case op:
                return measures.ordered(self.facts, values, op, operand, units, year=year)

    def _operand(self, condition: Filter) -> Operand:
        none = np.zeros(0, np.int64)
        if isinstance(condition.value, Query):
            return self._value_of(condition.value, condition.op)
        if condition.mention is None:
            assert condition.value is not None
            return measures.operand_of(condition.value, condition.unit, none)
        mention = self.bound.mentioned(condition.mention)
        term = None if mention.term is None else self._of_terms([mention.term]).ids
        if term is not None and not is_literal(mention.term or ""):
            return Operand(term, mention.text)
        text = condition.value if condition.value is not None else mention.text
        operand = measures.operand_of(text, condition.unit, none)
        return operand if term is None else Operand(term, *_readings(operand), operand.unit)

    def _value_of(self, query: Query, op: Op) -> Operand:
        """The answer of a query as what others are compared with."""
        inner = _Execution(self.facts, replace(self.bound, query=query), self.earlier)
        outcome = inner.outcome()
        self.notes += inner.notes
        proofs = list(outcome.proofs.values())[:_MOST_COMPARED]
        self.compared += [step for steps in proofs for step in steps]
        self.compared += outcome.compared
        none = np.zeros(0, np.int64)
        if inner.final is None:
            number = None if outcome.value is None else float(outcome.value)
            return Operand(none, None, number, None, outcome.unit)
        ids = inner.final.ids
        kinds, sizes, units = self.facts.measured(ids)
        if op in ("=", "!="):
            of_unit = [(unit, (kinds == NUMBER) & (units == unit)) for unit in set(units.tolist())]
            numbers = [
                (self.facts.unit(unit), np.unique(sizes[mask]))
                for unit, mask in of_unit
                if mask.any()
            ]
            return Operand(ids, numbers=tuple(numbers), dates=sizes[kinds == DATE])
        if not (kinds > 0).any():
            return Operand(ids)
        best = int(np.nanargmax(sizes) if op in ("<", "<=") else np.nanargmin(sizes))
        if len(ids) > 1:
            self.notes.append(f"there are {len(ids)} values to compare with")
        return self._sized(int(ids[best]))

    def _sized(self, one: int) -> Operand:
        """A number or a date as what others are compared with."""
        (kind,), (size,), (unit,) = self.facts.measured(np.array([one]))
        number = None if kind == DATE else float(size)
        date = float(size) if kind == DATE else None
        return Operand(np.array([one]), None, number, date, self.facts.unit(int(unit)))

    # Extremes and groups

    def _extreme(self, members: _Set, extreme: Extreme, *, top: bool) -> _Set:
        name = self._name(extreme)
        pairs = self._values(members.ids, extreme)
        if extreme.count:
            sizes = measures.counts(pairs, members.ids).astype(float)
            best = Pairs(members.ids, members.ids)
            hops: RelationPath = ()
        else:
            units = Units(self.facts, name)
            kept, every, _ = measures.comparable(self.facts, pairs, units, dates=True)
            self.notes += units.notes
            places = measures.largest(every, kept, most=extreme.most)
            best = Pairs(kept.sources[places], kept.targets[places])
            sizes, hops = every[places], self._hops(extreme)
            if missing := len(members.ids) - len(best.sources):
                what = name or "value"
                self.notes.append(f"{missing} of {len(members.ids)} have no {what} in the graph")
        mask = _placed(sizes, extreme) if self.within is None else np.ones(len(sizes), bool)
        ids, values = best.sources[mask], best.targets[mask]
        if top:
            order = np.argsort(-sizes if extreme.most else sizes, kind="stable")[:_MOST_COMPARED]
            for one, value in zip(
                best.sources[order].tolist(), best.targets[order].tolist(), strict=True
            ):
                self.compared += trace(self.facts, one, hops, value)
            ranked = -sizes[mask] if extreme.most else sizes[mask]
            self.ranks = dict(zip(ids.tolist(), ranked.tolist(), strict=True))

        def prove(one: int) -> tuple[TripleStep, ...]:
            if extreme.count:
                first, last = np.searchsorted(pairs.sources, [one, one + 1])
                steps = [
                    trace(self.facts, one, self._hops(extreme), value)
                    for value in pairs.targets[first:last][:_MOST_COMPARED].tolist()
                ]
                return (*members.prove(one), *(step for walk in steps for step in walk))
            value = int(values[np.searchsorted(ids, one)])
            return (*members.prove(one), *trace(self.facts, one, hops, value))

        return self._narrowed(members, _Set(ids, prove), top=top)

    def _grouped(self, query: Query, members: _Set, top: bool) -> _Set:
        hops = self.bound.hops(query.group)
        pairs = follow(self.facts, members.ids, hops)
        order = np.lexsort((pairs.sources, pairs.targets))
        groups = Pairs(pairs.targets[order], pairs.sources[order])
        keys, first = _firsts(groups.sources)
        kept = np.ones(len(keys), bool)
        for condition in query.having if self.within is None else ():
            sizes = self._per_key(groups, keys, condition.agg, condition.of)
            kept &= measures.holding(sizes, condition.op, self._number(condition))
            kept &= ~np.isnan(sizes)
        keys, first = keys[kept], first[kept]
        if query.extreme is not None and query.extreme.agg and self.within is None:
            sizes = self._per_key(groups, keys, query.extreme.agg, query.extreme.of)
            known = ~np.isnan(sizes)
            keys, first, sizes = keys[known], first[known], sizes[known]
            mask = _placed(sizes, query.extreme)
            keys, first = keys[mask], first[mask]
            if top:
                ranked = -sizes[mask] if query.extreme.most else sizes[mask]
                self.ranks = dict(zip(keys.tolist(), ranked.tolist(), strict=True))
        if top:
            self.groups = groups

        of = {own.of for own in query.having} | {own.of for own in query.columns if own.agg}
        of |= {query.extreme.of} if query.extreme is not None else set()
        counted = _MOST_COMPARED if of else 1

        def prove(key: int) -> tuple[TripleStep, ...]:
            start = int(first[np.searchsorted(keys, key)])
            several = self._members(groups, key)[:counted].tolist()
            steps = list[TripleStep]()
            for member in several if of else [int(groups.targets[start])]:
                steps += (*members.prove(member), *trace(self.facts, member, hops, key))
                for walk in map(self.bound.hops, sorted(filter(None, of), key=str)):
                    values = follow(self.facts, np.array([member]), walk).targets.tolist()
                    for value in values[:_MOST_COMPARED]:
                        steps += trace(self.facts, member, walk, value)
            return tuple(dict.fromkeys(steps))

        return self._narrowed(members, _Set(keys, prove), top=top)

    def _number(self, condition: Having) -> float:
        text = condition.value
        if text is None and condition.mention is not None:
            text = self.bound.mentioned(condition.mention).text
        written = "" if text is None else text
        operand = measures.operand_of(written, "", np.zeros(0, np.int64))
        if operand.number is None:
            raise QuestionError("`having` compares with a number", "give one as its value")
        return operand.number

    def _per_key(
        self, groups: Pairs, keys: Ids, agg: Agg, of: Sequence[object]
    ) -> NDArray[np.float64]:
        """An aggregate over the members of each key; not a number where there is no value."""
        if agg == "count" and not of:
            return measures.counts(groups, keys_all := np.unique(groups.sources)).astype(float)[
                np.searchsorted(keys_all, keys)
            ]
        members = np.unique(groups.targets)
        hops = self.bound.hops(of)  # pyright: ignore[reportArgumentType]
        pairs = follow(self.facts, members, hops)
        if agg == "count":
            reached = [
                np.unique(pairs.targets[np.isin(pairs.sources, self._members(groups, key))])
                for key in keys.tolist()
            ]
            return np.array([len(own) for own in reached], float)
        kept, sizes, _ = measures.comparable(self.facts, pairs, Units(self.facts, ""))
        places = measures.largest(sizes, kept, most=agg != "min")
        sources, sizes = kept.sources[places], sizes[places]
        result = np.full(len(keys), np.nan)
        for place, key in enumerate(keys.tolist()):
            own = sizes[np.isin(sources, self._members(groups, key))]
            if len(own):
                result[place] = _reduced(own, agg)
        return result

    def _members(self, groups: Pairs, key: int) -> Ids:
        first, last = np.searchsorted(groups.sources, [key, key + 1])
        return groups.targets[first:last]

    # Answers

    def _aggregate(self, query: Query, agg: Agg) -> Outcome:
        """A number over the things before the last step."""
        *before, last = query.steps
        things = self._set(Query(start=query.start, steps=tuple(before)), within=self.within)
        rest = query.model_copy(update={"answer": "list"})
        hop = (self.bound.relation(last), last.inverse)
        pairs = self.facts.step(things.ids, *hop)
        reached = None if self.within is None else distinct(np.sort(pairs.targets))
        values = self._set(rest, within=reached)
        among = np.isin(pairs.targets, values.ids)
        every, pairs = pairs, Pairs(pairs.sources[among], pairs.targets[among])
        (name,) = measures.names_of(self.facts, [hop[0]])
        units = Units(self.facts, name)
        kept, sizes, unit = measures.comparable(self.facts, pairs, units)
        self.notes += units.notes
        places = measures.largest(sizes, kept, most=agg != "min")
        members, best, sizes = kept.sources[places], kept.targets[places], sizes[places]
        if among.all():
            missing = len(things.ids) - len(members)
        else:
            missing = len(things.ids) - len(np.unique(every.sources))
            self.notes.append(f"{len(members)} of {len(things.ids)} have such a {name}")
        if missing:
            self.notes.append(f"{missing} of {len(things.ids)} have no {name} in the graph")
        if several := int((measures.counts(kept, members) > 1).sum()):
            which = "smallest" if agg == "min" else "largest"
            self.notes.append(f"{several} have several values of {name}: the {which} counts")
        for one, value in zip(members[:_MOST_COMPARED].tolist(), best.tolist(), strict=False):
            self.compared.append(triple_step(self.facts, one, *hop, value))
        value_of = dict(zip(members.tolist(), best.tolist(), strict=True))

        def prove(one: int) -> tuple[TripleStep, ...]:
            return (*things.prove(one), triple_step(self.facts, one, *hop, value_of[one]))

        number = _reduced(sizes, agg) if len(sizes) else np.nan
        value = _whole(number) if np.isfinite(number) else None
        if np.isinf(number):
            self.notes.append("the numbers are too large to compute with")
        return self._told("number", _Set(members, prove), value=value, unit=unit)

    def _rows(self, query: Query, members: _Set) -> Outcome:
        shown = self._ranked(members.ids)[:MOST_MEMBERS]
        ids, columns = np.sort(shown), list[dict[int, list[int | float | None]]]()
        extra: dict[int, list[TripleStep]] = {}
        for column in query.columns:
            if column.agg and not query.group:
                hops = self.bound.hops(column.of)
                pairs = follow(self.facts, ids, hops)
                for one, value in zip(pairs.sources.tolist(), pairs.targets.tolist(), strict=True):
                    if len(counted := extra.setdefault(one, [])) < _MOST_COMPARED:
                        counted.extend(trace(self.facts, one, hops, value))
                sizes = measures.counts(pairs, ids).tolist()
                columns.append({one: [c] for one, c in zip(ids.tolist(), sizes, strict=True)})
                continue
            if column.agg:
                assert self.groups is not None
                sizes = self._per_key(self.groups, ids, column.agg, column.of)
                cells = [_whole(size) if np.isfinite(size) else None for size in sizes.tolist()]
                columns.append({one: [c] for one, c in zip(ids.tolist(), cells, strict=True)})
                continue
            hops = self.bound.hops(column.steps)
            pairs = follow(self.facts, ids, hops)
            values: dict[int, list[int | float | None]] = {}
            for one, value in zip(pairs.sources.tolist(), pairs.targets.tolist(), strict=True):
                values.setdefault(one, []).append(value)
                extra.setdefault(one, []).extend(trace(self.facts, one, hops, value))
            columns.append(values)
            if missing := len(ids) - len(values):
                (name,) = measures.names_of(self.facts, [hops[-1][0]])
                self.notes.append(f"{missing} of {len(ids)} have no {name} in the graph")
        rows = list[tuple[Cell, ...]]()
        for one in shown.tolist():
            cells = [own.get(one, [None]) for own in columns]
            for row in product(*cells):
                named = map(self._cell, row, query.columns)
                rows.append((self.facts.term(one), *named))
        if len(rows) > MOST_MEMBERS:
            self.notes.append(f"only {MOST_MEMBERS:,} of {len(rows):,} rows are listed")

        def prove(one: int) -> tuple[TripleStep, ...]:
            return (*members.prove(one), *extra.get(one, ()))

        return self._told("rows", _Set(members.ids, prove), rows=rows[:MOST_MEMBERS])

    def _cell(self, cell: int | float | None, column: Column) -> Cell:
        """A number that was computed, or the term of one."""
        return cell if cell is None or column.agg else self.facts.term(int(cell))

    def _connection(self, query: Query) -> Outcome:
        assert query.to is not None
        starts = self._set(query.model_copy(update={"to": None, "answer": "list"}))
        ends = self._set(query.to)
        sources, targets = self.facts.terms(starts.ids), self.facts.terms(ends.ids)
        found = shortest_paths(self.facts, sources, targets, _MOST_HOPS, keep=1)
        walks = sorted((len(path.steps), path) for paths in found.values() for path in paths)
        told = (*self.notes, *sorted(self.facts.cut))
        if not walks:
            what = f"there is none of at most {_MOST_HOPS} hops"
            if set(sources) & set(targets):
                what = "something is in both sets, and no chain leads from one thing to another"
            return Outcome("connection", absent=tuple(self.absent), notes=(*told, what))
        size, path = walks[0]
        before, after = (
            own.prove(int(self.facts.ids([term])[0]))
            for own, term in ((starts, path.topic), (ends, path.end))
        )
        return Outcome(
            "connection",
            (path.end,),
            1,
            size,
            proofs={path.end: path.steps},
            compared=(*before, *after),
            absent=tuple(self.absent),
            notes=told,
        )

    def _words(self, query: Query) -> str:
        return reading(replace(self.bound, query=query))


def _firsts(numbers: Ids) -> tuple[Ids, NDArray[np.intp]]:
    """The distinct of sorted numbers, and where each is first."""
    new = np.ones(len(numbers), bool)
    new[1:] = numbers[1:] != numbers[:-1]
    return numbers[new], np.flatnonzero(new)


def _kept(members: _Set, within: Ids | None) -> _Set:
    """Those of the members that are in a set, where one is given."""
    if within is None:
        return members
    return _Set(np.intersect1d(members.ids, within, assume_unique=True), members.prove)


def _both(one: _Set, other: _Set) -> _Set:
    kept = np.intersect1d(one.ids, other.ids, assume_unique=True)
    return _Set(kept, lambda member: (*one.prove(member), *other.prove(member)))


def _any(several: Sequence[_Set]) -> _Set:
    def prove(member: int) -> tuple[TripleStep, ...]:
        return tuple(step for own in several if _has(own.ids, member) for step in own.prove(member))

    return _Set(reduce(np.union1d, [own.ids for own in several]), prove)


def _has(ids: Ids, one: int) -> bool:
    place = int(np.searchsorted(ids, one))
    return place < len(ids) and int(ids[place]) == one


def _placed(sizes: NDArray[np.float64], extreme: Extreme) -> NDArray[np.bool_]:
    """Which sizes have the places that are asked for; equal ones share a place."""
    ranked = -sizes if extreme.most else sizes
    if extreme.place is not None:
        distinct = np.unique(ranked)
        if extreme.place > len(distinct):
            return np.zeros(len(sizes), bool)
        return ranked == distinct[extreme.place - 1]
    if extreme.n >= len(ranked):
        return np.ones(len(sizes), bool)
    return ranked <= np.partition(ranked, extreme.n - 1)[extreme.n - 1]


def _reduced(sizes: NDArray[np.float64], agg: Agg) -> float:
    """An aggregate of numbers; infinite where they are too large."""
    match agg:
        case "sum" | "avg":
            with np.errstate(over="ignore"):
                return float(sizes.sum() if agg == "sum" else sizes.mean())
        case "min":
            return float(sizes.min())
        case "max":
            return float(sizes.max())
        case "count":
            return float(len(sizes))


def _whole(number: float) -> int | float:
    """A number without the dust of floating point: whole where it is."""
    rounded = float(f"{number:.12g}")
    return int(rounded) if rounded.is_integer() and abs(rounded) < 2**53 else rounded


def _readings(operand: Operand) -> tuple[str | None, float | None, float | None]:
    return operand.text, operand.number, operand.date
