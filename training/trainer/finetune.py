"""Fine-tuning a causal language model, all of it or by low-rank adapters that are merged."""

from collections.abc import Sequence
from dataclasses import replace
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, cast

from ...agent.decoding.wire import MARKERS, QUERY_MARKERS
from ...agent.errors import InputError, ModelError
from ...agent.llm.local import LocalModel, load_model
from ..encoding.tokenizer import MAX_LENGTH
from ..encoding.walks import Encoder
from ..recipe import Recipe
from .made import read_made
from .making import Job, Made
from .plain_loop import has_bfloat16

if TYPE_CHECKING:
    from transformers import PreTrainedModel, PreTrainedTokenizerBase

_RANK = 16
"""Of the adapters; they are scaled by 2."""


def fine_tuned(job: Job) -> Made | None:
    """The model, where its training had come to its end; only the first process goes on with it."""
    import torch
    from accelerate import PartialState

    made = read_made(job, "cuda" if torch.cuda.is_available() else "cpu")
    PartialState().wait_for_everyone()
    if made is not None and not PartialState().is_main_process:
        raise SystemExit(0)
    return made


def fine_tune(job: Job) -> Made:
    """Teach the formats to the base model of a recipe.

    Under `accelerate launch` every process takes its share of each batch, and only the first goes
    on after the training. Raises ModelError and InputError.
    """
    import torch

    from .hf import train_with_hf

    recipe = job.recipe
    base = load_base(recipe.base)
    torch.manual_seed(recipe.seed)
    markers = (*MARKERS, *QUERY_MARKERS) if "query" in recipe.formats else MARKERS
    add_markers(base.model, base.tokenizer, markers)
    masked = base.settings.masked if recipe.mask is None else recipe.mask
    instruct = base.settings.instruct
    encoder = Encoder(job.material.graph, base.tokenizer, masked=masked, instruct=instruct)
    kept: Any = base.model.dtype
    bfloat16 = has_bfloat16("cuda" if torch.cuda.is_available() else "cpu")
    frozen_in_bfloat16 = recipe.lora and bfloat16 and kept != torch.float32
    cast(Any, base.model).to(torch.bfloat16 if frozen_in_bfloat16 else torch.float32)
    adapted: Any = _adapted(base, markers) if recipe.lora else None
    local = replace(base, settings=job.settings(masked=masked, instruct=instruct))
    try:
        trained = train_with_hf(
            adapted or base.model, local, job.batches(encoder), job, encoder.units.pad
        )
    except RuntimeError as error:
        if not _is_out_of_memory(error):
            raise
        raise InputError(
            f"the memory does not suffice for {job.schedule.batch} samples at once",
            _LESS_MEMORY if not recipe.lora else "--accumulate 4 takes them in parts",
        ) from error
    model = cast("PreTrainedModel", adapted.merge_and_unload() if adapted else base.model)
    return Made(replace(local, model=model.to(kept).eval()), trained)


_LESS_MEMORY = "--accumulate 4 takes them in parts; --lora trains a few weights only"


def check_extras(recipe: Recipe) -> None:
    """Raise InputError where a library is missing."""
    wanted = ["accelerate", *(["peft"] if recipe.lora else [])]
    if missing := [name for name in wanted if find_spec(name) is None]:
        raise InputError(
            f"fine-tuning needs {' and '.join(missing)}", "pip install 'groundwalk[train]'"
        )


def load_base(source: str) -> LocalModel:
    """A causal language model, from a folder or the hub. Raises ModelError."""
    base = load_model(source)
    from transformers.models.auto.modeling_auto import MODEL_FOR_CAUSAL_LM_MAPPING_NAMES

    said = base.model.config.architectures
    if said and not set(said) & set(MODEL_FOR_CAUSAL_LM_MAPPING_NAMES.values()):
        raise ModelError(
            f"{source}: is not a causal language model ({', '.join(said)})",
            "give one that writes text from left to right",
        )
    if not base.tokenizer.is_fast:
        raise ModelError(f"{source}: has no fast tokenizer", "give another base model")
    return base


def add_markers(
    model: "PreTrainedModel",
    tokenizer: "PreTrainedTokenizerBase",
    markers: Sequence[str] = MARKERS,
) -> None:
    """Make each marker of the wire formats a token, with an embedding."""
    from transformers import AddedToken

    known = cast(Any, tokenizer).get_added_vocab()
    for text in markers:
        if text not in known:
            tokenizer.add_tokens(
                AddedToken(text, special=True, normalized=False), special_tokens=True
            )
    if len(tokenizer) > cast(Any, model).get_input_embeddings().num_embeddings:
        model.resize_token_embeddings(len(tokenizer))
    if tokenizer.model_max_length < MAX_LENGTH:
        tokenizer.model_max_length = MAX_LENGTH


def _adapted(base: LocalModel, markers: Sequence[str]) -> Any:
    """The model with adapters at all linear layers; the embeddings of the markers are trained."""
    from peft import LoraConfig, get_peft_model

    model: Any = base.model
    ends = {id(model.get_input_embeddings())}
    if not model.config.get_text_config().tie_word_embeddings:
        ends.add(id(model.get_output_embeddings()))
    added = cast(Any, base.tokenizer).get_added_vocab()
    tokens = sorted(added[marker] for marker in markers)
    names = [name.rpartition(".")[2] for name, own in model.named_modules() if id(own) in ends]
    config = LoraConfig(
        r=_RANK,
        lora_alpha=2 * _RANK,
        target_modules="all-linear",
        trainable_token_indices=dict.fromkeys(names, tokens),
        task_type="CAUSAL_LM",
    )
    return get_peft_model(model, config)


def _is_out_of_memory(error: RuntimeError) -> bool:
    import torch

    return isinstance(error, torch.OutOfMemoryError) or "can't allocate memory" in str(error)
