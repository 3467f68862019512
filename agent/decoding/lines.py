"""Evaluation for models whose layers do not attend to their whole context.

A layer with a sliding window, or one that keeps a state instead of a cache, cannot hold a tree of
tokens in one row. Here every wanted node is a batch row of its own, fed its whole line after the
prompt. The prompt is computed once, and its cache copied for the lines, unless the model is
stateful; then it is computed again with them.
"""

from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from inspect import signature
from typing import Any, cast

import numpy as np
from transformers import DynamicCache, PreTrainedModel
from transformers.cache_utils import DynamicLayer, DynamicSlidingWindowLayer

from .tree import ROOT, Evaluated


class LineForward(Evaluated):
    """The lines of several prompts under one model; any causal model will do."""

    def __init__(self, model: PreTrainedModel, prompts: Sequence[Sequence[int]]) -> None:
        super().__init__(model, prompts)
        self._caching = _copies(model)
        self._caches: dict[int, DynamicCache] = {}

    def evaluate(self, wanted: Mapping[int, Iterable[int]]) -> None:
        """Compute the given nodes of each row and those above them, one pass a row.

        Raises ConstraintError where the model's context is too short for prompt and walk.
        """
        for row, nodes in wanted.items():
            fresh = self._fresh(row, nodes)
            tree = self.trees[row]
            depth = max((tree.depths[node] for node in fresh), default=0)
            self._check_context(len(self._prompts[row]) + depth)
            if not self.known(row, ROOT):
                self._prefill(row)
            inner = {tree.parents[node] for node in fresh}
            lines = [tree.line(node) for node in fresh if node not in inner]
            if lines:
                self._evaluate(row, lines)

    def _prefill(self, row: int) -> None:
        inputs: dict[str, object] = {"use_cache": False}
        if self._caching:
            cache = self._caches[row] = DynamicCache(config=cast(Any, self._model.config))
            inputs = {"use_cache": True, "past_key_values": cache}
        prompt = self._prompts[row]
        self._states[row][ROOT] = self._run(np.array([prompt], np.int64), **inputs)[0, -1]
        self.forward_passes += 1
        self.prompt_tokens[row] += len(prompt)

    def _evaluate(self, row: int, lines: Sequence[Sequence[int]]) -> None:
        """Lines are padded at their ends, where nothing that comes before them can see it."""
        tree, lead = self.trees[row], list[int]()
        inputs: dict[str, object] = {"use_cache": False}
        if self._caching:
            inputs = {"use_cache": True, "past_key_values": _spread(self._caches[row], len(lines))}
        else:
            lead = self._prompts[row]
        tokens = np.zeros((len(lines), len(lead) + max(map(len, lines))), np.int64)
        for i, line in enumerate(lines):
            row_tokens = [*lead, *(tree.tokens[node] for node in line)]
            tokens[i, : len(row_tokens)] = row_tokens
        states = self._run(tokens, **inputs)
        for i, line in enumerate(lines):
            for j, node in enumerate(line, len(lead)):
                if not self.known(row, node):
                    self._states[row][node] = states[i, j].clone()
        self.forward_passes += 1
        self.prompt_tokens[row] += len(lead) * len(lines)
        self.tokens[row] += sum(map(len, lines))


def _copies(model: PreTrainedModel) -> bool:
    """Whether the cache of a model can be copied for several lines: one of keys and values."""
    takes = signature(model.base_model.forward).parameters
    if "past_key_values" not in takes or getattr(model, "_is_stateful", False):
        return False
    layers = DynamicCache(config=model.config).layers
    return all(type(layer) in (DynamicLayer, DynamicSlidingWindowLayer) for layer in layers)


def _spread(cache: DynamicCache, rows: int) -> DynamicCache:
    """A copy of the cache of one row for many; updates make new tensors and leave this one be."""
    spread = copy(cache)
    spread.layers = [copy(layer) for layer in cache.layers]
    spread.batch_repeat_interleave(rows)
    return spread
