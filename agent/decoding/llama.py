"""A Llama as `groundwalk train` makes it, run with torch alone.

Importing the library that it was trained with takes several times as long as a question. The
operations and their order are those of that library, so that logits are the same to the last bit.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import torch
from torch.nn import functional


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

    def get_text_config(self) -> "LlamaShape":
        """Itself: there is nothing but text."""
        return self

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
            "model.embed_tokens.weight": (self.vocab_size, width),
            "model.norm.weight": (width,),
            **{
                f"model.layers.{i}.{name}.weight": shape
                for i in range(self.num_hidden_layers)
                for name, shape in layer.items()
            },
        }


class KeyValues:
    """The keys and values of each layer, shape (rows, heads, tokens, head_dim); they only grow."""

    def __init__(self, layers: int) -> None:
        self.layers: list[tuple[torch.Tensor, torch.Tensor] | None] = [None] * layers

    def get_seq_length(self) -> int:
        """How many tokens are held."""
        first = self.layers[0]
        return 0 if first is None else first[0].shape[-2]

    def update(
        self, keys: torch.Tensor, values: torch.Tensor, layer: int
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Add new tokens to a layer; all that it holds then."""
        before = self.layers[layer]
        if before is None:
            held = torch.cat([keys], dim=-2), torch.cat([values], dim=-2)
        else:
            held = (
                torch.cat([before[0], keys], dim=-2),
                torch.cat([before[1], values], dim=-2),
            )
        self.layers[layer] = held
        return held


@dataclass(frozen=True)
class Output:
    """The last hidden states of a pass, (rows, tokens, width), or the logits where they are set."""

    last_hidden_state: torch.Tensor
    logits: torch.Tensor | None = None


@dataclass(frozen=True)
class Matrix:
    """A layer that is a matrix and nothing else."""

    weight: torch.Tensor
    bias: None = None


@dataclass(frozen=True)
class GenerationConfig:
    """What of `generation_config.json` is asked for."""

    eos_token_id: int | None


class Llama:
    """A model to decode with, on the CPU in float32; it offers of transformers' what that takes."""

    device = torch.device("cpu")
    dtype = torch.float32

    def __init__(
        self, config: LlamaShape, weights: Mapping[str, torch.Tensor], eos: int | None
    ) -> None:
        """The `weights` are those that `config` names, in its shapes."""
        self.config = config
        self.generation_config = GenerationConfig(eos)
        self._weights = dict(weights)
        halves = torch.arange(0, config.head_dim, 2, dtype=torch.float) / config.head_dim
        self._frequencies = 1.0 / (config.rope_theta**halves)

    def named_parameters(self) -> Iterator[tuple[str, torch.Tensor]]:
        """The weights by name."""
        yield from self._weights.items()

    def parameters(self) -> Iterator[torch.Tensor]:
        """The weights."""
        yield from self._weights.values()

    def get_input_embeddings(self) -> Matrix:
        """The embeddings of the tokens, (vocabulary, width)."""
        return Matrix(self._weights["model.embed_tokens.weight"])

    def get_output_embeddings(self) -> Matrix:
        """The matrix after the last hidden state: that of the embeddings."""
        return self.get_input_embeddings()

    def new_cache(self) -> KeyValues:
        """A cache that holds nothing."""
        return KeyValues(self.config.num_hidden_layers)

    def __call__(self, input_ids: torch.Tensor) -> Output:
        """The logits after each token of each row, (rows, tokens, vocabulary)."""
        states = self.base_model(input_ids).last_hidden_state
        return Output(states, functional.linear(states, self.get_output_embeddings().weight))

    def base_model(
        self,
        input_ids: torch.Tensor,
        position_ids: torch.Tensor | None = None,
        attention_mask: torch.Tensor | None = None,
        past_key_values: KeyValues | None = None,
        use_cache: bool = True,
    ) -> Output:
        """The last hidden states of the tokens, whose keys and values go into the cache.

        The mask is added to the attention, (rows, 1, tokens, cached and new tokens); without one
        the cache is empty, and each token sees those before it. Nothing is cached of what is not
        given a cache, whatever `use_cache` says.
        """
        if position_ids is None:
            position_ids = torch.arange(input_ids.shape[1]).unsqueeze(0)
        cache = past_key_values or self.new_cache()
        states = functional.embedding(input_ids, self._weights["model.embed_tokens.weight"])
        turns = self._turns(position_ids)
        for layer in range(self.config.num_hidden_layers):
            name = f"model.layers.{layer}"
            normed = self._normed(states, f"{name}.input_layernorm")
            states = states + self._attention(normed, layer, turns, attention_mask, cache)
            normed = self._normed(states, f"{name}.post_attention_layernorm")
            gate = functional.silu(self._linear(normed, f"{name}.mlp.gate_proj"))
            inner = gate * self._linear(normed, f"{name}.mlp.up_proj")
            states = states + self._linear(inner, f"{name}.mlp.down_proj")
        return Output(self._normed(states, "model.norm"))

    def _attention(
        self,
        states: torch.Tensor,
        layer: int,
        turns: tuple[torch.Tensor, torch.Tensor],
        mask: torch.Tensor | None,
        cache: KeyValues,
    ) -> torch.Tensor:
        rows, tokens, _ = states.shape
        queries, keys, values = (
            self._linear(states, f"model.layers.{layer}.self_attn.{kind}_proj")
            .view(rows, tokens, -1, self.config.head_dim)
            .transpose(1, 2)
            for kind in "qkv"
        )
        keys, values = cache.update(_turned(keys, turns), values, layer)
        seen = functional.scaled_dot_product_attention(
            _turned(queries, turns),
            keys,
            values,
            attn_mask=mask,
            is_causal=mask is None and tokens > 1,
            scale=self.config.head_dim**-0.5,
        )
        heads = seen.transpose(1, 2).reshape(rows, tokens, -1)
        return self._linear(heads, f"model.layers.{layer}.self_attn.o_proj")

    def _turns(self, positions: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Cosine and sine of the angles of each position, (rows, 1, tokens, head_dim)."""
        half = positions[:, None, :, None].float() * self._frequencies
        angles = torch.cat((half, half), dim=-1)
        return angles.cos(), angles.sin()

    def _normed(self, states: torch.Tensor, name: str) -> torch.Tensor:
        variance = states.pow(2).mean(-1, keepdim=True)
        scaled = states * torch.rsqrt(variance + self.config.rms_norm_eps)
        return self._weights[f"{name}.weight"] * scaled

    def _linear(self, states: torch.Tensor, name: str) -> torch.Tensor:
        return functional.linear(states, self._weights[f"{name}.weight"])


def _turned(states: torch.Tensor, turns: tuple[torch.Tensor, torch.Tensor]) -> torch.Tensor:
    """Rotary embedding: each pair of a first and a second half's element, by its angle."""
    cosine, sine = turns
    first, second = states.chunk(2, dim=-1)
    return states * cosine + torch.cat((-second, first), dim=-1) * sine
