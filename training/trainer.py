"""The training loop: plain PyTorch, one process, the same run for the same seed."""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from random import Random
from typing import TYPE_CHECKING

from .encode import Encoded
from .model import add_dropout

if TYPE_CHECKING:
    from torch import Tensor
    from transformers import LlamaForCausalLM

Progress = Callable[[int, int, float], None]
"""Told the steps done, the steps in all, and the loss of late."""


@dataclass(frozen=True)
class Schedule:
    """How long and how fast to train. `rate` is the peak learning rate."""

    steps: int = 3000
    batch: int = 64
    rate: float = 2e-3
    warm_up: int = 150
    decay: float = 0.05
    clip: float = 1.0
    dropout: float = 0.0
    pool: int = 16
    """Batches that are sorted by length together, to save padding."""
    bfloat16: bool = False
    """Whether to multiply in bfloat16, twice as fast on a CPU that has instructions for it."""


@dataclass(frozen=True)
class Trained:
    """What a run did; `stopped` when the user interrupted it."""

    steps: int
    loss: float
    stopped: bool


def train_model(
    model: "LlamaForCausalLM",
    samples: Iterator[Encoded],
    schedule: Schedule,
    *,
    seed: int,
    pad: int,
    on_progress: Progress | None = None,
) -> Trained:
    """Train in place on the completion of each sample. Ctrl-C stops early and keeps the weights."""
    import torch

    torch.manual_seed(seed)
    optimizer = torch.optim.AdamW(
        [
            {"params": [p for p in model.parameters() if p.dim() > 1]},
            {"params": [p for p in model.parameters() if p.dim() < 2], "weight_decay": 0.0},
        ],
        lr=schedule.rate,
        betas=(0.9, 0.98),
        weight_decay=schedule.decay,
    )
    hooks = add_dropout(model, schedule.dropout)
    model.train()
    done, recent, stopped = 0, 0.0, False
    try:
        for batch in islice(_batches(samples, schedule, seed), schedule.steps):
            for group in optimizer.param_groups:
                group["lr"] = schedule.rate * _pace(done, schedule)
            ids, weights = _padded(batch, pad)
            with torch.autocast("cpu", torch.bfloat16, enabled=schedule.bfloat16):
                loss = _loss(model, ids, weights)
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), schedule.clip)
            optimizer.step()
            done += 1
            share = max(0.02, 1 / done)
            recent += share * (loss.item() - recent)
            if on_progress:
                on_progress(done, schedule.steps, recent)
    except KeyboardInterrupt:
        stopped = True
    for hook in hooks:
        hook.remove()
    model.eval()
    return Trained(done, recent, stopped)


def has_fast_bfloat16() -> bool:
    """Whether this CPU multiplies bfloat16 in hardware."""
    import torch

    capabilities = getattr(torch.cpu, "get_capabilities", dict[str, bool])()
    return bool(capabilities.get("avx512_bf16") or capabilities.get("amx_bf16"))


def _pace(step: int, schedule: Schedule) -> float:
    """Linear warm-up, then a cosine down to 2% of the peak."""
    warm_up = min(schedule.warm_up, schedule.steps // 5 + 1)
    if step < warm_up:
        return (step + 1) / warm_up
    rest = (step - warm_up) / max(1, schedule.steps - warm_up)
    return 0.02 + 0.98 * 0.5 * (1 + math.cos(math.pi * rest))


def _batches(samples: Iterator[Encoded], schedule: Schedule, seed: int) -> Iterator[list[Encoded]]:
    """Batches of samples of like length, in random order within a pool."""
    rng = Random(f"batches {seed}")
    while pool := list(islice(samples, schedule.batch * schedule.pool)):
        pool.sort(key=lambda sample: len(sample.ids))
        starts = list(range(0, len(pool), schedule.batch))
        rng.shuffle(starts)
        for start in starts:
            yield pool[start : start + schedule.batch]


def _padded(batch: list[Encoded], pad: int) -> "tuple[Tensor, Tensor]":
    import torch

    longest = max(len(sample.ids) for sample in batch)
    ids = [sample.ids + [pad] * (longest - len(sample.ids)) for sample in batch]
    weights = [sample.weights + [0.0] * (longest - len(sample.ids)) for sample in batch]
    return torch.tensor(ids), torch.tensor(weights)


def _loss(model: "LlamaForCausalLM", ids: "Tensor", weights: "Tensor") -> "Tensor":
    """Weighted cross-entropy; padding on the right needs no mask under causal attention."""
    import torch

    hidden = model.model(input_ids=ids, use_cache=False).last_hidden_state
    wanted = weights[:, 1:] > 0
    logits = model.lm_head(hidden[:, :-1][wanted])
    losses = torch.nn.functional.cross_entropy(logits, ids[:, 1:][wanted], reduction="none")
    chosen = weights[:, 1:][wanted]
    return (losses * chosen).sum() / chosen.sum()
