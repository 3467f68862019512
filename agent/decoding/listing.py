"""The paths of a question as texts and as one regular expression, for decoders that are not ours.

A server that decodes by a regular expression needs all paths ahead of time, so they are listed, and
their number is capped: each relation path from each topic gives one path in turn, short ones first,
so that no hub crowds out the others. What the cap left out is reported.
"""

from collections import deque
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, TypeAlias

import numpy as np

from ..errors import NoPathError
from ..kg import Labels
from ..kg.terms import Path, RelationPath, Step, Term, Triple
from .graph_index import GraphIndex
from .paths import PathLimits
from .permitted import Permitted
from .regex import alternation
from .spelling import spell_paths
from .wire import SEPARATOR

MAX_PATHS = 1_000

_Trail: TypeAlias = tuple[int, ...]
"""The topic's node, then run and edge of each hop."""


class _Kind(NamedTuple):
    """A topic and a relation path, whose relations are walked as in the index."""

    topic: int
    walked: tuple[int, ...]


class Cut(NamedTuple):
    """A relation path of which some paths are not listed."""

    topic: Term
    relations: RelationPath


@dataclass(frozen=True)
class ListedPaths:
    """Paths by their text, `France -> borders -> Spain`, and what was cut.

    Texts are unique: names that are written alike are numbered.
    """

    paths: Mapping[str, Path]
    cut: tuple[Cut, ...]
    more: bool
    """Whether there are relation paths that are not listed at all; `cut` does not name them."""

    @property
    def complete(self) -> bool:
        """Whether every legal path is listed."""
        return not self.cut and not self.more

    @cached_property
    def regex(self) -> str:
        """An expression that matches these texts and no others, for a match of the whole reply.

        It holds nothing but literals, escapes, groups, `|` and `?`, which every engine knows.
        """
        return alternation(text.split(SEPARATOR) for text in self.paths)

    def find(self, text: str) -> Path | None:
        """The path that a reply spells, blanks around it aside; None where it is not listed."""
        return self.paths.get(text.strip())


def list_paths(
    index: GraphIndex,
    labels: Labels,
    topics: Collection[Term],
    limits: PathLimits,
    *,
    max_paths: int = MAX_PATHS,
) -> ListedPaths:
    """At most `max_paths` of the paths that `ReasoningPaths` allows under the same limits.

    Raises NoPathError when the graph holds no legal walk from any of the topics.
    """
    walker = _Walker(index, topics, limits)
    trails: list[_Trail] = []
    waiting: deque[tuple[_Kind, Iterator[_Trail]]] = deque()
    kinds = walker.kinds()
    for kind in kinds:
        rest = walker.trails(kind)
        if (trail := next(rest, None)) is not None:
            trails.append(trail)
            waiting.append((kind, rest))
            if len(trails) >= max_paths:
                break
    while waiting and len(trails) < max_paths:
        kind, rest = waiting.popleft()
        if (trail := next(rest, None)) is not None:
            trails.append(trail)
            waiting.append((kind, rest))
    if not trails:
        raise NoPathError(
            f"no path of up to {limits.hops} hops leaves the topic entities",
            "allow more hops or both directions",
        )
    cut = [kind for kind, rest in waiting if next(rest, None) is not None]
    more = any(next(walker.trails(kind), None) is not None for kind in kinds)
    paths = [walker.path(trail) for trail in trails]
    return ListedPaths(
        dict(zip(spell_paths(labels, paths), paths, strict=True)),
        tuple(Cut(index.entities[kind.topic], walker.relations(kind.walked)) for kind in cut),
        more,
    )


class _Walker:
    """The legal walks of one question, each made when it is asked for."""

    def __init__(self, index: GraphIndex, topics: Collection[Term], limits: PathLimits) -> None:
        self._index = index
        self._limits = limits
        self._permitted = Permitted(index, limits.excluded, inverse=limits.inverse)
        found = index.find([*dict.fromkeys(topics)])
        self._topics = [node for node in found if node is not None]
        others = (node for node in index.find(sorted(limits.others)) if node is not None)
        topic_set = frozenset((*self._topics, *others))
        self._banned = topic_set if limits.revisits == "no-topic" else frozenset[int]()

    def kinds(self) -> Iterator[_Kind]:
        """Each topic and relation path that may have walks, breadth first."""
        waiting = deque((_Kind(topic, ()), np.array([topic])) for topic in self._topics)
        while waiting:
            kind, nodes = waiting.popleft()
            runs = self._index.runs(nodes)
            walked = self._index.run_relation[runs]
            for relation in np.unique(walked[self._permitted.mask[walked]]).tolist():
                longer = _Kind(kind.topic, (*kind.walked, relation))
                yield longer
                if len(longer.walked) < self._limits.hops:
                    edges = self._index.edges(runs[walked == relation])
                    reached = np.unique(self._index.edge_target[edges])
                    waiting.append((longer, reached[~np.isin(reached, [*self._banned])]))

    def trails(self, kind: _Kind) -> Iterator[_Trail]:
        """The walks of one kind."""
        if not kind.walked:
            yield (kind.topic,)
            return
        index, (*before, relation) = self._index, kind.walked
        for trail in self.trails(_Kind(kind.topic, tuple(before))):
            node = self._end(trail)
            first, last = index.leaving(node)
            for run in np.flatnonzero(index.run_relation[first:last] == relation).tolist():
                index.order(np.array([first + run]))
                lo, hi = index.run_edges[first + run : first + run + 2].tolist()
                for edge in range(lo, hi):
                    if self._may_visit(int(index.edge_target[edge]), trail):
                        yield (*trail, first + run, edge)

    def path(self, trail: _Trail) -> Path:
        """The path in RDF terms."""
        index = self._index
        topic, steps = index.entities[trail[0]], list[Step]()
        place = topic
        for run, edge in zip(trail[1::2], trail[2::2], strict=True):
            (relation, inverse), target = self._relation(run), self._target(edge)
            ends = (target, place) if inverse else (place, target)
            steps.append(Step(Triple(ends[0], relation, ends[1]), inverse))
            place = target
        return Path(topic, tuple(steps))

    def relations(self, walked: tuple[int, ...]) -> RelationPath:
        """The relation path in RDF terms."""
        return tuple((self._index.relations[w // 2], bool(w % 2)) for w in walked)

    def _relation(self, run: int) -> tuple[Term, bool]:
        return self.relations((int(self._index.run_relation[run]),))[0]

    def _target(self, edge: int) -> Term:
        return self._index.entities[int(self._index.edge_target[edge])]

    def _end(self, trail: _Trail) -> int:
        return int(self._index.edge_target[trail[-1]]) if trail[1:] else trail[0]

    def _may_visit(self, node: int, trail: _Trail) -> bool:
        if self._limits.revisits != "simple":
            return node not in self._banned
        visited = (int(self._index.edge_target[edge]) for edge in trail[2::2])
        return node != trail[0] and node not in visited
