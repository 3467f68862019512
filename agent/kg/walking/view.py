"""What one question may see of a KG: a bounded view that grows where a walk goes."""

import sys
from collections import OrderedDict
from collections.abc import Callable, Sequence, Set
from contextlib import suppress
from dataclasses import dataclass
from threading import Lock
from time import monotonic
from typing import NamedTuple

from ...errors import ServiceError
from ..store import Labels, Store, metered
from ..terms import Step, Term, Triple
from .hubs import Side, relevant_steps, represent, shares, step_order
from .ranking import BM25Ranker, Ranker

_MOST_AHEAD = 1_000
"""Names that are asked for before a walk gets there."""


@dataclass(frozen=True)
class ViewLimits:
    """How much a view may show; None is no limit.

    `max_triples` in all, `max_degree` steps of a node; with `inverse` also from tail to head; never
    by an excluded relation, which is no cut.
    """

    max_triples: int | None = 100_000
    max_degree: int | None = 500
    inverse: bool = True
    excluded: frozenset[Term] = frozenset()


class Cut(NamedTuple):
    """A node with `allowed` steps that no limit excludes, of which a view shows only `shown`.

    With `more` it has others: the look-up was bounded, or was not made as the view was full.
    """

    node: Term
    shown: int
    allowed: int
    more: bool


class Neighbours(NamedTuple):
    """The steps of a node as they were read, and whether it has more."""

    steps: tuple[Step, ...]
    more: bool


class NeighbourCache:
    """Remembers the neighbours of a store's nodes, for all questions. Safe to share by threads.

    Holds what the store said, before any view cuts it; so a view is the same with any cache of
    the same `limit`.
    """

    def __init__(
        self,
        store: Store,
        *,
        max_steps: int = 200_000,
        limit: int = 10_000,
        seconds: float | None = None,
    ) -> None:
        """Read at most `limit` steps a node and direction, and keep at most `max_steps` in all.

        A step takes some 400 bytes. The nodes that were used longest ago leave first, and all of
        them after so many `seconds`, where the store may change.
        """
        self._store = store
        self._max_steps = max_steps
        self._limit = limit
        self._steps = 0
        self._entries: OrderedDict[tuple[Term, bool], Neighbours] = OrderedDict()
        self._lock = Lock()
        self._seconds = seconds
        self._until = monotonic() + (seconds or 0.0)

    def look_up(self, nodes: Sequence[Term], *, inverse: bool) -> tuple[list[Neighbours], int]:
        """The neighbours of each node, and how often the store was asked: a few times at most.

        A hub, with more facts in a direction than are read, has steps of every relation; where the
        store does not tell those, only what it gave first, and is asked again the next time. Raises
        ServiceError where the store does not answer.
        """
        distinct = dict.fromkeys(nodes)
        with self._lock:
            if self._seconds is not None and monotonic() >= self._until:
                self._entries.clear()
                self._steps, self._until = 0, monotonic() + self._seconds
            neighbours = {
                n: self._entries[n, inverse] for n in distinct if (n, inverse) in self._entries
            }
        missing = [node for node in distinct if node not in neighbours]
        requests, lost = 0, frozenset[Term]()
        if missing:
            new, lost, requests = self._read(missing, inverse)
            neighbours.update(new)
        self._remember(
            {node: read for node, read in neighbours.items() if node not in lost}, inverse
        )
        return [neighbours[node] for node in nodes], requests

    def _read(
        self, nodes: Sequence[Term], inverse: bool
    ) -> tuple[dict[Term, Neighbours], frozenset[Term], int]:
        """The neighbours of each node, the hubs whose relations were not told, and the requests."""
        # One more than the limit tells whether there are more.
        read = self._store.neighbours(nodes, inverse=inverse, limit=self._limit + 1)
        steps_of: dict[Side, list[Step]] = {
            (node, way): [step for step in steps if step.inverse == way]
            for node, steps in zip(nodes, read, strict=True)
            for way in (False, True)
        }
        # A reading may have stopped short of all steps in the other direction too.
        cut = {node for (node, _), steps in steps_of.items() if len(steps) > self._limit}
        ways = (False, True) if inverse else (False,)
        hubs = {(node, way): steps_of[node, way] for node in nodes if node in cut for way in ways}
        requests, silent_hubs = 1, frozenset[Term]()
        try:
            represented = represent(self._store, hubs, self._limit)
        except ServiceError:
            silent_hubs = frozenset(cut)
            steps_of |= {side: steps[: self._limit] for side, steps in hubs.items()}
        else:
            steps_of |= represented.steps
            requests += represented.requests
        neighbours: dict[Term, Neighbours] = {}
        for node in nodes:
            steps = sorted((*steps_of[node, False], *steps_of[node, True]), key=step_order)
            neighbours[node] = Neighbours(tuple(steps), node in cut)
        return neighbours, silent_hubs, requests

    def _remember(self, recent: dict[Term, Neighbours], inverse: bool) -> None:
        """Put these in front. A node without steps takes as much room as one step."""
        with self._lock:
            for node, neighbours in recent.items():
                old = self._entries.pop((node, inverse), None)
                self._steps -= _size(old) if old else 0
                if _size(neighbours) <= self._max_steps:
                    self._entries[node, inverse] = neighbours
                    self._steps += _size(neighbours)
            while self._steps > self._max_steps:
                self._steps -= _size(self._entries.popitem(last=False)[1])


