"""The models that are timed: the bundled one, and fresh ones of known shapes with random weights.

What a model costs depends on its shape alone, so random weights time a model as well as trained
ones; what they say is meaningless, and the same for every decoder that is compared.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import (
    LlamaConfig,
    LlamaForCausalLM,
    PreTrainedModel,
    PreTrainedTokenizerBase,
    PreTrainedTokenizerFast,
    Qwen2Config,
    Qwen2ForCausalLM,
)

from ...agent.decoding.wire import MARKERS, SEPARATOR
from ...agent.errors import ModelError
from ...agent.kg import KnowledgeGraph
from ...agent.llm.local import LocalModel, ModelSettings, load_model

QWEN_VOCABULARY = 151_936


@dataclass(frozen=True)
class Shape:
    """The size of a Qwen2-shaped model: embeddings tied, a vocabulary of 150k tokens."""

    width: int
    layers: int
    heads: int
    kv_heads: int
    inner: int


QWEN_25M = Shape(width=160, layers=4, heads=4, kv_heads=2, inner=640)
QWEN_HALF_B = Shape(width=896, layers=24, heads=14, kv_heads=2, inner=4864)


def graph_tokenizer(
    graphs: Iterable[KnowledgeGraph], vocabulary: int = 8_000
) -> PreTrainedTokenizerBase:
    """A byte-level BPE tokenizer that is trained on the names of some graphs."""
    texts = list[str]()
    for kg in graphs:
        facts = sorted(kg.store.facts())
        terms = sorted({term for fact in facts for term in fact})
        names = dict(zip(terms, kg.labels.names(terms), strict=True))
        texts.extend(SEPARATOR.join(names[term] for term in fact) for fact in facts)
    backend = Tokenizer(models.BPE())
    backend.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)  # pyright: ignore[reportAttributeAccessIssue]
    backend.decoder = decoders.ByteLevel()  # pyright: ignore[reportAttributeAccessIssue]
    trainer = trainers.BpeTrainer(
        vocab_size=vocabulary,
        special_tokens=["<pad>", *MARKERS],
        initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet()),
        show_progress=False,
    )
    backend.train_from_iterator(texts, trainer)
    return PreTrainedTokenizerFast(
        tokenizer_object=backend, pad_token="<pad>", additional_special_tokens=list(MARKERS)
    )


def small_llama(tokenizer: PreTrainedTokenizerBase) -> LocalModel:
    """Four layers of 256: about the size of the bundled model, with any tokenizer."""
    config = LlamaConfig(
        vocab_size=len(tokenizer),
        hidden_size=256,
        intermediate_size=688,
        num_hidden_layers=4,
        num_attention_heads=4,
        num_key_value_heads=4,
        tie_word_embeddings=True,
    )
    return _random("small", LlamaForCausalLM, config, tokenizer)


def qwen(name: str, shape: Shape, tokenizer: PreTrainedTokenizerBase) -> LocalModel:
    """A model of Qwen2's shape; the tokenizer uses only the first tokens of its vocabulary."""
    config = Qwen2Config(
        vocab_size=QWEN_VOCABULARY,
        hidden_size=shape.width,
        intermediate_size=shape.inner,
        num_hidden_layers=shape.layers,
        num_attention_heads=shape.heads,
        num_key_value_heads=shape.kv_heads,
        tie_word_embeddings=True,
    )
    return _random(name, Qwen2ForCausalLM, config, tokenizer)


def bundled() -> LocalModel | None:
    """The model that comes with the package, where it is there."""
    try:
        return load_model()
    except ModelError:
        return None


def parameters(model: PreTrainedModel) -> int:
    """How many numbers a model holds."""
    return sum(p.numel() for p in model.parameters())


def _random(name: str, kind: Any, config: Any, tokenizer: PreTrainedTokenizerBase) -> LocalModel:
    torch.manual_seed(0)
    return LocalModel(name, kind(config).eval(), tokenizer, ModelSettings())
