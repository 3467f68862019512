"""The shape of a small causal language model."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..encoding.tokenizer import MAX_LENGTH
from ..recipe import Size

if TYPE_CHECKING:
    from transformers import LlamaForCausalLM


def new_model(vocabulary: int, size: Size, seed: int, *, eos: int, pad: int) -> "LlamaForCausalLM":
    """A Llama-shaped model with fresh weights and tied embeddings."""
    import torch
    from transformers import LlamaConfig, LlamaForCausalLM

    torch.manual_seed(seed)
    config = LlamaConfig(
        vocab_size=vocabulary,
        hidden_size=size.width,
        intermediate_size=(size.width * 8 // 3 + 15) // 16 * 16,
        num_hidden_layers=size.layers,
        num_attention_heads=size.heads,
        num_key_value_heads=size.heads,
        max_position_embeddings=MAX_LENGTH,
        tie_word_embeddings=True,
        bos_token_id=None,
        eos_token_id=eos,
        pad_token_id=pad,
        rope_parameters={"rope_type": "default", "rope_theta": 10000.0},
    )
    return LlamaForCausalLM(config)


def add_dropout(model: "LlamaForCausalLM", rate: float) -> list[Any]:
    """Drop parts of what each attention and feed-forward layer adds; call `remove` on the hooks."""
    import torch

    drop = torch.nn.functional.dropout

    def attention(module: Any, _: Any, output: Any) -> Any:
        return (drop(output[0], rate, module.training), *output[1:])

    def feed_forward(module: Any, _: Any, output: Any) -> Any:
        return drop(output, rate, module.training)

    hooks = list[Any]()
    if rate > 0:
        layers: Any = model.model.layers
        for layer in layers:
            hooks.append(layer.self_attn.register_forward_hook(attention))
            hooks.append(layer.mlp.register_forward_hook(feed_forward))
    return hooks


def round_weights(model: "LlamaForCausalLM") -> None:
    """Round the weights to half precision in place, which is how they are stored."""
    import torch

    with torch.no_grad():
        for parameter in model.parameters():
            parameter.copy_(parameter.half())


def store_in_half(folder: Path) -> None:
    """Store the rounded weights of a saved model in half the bytes; it computes in float32."""
    from safetensors.torch import load_file, save_file

    file = folder / "model.safetensors"
    halved = {name: own.half() for name, own in load_file(file).items()}
    save_file(halved, file, metadata={"format": "pt"})
