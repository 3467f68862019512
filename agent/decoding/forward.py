"""Forward passes over token trees: many questions in one batch, every node computed once.

A tree's keys and values live in one batch row, behind an additive mask that lets a node see its
prompt and its own ancestors only; its position is the prompt's length plus its depth. No cache is
copied or reordered, and nodes that come later never change what was computed before. Instructions
that many prompts begin with are computed once for a model, and kept.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias, cast
from weakref import WeakKeyDictionary

import numpy as np
import torch
from numpy.typing import NDArray

from ..caching import Recent
from .llama import KeyValues, Llama
from .model import CausalModel
from .plan import Engine
from .tree import ROOT, Evaluated

if TYPE_CHECKING:
    from transformers import DynamicCache, PreTrainedModel


def open_engine(
    model: CausalModel, prompts: Sequence[Sequence[int]], shared: int = 0
) -> tuple[Engine, Evaluated]:
    """The faster of the two that gives this model's own log-probabilities.

    The first `shared` tokens of the prompts are kept with the model, where that is of use.
    """
    if shares_cache(model):
        return "tree", TreeForward(model, prompts, shared)
    from .lines import LineForward

    return "lines", LineForward(cast("PreTrainedModel", model), prompts)


def shares_cache(model: CausalModel) -> bool:
    """Whether a tree of tokens can share one cache row.

    It cannot where layers do not attend to their whole context. Other reasons (an attention that
    takes no mask of its own, positions that are read off the mask) are not assumed but tried, once
    a model.
    """
    if model not in _SHARES:
        _SHARES[model] = _attends_to_all(model) and _tree_is_right(model)
    return _SHARES[model]


_MOST = 1024
"""Nodes of a row in one pass: masks stay small where a name has thousands of tokens."""


class TreeForward(Evaluated):
    """The trees of several prompts under one model that `shares_cache`."""

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
        """What each new column sees: 0 for prompt, ancestors and itself, else the lowest."""
        lowest = torch.finfo(self._model.dtype).min
        mask = np.full((len(self.trees), 1, width, past + width), lowest, self._dtype)
        if lead:
            mask[:, :, :lead, :past] = 0.0
            mask[:, :, :lead, past : past + lead] = np.triu(np.full((lead, lead), lowest), 1)
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


# Which engine fits a model.

_WINDOWS = ("sliding_window", "window_size", "attention_chunk_size")
_SHARES: "WeakKeyDictionary[Any, bool]" = WeakKeyDictionary()


def _attends_to_all(model: CausalModel) -> bool:
    config = model.config.get_text_config()
    if getattr(model, "_is_stateful", False):
        return False
    kinds = getattr(config, "layer_types", None)
    if kinds:
        return set(kinds) == {"full_attention"}
    windowed = any(getattr(config, name, None) for name in _WINDOWS)
    return not windowed or not getattr(config, "use_sliding_window", True)


def _tree_is_right(model: CausalModel) -> bool:
    """Whether the second branch of a small tree has the logits of the same tokens in a row."""
    prompt, first, second = [1, 2, 3, 4], [5, 6, 7], [6, 5, 3]
    try:
        forward = TreeForward(model, [prompt])
        ends = list[int]()
        for branch in (first, second):
            node = ROOT
            for token in branch:
                node = forward.trees[0].child(node, token)
            ends.append(node)
            forward.evaluate({0: [node]})
        tree = forward.logits([(0, ends[1])])[0].double().cpu()
        ids = torch.tensor([prompt + second], device=model.device)
        with torch.inference_mode():
            line = cast(Any, model)(input_ids=ids).logits[0, -1].double().cpu()
    except Exception:  # models say in many ways that they do not take a mask, positions or a cache
        return False
    return bool((tree - line).abs().max() <= _tolerance(model.dtype) * line.abs().max().clamp(1.0))


def _tolerance(dtype: torch.dtype) -> float:
    return {torch.float64: 1e-6, torch.float32: 1e-3}.get(dtype, 5e-2)


# Shared beginnings of prompts.

_MOST_BEGINNINGS = 4
"""Beginnings kept for a model; the one that was not used for longest goes first."""
SHORTEST = 8
"""Tokens of the shortest beginning that is kept: a shorter one is not worth a pass of its own."""

Cache: TypeAlias = "DynamicCache | KeyValues"
Layers = list[tuple[torch.Tensor, torch.Tensor]]
Weights = tuple[tuple[int, int], ...]
Beginnings = Recent[tuple[int, ...], Layers]
_BEGINNINGS: "WeakKeyDictionary[Any, tuple[Weights, Beginnings]]" = WeakKeyDictionary()


def cache_after(
    model: CausalModel, prompts: Sequence[Sequence[int]], shared: int
) -> tuple[Cache, int, bool]:
    """A cache of as many rows as prompts that holds their first `shared` tokens.

    Empty where they differ or are fewer than `SHORTEST`. Also how many tokens it holds, and whether
    they were computed just now. They are always computed by themselves, so that a result does not
    depend on what was asked before.
    """
    cache = _empty(model)
    shared = min(shared, *(len(prompt) - 1 for prompt in prompts))
    if shared < SHORTEST:
        return cache, 0, False
    beginning = tuple(prompts[0][:shared])
    if any(tuple(prompt[:shared]) != beginning for prompt in prompts[1:]):
        return cache, 0, False
    beginnings = _beginnings(model)
    layers = beginnings.get(beginning)
    new = layers is None
    if layers is None:
        layers = _layers(model, beginning)
        beginnings.put({beginning: layers})
    for layer, (keys, values) in enumerate(layers):
        rows = (len(prompts), -1, -1, -1)
        cache.update(keys.expand(rows), values.expand(rows), layer)
    return cache, shared, new


def forget(model: CausalModel) -> None:
    """Keep nothing of a model whose weights were changed."""
    _BEGINNINGS.pop(model, None)


def _beginnings(model: CausalModel) -> Beginnings:
    """What is kept for a model as it is now: training it makes all of that worthless.

    Weights that were written to through `.data` in place, or by a fused optimizer, do not show that
    they have changed: then `forget` it.
    """
    weights = tuple(
        (p.data_ptr(), 0 if p.is_inference() else p._version) for p in model.parameters()
    )
    before = _BEGINNINGS.get(model)
    if before is None or before[0] != weights:
        before = _BEGINNINGS[model] = (weights, Beginnings(_MOST_BEGINNINGS))
    return before[1]


def _layers(model: CausalModel, tokens: Sequence[int]) -> Layers:
    cache = _empty(model)
    ids = torch.tensor([tokens], device=model.device)
    with torch.inference_mode():
        cast(Any, model.base_model)(input_ids=ids, past_key_values=cache, use_cache=True)
    if isinstance(cache, KeyValues):
        return [layer for layer in cache.layers if layer is not None]
    return [(layer.keys, layer.values) for layer in cast(Any, cache.layers)]


def _empty(model: CausalModel) -> Cache:
    if isinstance(model, Llama):
        return model.new_cache()
    from transformers import DynamicCache

    return DynamicCache(config=model.config)
