"""Small graphs, tokenizers and models for the decoder's tests."""

from collections.abc import Generator, Iterable
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import torch
from groundwalk.agent.decoding.wire import MARKERS
from groundwalk.agent.kg import KnowledgeGraph, open_kg
from groundwalk.agent.llm.local import LocalModel
from groundwalk.agent.llm.model_folder import ModelSettings
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

HOSTILE = (
    "A",
    "New",
    "New York",
    "New York City",
    "new",
    "Par",
    "Paris",
    "x -> y",
    "<PATH>",
    "</PATH> z",
    "<eos>",
    "^up",
    "  spaced   out ",
    "\u200b",
    "مدينة",
    "🙂",
    "🙂🙂",
    "line\nbreak",
)
RELATIONS = ("r", "r s", "capital", "cap", "^inverse", "-> arrow")

Fact = tuple[int, int, int]
"""Positions of head, relation and tail in HOSTILE and RELATIONS."""


def entity(i: int) -> str:
    return f"<http://example.org/e/{i}>"


def relation(i: int) -> str:
    return f"<http://example.org/r/{i}>"


def quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'


def graph(facts: Iterable[Fact], folder: Path, *, on_disk: bool = False) -> KnowledgeGraph:
    """A KG with these facts, whose labels are the hostile ones.

    In memory, which takes a tenth of the time, unless it is to have a folder `on_disk`.
    """
    label = "<http://www.w3.org/2000/01/rdf-schema#label>"
    lines = [f"{entity(i)} {label} {quoted(name)} ." for i, name in enumerate(HOSTILE)]
    lines += [f"{relation(i)} {label} {quoted(name)} ." for i, name in enumerate(RELATIONS)]
    lines += [f"{entity(h)} {relation(r)} {entity(t)} ." for h, r, t in facts]
    file = folder / "graph.nt"
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return open_kg(str(file), cache=folder / "cache" if on_disk else file)


def byte_level() -> PreTrainedTokenizerFast:
    """A byte-level BPE tokenizer, as GPT-2, Llama 3 and Qwen have."""
    bpe = Tokenizer(models.BPE())
    bpe.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    bpe.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=330,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        special_tokens=["<eos>", "<pad>"],
        show_progress=False,
    )
    corpus = [" -> ".join(HOSTILE[:8])] * 20 + list(HOSTILE) + list(RELATIONS)
    bpe.train_from_iterator(corpus, trainer)
    return _fast(bpe)


def metaspace() -> PreTrainedTokenizerFast:
    """A SentencePiece-like tokenizer with byte fallback, as Llama 2 and Mistral have."""
    bpe = Tokenizer(models.BPE(byte_fallback=True, unk_token="<unk>", fuse_unk=True))
    bpe.pre_tokenizer = pre_tokenizers.Metaspace(replacement="▁", prepend_scheme="always")
    bpe.decoder = decoders.Metaspace(replacement="▁", prepend_scheme="always")
    trainer = trainers.BpeTrainer(
        vocab_size=420,
        special_tokens=["<unk>", "<eos>", "<pad>", *(f"<0x{i:02X}>" for i in range(256))],
        show_progress=False,
    )
    corpus = [" -> ".join(HOSTILE[:8])] * 20 + list(RELATIONS)
    bpe.train_from_iterator(corpus, trainer)
    return _fast(bpe)


def _fast(bpe: Tokenizer) -> PreTrainedTokenizerFast:
    return PreTrainedTokenizerFast(
        tokenizer_object=bpe,
        eos_token="<eos>",
        pad_token="<pad>",
        additional_special_tokens=list(MARKERS),
    )


def random_model(vocabulary: int, *, seed: int = 0) -> LlamaForCausalLM:
    """A float64 model with random weights, peaked enough that choices differ."""
    torch.manual_seed(seed)
    config = LlamaConfig(
        vocab_size=vocabulary,
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        max_position_embeddings=4096,
        initializer_range=0.2,
    )
    return LlamaForCausalLM(config).double().eval()


@contextmanager
def taken_in(model: Any) -> Generator[list[tuple[int, int]]]:
    """The rows and the width of the tokens that a model is given, pass by pass."""
    shapes: list[tuple[int, int]] = []

    def note(_: Any, given: tuple[Any, ...], named: dict[str, Any]) -> None:
        ids = named["input_ids"] if named.get("input_ids") is not None else given[0]
        shapes.append(tuple(ids.shape))

    handle = model.base_model.register_forward_pre_hook(note, with_kwargs=True)
    try:
        yield shapes
    finally:
        handle.remove()


class _Says:
    """The part of a model that writes freely: it always writes the same."""

    config = SimpleNamespace(max_position_embeddings=100_000)
    generation_config = None
    device = torch.device("cpu")

    def __init__(self, tokens: list[int]) -> None:
        self._tokens = tokens

    def generate(self, *, input_ids: torch.Tensor, **settings: Any) -> Any:
        rows = torch.cat([input_ids, torch.tensor([self._tokens])], dim=1)
        return rows if settings.get("do_sample") else SimpleNamespace(sequences=rows)


def saying(reply: str, tokenizer: PreTrainedTokenizerFast) -> LocalModel:
    """A model that follows instructions and writes one reply, whatever it is asked."""
    tokens = list[int](tokenizer(reply, add_special_tokens=False)["input_ids"])
    model: Any = _Says([*tokens, *tokenizer("<eos>", add_special_tokens=False)["input_ids"]])
    return LocalModel("says", model, tokenizer, ModelSettings())
