"""A small model decodes on one thread while it is trained, as it does when it is asked."""

from collections.abc import Generator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from ..agent.llm.local import SMALL

if TYPE_CHECKING:
    from transformers import PreTrainedModel


@contextmanager
def few_threads(model: "PreTrainedModel") -> Generator[None]:
    """Use one thread if a model is small: on busy cores, more take many times as long."""
    import torch

    many = torch.get_num_threads()
    if sum(own.numel() * own.element_size() for own in model.parameters()) < SMALL:
        torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(many)
