"""The layer that passes through mediators: `h -> M -> t` is one step by a joined relation.

A mediator is at neither end of a fact, unless another mediator leads to it: a walk passes through
one at a time and goes no further. A joined relation that is the same backwards is walked from head
to tail only.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence

from ..store import Way
from ..terms import Step, Term, Triple, is_literal
from .joining import is_own_inverse, joined_facts
from .layer import Derived, Layer, Run, read_enough
from .mediators import MOST_STEPS, Mediators
from .relations import Walked, parts_of

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
            return [[step for step in own if inverse or not step.inverse] for own in made]

        return read_enough(nodes, limit, read, derive)

    def follow_each(self, ways: Sequence[Way], *, limit: int = 100_000) -> list[list[Step]]:
        """The steps of each way, sorted by target."""

        def read(some: Sequence[Way], most: int) -> list[list[Step]]:
            return self._inner.follow_each([_beginning(way) for way in some], limit=most)

        def derive(some: Sequence[Way], around: list[list[Step]]) -> list[list[Step]]:
            made = self._collapsed([way.node for way in some], around)
            return [
                [s for s in own if (s.triple.relation, s.inverse) == (way.relation, way.inverse)]
                for way, own in zip(some, made, strict=True)
            ]

        return read_enough(ways, limit, read, derive)

    def relations_at(self, nodes: Sequence[Term], inverse: bool) -> list[list[Term]]:
        """The relations of the facts that leave each node, or with `inverse` reach it; sorted.

        Of each relation below, the first few steps show where it leads.
        """
        ways = [
            Way(node, relation, back)
            for back in (False, True)
            for node, own in zip(nodes, self._inner.relations_at(nodes, back), strict=True)
            for relation in own
        ]
        around: defaultdict[Term, list[Step]] = defaultdict(list)
        for way, steps in zip(
            ways, self._inner.follow_each(ways, limit=_MOST_SAMPLED), strict=True
        ):
            around[way.node].extend(steps)
        made = self._collapsed(nodes, [around[node] for node in nodes])
        return [sorted({s.triple.relation for s in own if s.inverse == inverse}) for own in made]

    def facts(self) -> Iterator[Triple]:
        """Every fact, each once. The triples of mediators are kept in memory, and joined last."""
        looks_like_one = self._mediators.all()
        apart: list[Triple] = []
        through: defaultdict[Term, list[Step]] = defaultdict(list)
        for fact in self._inner.facts():
            head, tail = looks_like_one(fact.head), looks_like_one(fact.tail)
            if head:
                through[fact.head].append(Step(fact))
            if tail and not self._inner.is_one_way(fact):
                through[fact.tail].append(Step(fact, True))
            if head or tail:
                apart.append(fact)
            else:
                yield fact
        mediators = {node: steps for node, steps in through.items() if len(steps) <= MOST_STEPS}
        yield from (fact for fact in apart if mediators.keys().isdisjoint({fact.head, fact.tail}))
        seen: set[Triple] = set()
        for steps in mediators.values():
            for fact in joined_facts(steps):
                if fact not in seen:
                    seen.add(fact)
                    yield fact

    def is_one_way(self, triple: Triple) -> bool:
        """Whether the fact's relation is the same backwards, or as in the layer below."""
        if parts_of(triple.relation):
            return is_own_inverse(triple.relation) and not is_literal(triple.tail)
        return self._inner.is_one_way(triple)

    def expand(self, steps: Sequence[Step]) -> list[Run | None]:
        """The triples to the first mediator that connects both ends, and from it."""
        passed = self._mediators_of([step for step in steps if parts_of(step.triple.relation)])
        pairs = [_through(step, passed.get(step)) for step in steps]
        runs = iter(self._inner.expand([part for pair in pairs if pair for part in pair]))
        found: list[Run | None] = []
        for pair in pairs:
            parts = [next(runs) for _ in pair or ()]
            whole = [part for part in parts if part is not None]
            lost = pair is None or len(whole) < len(parts)
            found.append(None if lost else tuple(step for part in whole for step in part))
        return found

    def _collapsed(
        self, nodes: Sequence[Term], around: Sequence[Sequence[Step]]
    ) -> list[list[Step]]:
        """What the steps of each node, some or all of them, lead to, through mediators or not."""
        targets = {step.target for steps in around for step in steps}
        through = self._steps_of({*nodes, *targets})
        made: list[list[Step]] = []
        for node, steps in zip(nodes, around, strict=True):
            own: set[Step] = set()
            if node not in through:
                own.update(step for step in steps if step.target not in through)
            ends = {step.target: step.source for step in steps if step.target != step.source}
            for mediator, end in ends.items():
                for fact in joined_facts(through.get(mediator, ()), end):
                    own.update(self._steps(fact, end))
            made.append(list(own))
        return made

    def _steps(self, fact: Triple, end: Term) -> Iterator[Step]:
        if fact.head == end:
            yield Step(fact)
        if fact.tail == end and not self.is_one_way(fact):
            yield Step(fact, True)

    def _steps_of(self, terms: set[Term]) -> dict[Term, list[Step]]:
        """The mediators among some terms, with their steps."""
        like = sorted(self._mediators.among(sorted(terms)))
        around = self._inner.neighbours(like, limit=MOST_STEPS + 1) if like else []
        found = zip(like, around, strict=True)
        return {node: steps for node, steps in found if len(steps) <= MOST_STEPS}

    def _mediators_of(self, steps: Sequence[Step]) -> dict[Step, Term]:
        """The smallest mediator that each joined step passes through, looked up from one end."""
        candidates: dict[Step, set[Term]] = {}
        for limit in _LIMITS:
            for place in (0, 1):
                left = [step for step in dict.fromkeys(steps) if step not in candidates]
                ways = [_ends(step)[place] for step in left]
                around = self._inner.follow_each(ways, limit=limit) if ways else []
                for step, found in zip(left, around, strict=True):
                    if len(found) < limit:
                        candidates[step] = {way.target for way in found}
        through = self._steps_of(set[Term]().union(*candidates.values()))
        passed: dict[Step, Term] = {}
        for step, nodes in candidates.items():
            for node in sorted(nodes & through.keys()):
                if step.triple in joined_facts(through[node], step.source):
                    passed[step] = node
                    break
        return passed


def _ends(step: Step) -> list[Way]:
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
