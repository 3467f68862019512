"""A Llama as `groundwalk train` makes it, run with NumPy.

Importing torch takes several times as long as a question. The operations are those of the library
that it was trained with; sums of float32 are taken in another order.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..operations import NUMPY, Array
from .network import MOST_BEGINNINGS, Beginnings, Layers, Vector, split

EMBEDDINGS = "model.embed_tokens.weight"


@dataclass(frozen=True)
class LlamaShape:
    """The sizes of a plain Llama: as many key as query heads, tied embeddings, no biases.

    The names are those of `config.json`.
    """

    vocab_size: int
    hidden_size: int
    intermediate_size: int
    num_hidden_layers: int
    num_attention_heads: int
    head_dim: int
    max_position_embeddings: int
    rms_norm_eps: float
    rope_theta: float
    model_type: str = "llama"

    def weights(self) -> dict[str, tuple[int, ...]]:
        """The names of the weights in `model.safetensors`, and their shapes."""
        width, inner = self.hidden_size, self.intermediate_size
        heads = self.num_attention_heads * self.head_dim
        layer = {
            "input_layernorm": (width,),
            "self_attn.q_proj": (heads, width),
            "self_attn.k_proj": (heads, width),
            "self_attn.v_proj": (heads, width),
            "self_attn.o_proj": (width, heads),
            "post_attention_layernorm": (width,),
            "mlp.gate_proj": (inner, width),
            "mlp.up_proj": (inner, width),
            "mlp.down_proj": (width, inner),
        }
        return {
            EMBEDDINGS: (self.vocab_size, width),
            "model.norm.weight": (width,),
            **{
                f"model.layers.{i}.{name}.weight": shape
                for i in range(self.num_hidden_layers)
                for name, shape in layer.items()
            },
        }


_ROOM = 64
"""Tokens for which there is room at least, when more is made."""


class KeyValues:
    """The keys and values of each layer, shape (rows, heads, tokens, head_dim); they only grow."""

    def __init__(self, layers: int) -> None:
        self.layers: list[tuple[Array, Array] | None] = [None] * layers
        self._room: list[tuple[Array, Array] | None] = [None] * layers
        """Arrays that begin with those of the layers; keys lie as products read them."""

    def get_seq_length(self) -> int:
        """How many tokens are held."""
        first = self.layers[0]
        return 0 if first is None else first[0].shape[-2]

    def update(self, keys: Array, values: Array, layer: int) -> tuple[Array, Array]:
        """Add new tokens to a layer; all that it holds then."""
        before, room = self.layers[layer], self._room[layer]
        start = 0 if before is None else before[0].shape[-2]
        stop = start + keys.shape[-2]
        if room is None or room[0].shape[-2] < stop:
            rows, heads, _, width = keys.shape
            wide = np.empty((rows, heads, width, stop + max(stop // 2, _ROOM)), keys.dtype)
            turned = np.empty((rows, heads, wide.shape[-1], width), values.dtype)
            room = self._room[layer] = wide.swapaxes(-1, -2), turned
            if before is not None:
                for wider, narrow in zip(room, before, strict=True):
                    wider[..., :start, :] = narrow
        for held, new in zip(room, (keys, values), strict=True):
            held[..., start:stop, :] = new
        held = self.layers[layer] = room[0][..., :stop, :], room[1][..., :stop, :]
        return held


class _Layer(NamedTuple):
    """The matrices of a layer, each in blocks of columns: `(blocks, inputs, outputs / blocks)`.

    The weights of a normalisation are part of the matrices that follow it.
    """

    projections: Array
    """Of queries, keys and values. What of a query or key turns together, lies together."""
    output: Array
    gates: Array
    """Half of the blocks make half of the gate's logits, the others what it lets through."""
    down: Array


@dataclass(frozen=True)
class GenerationConfig:
    """What of `generation_config.json` is asked for."""

    eos_token_id: int | None


