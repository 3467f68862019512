"""The training loop of a new model: plain PyTorch, one process, the same run for the same seed."""

import math
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .checkpoint import EVERY, read_state, write_state
from .data import Batches
from .encode import Encoded
from .model import add_dropout
from .optimizers import optimizers_for, set_rate
from .recipe import Schedule
from .watch import Watcher
from .watched import Looks

if TYPE_CHECKING:
    from torch import Tensor
    from torch.optim import Optimizer
    from transformers import LlamaForCausalLM

PATIENCE_IS_OVER = "no better score on held-out questions"


@dataclass(frozen=True)
class Trained:
    """What a run did."""

    steps: int
    loss: float
    stopped: str = ""
    """Why it ended before its last step."""
    hits: dict[int, float] = field(default_factory=dict[int, float])
    """Hits@1 on held-out questions, by step."""


@dataclass
class _Run:
    """What goes on in a later process: the weights, the moments, and how far it is."""

    model: "LlamaForCausalLM"
    optimizers: "tuple[Optimizer, ...]"
    looks: Looks
    done: int = 0
    loss: float = 0.0

    def save(self, folder: Path) -> None:
        import torch

        tensors = {"random": torch.get_rng_state()}
        for place, own in enumerate(self.model.parameters()):
            tensors[f"weights.{place}"] = own
            for optimizer in self.optimizers:
                for name, moment in optimizer.state.get(own, {}).items():
                    tensors[f"moments.{place}.{name}"] = moment
        tensors |= {f"best.{name}": own for name, own in self.looks.weights.items()}
        write_state(
            folder, tensors, {"done": self.done, "loss": self.loss, "seen": self.looks.seen}
        )

    def resume(self, folder: Path, watcher: Watcher) -> None:
        import torch

        found = read_state(folder)
        if found is None:
            return
        tensors, values = found
        torch.set_rng_state(tensors.pop("random"))
        parameters = list(self.model.parameters())
        mover = {
            parameter: optimizer
            for optimizer in self.optimizers
            for group in optimizer.param_groups
            for parameter in group["params"]
        }
        best: dict[str, Tensor] = {}
        with torch.no_grad():
            for name, own in tensors.items():
                part, _, rest = name.partition(".")
                place, _, moment = rest.partition(".")
                if part == "weights":
                    parameters[int(place)].copy_(own)
                elif part == "moments":
                    parameter = parameters[int(place)]
                    mover[parameter].state[parameter][moment] = own
                else:
                    best[rest] = own
        self.done, self.loss = values["done"], values["loss"]
        self.looks.resume({int(step): hits for step, hits in values["seen"].items()}, best)
        watcher.say(f"the training goes on from step {self.done}")


def train_model(
    model: "LlamaForCausalLM",
    batches: Batches,
    schedule: Schedule,
    looks: Looks,
    *,
    seed: int,
    pad: int,
    partial: Path,
    watcher: Watcher,
) -> Trained:
    """Train in place on the completion of each sample, from the last checkpoint in `partial`.

    Ctrl-C stops early and keeps the weights.
    """
    import torch

    torch.manual_seed(seed)
    bfloat16 = has_bfloat16("cpu")
    optimizers = optimizers_for(model, schedule)
    run = _Run(model, optimizers, looks)
    run.resume(partial, watcher)
    hooks = add_dropout(model, schedule.dropout)
    model.train()
    saved, stopped = time.monotonic(), ""
    try:
        while run.done < schedule.steps:
            set_rate(optimizers, schedule.rate * _pace(run.done, schedule))
            ids, weights = padded(batches[run.done], pad)
            with torch.autocast("cpu", torch.bfloat16, enabled=bfloat16):
                loss = _loss(model, ids, weights)
            model.zero_grad(set_to_none=True)
            loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), schedule.clip)
            for optimizer in optimizers:
                optimizer.step()
            run.done += 1
            share = max(0.02, 1 / run.done)
            run.loss += share * (loss.item() - run.loss)
            if looks.is_due(run.done):
                looks.look(run.done, model)
            watcher.step(run.done, schedule.steps, run.loss, looks.last)
            if looks.is_over:
                stopped = PATIENCE_IS_OVER
                break
            if time.monotonic() - saved >= EVERY:
                run.save(partial)
                saved = time.monotonic()
    except KeyboardInterrupt:
        stopped = "interrupted"
    for hook in hooks:
        hook.remove()
    looks.restore(model)
    model.eval()
    return Trained(run.done, run.loss, stopped, dict(looks.seen))


def has_bfloat16(device: str) -> bool:
    """Whether a kind of device multiplies bfloat16 in hardware, which is twice as fast."""
    import torch

    if device == "cuda":
        return torch.cuda.is_bf16_supported(including_emulation=False)
    capabilities = getattr(torch.cpu, "get_capabilities", dict[str, bool])()
    return bool(capabilities.get("avx512_bf16") or capabilities.get("amx_bf16"))


def padded(batch: list[Encoded], pad: int) -> "tuple[Tensor, Tensor]":
    """Token ids and loss weights, of shape (samples, longest)."""
    import torch

    longest = max(len(sample.ids) for sample in batch)
    ids = [sample.ids + [pad] * (longest - len(sample.ids)) for sample in batch]
    weights = [sample.weights + [0.0] * (longest - len(sample.ids)) for sample in batch]
    return torch.tensor(ids), torch.tensor(weights)


def weighted_loss(logits: "Tensor", wanted: "Tensor", weights: "Tensor") -> "Tensor":
    """Weighted mean cross-entropy of logits of shape (n, vocabulary)."""
    import torch

    losses = torch.nn.functional.cross_entropy(logits, wanted, reduction="none")
    return (losses * weights).sum() / weights.sum()


def _pace(step: int, schedule: Schedule) -> float:
    """Linear warm-up, then a cosine down to 2% of the peak."""
    warm_up = min(schedule.warm_up, schedule.steps // 5 + 1)
    if step < warm_up:
        return (step + 1) / warm_up
    rest = (step - warm_up) / max(1, schedule.steps - warm_up)
    return 0.02 + 0.98 * 0.5 * (1 + math.cos(math.pi * rest))


def _loss(model: "LlamaForCausalLM", ids: "Tensor", weights: "Tensor") -> "Tensor":
    """Padding on the right needs no mask under causal attention."""
    hidden: Any = model.model(input_ids=ids, use_cache=False).last_hidden_state
    wanted = weights[:, 1:] > 0
    logits = model.lm_head(hidden[:, :-1][wanted])
    return weighted_loss(logits, ids[:, 1:][wanted], weights[:, 1:][wanted])
