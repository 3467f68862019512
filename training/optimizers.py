"""What moves the weights of a new model."""

from typing import TYPE_CHECKING

from .recipe import Schedule

if TYPE_CHECKING:
    from torch.nn import Parameter
    from torch.optim import Optimizer
    from transformers import LlamaForCausalLM


def optimizers_for(
    model: "LlamaForCausalLM", schedule: Schedule, *, bfloat16: bool
) -> "tuple[Optimizer, ...]":
    """At the schedule's peak rate: AdamW, or Muon for the matrices within and AdamW for all else.

    Muon makes the steps of a matrix orthogonal, here as long as those of AdamW. Embeddings are
    tables rather than maps, and gains are vectors. Muon computes in `bfloat16` where the hardware
    multiplies it; elsewhere that would take many times as long as float32 does.
    """
    import torch

    from .muon import Float32Muon

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
