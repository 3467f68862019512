"""The layer that passes through mediators: `h -> M -> t` is one step by a joined relation.

Mediators are statement (CVT) nodes, which stand between what they connect. A mediator is at neither
end of a fact, unless another mediator leads to it: a walk passes through one at a time and goes no
further. A joined relation that is the same backwards is walked from head to tail only.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain

from ...caching import Recent
from ..profile import UNLABELLED, Profile
from ..store import Store, Way
from ..terms import Step, Term, Triple, is_literal
from .layer import Derived, Layer, Run, read_enough
from .relations import Joined, Walked, parts_of
from .statements import StatementStore

MOST_STEPS = 50
"""Steps that may leave a mediator. A node with more is an entity, whatever it looks like."""

_MOST_REMEMBERED = 100_000
_MOST_LABELS = 100
"""Labels read of a node, so that those in many languages do not fill an answer."""


class Mediators:
    """Tells nodes that look like mediators, in batches; safe to share between threads.

    They are of `Profile.nodes`, or statements about triples. Whether they are ones shows by their
    steps.
    """

    def __init__(self, store: Store, profile: Profile, statements: StatementStore) -> None:
        self._store = store
        self._labels = profile.labels if UNLABELLED in profile.nodes else ()
        self._unlabelled = UNLABELLED in profile.nodes
        self._prefixes = tuple(text for text in profile.nodes if text != UNLABELLED)
        self._statements = statements
        self._known: Recent[Term, bool] = Recent(_MOST_REMEMBERED)

    def among(self, terms: Iterable[Term]) -> set[Term]:
        """Those of the terms that look like mediators. Raises ServiceError."""
        wanted = [term for term in terms if not is_literal(term)]
        return {term for term, is_one in self._known.take(wanted, self._read).items() if is_one}

    def all(self) -> Callable[[Term], bool]:
        """What tells every node of the KG, for reading all of it; keeps labelled terms in memory.

        Raises ServiceError.
        """
        labelled = {t.head for label in self._labels for t in self._store.statements(label)}
        statements = self._statements.nodes()

        def looks_like_one(term: Term) -> bool:
            if is_literal(term):
                return False
            unlabelled = self._unlabelled and term not in labelled
            return unlabelled or term in statements or term.startswith(self._prefixes)

        return looks_like_one

    def _read(self, terms: list[Term]) -> dict[Term, bool]:
        verdicts = {term: term.startswith(self._prefixes) for term in terms}
        if self._unlabelled:
            left = [term for term in terms if not verdicts[term]]
            for label in self._labels:
                left = self._lacking(left, label)
            verdicts.update(dict.fromkeys(left, True))
        others = [term for term, is_one in verdicts.items() if not is_one]
        verdicts.update(dict.fromkeys(self._statements.among(others), True))
        return verdicts

    def _lacking(self, terms: Sequence[Term], predicate: Term) -> list[Term]:
        """The terms that are the head of no triple of a predicate."""
        if not terms:
            return []
        steps_by_term = self._store.follow(terms, predicate, False, limit=_MOST_LABELS)
        return [term for term, steps in zip(terms, steps_by_term, strict=True) if not steps]


_Ends = dict[Term, list[Term]]
"""Relations of a mediator by what is at their other end."""


def joined_facts(steps: Sequence[Step], end: Term | None = None) -> Iterator[Triple]:
    """The facts through a mediator, whose steps are given; with `end`, those from or to it.

    `h -> M -> t` is one fact from h to t. Where the mediator's triples with two ends do not follow
    one another in either direction, they are joined all the same, as both leave it or both reach
    it: then the fact is from the end whose relation comes first, and to the literal if there is
    one. No fact is made of one triple alone, nor of two literals.
    """
    leaving: defaultdict[Term, list[Term]] = defaultdict(list)
    arriving: defaultdict[Term, list[Term]] = defaultdict(list)
    for step in steps:
        if step.target != step.source:
            (arriving if step.inverse else leaving)[step.target].append(step.triple.relation)
    ends = sorted({*leaving, *arriving})
    for i, one in enumerate(ends):
        for other in ends[i:]:
            if end is None or end in (one, other):
                yield from _facts_between(one, other, leaving, arriving)


def _is_symmetric(relation: Term) -> bool:
    """Whether a joined relation is the same backwards."""
    joined = parts_of(relation)
    return joined is not None and joined == joined.turned


def _facts_between(end: Term, other_end: Term, leaving: _Ends, arriving: _Ends) -> Iterator[Triple]:
    following = set(_following(end, other_end, leaving, arriving))
    following.update(_following(other_end, end, leaving, arriving))
    if following:
        yield from following
        return
    inverse = end in leaving
    ways = leaving if inverse else arriving
    for near in ways.get(end, ()):
        for far in ways.get(other_end, ()):
            if end != other_end or near < far:
                yield from _symmetric(end, Joined((near, inverse), (far, not inverse)), other_end)


def _following(head: Term, tail: Term, leaving: _Ends, arriving: _Ends) -> Iterator[Triple]:
    for first in arriving.get(head, ()):
        for second in leaving.get(tail, ()):
            yield Triple(head, Joined((first, False), (second, False)).term, tail)


def _symmetric(head: Term, joined: Joined, tail: Term) -> Iterator[Triple]:
    forward, backward = Triple(head, joined.term, tail), Triple(tail, joined.turned.term, head)
    if is_literal(head) or is_literal(tail):
        if not is_literal(head):
            yield forward
        elif not is_literal(tail):
            yield backward
    elif forward.relation == backward.relation:
        yield from {forward, backward}
    else:
        yield min(forward, backward, key=lambda triple: triple.relation)


_MOST_SAMPLED = 20
"""Steps of each relation of a hub that are looked at for where they lead."""

_LIMITS = (50, 1_000, 1_000_000)
"""Steps that are read from an end of a joined one, until that end is not a hub."""


class CollapsedStore(Derived):
    """Implements `Layer`."""

    def __init__(self, inner: Layer, mediators: Mediators) -> None:
        super().__init__(inner)
        self._inner = inner
        self._mediators = mediators

    def neighbours(
        self, nodes: Sequence[Term], *, inverse: bool = True, limit: int = 100_000
    ) -> list[list[Step]]:
        """The facts that leave each node, and with `inverse` those that reach it."""

        def read(some: Sequence[Term], most: int) -> list[list[Step]]:
            return self._inner.neighbours(some, limit=most)

        def derive(some: Sequence[Term], around: list[list[Step]]) -> list[list[Step]]:
            made = self._collapsed(some, around)
            return [[step for step in steps if inverse or not step.inverse] for steps in made]

        return read_enough(nodes, limit, read, derive)

    def follow_each(self, ways: Sequence[Way], *, limit: int = 100_000) -> list[list[Step]]:
        """The steps of each way, sorted by target."""

        def read(some: Sequence[Way], most: int) -> list[list[Step]]:
            return self._inner.follow_each([_beginning(way) for way in some], limit=most)

        def derive(some: Sequence[Way], around: list[list[Step]]) -> list[list[Step]]:
            made = self._collapsed([way.node for way in some], around)
            return [
                [s for s in steps if (s.triple.relation, s.inverse) == (way.relation, way.inverse)]
                for way, steps in zip(some, made, strict=True)
            ]

        return read_enough(ways, limit, read, derive)

    def relations_at(self, nodes: Sequence[Term], inverse: bool) -> list[list[Term]]:
        """The relations of the facts that leave each node, or with `inverse` reach it; sorted.

        Of each relation below, the first few steps show where it leads.
        """
        ways = [
            Way(node, relation, back)
            for back in (False, True)
            for node, relations in zip(nodes, self._inner.relations_at(nodes, back), strict=True)
            for relation in relations
        ]
        around: defaultdict[Term, list[Step]] = defaultdict(list)
        for way, steps in zip(
            ways, self._inner.follow_each(ways, limit=_MOST_SAMPLED), strict=True
        ):
            around[way.node].extend(steps)
        made = self._collapsed(nodes, [around[node] for node in nodes])
        return [
            sorted({s.triple.relation for s in relations if s.inverse == inverse})
            for relations in made
        ]

    def facts(self) -> Iterator[Triple]:
        """Every fact, each once. The triples of mediators are kept in memory, and joined last."""
        looks_like_one = self._mediators.all()
        mediator_triples: list[Triple] = []
        through: defaultdict[Term, list[Step]] = defaultdict(list)
        for fact in self._inner.facts():
            head, tail = looks_like_one(fact.head), looks_like_one(fact.tail)
            if head:
                through[fact.head].append(Step(fact))
            if tail and not self._inner.is_one_way(fact):
                through[fact.tail].append(Step(fact, True))
            if head or tail:
                mediator_triples.append(fact)
            else:
                yield fact
        mediators = {node: steps for node, steps in through.items() if len(steps) <= MOST_STEPS}
        yield from (
            fact for fact in mediator_triples if mediators.keys().isdisjoint({fact.head, fact.tail})
        )
        seen: set[Triple] = set()
        for steps in mediators.values():
            for fact in joined_facts(steps):
                if fact not in seen:
                    seen.add(fact)
                    yield fact

    def is_one_way(self, triple: Triple) -> bool:
        """Whether the fact's relation is the same backwards, or as in the layer below."""
        if parts_of(triple.relation):
            return _is_symmetric(triple.relation) and not is_literal(triple.tail)
        return self._inner.is_one_way(triple)

    def expand(self, steps: Sequence[Step]) -> list[Run | None]:
        """The triples to the first mediator that connects both ends, and from it."""
        passed = self._mediators_of([step for step in steps if parts_of(step.triple.relation)])
        pairs = [_through(step, passed.get(step)) for step in steps]
        runs = iter(self._inner.expand([part for pair in pairs if pair for part in pair]))
        return [_joined_run([next(runs) for _ in pair]) if pair else None for pair in pairs]

    def _collapsed(
        self, nodes: Sequence[Term], around: Sequence[Sequence[Step]]
    ) -> list[list[Step]]:
        """What the steps of each node, some or all of them, lead to, through mediators or not."""
        targets = {step.target for steps in around for step in steps}
        through = self._steps_of({*nodes, *targets})
        steps_by_node: list[list[Step]] = []
        for node, steps in zip(nodes, around, strict=True):
            derived: set[Step] = set()
            if node not in through:
                derived.update(step for step in steps if step.target not in through)
            ends = {step.target: step.source for step in steps if step.target != step.source}
            for mediator, end in ends.items():
                for fact in joined_facts(through.get(mediator, ()), end):
                    derived.update(self._steps(fact, end))
            steps_by_node.append(list(derived))
        return steps_by_node

    def _steps(self, fact: Triple, end: Term) -> Iterator[Step]:
        if fact.head == end:
            yield Step(fact)
        if fact.tail == end and not self.is_one_way(fact):
            yield Step(fact, True)

    def _steps_of(self, terms: set[Term]) -> dict[Term, list[Step]]:
        """The mediators among some terms, with their steps."""
        like = sorted(self._mediators.among(sorted(terms)))
        around = self._inner.neighbours(like, limit=MOST_STEPS + 1) if like else []
        pairs = zip(like, around, strict=True)
        return {node: steps for node, steps in pairs if len(steps) <= MOST_STEPS}

    def _mediators_of(self, steps: Sequence[Step]) -> dict[Step, Term]:
        """The smallest mediator that each joined step passes through, looked up from one end."""
        candidates: dict[Step, set[Term]] = {}
        for limit in _LIMITS:
            for end in (0, 1):
                left = [step for step in dict.fromkeys(steps) if step not in candidates]
                ways = [_ways_from_ends(step)[end] for step in left]
                around = self._inner.follow_each(ways, limit=limit) if ways else []
                for step, steps_there in zip(left, around, strict=True):
                    if len(steps_there) < limit:
                        candidates[step] = {way.target for way in steps_there}
        through = self._steps_of(set[Term]().union(*candidates.values()))
        mediator_of: dict[Step, Term] = {}
        for step, nodes in candidates.items():
            for node in sorted(nodes & through.keys()):
                if step.triple in joined_facts(through[node], step.source):
                    mediator_of[step] = node
                    break
        return mediator_of


