"""A model that says the same everywhere, so that scores and ties can be worked out by hand."""

import math
from collections.abc import Iterable, Mapping

import torch
from transformers import LlamaForCausalLM

from . import worlds
from .bounds import Word, children


def constant_model(
    vocabulary: int, logits: Mapping[int, float] | None = None, *, seed: int = 0
) -> LlamaForCausalLM:
    """Every token has the logit 0 after any text, but for those that are given."""
    model = worlds.random_model(vocabulary, seed=seed)
    head = torch.nn.Linear(model.config.hidden_size, vocabulary).double()
    torch.nn.init.zeros_(head.weight)
    torch.nn.init.zeros_(head.bias)
    with torch.no_grad():
        for token, logit in (logits or {}).items():
            head.bias[token] = logit
    model.lm_head = head
    return model.eval()


def by_hand(legal: Iterable[Word], logits: Mapping[int, float] | None = None) -> dict[Word, float]:
    """The score of each word under such a model, among the legal tokens."""
    words, given = list(legal), logits or {}
    trie = children(words)

    def value(word: Word, i: int) -> float:
        among = sum(math.exp(given.get(token, 0.0)) for token in trie[word[:i]])
        return given.get(word[i], 0.0) - math.log(among)

    return {word: sum(value(word, i) for i in range(len(word))) for word in words}
