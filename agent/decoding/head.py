"""From hidden states to log-probabilities, over the legal tokens only where that is enough."""

from collections.abc import Sequence
from typing import Any, cast
from weakref import WeakKeyDictionary

import numpy as np
import torch
from numpy.typing import NDArray

from .model import CausalModel

Vector = NDArray[np.float64]


class OutputHead:
    """The output matrix of a model, and whether it is all that follows the last hidden state.

    Some models scale or cap their logits after the matrix. That is not assumed but tried, once a
    model: where matrix and model disagree, `plain` is False and whole logits must be taken.
    """

    def __init__(self, model: CausalModel) -> None:
        layer = cast(Any, model.get_output_embeddings())
        self._weight = _detached(layer, "weight")
        self._bias = _detached(layer, "bias")
        self.plain = _is_plain(model, self._weight, self._bias)

    def whole(self, hidden: torch.Tensor) -> torch.Tensor:
        """Logits of shape (n, vocabulary) after hidden states of shape (n, width)."""
        assert self._weight is not None
        logits = hidden.to(self._weight.dtype) @ self._weight.T
        return logits if self._bias is None else logits + self._bias

    def of(self, hidden: torch.Tensor, tokens: Sequence[Sequence[int]]) -> list[Vector]:
        """For each hidden state the logits of its tokens, and no others."""
        assert self._weight is not None
        flat, owner = _flattened(tokens, hidden.device)
        rows = self._weight[flat].to(_exact(hidden.dtype))
        logits = (rows * hidden.to(rows.dtype)[owner]).sum(-1)
        if self._bias is not None:
            logits = logits + self._bias[flat]
        return _split(logits, tokens)


def chosen(logits: torch.Tensor, tokens: Sequence[Sequence[int]]) -> list[Vector]:
    """The logits of each row's tokens, from logits of shape (rows, vocabulary)."""
    flat, owner = _flattened(tokens, logits.device)
    return _split(logits[owner, flat], tokens)


def whole_logprobs(logits: torch.Tensor, tokens: Sequence[Sequence[int]]) -> list[Vector]:
    """The log-probabilities, over the whole vocabulary, of each row's tokens."""
    exact = logits.to(_exact(logits.dtype))
    norms = exact.logsumexp(-1).cpu().double().numpy()
    return [values - norm for values, norm in zip(chosen(exact, tokens), norms, strict=True)]


def log_softmax(values: Vector) -> Vector:
    """Log-probabilities over the given logits."""
    top = values.max()
    return values - top - np.log(np.exp(values - top).sum())


def _flattened(
    tokens: Sequence[Sequence[int]], device: torch.device
) -> tuple[torch.Tensor, torch.Tensor]:
    """All tokens one after another, and the row of each."""
    flat = torch.tensor([token for row in tokens for token in row], device=device)
    sizes = torch.tensor([len(row) for row in tokens], device=device)
    return flat, torch.repeat_interleave(sizes)


def _split(values: torch.Tensor, tokens: Sequence[Sequence[int]]) -> list[Vector]:
    """Values of all tokens, by row again."""
    ends = np.cumsum([len(row) for row in tokens])
    return np.split(values.cpu().double().numpy(), ends[:-1])


def _detached(layer: Any, name: str) -> torch.Tensor | None:
    tensor: torch.Tensor | None = getattr(layer, name, None)
    return None if tensor is None else tensor.detach()


def _exact(dtype: torch.dtype) -> torch.dtype:
    return torch.float64 if dtype == torch.float64 else torch.float32


_PLAIN: "WeakKeyDictionary[Any, bool]" = WeakKeyDictionary()


def _is_plain(model: CausalModel, weight: torch.Tensor | None, bias: torch.Tensor | None) -> bool:
    if weight is None or not weight.is_floating_point():
        return False
    if getattr(model.config, "final_logit_softcapping", None):
        return False
    if model not in _PLAIN:
        ids = torch.tensor([[0, 1]], device=model.device)
        with torch.inference_mode():
            logits = cast(Any, model)(input_ids=ids).logits[0].float()
            output = cast(Any, model.base_model)(input_ids=ids)
            states = getattr(output, "last_hidden_state", None)
            if states is None or states.shape[-1] != weight.shape[1]:
                _PLAIN[model] = False
                return False
            hidden = states[0]
            ours = hidden.to(weight.dtype) @ weight.T
            ours = (ours if bias is None else ours + bias).float()
        scale = logits.abs().max().clamp(min=1.0)
        exact = 1e-5 if weight.dtype in (torch.float32, torch.float64) else 2e-2
        _PLAIN[model] = bool(((ours - logits).abs().max() / scale) < exact)
    return _PLAIN[model]
