"""The order that makes a graph a trie: steps by node, then relation, then target."""

from typing import NamedTuple

import numpy as np

from .strings import Array


class Runs(NamedTuple):
    """Steps in order. A run is those that leave one node by one relation, in one direction."""

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


def distinct(numbers: Array) -> Array:
    """The different numbers, ascending; fast where none is large."""
    return np.flatnonzero(np.bincount(numbers))


def places(numbers: Array, ordered: Array) -> Array:
    """The place of each of the numbers in `ordered`, which holds them all once."""
    table = np.empty(int(ordered.max(initial=-1)) + 1, np.int64)
    table[ordered] = np.arange(len(ordered))
    return table[numbers]
