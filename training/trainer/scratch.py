"""A new model: its own tokenizer, fresh weights, trained on the CPU in minutes."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from ...agent.decoding.wire import MARKERS, QUERY, QUERY_MARKERS
from ...agent.llm.local import LocalModel
from ...agent.llm.prompt import HEADINGS, Mention, path_prompt
from ...prompts import render
from ..encoder import MAX_LENGTH, Encoder
from ..recipe import Size
from .job import Job, TrainedModel

if TYPE_CHECKING:
    from transformers import LlamaForCausalLM, PreTrainedTokenizerFast


EOS = "<eos>"
PAD = "<pad>"


def train_tokenizer(
    texts: Iterable[str],
    *,
    kinds: Iterable[str] = (),
    vocabulary: int = 1200,
    queries: bool = False,
) -> "PreTrainedTokenizerFast":
    """Train byte-level BPE with GPT-2's pre-tokenisation; the same texts give the same tokenizer.

    The headings of the prompt and the masks of the class labels `kinds` become tokens of their
    own, which keeps prompts short; with `queries`, so do the markers of queries.
    """
    from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import PreTrainedTokenizerFast

    markers = (*MARKERS, *QUERY_MARKERS) if queries else MARKERS
    backend = Tokenizer(models.BPE())
    backend.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)  # pyright: ignore[reportAttributeAccessIssue]
    backend.decoder = decoders.ByteLevel()  # pyright: ignore[reportAttributeAccessIssue]
    trainer = trainers.BpeTrainer(
        vocab_size=vocabulary,
        special_tokens=[PAD, EOS, *markers],
        initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet()),
        show_progress=False,
    )
    backend.train_from_iterator(texts, trainer)
    backend.add_tokens([AddedToken(text, normalized=False) for text in headings(queries=queries)])
    values = ("number", "date", "text") if queries else ()
    masks = [f"[{kind or 'entity'}]" for kind in sorted({*kinds, *values, ""})]
    backend.add_tokens([AddedToken(text, normalized=False, lstrip=True) for text in masks])
    return PreTrainedTokenizerFast(
        tokenizer_object=backend,
        eos_token=EOS,
        pad_token=PAD,
        additional_special_tokens=list(markers),
        clean_up_tokenization_spaces=False,
        model_max_length=MAX_LENGTH,
    )


def headings(*, queries: bool = False) -> list[str]:
    """The parts of the masked prompt that are the same for every question."""
    sign = "\ufffc"
    prompt = path_prompt(sign, [Mention(0, 1, sign, sign)], masked=True, instruct=False)
    files = [file for wire, file in HEADINGS.items() if queries or wire != QUERY]
    texts = [f"{prompt}\n{render(file)}" for file in files]
    parts = [part for text in texts for part in text.replace(f"[{sign}]", sign).split(sign)]
    return list(dict.fromkeys(part for part in parts if part.strip()))


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


def round_weights(model: "LlamaForCausalLM") -> None:
    """Round the weights to half precision in place, which is how they are stored."""
    import torch

    with torch.no_grad():
        for parameter in model.parameters():
            parameter.copy_(parameter.half())


def from_scratch(job: Job) -> TrainedModel:
    """Train a small model that knows nothing but the graph."""
    from .plain_loop import train_model

    recipe, graph = job.recipe, job.material.graph
    masked = recipe.mask is not False
    tokenizer = train_tokenizer(
        job.material.texts(masked=masked),
        kinds=graph.kinds,
        queries=job.material.queries is not None,
    )
    encoder = Encoder(graph, tokenizer, masked=masked)
    eos, pad = encoder.units.eos, encoder.units.pad
    size = recipe.size_for(job.material.hops)
    model = new_model(len(tokenizer), size, recipe.seed, eos=eos, pad=pad)
    settings = job.settings(masked=masked, instruct=False)
    local = LocalModel("in training", model, tokenizer, settings)
    trained = train_model(model, job, job.batches(encoder), job.looks(local), pad)
    round_weights(model)
    return TrainedModel(local, trained)
