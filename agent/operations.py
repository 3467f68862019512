"""What small networks are made of, under one name for NumPy's arrays and torch's tensors.

What is shipped runs with NumPy, which is imported in a tenth of the time; torch is for training.
What both spell alike (`@`, `sum`, `clip`, `swapaxes`) is not here.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, TypeAlias

import numpy as np

Array: TypeAlias = Any
"""An array of NumPy or a tensor of torch; those of one call are of one kind."""
_NEVER = -1e30


@dataclass(frozen=True)
class Operations:
    """Functions of arrays. Those without an axis go along the last one."""

    arange: Callable[[int, Array], Array]
    """`(count, other)`: the numbers below a count, on the device of the other array."""
    stack: Callable[..., Array]
    """`(arrays, axis)`"""
    concatenate: Callable[..., Array]
    """`(arrays, axis)`"""
    where: Callable[..., Array]
    """`(condition, one, other)`; one of the two at least is an array."""
    like: Callable[[Array, Array], Array]
    """`(values, other)`: the values in the number format of the other."""
    take: Callable[..., Array]
    """`(values, numbers, axis)`: the values at the numbers, along an axis."""
    max: Callable[..., Array]
    """`(values, axis)`"""
    highest_so_far: Callable[[Array], Array]
    sigmoid: Callable[[Array], Array]
    softplus: Callable[[Array], Array]
    gelu: Callable[[Array], Array]
    softmax: Callable[[Array, int], Array]
    logsumexp: Callable[[Array, int], Array]
    """The axis stays, with the length 1."""
    layer_norm: Callable[[Array, Array, Array], Array]
    """`(values, weight, bias)`"""
    attention: Callable[[Array, Array, Array, Array], Array]
    """Scaled dot-product attention of `(queries, keys, values, mask)`.

    The mask is added to the scores, or it is False where nothing is seen.
    """


def operations_of(array: Array) -> Operations:
    """The functions for the kind of an array."""
    return NUMPY if isinstance(array, np.ndarray) else _torch()


def laid_out(weights: Mapping[str, Array]) -> dict[str, Array]:
    """The same weights; NumPy's matrices of linear layers lie as products read them fastest."""
    return {
        name: np.asfortranarray(array)
        if isinstance(array, np.ndarray) and f"{name.removesuffix('weight')}bias" in weights
        else array
        for name, array in weights.items()
    }


def linear(weights: Mapping[str, Array], name: str, values: Array) -> Array:
    """The layer `name` of some weights: a matrix, and a bias where there is one."""
    flat = values.reshape(-1, values.shape[-1]) @ weights[f"{name}.weight"].T
    bias = weights.get(f"{name}.bias")
    if bias is not None:
        flat = flat + bias
    return flat.reshape(*values.shape[:-1], flat.shape[-1])


def layer_norm(weights: Mapping[str, Array], name: str, values: Array) -> Array:
    """The layer `name` of some weights: a normalisation with weight and bias."""
    normed = operations_of(values).layer_norm
    return normed(values, weights[f"{name}.weight"], weights[f"{name}.bias"])


def log_softmax(values: Array) -> Array:
    """The logarithms of the softmax along the last axis."""
    return values - operations_of(values).logsumexp(values, -1)


def _softmax(values: Array, axis: int) -> Array:
    powers = np.exp(values - values.max(axis, keepdims=True))
    powers /= powers.sum(axis, keepdims=True)
    return powers


def _logsumexp(values: Array, axis: int) -> Array:
    top = values.max(axis, keepdims=True)
    return np.log(np.exp(values - top).sum(axis, keepdims=True)) + top


def _layer_norm(values: Array, weight: Array, bias: Array) -> Array:
    centred = values - values.mean(-1, keepdims=True)
    variance = np.square(centred).mean(-1, keepdims=True)
    return centred / np.sqrt(variance + np.float32(1e-5)) * weight + bias


def _attention(queries: Array, keys: Array, values: Array, mask: Array) -> Array:
    scores = (queries * np.float32(queries.shape[-1] ** -0.5)) @ keys.swapaxes(-1, -2)
    scores += np.where(mask, np.float32(0), np.float32(_NEVER)) if mask.dtype == bool else mask
    scores -= np.maximum.reduce(scores, -1, keepdims=True)
    np.exp(scores, out=scores)
    seen = scores @ values
    seen /= np.add.reduce(scores, -1, keepdims=True)
    return seen


def _erf(values: Array) -> Array:
    """The error function, by formula 7.1.26 of Abramowitz and Stegun: within 1.5e-7."""
    size = np.abs(values)
    part = 1 / (1 + np.float32(0.3275911) * size)
    series = np.zeros((), values.dtype)
    for factor in (1.061405429, -1.453152027, 1.421413741, -0.284496736, 0.254829592):
        series = (series + np.float32(factor)) * part
    return np.sign(values) * (1 - series * np.exp(-np.square(size)))


NUMPY = Operations(
    arange=lambda count, other: np.arange(count),
    stack=np.stack,
    concatenate=np.concatenate,
    where=np.where,
    like=lambda values, other: values.astype(other.dtype),
    take=np.take_along_axis,
    max=np.max,
    highest_so_far=lambda values: np.maximum.accumulate(values, -1),
    sigmoid=lambda values: 1 / (1 + np.exp(-values.clip(-80, 80))),
    softplus=lambda values: np.logaddexp(values, np.zeros((), values.dtype)),
    gelu=lambda values: values * (0.5 + 0.5 * _erf(values * np.float32(0.5**0.5))),
    softmax=_softmax,
    logsumexp=_logsumexp,
    layer_norm=_layer_norm,
    attention=_attention,
)


@cache
def _torch() -> Operations:
    import torch
    from torch.nn import functional

    return Operations(
        arange=lambda count, other: torch.arange(count, device=other.device),
        stack=torch.stack,
        concatenate=torch.concatenate,
        where=torch.where,
        like=lambda values, other: values.to(other.dtype),
        take=torch.take_along_dim,
        max=torch.amax,
        highest_so_far=lambda values: values.cummax(-1).values,
        sigmoid=torch.sigmoid,
        softplus=functional.softplus,
        gelu=functional.gelu,
        softmax=torch.softmax,
        logsumexp=lambda values, axis: values.logsumexp(axis, keepdim=True),
        layer_norm=lambda values, weight, bias: functional.layer_norm(
            values, weight.shape, weight, bias
        ),
        attention=lambda queries, keys, values, mask: functional.scaled_dot_product_attention(
            queries, keys, values, attn_mask=mask.contiguous()
        ),
    )
