"""The sets of a query, computed as operations on arrays of the graph's facts.

Each member has a proof. Nothing is ranked or left out but what the bounds of `Facts` cut, and that
is noted.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TypeAlias

import numpy as np

from ..errors import QuestionError
from ..kg.terms import RelationPath, Step, Term
from .aggregates import aggregated, grouped, ranked
from .binding import Bound
from .conditions import filtered
from .facts import NO_ONE, Facts, Ids, Pairs, distinct, starts_run
from .members import (
    MOST_EXAMPLES,
    MOST_MEMBERS,
    Members,
    Steps,
    follow,
    name_of,
    trace,
    triple_step,
    union,
    walks_apart,
)
from .tree import (
    AnyOf,
    Domain,
    Entity,
    Last,
    Measure,
    OfClass,
    Part,
    Query,
    Start,
    names_only_things,
)
from .words import earlier_terms, reading

_FEW = 1_000
"""Members of which each is asked for its class, before those of the class are."""

EarlierAnswers: TypeAlias = Callable[[Last | Part], Sequence[tuple[Term, Steps]]]
"""What was answered before: the terms, each with the steps that prove it."""
Known: TypeAlias = Callable[[Query], Sequence[Term]]
"""The members of a set, computed elsewhere."""


@dataclass
class Sets:
    """Computes the sets of a bound query, and collects what there is to tell of them."""

    facts: Facts
    bound: Bound
    earlier: EarlierAnswers | None
    within: Ids | None = None
    """The members that are known, where only their proofs are wanted. Then nothing is ranked."""
    known_members: Known | None = None
    """Gives the members of ranked sets inside the query, where `within` is given."""
    notes: list[str] = field(default_factory=list[str])
    absent: list[str] = field(default_factory=list[str])
    """What is not in the graph, where the outcome rests on that."""
    against: list[Step] = field(default_factory=list[Step])
    """Steps that keep everything out of a final set, where a negation left none."""
    compared: list[Step] = field(default_factory=list[Step])
    """Steps to the values that were compared."""
    before: Members | None = None
    """Of a final set that came to nothing: what it was before its last condition."""
    ranks: dict[int, float] = field(default_factory=dict[int, float])
    """The size by which each member of the final set was ranked."""
    walks: Callable[[Ids], dict[Term, tuple[Steps, ...]]] | None = None
    """Walks to members of the final set by each last step, where it ends in a walk."""
    groups: Pairs | None = None
    """The members of each key, where the final set is that of a group."""

    def members(self, query: Query, *, top: bool = False, within: Ids | None = None) -> Members:
        """The members of a node; `top` where it is the final set.

        With `within` those in it, computed from there.
        """
        if query.group:
            start = self._levels(within, self.bound.hops(query.group))[0]
            members = self._before_ranking(query, top, start)
            self.walks = None
            return grouped(self, query, members, top=top).within(within)
        members = self._before_ranking(query, top, within)
        if query.extreme is not None:
            members = ranked(self, query.extreme, members, top=top)
        return members.within(within)

    def answer(self, query: Query) -> tuple[int | float | None, str, Members]:
        """The number that the topmost node comes to and its unit, if any; and its final set."""
        match query.answer:
            case "sum" | "avg" | "min" | "max" as agg:
                return aggregated(self, query, agg)
            case form:
                members = self.members(query, top=True, within=self.within)
                return (len(members.ids) if form == "count" else None), "", members

    def inner(self, query: Query, within: Ids | None, *, top: bool = False) -> Members:
        """The members of a node in another one; of a ranked one the `known_members`."""
        if self.known_members is not None and (query.extreme is not None or query.having):
            ids = np.unique(self.facts.ids(self.known_members(query)))
            within = ids if within is None else np.intersect1d(ids, within)
        return self.members(query, top=top, within=within)

    def miss(self, claim: str) -> None:
        """Tell of what the outcome rests on that the graph does not say, as in *they are not*."""
        shown = "cannot be shown by a triple: the graph has none that says otherwise"
        self.absent.append(f"that {claim} {shown}")

    def contradict(self, members: Members) -> None:
        """Keep what the graph says of members that a negation has taken away."""
        for one in members.ids[:MOST_EXAMPLES].tolist():
            self.against += members.prove(one)

    def narrowed(self, before: Members, after: Members, *, top: bool) -> Members:
        """The members after a condition; what was before is kept where that leaves none."""
        if top and len(before.ids) and not len(after.ids):
            self.before = before
        return after

    def ordered(self, ids: Ids) -> Ids:
        """The members by rank where they have one, then by term."""
        if len(ids) > MOST_MEMBERS and not self.ranks:
            return ids
        numbers = sorted(ids.tolist(), key=lambda i: (self.ranks.get(i, 0.0), self.facts.term(i)))
        return np.array(numbers, np.int64)

    def proofs(
        self, members: Members, listed: Ids, further_sets: Sequence[Members] = ()
    ) -> dict[Term, Steps]:
        """The steps for members that are listed, else for those before the last condition.

        `further_sets` are sets of which the first members are proved too.
        """
        proved = [(members, listed)] if len(members.ids) else []
        if not proved and self.before:
            proved = [(self.before, self.before.ids[:MOST_EXAMPLES])]
        proved += [(other, other.ids[:MOST_EXAMPLES]) for other in further_sets]
        proofs: dict[Term, Steps] = {}
        for proved_set, ids in proved:
            for one in ids.tolist():
                term = self.facts.term(one)
                proofs[term] = tuple(dict.fromkeys((*proofs.get(term, ()), *proved_set.prove(one))))
        return proofs

    def of_terms(self, terms: Sequence[Term]) -> Ids:
        """The set of some terms, each by what stands for it in the reading of the graph."""
        stands_for = self.facts.kg.representatives(terms)
        return self.facts.ids(stands_for[term] for term in terms)

    def values(self, ids: Ids, measure: Measure) -> Pairs:
        """From each of a set to what is measured of it."""
        pairs = follow(self.facts, ids, self.bound.hops(measure.steps))
        if measure.among is not None:
            mask = np.isin(pairs.targets, self.inner(measure.among, None).ids)
            pairs = Pairs(pairs.sources[mask], pairs.targets[mask])
        return pairs

    def name(self, measure: Measure) -> str:
        """The display name of what is measured; empty for the thing itself."""
        return name_of(self.facts, self.bound.hops(measure.steps))

    def first_walk(self, one: int, hops: RelationPath) -> Steps:
        """The steps from a node to the first of what the hops lead to."""
        targets = follow(self.facts, np.array([one]), hops).targets
        return trace(self.facts, one, hops, int(targets[0])) if len(targets) else ()

    def words(self, query: Query) -> str:
        """A set in words."""
        return reading(replace(self.bound, query=query), self.names())

    def names(self) -> dict[Term, str]:
        """Display names of what the query speaks of and the tree has no names for."""
        terms = earlier_terms(self.bound)
        return dict(zip(terms, self.facts.kg.walk_labels.names(terms), strict=True))

    def _before_ranking(self, query: Query, top: bool, within: Ids | None) -> Members:
        """The members before any extreme or group."""
        hops = self.bound.hops(query.steps)
        levels = self._levels(within, hops, query.start)
        members = self._start(query, top=top, within=levels[0])
        for hop, level in zip(hops, levels[1:], strict=True):
            pairs = self.facts.step(members.ids, *hop)
            along = self._along(members, hop, pairs).within(level)
            if top:
                self.walks = partial(walks_apart, self.facts, members, hop, pairs)
            if top and within is None and len(members.ids) and not len(along.ids):
                self._note_direction(members, hop)
            members = along
        is_bounded = within is not None
        is_final = top and not is_bounded
        conditions = list[Callable[[Members], Members]]()
        if class_ := self.bound.class_of(query.of_class, query.class_id):
            conditions.append(partial(self._in_class, class_))
        conditions += [
            partial(filtered, self, condition, top=is_final) for condition in query.filters
        ]
        conditions += [partial(self._in_both, other, is_bounded) for other in query.also]
        conditions += [partial(self._less, other, is_bounded, is_final) for other in query.without]
        for condition in conditions:
            members = self.narrowed(members, condition(members), top=top)
        return members

    def _levels(
        self, within: Ids | None, hops: RelationPath, start: Start | None = None
    ) -> list[Ids | None]:
        """For each hop the nodes from which the known members are reached, the start first.

        None where that is not known, as before a first hop that was followed from the start before.
        """
        levels = [within]
        for index, (relation, inverse) in reversed([*enumerate(hops)]):
            after = levels[0]
            if not index and isinstance(start, tuple | Entity) and self._is_followed(start, hops):
                after = None
            if after is not None:
                after = distinct(np.sort(self.facts.step(after, relation, not inverse).targets))
            levels.insert(0, after)
        return levels

    # Starts

    def _is_followed(self, start: tuple[int, ...] | Entity, hops: RelationPath) -> bool:
        ids = self._start(Query(start=start), top=False, within=None).ids
        return self.facts.are_near(ids, *hops[0])

    def _start(self, query: Query, *, top: bool, within: Ids | None) -> Members:
        match query.start:
            case tuple() as numbers:
                terms = [self.bound.mentioned(number).term for number in numbers]
                ids = self.of_terms([term for term in terms if term is not None])
                return Members(ids).within(within)
            case Entity(entity=name, id=term):
                return Members(self.of_terms([self.bound.entities[term or name]]))
            case OfClass(name=name, id=term):
                class_ = self.bound.class_of(name, term)
                if class_ is None:
                    return Members(self.facts.every_thing() if within is None else within)
                ids = self._members_of_class(class_, within)
                return Members(ids, lambda one: self._membership(one, class_))
            case Domain() as domain:
                return self._having(self.bound.relation(domain), within)
            case AnyOf(any=sets):
                return union([self.inner(inner, within) for inner in sets])
            case Last() | Part() as start:
                return self._members_earlier(start)
            case Query() as inner:
                return self.inner(inner, within, top=top)

    def _having(self, relation: Term, within: Ids | None) -> Members:
        if within is None:
            ids = self.facts.having(relation)
        else:
            ids = distinct(self.facts.step(within, relation, False).sources)
        return Members(ids, lambda one: self.first_walk(one, ((relation, False),)))

    def _members_earlier(self, start: Last | Part) -> Members:
        if self.earlier is None:
            raise QuestionError(
                "the query speaks of earlier answers, and there are none",
                "ask it in a conversation",
            )
        proofs = dict(self.earlier(start))
        return Members(self.facts.ids(proofs), lambda one: proofs[self.facts.term(one)])

    def _members_of_class(self, class_: Term, within: Ids | None) -> Ids:
        if within is None:
            return self.facts.members(class_)
        wanted = self.facts.under(class_)
        pairs = [self.facts.step(within, kind, False) for kind in self.facts.kg.profile.types]
        members = [typed.sources[np.isin(typed.targets, wanted)] for typed in pairs]
        return distinct(np.sort(np.concatenate([NO_ONE, *members])))

    def _membership(self, member: int, class_: Term) -> Steps:
        """The step to a class that a member has, and those from there up to the class."""
        order = self.facts.kg.membership
        proofs = (
            (triple_step(self.facts, member, kind, False, target), *chain)
            for kind, target in self.facts.types_of(member)
            if (chain := order.upward(self.facts.term(target), class_)) is not None
        )
        return min(proofs, key=len, default=())

    # Hops, classes and other sets

    def _along(self, members: Members, hop: tuple[Term, bool], pairs: Pairs) -> Members:
        relation, inverse = hop
        order = np.lexsort((pairs.sources, pairs.targets))
        sources, targets = pairs.sources[order], pairs.targets[order]
        first = starts_run(targets)
        ids, sources = targets[first], sources[first]

        def prove(one: int) -> Steps:
            source = int(sources[np.searchsorted(ids, one)])
            step = triple_step(self.facts, source, relation, inverse, one)
            return (*members.prove(source), step)

        return Members(ids, prove)

    def _note_direction(self, members: Members, hop: tuple[Term, bool]) -> None:
        """Tell of a hop to nothing whose relation leads on the other way."""
        relation, inverse = hop
        if len(self.facts.step(members.ids[:_FEW], relation, not inverse).targets):
            name = name_of(self.facts, (hop,))
            ways = "from these, not to them" if inverse else "to these, not from them"
            self.notes.append(f"{name} leads {ways}: it is walked the other way")

    def _in_class(self, class_: Term, members: Members) -> Members:
        bounds = members.ids if len(members.ids) <= _FEW or self.within is not None else None
        class_members = Members(
            self._members_of_class(class_, bounds), lambda member: self._membership(member, class_)
        )
        return members.intersection(class_members)

    def _in_both(self, query: Query, is_bounded: bool, members: Members) -> Members:
        return members.intersection(self.inner(query, members.ids if is_bounded else None))

    def _less(self, query: Query, is_bounded: bool, top: bool, members: Members) -> Members:
        removed = self.inner(query, members.ids if is_bounded else None)
        if len(members.ids) and not names_only_things(query):
            self.miss(f"they are not among {self.words(query)}")
        ids = np.setdiff1d(members.ids, removed.ids, assume_unique=True)
        if top and not len(ids):
            self.contradict(members.intersection(removed))
        return Members(ids, members.prove)
