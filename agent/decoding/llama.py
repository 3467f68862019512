"""A Llama as `groundwalk train` makes it, run with NumPy.

Importing torch takes several times as long as a question. The operations are those of the library
that it was trained with; sums of float32 are taken in another order.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

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
        self._weights = {
            name: weight if weight.ndim == 1 or name == EMBEDDINGS else np.asfortranarray(weight)
            for name, weight in weights.items()
        }
        halves = np.arange(0, config.head_dim, 2, dtype=np.float32) / np.float32(config.head_dim)
        self._frequencies = (1.0 / config.rope_theta**halves).astype(np.float32)

    @property
    def context(self) -> int:
        """The most tokens of a prompt and its walk."""
        return self.config.max_position_embeddings

    def named_parameters(self) -> Iterator[tuple[str, Array]]:
        """The weights by name."""
        yield from self._weights.items()

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
        states = self._weights[EMBEDDINGS][tokens.ravel()]
        turns = self._turns(positions)
        for layer in range(self.config.num_hidden_layers):
            name = f"model.layers.{layer}"
            normed = self._normed(states, f"{name}.input_layernorm")
            states += self._attention(normed, layer, turns, mask, cache)
            normed = self._normed(states, f"{name}.post_attention_layernorm")
            gate = _silu(self._linear(normed, f"{name}.mlp.gate_proj"))
            gate *= self._linear(normed, f"{name}.mlp.up_proj")
            states += self._linear(gate, f"{name}.mlp.down_proj")
        return self._normed(states, "model.norm").reshape(*tokens.shape, -1)

    def logits(self, states: Sequence[Array]) -> Vector:
        """The logits after each state, shape (states, vocabulary)."""
        return self._whole(states).astype(np.float64)

    def logits_of(self, states: Sequence[Array], tokens: Sequence[Sequence[int]]) -> list[Vector]:
        """For each state the logits of its tokens, and no others."""
        flat, owner = _flattened(tokens)
        rows = self._weights[EMBEDDINGS][flat]
        return split(np.einsum("nd,nd->n", rows, np.stack(states)[owner]), tokens)

    def logprobs(self, states: Sequence[Array], tokens: Sequence[Sequence[int]]) -> list[Vector]:
        """For each state the log-probabilities of its tokens, over the whole vocabulary."""
        logits = self._whole(states)
        flat, owner = _flattened(tokens)
        top = logits.max(-1, keepdims=True)
        norms = np.log(np.exp(logits - top).sum(-1)) + top[:, 0]
        return split(logits[owner, flat] - norms[owner], tokens)

    def _whole(self, states: Sequence[Array]) -> Array:
        return np.stack(states) @ self._weights[EMBEDDINGS].T

    def _attention(
        self,
        states: Array,
        layer: int,
        turns: tuple[Array, Array],
        mask: NDArray[np.floating],
        cache: KeyValues,
    ) -> Array:
        rows, tokens = len(mask), mask.shape[-2]
        queries, keys, values = (
            self._linear(states, f"model.layers.{layer}.self_attn.{kind}_proj")
            .reshape(rows, tokens, -1, self.config.head_dim)
            .transpose(0, 2, 1, 3)
            for kind in "qkv"
        )
        keys, values = cache.update(_turned(keys, turns), values, layer)
        seen = NUMPY.attention(_turned(queries, turns), keys, values, mask)
        heads = seen.transpose(0, 2, 1, 3).reshape(rows * tokens, -1)
        return self._linear(heads, f"model.layers.{layer}.self_attn.o_proj")

    def _turns(self, positions: NDArray[np.int64]) -> tuple[Array, Array]:
        """Cosine and sine of the angles of each position, (rows, 1, tokens, head_dim / 2)."""
        half = positions[:, None, :, None].astype(np.float32) * self._frequencies
        return np.cos(half), np.sin(half)

    def _normed(self, states: Array, name: str) -> Array:
        scale = np.einsum("nd,nd->n", states, states) / np.float32(states.shape[-1])
        scale += np.float32(self.config.rms_norm_eps)
        scaled = states / np.sqrt(scale, out=scale)[:, None]
        scaled *= self._weights[f"{name}.weight"]
        return scaled

    def _linear(self, states: Array, name: str) -> Array:
        return states @ self._weights[f"{name}.weight"].T


def _silu(values: Array) -> Array:
    powers = np.negative(values)
    with np.errstate(over="ignore"):  # the sigmoid of a very negative number is 0
        np.exp(powers, out=powers)
    powers += 1
    return np.divide(values, powers, out=powers)


def _turned(states: Array, turns: tuple[Array, Array]) -> Array:
    """Rotary embedding: each pair of a first and a second half's element, by its angle."""
    cosine, sine = turns
    half = states.shape[-1] // 2
    first, second = states[..., :half], states[..., half:]
    turned = np.empty_like(states)
    turned[..., :half] = first * cosine - second * sine
    turned[..., half:] = second * cosine + first * sine
    return turned


def _flattened(tokens: Sequence[Sequence[int]]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """All tokens one after another, and the row of each."""
    flat = np.fromiter((token for row in tokens for token in row), np.int64)
    return flat, np.repeat(np.arange(len(tokens)), [len(row) for row in tokens])
