"""What the automata ask of a KG's index, whether it was made ahead of time or grows as they walk.

Nodes, runs, edges and relations are numbers. A relation is `2 * r`, walked from head to tail, or
`2 * r + 1`, walked from tail to head, for the r-th term of `relations`. A run is the edges that
leave one node by one relation in one direction. The runs of a node lie side by side, sorted by the
tokens of their relations. So do the edges of a run, sorted by the tokens of their targets, once the
run is in order; until then its edges have no lasting numbers.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple, Protocol

import numpy as np

from ..kg.terms import Term
from .arrays import EMPTY, Array
from .units import Branch, Tokens, UnitStyle, always


class Terms(Protocol):
    """Terms by their numbers, and back."""

    def __len__(self) -> int: ...

    def __getitem__(self, index: int, /) -> Term: ...

    def find(self, text: str, /) -> int | None:
        """The number of a term, or None."""
        ...


class Units(Protocol):
    """How entities or relations are spelled, by number; see `UnitTable`."""

    def unit(self, name: int) -> Tokens:
        """The tokens of one name."""
        ...

    def read(self, names: Array, depth: int) -> Array:
        """For each of the names, whether it has no more than `depth` tokens."""
        ...

    def fork(
        self, names: Array, depth: int, goes_on: Callable[[int], bool] = always
    ) -> tuple[list[Branch], int | None]:
        """How names that share `depth` tokens go on, and which one ends here."""
        ...

    def ordered(self, names: Array) -> Array:
        """Some names in the order of their units."""
        ...


class GraphIndex(Protocol):
    """The KG as the decoder sees it."""

    @property
    def style(self) -> UnitStyle:
        """How walks are spelled."""
        ...

    @property
    def whole(self) -> bool:
        """Whether everything is known and in order, so that nothing is ever looked up."""
        ...

    @property
    def entities(self) -> Terms:
        """The entities known so far."""
        ...

    @property
    def relations(self) -> Terms:
        """The relations known so far."""
        ...

    @property
    def entity_table(self) -> Units:
        """The units of the entities, inside a walk."""
        ...

    @property
    def relation_table(self) -> Units:
        """The units of the relations, in both directions, inside a walk."""
        ...

    @property
    def run_relation(self) -> Array:
        """The relation of each run."""
        ...

    @property
    def run_edges(self) -> Array:
        """The first edge of each run, and the end of the last."""
        ...

    @property
    def edge_target(self) -> Array:
        """The node that each edge reaches."""
        ...

    def find(self, terms: Sequence[Term]) -> list[int | None]:
        """The node of each term, None where no fact holds it; one look-up for those not known."""
        ...

    def missing(self, nodes: Array) -> Array:
        """Those of the nodes whose runs are not known."""
        ...

    def disordered(self, runs: Array) -> Array:
        """Those of the runs whose edges are not in order."""
        ...

    def fetch(self, nodes: Array = EMPTY, runs: Array = EMPTY) -> None:
        """Learn what leaves the nodes, and put the runs in order; one look-up for all."""
        ...

    def leaving(self, node: int) -> tuple[int, int]:
        """The first run of a node and the end of its last; looked up where it is missing."""
        ...

    def runs(self, nodes: Array) -> Array:
        """Every run that leaves one of the nodes, in the order of the nodes; looked up likewise."""
        ...

    def edges(self, runs: Array) -> Array:
        """Every edge of the runs, in their order."""
        ...


class Runs(NamedTuple):
    """Steps in the order that makes a graph a trie: by node, then relation, then target."""

    source: Array
    """The node of each run."""
    relation: Array
    """The relation of each run, with its direction."""
    edges: Array
    """The first edge of each run, and the end of the last."""
    target: Array
    """The node that each edge reaches."""


def runs_of(
    source: Array, walked: Array, target: Array, relation_ranks: Array, target_ranks: Array
) -> Runs:
    """Put distinct steps in order; the ranks say for each step where its tokens come."""
    order = np.lexsort((target_ranks, relation_ranks, source))
    source, walked, target = source[order], walked[order], target[order]
    new = np.ones(len(source), bool)
    new[1:] = (source[1:] != source[:-1]) | (walked[1:] != walked[:-1])
    first = np.flatnonzero(new)
    return Runs(source[first], walked[first], np.append(first, len(source)), target)