class Llama:
    """A `Network` on the CPU in float32."""

    unseen: np.floating = np.finfo(np.float32).min
    ahead = 16
    """A pass costs little but for its tokens."""

    def __init__(self, config: LlamaShape, weights: Mapping[str, Array], eos: int | None) -> None:
        """The `weights` are those that `config` names, in its shapes."""
        self.config = config
        self.generation_config = GenerationConfig(eos)
        self.beginnings = Beginnings(MOST_BEGINNINGS)
        self._embeddings = weights[EMBEDDINGS]
        self._norm = weights["model.norm.weight"] * np.float32(config.hidden_size**0.5)
        self._layers = _side_by_side(
            [_layer(config, weights, f"model.layers.{i}") for i in range(config.num_hidden_layers)]
        )
        self._least = np.float32(config.rms_norm_eps * config.hidden_size)
        halves = np.arange(0, config.head_dim, 2, dtype=np.float32) / np.float32(config.head_dim)
        frequencies = (1.0 / config.rope_theta**halves).astype(np.float32)
        positions = np.arange(config.max_position_embeddings, dtype=np.float32)[:, None, None]
        self._turns = np.exp(1j * (positions * frequencies))
        """The rotary embedding of each position: (positions, 1, head_dim / 2), of length 1."""

    @property
    def context(self) -> int:
        """The most tokens of a prompt and its walk."""
        return self.config.max_position_embeddings

    def named_parameters(self) -> Iterator[tuple[str, Array]]:
        """The weights that passes read, by name."""
        yield EMBEDDINGS, self._embeddings
        yield "model.norm", self._norm
        for number, layer in enumerate(self._layers):
            for matrix in layer:
                yield f"model.layers.{number}", matrix

    def cache(self, layers: Layers = (), rows: int = 1) -> KeyValues:
        """A cache that holds the layers of one row in each of its rows, or nothing."""
        cache = KeyValues(self.config.num_hidden_layers)
        for number, (keys, values) in enumerate(layers):
            shape = (rows, *keys.shape[1:])
            cache.update(np.broadcast_to(keys, shape), np.broadcast_to(values, shape), number)
        return cache

    def layers(self, tokens: Sequence[int]) -> Layers:
        """The layers after a beginning, for one row."""
        cache, count = self.cache(), len(tokens)
        mask = np.triu(np.full((1, 1, count, count), self.unseen), 1)
        self.states(np.array([tokens]), np.arange(count)[None], mask, cache)
        return [layer for layer in cache.layers if layer is not None]

    def states(
        self,
        tokens: NDArray[np.int64],
        positions: NDArray[np.int64],
        mask: NDArray[np.floating],
        cache: Any,
    ) -> Array:
        """A state for each token; keys and values go into the cache."""
        states = self._embeddings[tokens.ravel()]
        turns = self._turns[positions]
        for number, layer in enumerate(self._layers):
            projected = self._normed(states) @ layer.projections
            states += _product(self._attention(projected, number, turns, mask, cache), layer.output)
            states += _product(_gated(self._normed(states) @ layer.gates), layer.down)
        return (self._normed(states) * self._norm).reshape(*tokens.shape, -1)

    def logits(self, states: Sequence[Array]) -> Vector:
        """The logits after each state, shape (states, vocabulary)."""
        return self._all_logits(states).astype(np.float64)

    def logits_of(self, states: Sequence[Array], tokens: Sequence[Sequence[int]]) -> list[Vector]:
        """For each state the logits of its tokens, and no others."""
        flat, owner = _flattened(tokens)
        rows = self._embeddings[flat]
        return split(np.einsum("nd,nd->n", rows, np.stack(states)[owner]), tokens)

    def logprobs(self, states: Sequence[Array], tokens: Sequence[Sequence[int]]) -> list[Vector]:
        """For each state the log-probabilities of its tokens, over the whole vocabulary."""
        logits = self._all_logits(states)
        flat, owner = _flattened(tokens)
        top = logits.max(-1, keepdims=True)
        norms = np.log(np.exp(logits - top).sum(-1)) + top[:, 0]
        return split(logits[owner, flat] - norms[owner], tokens)

    def _all_logits(self, states: Sequence[Array]) -> Array:
        return np.stack(states) @ self._embeddings.T

    def _attention(
        self,
        projected: Array,
        layer: int,
        turns: Array,
        mask: NDArray[np.floating],
        cache: KeyValues,
    ) -> Array:
        """What all heads see, (rows * tokens, heads * head_dim), of queries, keys and values."""
        rows, tokens = len(mask), mask.shape[-2]
        projected = projected.reshape(3, rows, tokens, -1, self.config.head_dim)
        turned = projected[:2].view(np.complex64)
        turned *= turns
        queries, keys, values = projected.swapaxes(2, 3)
        keys, values = cache.update(keys, values, layer)
        seen = NUMPY.attention(queries, keys, values, mask)
        return seen.swapaxes(1, 2).reshape(rows * tokens, -1)

    def _normed(self, states: Array) -> Array:
        """States of length 1; their size is part of the matrices that follow."""
        squares = (states[:, None] @ states[:, :, None])[:, 0]
        squares += self._least
        return states / np.sqrt(squares, out=squares)


