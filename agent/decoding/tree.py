"""The trees of visited tokens, and what is known after their nodes.

Beams that share a prefix share its nodes. `forward.py` and `lines.py` evaluate the nodes: from
their hidden states come the log-probabilities, of the legal tokens only where that is enough.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from ..errors import ConstraintError
from .network import Network, Vector, split


def log_softmax(values: Vector) -> Vector:
    """Log-probabilities over the given logits."""
    top = values.max()
    return values - top - np.log(np.exp(values - top).sum())


def _log_softmax_of_each(rows: Sequence[Vector]) -> list[Vector]:
    """`log_softmax` of each of some rows, none of which is empty."""
    lengths = [len(row) for row in rows]
    starts = np.cumsum([0, *lengths[:-1]])
    values = np.concatenate(rows)
    values -= np.repeat(np.maximum.reduceat(values, starts), lengths)
    values -= np.repeat(np.log(np.add.reduceat(np.exp(values), starts)), lengths)
    return split(values, rows)


ROOT = 0
"""The node that stands for the end of the prompt."""


class TokenTree:
    """A tree of the tokens after one prompt.

    Nodes are numbered in the order in which they are made, parents before children.
    """

    def __init__(self) -> None:
        self.parents = [-1]
        self.tokens = [-1]
        self.depths = [0]
        self._children: dict[tuple[int, int], int] = {}

    def child(self, node: int, token: int) -> int:
        """The node that follows `node` by `token`; made when it is new."""
        key = (node, token)
        child = self._children.get(key)
        if child is None:
            child = self._children[key] = len(self.parents)
            self.parents.append(node)
            self.tokens.append(token)
            self.depths.append(self.depths[node] + 1)
        return child

    def line(self, node: int) -> list[int]:
        """The nodes from the first one after the root down to `node`."""
        line = list[int]()
        while node != ROOT:
            line.append(node)
            node = self.parents[node]
        line.reverse()
        return line


_CHUNK = 64
"""How many rows of a whole vocabulary are held at a time."""


class Evaluated(ABC):
    """The trees of some prompts, and a hidden state (or logits) for each evaluated node.

    A subclass says how nodes are evaluated. Not safe to share between threads.
    """

    def __init__(self, network: Network, prompts: Sequence[Sequence[int]]) -> None:
        self.network = network
        self.trees = [TokenTree() for _ in prompts]
        self.forward_passes = 0
        self.prompt_tokens = [0] * len(prompts)
        self.tokens = [0] * len(prompts)
        self._prompts = [list(prompt) for prompt in prompts]
        self._states: list[dict[int, Any]] = [{} for _ in prompts]

    @abstractmethod
    def evaluate(self, nodes_by_row: Mapping[int, Iterable[int]]) -> None:
        """Compute the given nodes of each row and those above them.

        Raises ConstraintError where the model's context is too short for prompt and walk.
        """

    def known(self, row: int, node: int) -> bool:
        """Whether what follows a node is known."""
        return node in self._states[row]

    def logits(self, nodes: Sequence[tuple[int, int]]) -> Vector:
        """The logits after each (row, node): shape (nodes, vocabulary)."""
        return self.network.logits(self._states_of(nodes))

    def logprobs(
        self, nodes: Sequence[tuple[int, int]], legal: Sequence[Sequence[int]], *, full: bool
    ) -> list[Vector]:
        """The log-probabilities after each (row, node) of its legal tokens.

        Over the whole vocabulary with `full`, else renormalised over the legal tokens.
        """
        states = self._states_of(nodes)
        if not full:
            return _log_softmax_of_each(self.network.logits_of(states, legal))
        logprobs = list[Vector]()
        for start in range(0, len(states), _CHUNK):
            some = slice(start, start + _CHUNK)
            logprobs += self.network.logprobs(states[some], legal[some])
        return logprobs

    def _states_of(self, nodes: Sequence[tuple[int, int]]) -> list[Any]:
        return [self._states[row][node] for row, node in nodes]

    def _fresh(self, row: int, nodes: Iterable[int]) -> list[int]:
        known, tree = self._states[row], self.trees[row]
        fresh: set[int] = set()
        for node in nodes:
            while node != ROOT and node not in known and node not in fresh:
                fresh.add(node)
                node = tree.parents[node]
        return sorted(fresh)

    def _check_context(self, needed: int) -> None:
        context = self.network.context
        if context and needed > context:
            raise ConstraintError(
                f"the prompt and its walk need {needed} tokens, more than the model's {context}",
                "use a model with a longer context, fewer hops, or a shorter question",
            )
