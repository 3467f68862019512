"""A local model that writes queries as it is told, each with a probability."""

import math
from collections.abc import Mapping, Sequence
from types import SimpleNamespace
from typing import Any

import torch
from groundwalk.agent.decoding.wire import NONE, QUERY, QUERY_MARKERS
from groundwalk.agent.llm.local import LocalModel
from groundwalk.agent.llm.model_folder import ModelSettings
from transformers import LlamaConfig, LlamaForCausalLM

from ..decoding import worlds

HEADING = "# Query: \n"
Script = Sequence[tuple[str, float]]
"""Queries without their tags, or `NONE`, with probabilities that are 1 together."""


def tokenizer_with_queries() -> Any:
    """A tokenizer that holds every marker of queries."""
    tokenizer = worlds.byte_level()
    tokenizer.add_special_tokens(
        {"additional_special_tokens": [*tokenizer.all_special_tokens, *QUERY_MARKERS]}
    )
    return tokenizer


class Scripted(LlamaForCausalLM):
    """After a question as it is read, the tokens of its script; anything after any other.

    `asked` are the questions that it was asked, as it reads them.
    """

    _is_stateful = True  # so that it is always given whole lines

    def __init__(self, tokenizer: Any, scripts: Mapping[str, Script]) -> None:
        super().__init__(
            LlamaConfig(
                vocab_size=len(tokenizer),
                hidden_size=8,
                intermediate_size=8,
                num_hidden_layers=1,
                num_attention_heads=1,
                max_position_embeddings=8192,
            )
        )
        self.tokenizer = tokenizer
        self.asked = list[str]()
        self.scripts = {
            question: [(self._ids(text), chance) for text, chance in script]
            for question, script in scripts.items()
        }

    def _ids(self, text: str) -> list[int]:
        whole = text if text == NONE else f"{QUERY.open}{text}{QUERY.close}"
        return [*self.tokenizer(whole, add_special_tokens=False)["input_ids"]]

    def forward(self, input_ids: torch.Tensor, **_: Any) -> Any:  # pyright: ignore
        logits = torch.zeros(*input_ids.shape, len(self.tokenizer), dtype=torch.float64)
        heading = self.tokenizer(HEADING, add_special_tokens=False)["input_ids"]
        for row, ids in enumerate(input_ids.tolist()):
            size = len(heading)
            ends = [n for n in range(size, len(ids) + 1) if ids[n - size : n] == heading]
            if not ends:
                continue
            text = self.tokenizer.decode(ids[: ends[0]]).split("# Question: \n")[1]
            question = text.removesuffix(f"\n{HEADING}")
            if question not in self.asked:
                self.asked.append(question)
            for place in range(ends[0], len(ids) + 1):
                logits[row, place - 1] += self._next(question, ids[ends[0] : place])
        return SimpleNamespace(logits=logits)

    def _next(self, question: str, before: list[int]) -> torch.Tensor:
        chances = torch.full((len(self.tokenizer),), 1e-12, dtype=torch.float64)
        for ids, chance in self.scripts.get(question, []):
            if ids[: len(before)] == before and len(before) < len(ids):
                chances[ids[len(before)]] += chance
        return (chances / chances.sum()).log().clamp(min=math.log(1e-12))


def scripted(scripts: Mapping[str, Script], *, least: float = 0.5) -> LocalModel:
    """A model that knows the format `query`; its threshold is `least`."""
    tokenizer = tokenizer_with_queries()
    settings = ModelSettings(
        masked=True,
        instruct=False,
        formats=("path", "query"),
        confidences={"query": least},
    )
    model: Any = Scripted(tokenizer, scripts).double().eval()
    return LocalModel("scripted", model, tokenizer, settings)


def random_reader() -> LocalModel:
    """A model with random weights that can write queries."""
    tokenizer = tokenizer_with_queries()
    settings = ModelSettings(masked=True, instruct=False, formats=("path", "query"))
    return LocalModel("random", worlds.random_model(len(tokenizer)), tokenizer, settings)
