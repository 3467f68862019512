"""Muon in float32 does what PyTorch's does in bfloat16, but for rounding."""

from typing import Any

import pytest
import torch
from groundwalk.training.recipe import Schedule, Size
from groundwalk.training.trainer.plain_loop import Float32Muon, optimizers_for, orthogonal
from groundwalk.training.trainer.scratch import new_model


@pytest.mark.parametrize("shape", [(24, 64), (64, 24), (32, 32)])
def test_all_singular_values_are_about_one(shape: tuple[int, int]) -> None:
    matrix = torch.randn(shape, generator=torch.Generator().manual_seed(0))
    near = orthogonal(matrix)
    assert near.shape == matrix.shape and near.dtype == torch.float32
    left, values, right = torch.linalg.svd(near, full_matrices=False)
    assert 0.6 < values.min() and values.max() < 1.3
    wanted = torch.linalg.svd(matrix, full_matrices=False)
    assert (left @ right - wanted.U @ wanted.Vh).norm() < 1e-3 * matrix.norm()


def test_it_moves_weights_as_pytorch_does() -> None:
    gradients = [torch.randn(24, 64, generator=torch.Generator().manual_seed(n)) for n in range(5)]
    moved = list[torch.Tensor]()
    for kind in (torch.optim.Muon, Float32Muon):
        weights = torch.nn.Parameter(torch.ones(24, 64))
        options: dict[str, Any] = {
            "lr": 0.1,
            "weight_decay": 0.1,
            "adjust_lr_fn": "match_rms_adamw",
        }
        optimizer = kind([weights], **options)
        for gradient in gradients:
            weights.grad = gradient.clone()
            optimizer.step()
        assert optimizer.state[weights].keys() == {"momentum_buffer"}
        moved.append(weights.detach() - 1)
    assert (moved[0] - moved[1]).norm() < 0.02 * moved[0].norm()


@pytest.mark.parametrize("bfloat16", [True, False])
def test_it_is_taken_where_bfloat16_would_be_emulated(bfloat16: bool) -> None:
    model = new_model(300, Size(width=64, layers=1, heads=1), 0, eos=1, pad=0)
    _, muon = optimizers_for(model, Schedule(optimizer="muon"), bfloat16=bfloat16)
    assert isinstance(muon, Float32Muon) != bfloat16