class GraphView:
    """The neighbourhoods of a KG for one question, within limits; satisfies `Neighbourhood`.

    A node with more than `max_degree` steps shows its `relevant_steps`. So what it shows depends on
    nothing but the node, the question and the limits, until `max_triples` is reached: then the
    nodes of that batch share what is left, and later ones have no neighbours. A triple counts
    once, from whichever end it is walked.
    """

    def __init__(
        self,
        store: Store,
        labels: Labels,
        limits: ViewLimits,
        question: str,
        *,
        ranker: Ranker | None = None,
        cache: NeighbourCache | None = None,
        look_ahead: Callable[[Sequence[Term]], Sequence[Term]] | None = None,
    ) -> None:
        """Begin with nothing. `ranker` compares relations with the question, by default BM25.

        `cache` is what views of the same store share; without one the view has its own.
        `look_ahead` reads at once what is around nodes, with its names, and tells the terms that
        are there: also around those that the first nodes lead to, before the walk gets there.
        """
        self.requests = 0
        """How often the store was asked; of an endpoint, all requests, those for names too."""
        self._labels = labels
        self._limits = limits
        self._question = question
        self._ranker = ranker or BM25Ranker()
        self._cache = cache or NeighbourCache(store)
        self._max_degree = sys.maxsize if limits.max_degree is None else limits.max_degree
        self._max_triples = sys.maxsize if limits.max_triples is None else limits.max_triples
        self._shown: dict[Term, Sequence[Step]] = {}
        self._triples: set[Triple] = set()
        self._cuts: dict[Term, Cut] = {}
        self._look_ahead = look_ahead

    @property
    def triples(self) -> Set[Triple]:
        """The triples that were shown so far."""
        return self._triples

    @property
    def cuts(self) -> list[Cut]:
        """The nodes that have more steps than were shown, in the order of terms."""
        return [self._cuts[node] for node in sorted(self._cuts)]

    def names(self, terms: Sequence[Term]) -> list[str]:
        """The display name of each term."""
        with metered() as meter:
            names = self._labels.names(terms)
        self.requests += meter.requests
        return names

    def neighbours(self, nodes: Sequence[Term]) -> list[list[Step]]:
        """The steps that leave each node, as far as they are shown; sorted as a store's.

        At most one request to the store, and a few more where there are hubs. Raises ServiceError
        where the store or the labels do not answer; the view is then as before, and may be asked
        again.
        """
        new = sorted({node for node in nodes if node not in self._shown})
        if new:
            with metered() as meter:
                requests = self._show_ahead(new) if self._look_ahead else self._show(new)
            self.requests += meter.requests or requests
        return [list(self._shown[node]) for node in nodes]

    def _show_ahead(self, nodes: Sequence[Term]) -> int:
        """Show the neighbours of nodes, and first what the first of them lead to, with its names.

        What is not read here is asked for later.
        """
        look_ahead = self._look_ahead or list
        is_first = not self._shown
        look_ahead(nodes)
        requests = self._show(nodes)
        if not is_first:
            return requests
        steps = [step for node in nodes for step in self._shown[node]]
        near = dict.fromkeys(step.target for step in steps)
        terms = [*near, *(step.triple.relation for step in steps), *look_ahead([*near])]
        with suppress(ServiceError):
            self._labels.names(list(dict.fromkeys(terms))[:_MOST_AHEAD])
        return requests

    def _show(self, nodes: Sequence[Term]) -> int:
        """Show the neighbours of new nodes; how often the store was asked."""
        neighbours, requests = [Neighbours((), True)] * len(nodes), 0
        if len(self._triples) < self._max_triples:
            neighbours, requests = self._cache.look_up(nodes, inverse=self._limits.inverse)
        excluded = self._limits.excluded
        allowed = [
            [step for step in read.steps if step.triple.relation not in excluded]
            for read in neighbours
        ]
        kept = self._fitting([self._relevant(steps, self._max_degree) for steps in allowed])
        for node, read, steps, shown in zip(nodes, neighbours, allowed, kept, strict=True):
            self._shown[node] = shown
            self._triples.update(step.triple for step in shown)
            if read.more or len(shown) < len(steps):
                self._cuts[node] = Cut(node, len(shown), len(steps), read.more)
        return requests

    def _fitting(self, around: list[list[Step]]) -> list[list[Step]]:
        """The steps around each node that fit into the view, shared evenly where not all do."""
        new = [[step for step in steps if step.triple not in self._triples] for steps in around]
        room = self._max_triples - len(self._triples)
        if len({step.triple for steps in new for step in steps}) <= room:
            return around
        fitting = shares([len(steps) for steps in new], [1.0] * len(new), room)
        added = [set(self._relevant(*pair)) for pair in zip(new, fitting, strict=True)]
        return [
            [step for step in steps if step.triple in self._triples or step in some]
            for steps, some in zip(around, added, strict=True)
        ]

    def _relevant(self, steps: list[Step], most: int) -> list[Step]:
        return relevant_steps(steps, most, self._question, self._labels, self._ranker)


def _size(neighbours: Neighbours) -> int:
    return max(1, len(neighbours.steps))
