"""What moves the weights of a new model."""

from typing import TYPE_CHECKING

import torch
from torch import Tensor

from ..recipe import Schedule

if TYPE_CHECKING:
    from torch.nn import Parameter
    from torch.optim import Optimizer
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
) -> "tuple[Optimizer, ...]":
    """At the schedule's peak rate: AdamW, or Muon for the matrices within and AdamW for all else.

    Muon makes the steps of a matrix orthogonal, here as long as those of AdamW. Embeddings are
    tables rather than maps, and gains are vectors. Muon computes in `bfloat16` where the hardware
    multiplies it; elsewhere that would take many times as long as float32 does.
    """
    import torch

    inside: set[Parameter] = set()
    if schedule.optimizer == "muon":
        inside = {own for own in model.model.layers.parameters() if own.dim() > 1}
    others = [own for own in model.parameters() if own not in inside]
    tables = [own for own in others if own.dim() > 1]
    gains = [own for own in others if own.dim() < 2]
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
        [own for own in model.parameters() if own in inside],
        lr=schedule.rate,
        weight_decay=schedule.decay,
        adjust_lr_fn="match_rms_adamw",
    )
    return adamw, muon


def set_rate(optimizers: "tuple[Optimizer, ...]", rate: float) -> None:
    """The rate of the next step."""
    for optimizer in optimizers:
        for group in optimizer.param_groups:
            group["lr"] = rate
