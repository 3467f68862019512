"""Which way of evaluating nodes fits a model: one tree in one cache, or every line by itself."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal, cast
from weakref import WeakKeyDictionary

import torch

from .evaluated import Evaluated
from .forward import TreeForward
from .model import CausalModel
from .tree import ROOT

if TYPE_CHECKING:
    from transformers import PreTrainedModel

Engine = Literal["tree", "lines"]

_WINDOWS = ("sliding_window", "window_size", "attention_chunk_size")


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
