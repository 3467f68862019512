"""The models of transformers, as decoding asks them."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, cast
from weakref import WeakKeyDictionary

import numpy as np
import torch
from numpy.typing import NDArray

from .network import MOST_BEGINNINGS, Beginnings, Layers, Vector, split

if TYPE_CHECKING:
    from transformers import PreTrainedModel

_NUMBER = {torch.float64: np.float64}
"""The number format of masks; float32 for all others."""
Weights = tuple[tuple[int, int], ...]


class TorchNetwork:
    """A model of transformers as a `Network`, on any device."""

    ahead = 32

    def __init__(self, model: "PreTrainedModel") -> None:
        self.model = model
        self.head = OutputHead(model)
        number = _NUMBER.get(model.dtype, np.float32)
        self.unseen: np.floating = number(torch.finfo(model.dtype).min)
        self.context: int | None = getattr(
            model.config.get_text_config(), "max_position_embeddings", None
        )

    @property
    def beginnings(self) -> Beginnings:
        """What is kept for the model as it is now: training it makes all of that worthless.

        Weights that were written to through `.data` in place, or by a fused optimizer, do not show
        that they have changed: then `forget` the model.
        """
        weights = tuple(
            (p.data_ptr(), 0 if p.is_inference() else p._version) for p in self.model.parameters()
        )
        before = _BEGINNINGS.get(self.model)
        if before is None or before[0] != weights:
            before = _BEGINNINGS[self.model] = (weights, Beginnings(MOST_BEGINNINGS))
        return before[1]

    def cache(self, layers: Layers = (), rows: int = 1) -> Any:
        """A `DynamicCache` that holds the layers of one row in each of its rows, or nothing."""
        from transformers import DynamicCache

        cache = DynamicCache(config=self.model.config)
        for number, (keys, values) in enumerate(layers):
            cache.update(keys.expand(rows, -1, -1, -1), values.expand(rows, -1, -1, -1), number)
        return cache

    def layers(self, tokens: Sequence[int]) -> Layers:
        """The layers after a beginning, for one row."""
        cache = self.cache()
        ids = torch.tensor([tokens], device=self.model.device)
        with torch.inference_mode():
            cast(Any, self.model.base_model)(input_ids=ids, past_key_values=cache, use_cache=True)
        return [(layer.keys, layer.values) for layer in cache.layers]

    def states(
        self,
        tokens: NDArray[np.int64],
        positions: NDArray[np.int64],
        mask: NDArray[np.floating],
        cache: Any,
    ) -> torch.Tensor:
        """A state for each token; keys and values go into the cache."""
        device = self.model.device
        return self.run(
            tokens,
            position_ids=torch.from_numpy(positions).to(device),
            attention_mask=torch.from_numpy(mask).to(self.model.dtype).to(device),
            past_key_values=cache,
            use_cache=True,
        )

    def run(self, tokens: NDArray[np.int64], **inputs: object) -> torch.Tensor:
        """Hidden states where the head is plain, else logits."""
        ids = torch.from_numpy(tokens).to(self.model.device)
        with torch.inference_mode():
            if self.head.plain:
                return cast(Any, self.model.base_model)(input_ids=ids, **inputs).last_hidden_state
            return cast(Any, self.model)(input_ids=ids, **inputs).logits

    def logits(self, states: Sequence[torch.Tensor]) -> Vector:
        """The logits after each state, shape (states, vocabulary)."""
        return self._all_scores(states).double().cpu().numpy()

    def logits_of(
        self, states: Sequence[torch.Tensor], tokens: Sequence[Sequence[int]]
    ) -> list[Vector]:
        """For each state the logits of its tokens, and no others."""
        stacked = torch.stack(list(states))
        return self.head.logits_of(stacked, tokens) if self.head.plain else _chosen(stacked, tokens)

    def logprobs(
        self, states: Sequence[torch.Tensor], tokens: Sequence[Sequence[int]]
    ) -> list[Vector]:
        """For each state the log-probabilities of its tokens, over the whole vocabulary."""
        logits = self._all_scores(states)
        exact = logits.to(_exact(logits.dtype))
        norms = exact.logsumexp(-1).cpu().double().numpy()
        return [values - norm for values, norm in zip(_chosen(exact, tokens), norms, strict=True)]

    def _all_scores(self, states: Sequence[torch.Tensor]) -> torch.Tensor:
        stacked = torch.stack(list(states))
        return self.head.all_logits(stacked) if self.head.plain else stacked


_BEGINNINGS: "WeakKeyDictionary[Any, tuple[Weights, Beginnings]]" = WeakKeyDictionary()


def forget(model: "PreTrainedModel") -> None:
    """Keep nothing of a model whose weights were changed."""
    _BEGINNINGS.pop(model, None)


class OutputHead:
    """The output matrix of a model, and whether it is all that follows the last hidden state.

    Some models scale or cap their logits after the matrix. That is not assumed but tried, once a
    model: where matrix and model disagree, `plain` is False and whole logits must be taken.
    """

    def __init__(self, model: "PreTrainedModel") -> None:
        layer = cast(Any, model.get_output_embeddings())
        self._weight = _detached(layer, "weight")
        self._bias = _detached(layer, "bias")
        self.plain = _is_plain(model, self._weight, self._bias)

    def all_logits(self, hidden: torch.Tensor) -> torch.Tensor:
        """Logits of shape (n, vocabulary) after hidden states of shape (n, width)."""
        assert self._weight is not None
        logits = hidden.to(self._weight.dtype) @ self._weight.T
        return logits if self._bias is None else logits + self._bias

    def logits_of(self, hidden: torch.Tensor, tokens: Sequence[Sequence[int]]) -> list[Vector]:
        """For each hidden state the logits of its tokens, and no others."""
        assert self._weight is not None
        flat, owner = _flattened(tokens, hidden.device)
        rows = self._weight[flat].to(_exact(hidden.dtype))
        logits = (rows * hidden.to(rows.dtype)[owner]).sum(-1)
        if self._bias is not None:
            logits = logits + self._bias[flat]
        return split(logits.cpu().double().numpy(), tokens)


def _chosen(logits: torch.Tensor, tokens: Sequence[Sequence[int]]) -> list[Vector]:
    """The logits of each row's tokens, from logits of shape (rows, vocabulary)."""
    flat, owner = _flattened(tokens, logits.device)
    return split(logits[owner, flat].cpu().double().numpy(), tokens)


def _flattened(
    tokens: Sequence[Sequence[int]], device: torch.device
) -> tuple[torch.Tensor, torch.Tensor]:
    """All tokens one after another, and the row of each."""
    flat = torch.tensor([token for row in tokens for token in row], device=device)
    sizes = torch.tensor([len(row) for row in tokens], device=device)
    return flat, torch.repeat_interleave(sizes)


def _detached(layer: Any, name: str) -> torch.Tensor | None:
    tensor: torch.Tensor | None = getattr(layer, name, None)
    return None if tensor is None else tensor.detach()


def _exact(dtype: torch.dtype) -> torch.dtype:
    return torch.float64 if dtype == torch.float64 else torch.float32


_PLAIN: "WeakKeyDictionary[Any, bool]" = WeakKeyDictionary()


def _is_plain(
    model: "PreTrainedModel", weight: torch.Tensor | None, bias: torch.Tensor | None
) -> bool:
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
