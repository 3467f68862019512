"""Forward passes over token trees: many questions in one batch, every node computed once.

A tree's keys and values live in one batch row, behind an additive mask that lets a node see its
prompt and its own ancestors only; its position is the prompt's length plus its depth. No cache is
copied or reordered, and nodes that come later never change what was computed before.
"""

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import torch
from transformers import DynamicCache, PreTrainedModel

from .evaluated import Evaluated
from .tree import ROOT


class TreeForward(Evaluated):
    """The trees of several prompts under one model that `engine.shares_cache`."""

    def __init__(self, model: PreTrainedModel, prompts: Sequence[Sequence[int]]) -> None:
        super().__init__(model, prompts)
        self._cache = DynamicCache(config=model.config)
        self._width = max(len(prompt) for prompt in prompts)
        self._columns: list[dict[int, list[int]]] = [
            {ROOT: list(range(len(prompt)))} for prompt in prompts
        ]

    def evaluate(self, wanted: Mapping[int, Iterable[int]]) -> None:
        """Compute, in one pass, the given nodes of each row and those above them.

        Raises ConstraintError where the model's context is too short for prompt and walk.
        """
        fresh = {row: self._fresh(row, nodes) for row, nodes in wanted.items()}
        fresh = {row: nodes for row, nodes in fresh.items() if nodes}
        if not fresh:
            return
        first = self._cache.get_seq_length() == 0
        past = 0 if first else self._cache.get_seq_length()
        if first:
            fresh = {row: fresh.get(row, []) for row in range(len(self.trees))}
        lead = self._width if first else 0
        width = lead + max(len(nodes) for nodes in fresh.values())
        tokens = np.zeros((len(self.trees), width), np.int64)
        positions = np.zeros((len(self.trees), width), np.int64)
        seen: tuple[list[int], list[int], list[int]] = ([], [], [])
        for row, nodes in fresh.items():
            tree, prompt, columns = self.trees[row], self._prompts[row], self._columns[row]
            if first:
                tokens[row, : len(prompt)] = prompt
                positions[row, : len(prompt)] = np.arange(len(prompt))
            for i, node in enumerate(nodes, lead):
                own = columns[node] = [*columns[tree.parents[node]], past + i]
                tokens[row, i] = tree.tokens[node]
                positions[row, i] = len(prompt) - 1 + tree.depths[node]
                seen[0].extend([row] * len(own))
                seen[1].extend([i] * len(own))
                seen[2].extend(own)
            self.tokens[row] += len(nodes) + (len(prompt) if first else 0)
        self._check_context(int(positions.max()) + 1)
        mask = self._mask(width, past, seen, first)
        states = self._run(
            tokens,
            position_ids=torch.from_numpy(positions).to(self._model.device),
            attention_mask=mask.to(self._model.device),
            past_key_values=self._cache,
            use_cache=True,
        )
        for row, nodes in fresh.items():
            if first:
                self._states[row][ROOT] = states[row, len(self._prompts[row]) - 1]
            for i, node in enumerate(nodes, lead):
                self._states[row][node] = states[row, i]
        self.forward_passes += 1

    def _mask(
        self, width: int, past: int, seen: tuple[list[int], list[int], list[int]], first: bool
    ) -> torch.Tensor:
        dtype = self._model.dtype
        mask = torch.full(
            (len(self.trees), 1, width, past + width), torch.finfo(dtype).min, dtype=dtype
        )
        if first:
            lead = self._width
            mask[:, 0, :lead, :lead] = torch.full(
                (lead, lead), torch.finfo(dtype).min, dtype=dtype
            ).triu(1)
        rows, queries, keys = (torch.tensor(place) for place in seen)
        if len(rows):
            mask[rows, 0, queries, keys] = 0.0
        return mask
