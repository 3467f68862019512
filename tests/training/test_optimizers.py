"""Which optimizer moves which weights."""

from collections import Counter

import torch
from groundwalk.training.recipe import Schedule, Size
from groundwalk.training.trainer.plain_loop import optimizers_for, set_rate
from groundwalk.training.trainer.scratch import new_model


def test_each_weight_is_moved_by_one_optimizer() -> None:
    model = new_model(300, Size(width=64, layers=2, heads=1), 0, eos=1, pad=0)
    names = {own: name for name, own in model.named_parameters()}
    adamw, muon = optimizers_for(model, Schedule(decay=0.1, optimizer="muon"), bfloat16=True)
    moved = Counter(own for optimizer in (muon, adamw) for own in held(optimizer))
    assert set(moved) == set(names) and set(moved.values()) == {1}
    assert all("proj" in names[own] for own in held(muon)) and len(held(muon)) == 2 * 7
    assert {names[own] for own in held(adamw) if own.dim() > 1} == {"model.embed_tokens.weight"}
    decayed = [
        own for group in adamw.param_groups if group["weight_decay"] for own in group["params"]
    ]
    assert [names[own] for own in decayed] == ["model.embed_tokens.weight"]


def test_adamw_alone_moves_all() -> None:
    model = new_model(300, Size(width=64, layers=1, heads=1), 0, eos=1, pad=0)
    (adamw,) = optimizers_for(model, Schedule(), bfloat16=True)
    assert set(held(adamw)) == set(model.parameters())


def test_the_rate_of_all_is_set() -> None:
    model = new_model(300, Size(width=64, layers=1, heads=1), 0, eos=1, pad=0)
    optimizers = optimizers_for(model, Schedule(optimizer="muon"), bfloat16=False)
    set_rate(optimizers, 0.25)
    assert {group["lr"] for own in optimizers for group in own.param_groups} == {0.25}


def held(optimizer: torch.optim.Optimizer) -> list[torch.nn.Parameter]:
    return [own for group in optimizer.param_groups for own in group["params"]]