def _ways_from_ends(step: Step) -> list[Way]:
    """The ways from both ends of a joined step to the mediators; from a literal last."""
    way = Way(step.source, step.triple.relation, step.inverse)
    back = Way(step.target, step.triple.relation, not step.inverse)
    return sorted((_beginning(way), _beginning(back)), key=lambda end: is_literal(end.node))


def _through(step: Step, mediator: Term | None) -> tuple[Step, ...] | None:
    """The two steps that a joined one stands for; any other stands for itself."""
    joined = parts_of(step.triple.relation)
    if joined is None:
        return (step,)
    if mediator is None:
        return None
    first, second = joined.turned if step.inverse else joined
    return _step(step.source, first, mediator), _step(mediator, second, step.target)


def _joined_run(parts: Sequence[Run | None]) -> Run | None:
    known = [part for part in parts if part is not None]
    return tuple(chain.from_iterable(known)) if len(known) == len(parts) else None


def _step(source: Term, walked: Walked, target: Term) -> Step:
    relation, inverse = walked
    return Step(
        Triple(target, relation, source) if inverse else Triple(source, relation, target), inverse
    )


def _beginning(way: Way) -> Way:
    """The way to where a joined relation passes through, or the way itself."""
    joined = parts_of(way.relation)
    if not joined:
        return way
    relation, inverse = joined.turned.first if way.inverse else joined.first
    return Way(way.node, relation, inverse)
