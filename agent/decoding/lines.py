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
from weakref import WeakKeyDictionary

import numpy as np
import torch
from transformers import DynamicCache, PreTrainedModel
from transformers.cache_utils import DynamicLayer, DynamicSlidingWindowLayer

from .forward import TreeForward
from .torch_network import TorchNetwork
from .tree import ROOT, Evaluated


class LineForward(Evaluated):
    """The lines of several prompts under one model; any causal model will do."""

    def __init__(self, network: TorchNetwork, prompts: Sequence[Sequence[int]]) -> None:
        super().__init__(network, prompts)
        self._torch = network
        self._caching = _copies(network.model)
        self._caches: dict[int, DynamicCache] = {}

    def evaluate(self, nodes_by_row: Mapping[int, Iterable[int]]) -> None:
        """Compute the given nodes of each row and those above them, one pass a row.

        Raises ConstraintError where the model's context is too short for prompt and walk.
        """
        for row, nodes in nodes_by_row.items():
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
            cache = self._caches[row] = self._torch.cache()
            inputs = {"use_cache": True, "past_key_values": cache}
        prompt = self._prompts[row]
        self._states[row][ROOT] = self._torch.run(np.array([prompt], np.int64), **inputs)[0, -1]
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
        states = self._torch.run(tokens, **inputs)
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


# Which engine fits a model.

_WINDOWS = ("sliding_window", "window_size", "attention_chunk_size")
_SHARES: "WeakKeyDictionary[Any, bool]" = WeakKeyDictionary()


def shares_cache(model: PreTrainedModel) -> bool:
    """Whether a tree of tokens can share one cache row.

    It cannot where layers do not attend to their whole context. Other reasons (an attention that
    takes no mask of its own, positions that are read off the mask) are not assumed but tried, once
    a model.
    """
    if model not in _SHARES:
        _SHARES[model] = _attends_to_all(model) and _tree_is_right(model)
    return _SHARES[model]


def _attends_to_all(model: PreTrainedModel) -> bool:
    config = model.config.get_text_config()
    if getattr(model, "_is_stateful", False):
        return False
    kinds = getattr(config, "layer_types", None)
    if kinds:
        return set(kinds) == {"full_attention"}
    windowed = any(getattr(config, name, None) for name in _WINDOWS)
    return not windowed or not getattr(config, "use_sliding_window", True)


def _tree_is_right(model: PreTrainedModel) -> bool:
    """Whether the second branch of a small tree has the logits of the same tokens in a row."""
    prompt, first, second = [1, 2, 3, 4], [5, 6, 7], [6, 5, 3]
    try:
        forward = TreeForward(TorchNetwork(model), [prompt])
        ends = list[int]()
        for branch in (first, second):
            node = ROOT
            for token in branch:
                node = forward.trees[0].child(node, token)
            ends.append(node)
            forward.evaluate({0: [node]})
        tree = torch.from_numpy(forward.logits([(0, ends[1])])[0])
        ids = torch.tensor([prompt + second], device=model.device)
        with torch.inference_mode():
            line = cast(Any, model)(input_ids=ids).logits[0, -1].double().cpu()
    except Exception:  # models say in many ways that they do not take a mask, positions or a cache
        return False
    return bool((tree - line).abs().max() <= _tolerance(model.dtype) * line.abs().max().clamp(1.0))


def _tolerance(dtype: torch.dtype) -> float:
    return {torch.float64: 1e-6, torch.float32: 1e-3}.get(dtype, 5e-2)
