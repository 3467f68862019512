"""A model that says the same everywhere, so that scores and ties can be worked out by hand."""

import math
from collections.abc import Iterable, Mapping

import torch
from transformers import LlamaForCausalLM

from . import worlds
from .bounds import Word, children


def constant_model(vocabulary: int, logits: Mapping[int, float] | None = None) -> LlamaForCausalLM:
    """Every token has the logit 0 after any text, but for those that are given."""
    model = worlds.random_model(vocabulary)
    head = torch.nn.Linear(model.config.hidden_size, vocabulary).double()
    torch.nn.init.zeros_(head.weight)
    torch.nn.init.zeros_(head.bias)
    with torch.no_grad():
        for token, logit in (logits or {}).items():
            head.bias[token] = logit
    model.lm_head = head
    return model.eval()


def by_hand(legal: Iterable[Word]) -> dict[Word, float]:
    """The score of each word where every token has the logit 0, among the legal tokens."""
    words = list(legal)
    trie = children(words)
    return {word: -sum(math.log(len(trie[word[:i]])) for i in range(len(word))) for word in words}
