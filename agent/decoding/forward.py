"""Forward passes over token trees: many questions in one batch, every node computed once.

A tree's keys and values live in one batch row, behind an additive mask that lets a node see its
prompt and its own ancestors only; its position is the prompt's length plus its depth. No cache is
copied or reordered, and nodes that come later never change what was computed before. Instructions
that many prompts begin with are computed once for a model, and kept.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .network import Network
from .tree import ROOT, Evaluated

_MOST = 1024
"""Nodes of a row in one pass: masks stay small where a name has thousands of tokens."""


class TreeForward(Evaluated):
    """The trees of several prompts under a model whose layers attend to their whole context."""

    def __init__(self, network: Network, prompts: Sequence[Sequence[int]], shared: int = 0) -> None:
        """The first `shared` tokens of the prompts are kept with the model, where that pays."""
        super().__init__(network, prompts)
        self._cache, self._shared, new = _cache_after(network, prompts, shared)
        if new:
            self.forward_passes += 1
        self._rest = [list(prompt[self._shared :]) for prompt in prompts]
        self._columns: list[dict[int, int]] = [{} for _ in prompts]
        self._begun = False

    def evaluate(self, nodes_by_row: Mapping[int, Iterable[int]]) -> None:
        """Compute the given nodes of each row and those above them, in one pass or, if many, more.

        Raises ConstraintError where the model's context is too short for prompt and walk.
        """
        fresh = {row: self._fresh(row, nodes) for row, nodes in nodes_by_row.items()}
        most = max(map(len, fresh.values()), default=0)
        if most == 0 and self._begun:
            return
        for start in range(0, max(most, 1), _MOST):
            self._pass({row: nodes[start : start + _MOST] for row, nodes in fresh.items()})

    def _pass(self, fresh: Mapping[int, Sequence[int]]) -> None:
        past = self._cache.get_seq_length()
        lead = 0 if self._begun else max(map(len, self._rest))
        width = lead + max(map(len, fresh.values()), default=0)
        tokens = np.zeros((len(self.trees), width), np.int64)
        positions = np.zeros((len(self.trees), width), np.int64)
        if lead:
            for row, prompt_end in enumerate(self._rest):
                tokens[row, : len(prompt_end)] = prompt_end
                positions[row, : len(prompt_end)] = np.arange(past, past + len(prompt_end))
                self.prompt_tokens[row] += len(self._prompts[row])
        for row, nodes in fresh.items():
            tree, last = self.trees[row], len(self._prompts[row]) - 1
            stop = lead + len(nodes)
            tokens[row, lead:stop] = [tree.tokens[node] for node in nodes]
            positions[row, lead:stop] = [last + tree.depths[node] for node in nodes]
            self.tokens[row] += len(nodes)
        self._check_context(int(positions.max()) + 1)
        mask = self._mask(fresh, width, past, lead)
        states = self.network.states(tokens, positions, mask, self._cache)
        if lead:
            for row, prompt_end in enumerate(self._rest):
                self._states[row][ROOT] = states[row, len(prompt_end) - 1]
        for row, nodes in fresh.items():
            self._states[row].update(zip(nodes, states[row, lead:], strict=False))
        self.forward_passes += 1
        self._begun = True

    def _mask(
        self, fresh: Mapping[int, Sequence[int]], width: int, past: int, lead: int
    ) -> NDArray[np.floating]:
        """What each new column sees: 0 for prompt, ancestors and itself."""
        unseen = self.network.unseen
        mask = np.full((len(self.trees), 1, width, past + width), unseen)
        if lead:
            mask[:, :, :lead, :past] = 0.0
            mask[:, :, :lead, past : past + lead] = np.triu(np.full((lead, lead), unseen), 1)
        for row, nodes in fresh.items():
            sees, columns, parents = mask[row, 0], self._columns[row], self.trees[row].parents
            prompt = self._shared + len(self._rest[row])
            lines: dict[int, int] = {}
            for line, node in enumerate(nodes, lead):
                above = parents[node]
                if above in lines:
                    sees[line] = sees[lines[above]]
                else:
                    sees[line, :prompt] = 0.0
                    while above != ROOT:
                        sees[line, columns[above]] = 0.0
                        above = parents[above]
                lines[node] = line
                columns[node] = past + line
                sees[line, past + line] = 0.0
        return mask


SHORTEST = 8
"""Tokens of the shortest beginning that is kept: a shorter one is not worth a pass of its own."""


def _cache_after(
    network: Network, prompts: Sequence[Sequence[int]], shared: int
) -> tuple[Any, int, bool]:
    """A cache of as many rows as prompts that holds their first `shared` tokens.

    Empty where they differ or are fewer than `SHORTEST`. Also how many tokens it holds, and whether
    they were computed just now. They are always computed by themselves, so that a result does not
    depend on what was asked before.
    """
    shared = min(shared, *(len(prompt) - 1 for prompt in prompts))
    if shared < SHORTEST:
        return network.cache(), 0, False
    beginning = tuple(prompts[0][:shared])
    if any(tuple(prompt[:shared]) != beginning for prompt in prompts[1:]):
        return network.cache(), 0, False
    beginnings = network.beginnings
    layers = beginnings.get(beginning)
    new = layers is None
    if layers is None:
        layers = network.layers(beginning)
        beginnings.put({beginning: layers})
    return network.cache(layers, len(prompts)), shared, new
