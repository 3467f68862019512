"""Forward passes over token trees: many questions in one batch, every node computed once.

A tree's keys and values live in one batch row, behind an additive mask that lets a node see its
prompt and its own ancestors only; its position is the prompt's length plus its depth. No cache is
copied or reordered, and nodes that come later never change what was computed before.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, cast

import numpy as np
import torch
from transformers import DynamicCache, PreTrainedModel

from ..errors import ConstraintError
from .head import OutputHead, Vector
from .tree import ROOT, TokenTree


class TreeForward:
    """The trees of several prompts under one model. Not safe to share between threads."""

    def __init__(self, model: PreTrainedModel, prompts: Sequence[Sequence[int]]) -> None:
        check_attention(model)
        self.trees = [TokenTree() for _ in prompts]
        self.forward_passes = 0
        self.tokens = [0] * len(prompts)
        self._model = model
        self._head = OutputHead(model)
        self._prompts = [list(prompt) for prompt in prompts]
        self._cache = DynamicCache(config=model.config)
        self._width = max(len(prompt) for prompt in prompts)
        self._columns: list[dict[int, list[int]]] = [
            {ROOT: list(range(len(prompt)))} for prompt in prompts
        ]
        self._states: list[dict[int, torch.Tensor]] = [{} for _ in prompts]

    def known(self, row: int, node: int) -> bool:
        """Whether what follows a node is known."""
        return node in self._states[row]

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
        states = self._run(tokens, positions, mask)
        for row, nodes in fresh.items():
            if first:
                self._states[row][ROOT] = states[row, len(self._prompts[row]) - 1]
            for i, node in enumerate(nodes, lead):
                self._states[row][node] = states[row, i]
        self.forward_passes += 1

    def legal_logits(
        self, places: Sequence[tuple[int, int]], legal: Sequence[Sequence[int]]
    ) -> list[Vector]:
        """The logits of each (row, node)'s own legal tokens."""
        states = torch.stack([self._states[row][node] for row, node in places])
        if self._head.plain:
            return self._head.of(states, legal)
        whole = states.double().cpu().numpy()
        return [values[list(own)] for values, own in zip(whole, legal, strict=True)]

    def whole_logits(self, places: Sequence[tuple[int, int]]) -> Vector:
        """The logits after each (row, node): shape (places, vocabulary)."""
        states = torch.stack([self._states[row][node] for row, node in places])
        whole = self._head.whole(states) if self._head.plain else states
        return whole.double().cpu().numpy()

    def _fresh(self, row: int, nodes: Iterable[int]) -> list[int]:
        known, tree = self._states[row], self.trees[row]
        fresh: set[int] = set()
        for node in nodes:
            while node != ROOT and node not in known and node not in fresh:
                fresh.add(node)
                node = tree.parents[node]
        return sorted(fresh)

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

    def _run(
        self, tokens: "np.ndarray[Any, Any]", positions: "np.ndarray[Any, Any]", mask: torch.Tensor
    ) -> torch.Tensor:
        """Hidden states where the head is plain, else logits."""
        device = self._model.device
        inputs = {
            "input_ids": torch.from_numpy(tokens).to(device),
            "position_ids": torch.from_numpy(positions).to(device),
            "attention_mask": mask.to(device),
            "past_key_values": self._cache,
            "use_cache": True,
        }
        with torch.inference_mode():
            if self._head.plain:
                return cast(Any, self._model.base_model)(**inputs).last_hidden_state
            return cast(Any, self._model)(**inputs).logits

    def _check_context(self, needed: int) -> None:
        context = getattr(self._model.config, "max_position_embeddings", None)
        if context and needed > context:
            raise ConstraintError(
                f"the prompt and its walk need {needed} tokens, more than the model's {context}",
                "use a model with a longer context, fewer hops, or a shorter question",
            )


def check_attention(model: PreTrainedModel) -> None:
    """Raise ConstraintError where a tree of tokens cannot share one cache row."""
    config = model.config
    kinds = set(getattr(config, "layer_types", None) or ["full_attention"])
    window = getattr(config, "sliding_window", None)
    if kinds != {"full_attention"} or (window and getattr(config, "use_sliding_window", True)):
        raise ConstraintError(
            f"{type(model).__name__} does not attend to its whole context in every layer, "
            "so a tree of tokens cannot share its cache",
            "use a model with full attention",
        )
