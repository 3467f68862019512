"""What a local model writes without any constraint: the best texts, or samples."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from threading import Lock
from typing import Any, cast

from transformers import PreTrainedTokenizerBase

from ..errors import ConstraintError
from .local import LocalModel

_SAMPLING = Lock()
"""Samples are drawn by one thread at a time, so that a seed gives the same ones."""


@dataclass(frozen=True)
class FreeTexts:
    """Texts without the tokens that ended them, the best first, and what they cost.

    `scores` are the log-probabilities of what a search found; 0 where there was none.
    """

    texts: tuple[str, ...]
    scores: tuple[float, ...] = ()
    forward_passes: int = 0
    tokens: int = 0


@dataclass(frozen=True)
class Writing:
    """How to write: by a search of `beams`, or as `samples` drawn at `temperature`.

    `longest` is in tokens. `closing` tokens end a text too and stay in it, as do all other special
    tokens where it is not empty.
    """

    longest: int
    beams: int = 1
    samples: int = 0
    temperature: float = 0.7
    seed: int = 0
    closing: frozenset[int] = frozenset()


def write_freely(local: LocalModel, prompt: Sequence[int], how: Writing) -> FreeTexts:
    """Continue a prompt. Raises ConstraintError where the model cannot hold prompt and text."""
    import torch

    room = getattr(local.model.config, "max_position_embeddings", None)
    if room is not None and len(prompt) + how.longest > room:
        raise ConstraintError(
            f"the prompt of {len(prompt)} tokens is too long for the model", "try --set shown=20"
        )
    ends = _ends(local)
    ids = torch.tensor([list(prompt)], device=local.model.device)
    settings: dict[str, Any] = {
        "attention_mask": torch.ones_like(ids),
        "max_new_tokens": how.longest,
        "eos_token_id": sorted({*ends, *how.closing}) or None,
        "pad_token_id": min(ends, default=0),
    }
    model = cast(Any, local.model)
    scores = (0.0,) * (how.samples or how.beams)
    if how.samples:
        drawn = {
            "do_sample": True,
            "temperature": how.temperature,
            "num_return_sequences": how.samples,
        }
        with _SAMPLING, torch.random.fork_rng(), torch.inference_mode():
            torch.manual_seed(how.seed)
            rows = model.generate(input_ids=ids, **settings, **drawn)
    else:
        search: dict[str, Any] = {"num_beams": how.beams, "num_return_sequences": how.beams}
        if how.beams > 1:
            search |= {"length_penalty": 0.0, "output_scores": True}
        with torch.inference_mode():
            found = model.generate(
                input_ids=ids, **settings, **search, do_sample=False, return_dict_in_generate=True
            )
        rows = found.sequences
        if how.beams > 1:
            scores = tuple(found.sequences_scores.tolist())
    written = [row[len(prompt) :] for row in rows.tolist()]
    texts = [_text(local.tokenizer, row, ends, how.closing) for row in written]
    steps = len(written[0])
    return FreeTexts(tuple(texts), scores, steps, len(prompt) + steps * len(written))


def _text(
    tokenizer: PreTrainedTokenizerBase,
    row: Sequence[int],
    ends: Collection[int],
    closing: Collection[int],
) -> str:
    kept = list[int]()
    for token in row:
        if token in ends:
            break
        kept.append(token)
        if token in closing:
            break
    return str(tokenizer.decode(kept, skip_special_tokens=not closing))


def _ends(local: LocalModel) -> frozenset[int]:
    """The tokens that end a text."""
    configured: Any = getattr(local.model, "generation_config", None)
    known = [local.tokenizer.eos_token_id, getattr(configured, "eos_token_id", None)]
    flat = [i for own in known for i in (own if isinstance(own, list) else [own])]
    return frozenset(i for i in cast("list[Any]", flat) if isinstance(i, int))
