"""The training loop of a new model: plain PyTorch, one process, the same run for the same seed.

AdamW moves its weights, or Muon the matrices within it and AdamW the rest.
"""

import math
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor
from torch.nn import Parameter
from torch.optim import Optimizer

from ..encoder import Batches, Encoded
from ..recipe import Schedule
from .checkpoint import EVERY, read_state, write_state
from .job import INTERRUPTED, PATIENCE_IS_OVER, Job, Trained
from .watched import Looks

if TYPE_CHECKING:
    from transformers import LlamaForCausalLM

_ROUNDS = 5
_COEFFICIENTS = (3.4445, -4.7750, 2.0315)
"""Of the odd polynomial of degree five that is applied to the singular values in each round."""


class Float32Muon(torch.optim.Muon):
    """PyTorch's Muon with its default settings, computed in the number format of the weights.

    Its state has the same names and shapes, and its steps are as long as those of AdamW.
    """

    @torch.no_grad()
    def step(self, closure: None = None) -> None:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Move each matrix that has a gradient."""
        for group in self.param_groups:
            rate, momentum = group["lr"], group["momentum"]
            for weights in group["params"]:
                if weights.grad is None:
                    continue
                state = self.state[weights]
                if "momentum_buffer" not in state:
                    state["momentum_buffer"] = torch.zeros_like(weights)
                average = state["momentum_buffer"].lerp_(weights.grad, 1 - momentum)
                direction = orthogonal(weights.grad.lerp(average, momentum))
                weights.mul_(1 - rate * group["weight_decay"])
                weights.add_(direction, alpha=-0.2 * rate * max(weights.shape) ** 0.5)


def orthogonal(matrix: Tensor) -> Tensor:
    """About the nearest matrix whose singular values are all 1; they are between 0.6 and 1.3."""
    wide = matrix.T if matrix.shape[0] > matrix.shape[1] else matrix
    a, b, c = _COEFFICIENTS
    near = wide / wide.norm().clamp(min=1e-7)
    for _ in range(_ROUNDS):
        gram = near @ near.T
        near = torch.addmm(near, torch.addmm(gram, gram, gram, beta=b, alpha=c), near, beta=a)
    return near.T if wide is not matrix else near


def optimizers_for(
    model: "LlamaForCausalLM", schedule: Schedule, *, bfloat16: bool
) -> tuple[Optimizer, ...]:
    """At the schedule's peak rate: AdamW, or Muon for the matrices within and AdamW for all else.

    Muon makes the steps of a matrix orthogonal, here as long as those of AdamW. Embeddings are
    tables rather than maps, and gains are vectors. Muon computes in `bfloat16` where the hardware
    multiplies it; elsewhere that would take many times as long as float32 does.
    """
    inside: set[Parameter] = set()
    if schedule.optimizer == "muon":
        inside = {weights for weights in model.model.layers.parameters() if weights.dim() > 1}
    others = [weights for weights in model.parameters() if weights not in inside]
    tables = [weights for weights in others if weights.dim() > 1]
    gains = [weights for weights in others if weights.dim() < 2]
    adamw = torch.optim.AdamW(
        [{"params": tables}, {"params": gains, "weight_decay": 0.0}],
        lr=schedule.rate,
        betas=(0.9, 0.98),
        weight_decay=schedule.decay,
    )
    if not inside:
        return (adamw,)
    kind = torch.optim.Muon if bfloat16 else Float32Muon
    muon = kind(
        [weights for weights in model.parameters() if weights in inside],
        lr=schedule.rate,
        weight_decay=schedule.decay,
        adjust_lr_fn="match_rms_adamw",
    )
    return adamw, muon


def set_rate(optimizers: tuple[Optimizer, ...], rate: float) -> None:
    """The rate of the next step."""
    for optimizer in optimizers:
        for group in optimizer.param_groups:
            group["lr"] = rate


@dataclass
class _Run:
    """What goes on in a later process: the weights, the moments, and how far it is."""

    model: "LlamaForCausalLM"
    optimizers: tuple[Optimizer, ...]
    looks: Looks
    bfloat16: bool
    """Whether it computes in bfloat16: a process that goes on does as the first one did."""
    done: int = 0
    loss: float = 0.0
    turn: int | None = None
    """The step from which the rate falls to nothing, where that is before the schedule's end."""

    def save(self, folder: Path) -> None:
        tensors = {"random": torch.get_rng_state()}
        for number, weights in enumerate(self.model.parameters()):
            tensors[f"weights.{number}"] = weights
            for optimizer in self.optimizers:
                for name, moment in optimizer.state.get(weights, {}).items():
                    tensors[f"moments.{number}.{name}"] = moment
        tensors |= {f"best.{name}": weights for name, weights in self.looks.weights.items()}
        values = {
            "done": self.done,
            "loss": self.loss,
            "seen": self.looks.seen,
            "bfloat16": self.bfloat16,
            "turn": self.turn,
        }
        write_state(folder, tensors, values)

    def resume(self, tensors: dict[str, Tensor], values: dict[str, Any]) -> None:
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
            for name, tensor in tensors.items():
                part, _, rest = name.partition(".")
                number, _, moment = rest.partition(".")
                if part == "weights":
                    parameters[int(number)].copy_(tensor)
                elif part == "moments":
                    parameter = parameters[int(number)]
                    mover[parameter].state[parameter][moment] = tensor
                else:
                    best[rest] = tensor
        self.done, self.loss, self.turn = values["done"], values["loss"], values.get("turn")
        self.looks.resume({int(step): hits for step, hits in values["seen"].items()}, best)


