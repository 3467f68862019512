"""Which way the trees of a session grow, for the model at hand."""

from collections.abc import Sequence

from .forward import TreeForward
from .llama import Llama
from .model import CausalModel
from .plan import Engine
from .tree import Evaluated


def open_engine(
    model: CausalModel, prompts: Sequence[Sequence[int]], shared: int = 0
) -> tuple[Engine, Evaluated]:
    """The faster of the two that gives this model's own log-probabilities.

    The first `shared` tokens of the prompts are kept with the model, where that is of use.
    """
    if isinstance(model, Llama):
        return "tree", TreeForward(model, prompts, shared)
    from .lines import LineForward, shares_cache
    from .torch_network import TorchNetwork

    network = TorchNetwork(model)
    if shares_cache(model):
        return "tree", TreeForward(network, prompts, shared)
    return "lines", LineForward(network, prompts)
