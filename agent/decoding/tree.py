"""The trees of visited tokens, and what is known after their nodes.

Beams that share a prefix share its nodes. `forward.py` and `lines.py` evaluate the nodes: from
their hidden states come the log-probabilities, of the legal tokens only where that is enough.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, cast
from weakref import WeakKeyDictionary

import numpy as np
import torch
from numpy.typing import NDArray

from ..errors import ConstraintError
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


ROOT = 0
"""The node that stands for the end of the prompt."""


class TokenTree:
    """A tree of the tokens after one prompt.

    Nodes are numbered in the order in which they are made, parents before children.
    """

    def __init__(self) -> None:
        self.parents = [-1]
        self.tokens = [-1]
        self.depths = [0]
        self._children: dict[tuple[int, int], int] = {}

    def child(self, node: int, token: int) -> int:
        """The node that follows `node` by `token`; made when it is new."""
        key = (node, token)
        child = self._children.get(key)
        if child is None:
            child = self._children[key] = len(self.parents)
            self.parents.append(node)
            self.tokens.append(token)
            self.depths.append(self.depths[node] + 1)
        return child

    def line(self, node: int) -> list[int]:
        """The nodes from the first one after the root down to `node`."""
        line = list[int]()
        while node != ROOT:
            line.append(node)
            node = self.parents[node]
        line.reverse()
        return line


_CHUNK = 64
"""How many rows of a whole vocabulary are held at a time."""


class Evaluated(ABC):
    """The trees of some prompts, and a hidden state (or logits) for each evaluated node.

    A subclass says how nodes are evaluated. Not safe to share between threads.
    """

    def __init__(self, model: CausalModel, prompts: Sequence[Sequence[int]]) -> None:
        self.trees = [TokenTree() for _ in prompts]
        self.forward_passes = 0
        self.prompt_tokens = [0] * len(prompts)
        self.tokens = [0] * len(prompts)
        self._model = model
        self._head = OutputHead(model)
        self._prompts = [list(prompt) for prompt in prompts]
        self._states: list[dict[int, torch.Tensor]] = [{} for _ in prompts]

    @abstractmethod
    def evaluate(self, wanted: Mapping[int, Iterable[int]]) -> None:
        """Compute the given nodes of each row and those above them.

        Raises ConstraintError where the model's context is too short for prompt and walk.
        """

    def known(self, row: int, node: int) -> bool:
        """Whether what follows a node is known."""
        return node in self._states[row]

    def logits(self, nodes: Sequence[tuple[int, int]]) -> torch.Tensor:
        """The logits after each (row, node): shape (nodes, vocabulary)."""
        states = torch.stack([self._states[row][node] for row, node in nodes])
        return self._head.whole(states) if self._head.plain else states

    def logprobs(
        self, nodes: Sequence[tuple[int, int]], legal: Sequence[Sequence[int]], *, full: bool
    ) -> list[Vector]:
        """The log-probabilities after each (row, node) of its legal tokens.

        Over the whole vocabulary with `full`, else renormalised over the legal tokens.
        """
        if full:
            pairs = list(zip(nodes, legal, strict=True))
            chunks = [pairs[i : i + _CHUNK] for i in range(0, len(pairs), _CHUNK)]
            return [
                values
                for chunk in chunks
                for values in whole_logprobs(
                    self.logits([p for p, _ in chunk]), [t for _, t in chunk]
                )
            ]
        states = torch.stack([self._states[row][node] for row, node in nodes])
        if self._head.plain:
            logits = self._head.of(states, legal)
        else:
            logits = chosen(states, legal)
        return [log_softmax(values) for values in logits]

    def _fresh(self, row: int, nodes: Iterable[int]) -> list[int]:
        known, tree = self._states[row], self.trees[row]
        fresh: set[int] = set()
        for node in nodes:
            while node != ROOT and node not in known and node not in fresh:
                fresh.add(node)
                node = tree.parents[node]
        return sorted(fresh)

    def _run(self, tokens: "np.ndarray[Any, Any]", **inputs: object) -> torch.Tensor:
        """Hidden states where the head is plain, else logits."""
        ids = torch.from_numpy(tokens).to(self._model.device)
        with torch.inference_mode():
            if self._head.plain:
                return cast(Any, self._model.base_model)(input_ids=ids, **inputs).last_hidden_state
            return cast(Any, self._model)(input_ids=ids, **inputs).logits

    def _check_context(self, needed: int) -> None:
        config = self._model.config.get_text_config()
        context = getattr(config, "max_position_embeddings", None)
        if context and needed > context:
            raise ConstraintError(
                f"the prompt and its walk need {needed} tokens, more than the model's {context}",
                "use a model with a longer context, fewer hops, or a shorter question",
            )
