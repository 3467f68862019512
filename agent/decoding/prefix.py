"""Instructions that many prompts begin with are computed once for a model, and kept."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeAlias, cast
from weakref import WeakKeyDictionary

import torch

from ..kg.recent import Recent
from .llama import KeyValues, Llama
from .model import CausalModel

if TYPE_CHECKING:
    from transformers import DynamicCache

_KEPT = 4
"""Beginnings kept for a model; the one that was not used for longest goes first."""
SHORTEST = 8
"""Tokens of the shortest beginning that is kept: a shorter one is not worth a pass of its own."""

Cache: TypeAlias = "DynamicCache | KeyValues"
Layers = list[tuple[torch.Tensor, torch.Tensor]]
Weights = tuple[tuple[int, int], ...]
Kept = Recent[tuple[int, ...], Layers]
_BEGINNINGS: "WeakKeyDictionary[Any, tuple[Weights, Kept]]" = WeakKeyDictionary()


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
    kept = _kept(model)
    layers = kept.get(beginning)
    new = layers is None
    if layers is None:
        layers = _layers(model, beginning)
        kept.put({beginning: layers})
    for place, (keys, values) in enumerate(layers):
        rows = (len(prompts), -1, -1, -1)
        cache.update(keys.expand(rows), values.expand(rows), place)
    return cache, shared, new


def forget(model: CausalModel) -> None:
    """Keep nothing of a model whose weights were changed."""
    _BEGINNINGS.pop(model, None)


def _kept(model: CausalModel) -> Kept:
    """What is kept for a model as it is now: training it makes all of that worthless.

    Weights that were written to through `.data` in place, or by a fused optimizer, do not show that
    they have changed: then `forget` it.
    """
    weights = tuple(
        (p.data_ptr(), 0 if p.is_inference() else p._version) for p in model.parameters()
    )
    before = _BEGINNINGS.get(model)
    if before is None or before[0] != weights:
        before = _BEGINNINGS[model] = (weights, Kept(_KEPT))
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