def train_model(
    model: "LlamaForCausalLM", job: Job, batches: Batches, looks: Looks, pad: int
) -> Trained:
    """Train in place on the completion of each sample, from the last checkpoint of the job.

    Where patience is at its end, the rate falls to nothing within a tenth of the schedule's steps,
    which is where a model learns most of what it still can. Ctrl-C stops early and keeps the
    weights.
    """
    schedule = job.schedule
    torch.manual_seed(job.recipe.seed)
    state = read_state(job.partial)
    values = state[1] if state else {}
    bfloat16: bool = values.get("bfloat16", has_bfloat16("cpu"))
    optimizers = optimizers_for(model, schedule, bfloat16=bfloat16)
    run = _Run(model, optimizers, looks, bfloat16)
    if state:
        run.resume(*state)
        job.watcher.say(f"the training goes on from step {run.done}")
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
            job.watcher.step(run.done, end, run.loss, looks.last)
            if looks.is_over and run.turn is None:
                run.turn = run.done
            if time.monotonic() - saved >= EVERY:
                job.elapsed.save()
                run.save(job.partial)
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
    optimizers: tuple[Optimizer, ...],
    ids: Tensor,
    weights: Tensor,
    *,
    clip: float,
    bfloat16: bool,
) -> float:
    """Move the weights by one `padded` batch; its loss before that."""
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
    if device == "cuda":
        return torch.cuda.is_bf16_supported(including_emulation=False)
    capabilities = getattr(torch.cpu, "get_capabilities", dict[str, bool])()
    return bool(capabilities.get("avx512_bf16") or capabilities.get("amx_bf16"))


def padded(batch: list[Encoded], pad: int) -> tuple[Tensor, Tensor]:
    """Token ids and loss weights, of shape (samples, longest)."""
    longest = max(len(sample.ids) for sample in batch)
    ids = [sample.ids + [pad] * (longest - len(sample.ids)) for sample in batch]
    weights = [sample.weights + [0.0] * (longest - len(sample.ids)) for sample in batch]
    return torch.tensor(ids), torch.tensor(weights)


def weighted_loss(logits: Tensor, wanted: Tensor, weights: Tensor) -> Tensor:
    """Weighted mean cross-entropy of logits of shape (n, vocabulary)."""
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


def _loss(model: "LlamaForCausalLM", ids: Tensor, weights: Tensor) -> Tensor:
    """Padding on the right needs no mask under causal attention."""
    hidden: Any = model.model(input_ids=ids, use_cache=False).last_hidden_state
    wanted = weights[:, 1:] > 0
    logits = model.lm_head(hidden[:, :-1][wanted])
    return weighted_loss(logits, ids[:, 1:][wanted], weights[:, 1:][wanted])


def add_dropout(model: "LlamaForCausalLM", rate: float) -> list[Any]:
    """Drop parts of what each attention and feed-forward layer adds; call `remove` on the hooks."""
    drop = torch.nn.functional.dropout

    def attention(module: Any, _: Any, output: Any) -> Any:
        return (drop(output[0], rate, module.training), *output[1:])

    def feed_forward(module: Any, _: Any, output: Any) -> Any:
        return drop(output, rate, module.training)

    hooks = list[Any]()
    if rate > 0:
        layers: Any = model.model.layers
        for layer in layers:
            hooks.append(layer.self_attn.register_forward_hook(attention))
            hooks.append(layer.mlp.register_forward_hook(feed_forward))
    return hooks
