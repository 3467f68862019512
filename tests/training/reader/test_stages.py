"""What stages of a training are made of."""

import torch
from groundwalk.training.reader.learning import Plan, blended
from groundwalk.training.reader.stages import STAGES


def test_weights_on_the_way_from_some_to_others() -> None:
    first, last = {"a": torch.tensor([0.0, 2.0])}, {"a": torch.tensor([4.0, 2.0])}
    assert blended(first, last, 0.25)["a"].tolist() == [1.0, 2.0]


def test_the_middle_of_a_stage_is_told_of() -> None:
    for stage in STAGES:
        if stage.middle is not None:
            assert stage.middle % Plan().heard == 0
            assert 0 < stage.middle < stage.steps
