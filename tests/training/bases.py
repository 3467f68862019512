"""Tiny base models of other shapes than ours, with tokenizers that know no markers."""

from pathlib import Path

import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import (
    GPT2Config,
    GPT2LMHeadModel,
    LlamaConfig,
    LlamaForCausalLM,
    PreTrainedModel,
    PreTrainedTokenizerFast,
    Qwen2Config,
    Qwen2ForCausalLM,
)

from .toy import toy_graph

CHAT = (
    "{% for m in messages %}<|{{ m['role'] }}|>{{ m['content'] }}<eos>{% endfor %}"
    "{% if add_generation_prompt %}<|assistant|>{% endif %}"
)


def byte_level(*, chat: bool) -> PreTrainedTokenizerFast:
    """As GPT-2, Llama 3 and Qwen2 have."""
    bpe = Tokenizer(models.BPE())
    bpe.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    bpe.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=420,
        special_tokens=["<eos>", "<|user|>", "<|assistant|>"],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    bpe.train_from_iterator(_texts(), trainer)
    fast = PreTrainedTokenizerFast(tokenizer_object=bpe, eos_token="<eos>")
    fast.chat_template = CHAT if chat else None
    return fast


def metaspace() -> PreTrainedTokenizerFast:
    """As Llama 2 and Mistral have."""
    bpe = Tokenizer(models.BPE(byte_fallback=True, unk_token="<unk>", fuse_unk=True))
    bpe.pre_tokenizer = pre_tokenizers.Metaspace(replacement="▁", prepend_scheme="always")
    bpe.decoder = decoders.Metaspace(replacement="▁", prepend_scheme="always")
    trainer = trainers.BpeTrainer(
        vocab_size=500,
        special_tokens=["<unk>", "<eos>", *(f"<0x{i:02X}>" for i in range(256))],
        show_progress=False,
    )
    bpe.train_from_iterator(_texts(), trainer)
    return PreTrainedTokenizerFast(tokenizer_object=bpe, eos_token="<eos>", unk_token="<unk>")


def save_base(folder: Path, shape: str) -> Path:
    """A base model of a shape, with random weights."""
    torch.manual_seed(0)
    tokenizer = metaspace() if shape == "llama" else byte_level(chat=shape == "qwen2")
    end = tokenizer.eos_token_id
    assert isinstance(end, int)
    size = len(tokenizer)
    model: PreTrainedModel
    if shape == "gpt2":
        model = GPT2LMHeadModel(
            GPT2Config(
                vocab_size=size, n_embd=64, n_layer=2, n_head=2, bos_token_id=end, eos_token_id=end
            )
        )
    elif shape == "qwen2":  # more rows than tokens, and an output matrix of its own
        model = Qwen2ForCausalLM(
            Qwen2Config(
                vocab_size=size + 30,
                hidden_size=64,
                intermediate_size=128,
                num_hidden_layers=2,
                num_attention_heads=2,
                num_key_value_heads=1,
                tie_word_embeddings=False,
                bos_token_id=None,
                eos_token_id=end,
            )
        )
    else:
        model = LlamaForCausalLM(
            LlamaConfig(
                vocab_size=size,
                hidden_size=64,
                intermediate_size=128,
                num_hidden_layers=2,
                num_attention_heads=2,
                tie_word_embeddings=True,
                bos_token_id=None,
                eos_token_id=end,
            )
        )
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


def _texts() -> list[str]:
    graph = toy_graph()
    words = "# Question: # Topic entities: # Reasoning Path: what is the capital of who touches"
    return [*(f" -> {name} ->" for name in (*graph.names, *graph.labels)), words] * 20
