"""Muon in float32, for processors that multiply bfloat16 slowly.

PyTorch's Muon always computes in bfloat16, which processors without instructions for it emulate.
"""

import torch
from torch import Tensor

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
