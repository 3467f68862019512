"""A reading is made of layers over a store; each presents virtual triples as facts.

A virtual triple stands for a run of real ones. It exists for walks only: `expand` turns it back.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Protocol, TypeVar

from ..store import Counts, Store, Way, count
from ..terms import Step, Term, Triple
from ..walking.hubs import step_order

T = TypeVar("T")

Run = tuple[Step, ...]
"""Steps along real triples, each from where the one before ends."""


class Layer(Store, Protocol):
    """A store of virtual and real triples; `holds` and `statements` are those of the source.

    A node may have less than all steps in one direction where it has more than `limit` in the
    other.
    """

    def is_one_way(self, triple: Triple) -> bool:
        """Whether a fact is walked from head to tail only, as another says it backwards."""
        ...

    def expand(self, steps: Sequence[Step]) -> list[Run | None]:
        """The real steps that each step stands for, from its source to its target.

        None where there are none any more. Deterministic: of several runs the first in order.
        """
        ...


class NodeSource(Protocol):
    """Where the triples are of the nodes by which facts are said."""

    def follow_each(self, ways: Sequence[Way], *, limit: int = 100_000) -> list[list[Step]]:
        """The steps of each way to or from such a node, sorted by target."""
        ...

    def statements(self, predicate: Term) -> Iterator[Triple]:
        """Every triple of one predicate, in no particular order."""
        ...


class CheckedLayer(Layer, Protocol):
    """A layer that says of any triple whether it presents it."""

    def has(self, triples: Sequence[Triple]) -> Sequence[bool | None]:
        """Whether each triple is a fact of the layer; None where the source did not say."""
        ...


class Derived(ABC):
    """What layers share: all that is asked of the source itself."""

    def __init__(self, inner: Layer) -> None:
        self.source = inner.source
        self._under = inner

    @abstractmethod
    def facts(self) -> Iterator[Triple]:
        """Every fact, each once, in no particular order."""

    @abstractmethod
    def follow_each(self, ways: Sequence[Way], *, limit: int = 100_000) -> list[list[Step]]:
        """The steps of each way, sorted by target."""

    def follow(
        self, nodes: Sequence[Term], relation: Term, inverse: bool, *, limit: int = 100_000
    ) -> list[list[Step]]:
        """The steps that leave each node by one relation in one direction, sorted by target."""
        return self.follow_each([Way(node, relation, inverse) for node in nodes], limit=limit)

    def holds(self, triples: Sequence[Triple]) -> Sequence[bool | None]:
        """Whether each triple is in the source itself."""
        return self._under.holds(triples)

    def statements(self, predicate: Term) -> Iterator[Triple]:
        """Every triple of one predicate in the source itself."""
        return self._under.statements(predicate)

    def counts(self) -> Counts:
        """The triples of the source, and the facts of the layer, which are counted one by one."""
        return count(self._under.counts().triples, self.facts())


class Plain:
    """The bottom layer: the facts of a store as they are."""

    def __init__(self, store: Store) -> None:
        self.source = store.source
        self.neighbours = store.neighbours
        self.follow = store.follow
        self.relations_at = store.relations_at
        self.holds = self.has = store.holds
        self.facts = store.facts
        self.statements = store.statements
        self.counts = store.counts
        self._store = store

    def follow_each(self, ways: Sequence[Way], *, limit: int = 100_000) -> list[list[Step]]:
        """The steps of each way; where most are by few relations, asked for by relation."""
        groups: dict[tuple[Term, bool], list[Term]] = {}
        for way in ways:
            groups.setdefault((way.relation, way.inverse), []).append(way.node)
        if 2 * len(groups) > len(ways):
            return self._store.follow_each(ways, limit=limit)
        steps_of: dict[Way, list[Step]] = {}
        for (relation, inverse), nodes in groups.items():
            step_lists = self._store.follow(nodes, relation, inverse, limit=limit)
            for node, steps in zip(nodes, step_lists, strict=True):
                steps_of[Way(node, relation, inverse)] = steps
        return [list(steps_of[way]) for way in ways]

    def is_one_way(self, triple: Triple) -> bool:
        """No: every fact is walked both ways."""
        return False

    def expand(self, steps: Sequence[Step]) -> list[Run | None]:
        """Every step stands for itself."""
        return [(step,) for step in steps]


def read_enough(
    items: Sequence[T],
    limit: int,
    read: Callable[[Sequence[T], int], list[list[Step]]],
    derive: Callable[[Sequence[T], list[list[Step]]], list[list[Step]]],
) -> list[list[Step]]:
    """What `derive` makes of what is read for each item: at most `limit` steps a direction.

    As one step may be made of several, or of none, an item for which less came out is read further,
    until `limit` steps are made or all is read.
    """
    results: dict[T, list[Step]] = {}
    left, read_limit = list(dict.fromkeys(items)), limit
    while left:
        around = read(left, read_limit)
        cut_items: list[T] = []
        for item, steps, made in zip(left, around, derive(left, around), strict=True):
            if most(steps) < read_limit or most(made) >= limit:
                results[item] = first_steps(made, limit)
            else:
                cut_items.append(item)
        left, read_limit = cut_items, read_limit * 8
    return [list(results[item]) for item in items]


def most(steps: Sequence[Step]) -> int:
    """The number of steps in the direction that has more."""
    backwards = sum(step.inverse for step in steps)
    return max(backwards, len(steps) - backwards)


def first_steps(steps: Iterable[Step], limit: int) -> list[Step]:
    """The first distinct steps in each direction, sorted as stores sort them."""
    ordered = sorted(set(steps), key=step_order)
    if most(ordered) <= limit:
        return ordered
    kept = [0, 0]
    chosen: list[Step] = []
    for step in ordered:
        kept[step.inverse] += 1
        if kept[step.inverse] <= limit:
            chosen.append(step)
    return chosen


def choose(layer: CheckedLayer, candidates: Sequence[Sequence[Step]]) -> list[Step | None]:
    """The first of each group of steps that the layer presents, else the first that may be one.

    A step that is alone is taken as it is: verification asks for it anyway.
    """
    triples = [step.triple for group in candidates if len(group) > 1 for step in group]
    distinct = list(dict.fromkeys(triples))
    verdict_of = dict(zip(distinct, layer.has(distinct), strict=True)) if distinct else {}

    def best(group: Sequence[Step]) -> Step | None:
        if len(group) == 1:
            return group[0]
        for wanted in (True, None):
            if step := next((s for s in group if verdict_of.get(s.triple) is wanted), None):
                return step
        return None

    return [best(group) for group in candidates]
