"""The training loop of a new model: plain PyTorch, one process, the same run for the same seed."""

import math
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..data import Batches
from ..encoding.walks import Encoded
from ..recipe import Schedule
from .checkpoint import EVERY, Elapsed, read_state, write_state
from .model import add_dropout
from .optimizers import optimizers_for, set_rate
from .watched import Looks, Watcher

if TYPE_CHECKING:
    from torch import Tensor
    from torch.optim import Optimizer
    from transformers import LlamaForCausalLM

PATIENCE_IS_OVER = "no better score on held-out questions"
INTERRUPTED = "interrupted"


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
    bfloat16: bool
    """Whether it computes in bfloat16: a process that goes on does as the first one did."""
    done: int = 0
    loss: float = 0.0
    turn: int | None = None
    """The step from which the rate falls to nothing, where that is before the schedule's end."""

    def save(self, folder: Path) -> None:
        import torch

        tensors = {"random": torch.get_rng_state()}
        for place, own in enumerate(self.model.parameters()):
            tensors[f"weights.{place}"] = own
            for optimizer in self.optimizers:
                for name, moment in optimizer.state.get(own, {}).items():
                    tensors[f"moments.{place}.{name}"] = moment
        tensors |= {f"best.{name}": own for name, own in self.looks.weights.items()}
        values = {
            "done": self.done,
            "loss": self.loss,
            "seen": self.looks.seen,
            "bfloat16": self.bfloat16,
            "turn": self.turn,
        }
        write_state(folder, tensors, values)

    def resume(self, tensors: "dict[str, Tensor]", values: dict[str, Any]) -> None:
        import torch

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
        self.done, self.loss, self.turn = values["done"], values["loss"], values.get("turn")
        self.looks.resume({int(step): hits for step, hits in values["seen"].items()}, best)


def train_model(
    model: "LlamaForCausalLM",
    batches: Batches,
    schedule: Schedule,
    looks: Looks,
    *,
    seed: int,
    pad: int,
    partial: Path,
    elapsed: Elapsed,
    watcher: Watcher,
) -> Trained:
    """Train in place on the completion of each sample, from the last checkpoint in `partial`.

    Where patience is at its end, the rate falls to nothing within a tenth of the schedule's steps,
    which is where a model learns most of what it still can. Ctrl-C stops early and keeps the
    weights.
    """
    import torch

    torch.manual_seed(seed)
    found = read_state(partial)
    values = found[1] if found else {}
    bfloat16: bool = values.get("bfloat16", has_bfloat16("cpu"))
    optimizers = optimizers_for(model, schedule, bfloat16=bfloat16)
    run = _Run(model, optimizers, looks, bfloat16)
    if found:
        run.resume(*found)
        watcher.say(f"the training goes on from step {run.done}")
    hooks = add_dropout(model, schedule.dropout)
    model.train()
    saved, stopped = time.monotonic(), ""
    try:
        while run.done < (end := _end(schedule, run.turn)):
            set_rate(optimizers, schedule.rate * _pace(run.done, schedule, run.turn))
            batch = padded(batches[run.done], pad)
            loss = take_step(model, optimizers, *batch, clip=schedule.clip, bfloat16=bfloat16)
            run.done += 1
            share = max(0.02, 1 / run.done)
            run.loss += share * (loss - run.loss)
            if looks.is_due(run.done) or run.done == end < schedule.steps:
                looks.look(run.done, model)
            watcher.step(run.done, end, run.loss, looks.last)
            if looks.is_over and run.turn is None:
                run.turn = run.done
            if time.monotonic() - saved >= EVERY:
                elapsed.save()
                run.save(partial)
                saved = time.monotonic()
        if run.done < schedule.steps:
            stopped = PATIENCE_IS_OVER
    except KeyboardInterrupt:
        stopped = INTERRUPTED
    for hook in hooks:
        hook.remove()
    looks.restore(model)
    model.eval()
    return Trained(run.done, run.loss, stopped, dict(looks.seen))


def take_step(
    model: "LlamaForCausalLM",
    optimizers: "tuple[Optimizer, ...]",
    ids: "Tensor",
    weights: "Tensor",
    *,
    clip: float,
    bfloat16: bool,
) -> float:
    """Move the weights by one `padded` batch; its loss before that."""
    import torch

    with torch.autocast("cpu", torch.bfloat16, enabled=bfloat16):
        loss = _loss(model, ids, weights)
    model.zero_grad(set_to_none=True)
    loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), clip)
    for optimizer in optimizers:
        optimizer.step()
    return loss.item()


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


def _end(schedule: Schedule, turn: int | None) -> int:
    """The last step."""
    if turn is None:
        return schedule.steps
    return min(schedule.steps, turn + max(1, schedule.steps // 10))


def _pace(step: int, schedule: Schedule, turn: int | None = None) -> float:
    """Linear warm-up, then a cosine down to 2% of the peak; from `turn` on a line down to 0 too."""
    if turn is not None:
        end = _end(schedule, turn)
        return _pace(step, schedule) * (end - step) / (end - turn)
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