_MOST = 2**16
"""Numbers of a block. BLAS multiplies a few rows by so few as they are; it copies larger ones."""
_NARROWEST = 32
"""Columns of a block at least."""


def _blocks(matrix: Array) -> Array:
    """A matrix `(outputs, inputs)` in blocks of columns, `(blocks, inputs, outputs / blocks)`."""
    outputs, inputs = matrix.shape
    counts = [n for n in range(1, outputs // _NARROWEST + 1) if outputs % n == 0]
    count = next((n for n in counts if matrix.size <= n * _MOST), max(counts, default=1))
    return matrix.reshape(count, outputs // count, inputs).swapaxes(1, 2)


def _layer(config: LlamaShape, weights: Mapping[str, Array], name: str) -> _Layer:
    def scaled(kind: str, norm: str) -> Array:
        scale = weights[f"{name}.{norm}.weight"] * np.float32(config.hidden_size**0.5)
        return weights[f"{name}.{kind}_proj.weight"] * scale

    def turned(kind: str) -> Array:
        """The halves of each head alternate."""
        matrix = scaled(f"self_attn.{kind}", "input_layernorm")
        halves = matrix.reshape(-1, 2, config.head_dim // 2, config.hidden_size)
        return halves.swapaxes(1, 2).reshape(matrix.shape)

    values = scaled("self_attn.v", "input_layernorm")
    gate = scaled("mlp.gate", "post_attention_layernorm") / 2
    up = scaled("mlp.up", "post_attention_layernorm")
    return _Layer(
        np.stack([turned("q"), turned("k"), values]).swapaxes(1, 2),
        _blocks(weights[f"{name}.self_attn.o_proj.weight"]),
        np.concatenate([_blocks(gate), _blocks(up)]),
        _blocks(weights[f"{name}.mlp.down_proj.weight"]),
    )


def _side_by_side(layers: Sequence[_Layer]) -> list[_Layer]:
    """The same layers in one array, which lies in large pages of memory."""
    whole = np.stack([np.concatenate([matrix.ravel() for matrix in layer]) for layer in layers])
    ends = np.cumsum([matrix.size for matrix in layers[0]])[:-1]
    parts = [
        zip(np.split(row, ends), layer, strict=True)
        for row, layer in zip(whole, layers, strict=True)
    ]
    return [_Layer(*(part.reshape(matrix.shape) for part, matrix in layer)) for layer in parts]


def _product(rows: Array, blocks: Array) -> Array:
    """The product with a matrix in blocks."""
    product = rows @ blocks
    return product.swapaxes(0, 1).reshape(len(rows), -1)


def _gated(product: Array) -> Array:
    """What the gate lets through, a row for each state.

    The gate is g * sigmoid(g), which is h * (1 + tanh(h)) for its half h.
    """
    middle = len(product) // 2
    half, passed = product[:middle], product[middle:]
    gated = np.tanh(half)
    gated += 1
    gated *= half
    gated *= passed
    return gated.swapaxes(0, 1).reshape(product.shape[1], -1)


def _flattened(tokens: Sequence[Sequence[int]]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """All tokens one after another, and the row of each."""
    flat = np.fromiter((token for row in tokens for token in row), np.int64)
    return flat, np.repeat(np.arange(len(tokens)), [len(row) for row in tokens])
