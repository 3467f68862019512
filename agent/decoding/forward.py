"""Forward passes over token trees: many questions in one batch, every node computed once.

A tree's keys and values live in one batch row, behind an additive mask that lets a node see its
prompt and its own ancestors only; its position is the prompt's length plus its depth. No cache is
copied or reordered, and nodes that come later never change what was computed before.
"""

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import torch
from numpy.typing import NDArray

from .evaluated import Evaluated
from .model import CausalModel
from .prefix import cache_after
from .tree import ROOT

_MOST = 1024
"""Nodes of a row in one pass: masks stay small where a name has thousands of tokens."""


class TreeForward(Evaluated):
    """The trees of several prompts under one model that `engine.shares_cache`."""

    def __init__(
        self, model: CausalModel, prompts: Sequence[Sequence[int]], shared: int = 0
    ) -> None:
        super().__init__(model, prompts)
        self._cache, self._shared, new = cache_after(model, prompts, shared)
        if new:
            self.forward_passes += 1
        self._rest = [list(prompt[self._shared :]) for prompt in prompts]
        self._columns: list[dict[int, int]] = [{} for _ in prompts]
        self._dtype = np.float64 if model.dtype == torch.float64 else np.float32
        self._begun = False

    def evaluate(self, wanted: Mapping[int, Iterable[int]]) -> None:
        """Compute the given nodes of each row and those above them, in one pass or, if many, more.

        Raises ConstraintError where the model's context is too short for prompt and walk.
        """
        fresh = {row: self._fresh(row, nodes) for row, nodes in wanted.items()}
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
            for row, rest in enumerate(self._rest):
                tokens[row, : len(rest)] = rest
                positions[row, : len(rest)] = np.arange(past, past + len(rest))
                self.prompt_tokens[row] += len(self._prompts[row])
        for row, nodes in fresh.items():
            tree, last = self.trees[row], len(self._prompts[row]) - 1
            stop = lead + len(nodes)
            tokens[row, lead:stop] = [tree.tokens[node] for node in nodes]
            positions[row, lead:stop] = [last + tree.depths[node] for node in nodes]
            self.tokens[row] += len(nodes)
        self._check_context(int(positions.max()) + 1)
        mask = torch.from_numpy(self._mask(fresh, width, past, lead)).to(self._model.dtype)
        states = self._run(
            tokens,
            position_ids=torch.from_numpy(positions).to(self._model.device),
            attention_mask=mask.to(self._model.device),
            past_key_values=self._cache,
            use_cache=True,
        )
        if lead:
            for row, rest in enumerate(self._rest):
                self._states[row][ROOT] = states[row, len(rest) - 1]
        for row, nodes in fresh.items():
            self._states[row].update(zip(nodes, states[row, lead:], strict=False))
        self.forward_passes += 1
        self._begun = True

    def _mask(
        self, fresh: Mapping[int, Sequence[int]], width: int, past: int, lead: int
    ) -> NDArray[np.floating]:
        """What each new place sees: 0 for its prompt, its ancestors and itself, else the lowest."""
        lowest = torch.finfo(self._model.dtype).min
        mask = np.full((len(self.trees), 1, width, past + width), lowest, self._dtype)
        if lead:
            mask[:, :, :lead, :past] = 0.0
            mask[:, :, :lead, past : past + lead] = np.triu(np.full((lead, lead), lowest), 1)
        for row, nodes in fresh.items():
            own, columns, parents = mask[row, 0], self._columns[row], self.trees[row].parents
            prompt = self._shared + len(self._rest[row])
            places: dict[int, int] = {}
            for place, node in enumerate(nodes, lead):
                above = parents[node]
                if above in places:
                    own[place] = own[places[above]]
                else:
                    own[place, :prompt] = 0.0
                    while above != ROOT:
                        own[place, columns[above]] = 0.0
                        above = parents[above]
                places[node] = place
                columns[node] = past + place
                own[place, past + place] = 0.0
        return mask
