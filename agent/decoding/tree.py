"""The tree of visited tokens and its key-value cache.

Every token that a beam ever stands on is one node. Its keys and values are computed once, in one
batch row, behind a mask that lets it see the prompt and its own ancestors only; its position is
the prompt's length plus its depth. So beams that share a prefix share its work, and no cache is
ever copied or reordered.
"""

from collections.abc import Iterable, Sequence
from typing import Any

import torch
from transformers import DynamicCache, PreTrainedModel

from ..errors import ConstraintError

ROOT = 0
"""The node that stands for the end of the prompt."""


class TokenTree:
    """The tree of one prompt under one model. Not safe to share between threads."""

    def __init__(self, model: PreTrainedModel, prompt: Sequence[int]) -> None:
        self._model: Any = model
        self._prompt = list(prompt)
        self._cache = DynamicCache(config=model.config)
        self._parents = [-1]
        self._tokens = [self._prompt[-1]]
        self._depths = [0]
        self._children: dict[tuple[int, int], int] = {}
        self._columns = [-1]
        self._logits: dict[int, torch.Tensor] = {}
        self._least = torch.finfo(model.dtype).min
        self.forward_passes = 0
        self.tokens = 0

    def child(self, node: int, token: int) -> int:
        """The node that follows `node` by `token`; made when it is new."""
        key = (node, token)
        if key not in self._children:
            self._children[key] = len(self._parents)
            self._parents.append(node)
            self._tokens.append(token)
            self._depths.append(self._depths[node] + 1)
            self._columns.append(-1)
        return self._children[key]

    def known(self, node: int) -> bool:
        """Whether the logits after `node` are known."""
        return node in self._logits

    def logits(self, node: int) -> torch.Tensor:
        """The logits after a node that was evaluated: float32, one a vocabulary entry."""
        return self._logits[node]

    def ancestry(self, node: int) -> list[int]:
        """The nodes from the first one after the root down to `node`."""
        line = list[int]()
        while node != ROOT:
            line.append(node)
            node = self._parents[node]
        return line[::-1]

    def evaluate(self, nodes: Iterable[int]) -> None:
        """Compute the logits after the given nodes and all their ancestors, in one forward pass.

        Raises ConstraintError where the model's context is too short for the prompt and the walk.
        """
        fresh = {
            above
            for node in nodes
            for above in (ROOT, *self.ancestry(node))
            if not self.known(above)
        }
        if not fresh:
            return
        order = sorted(fresh)  # a node is always younger than its parent
        first = ROOT in fresh
        tokens = (self._prompt if first else []) + [self._tokens[n] for n in order if n != ROOT]
        length, past = len(self._prompt), self._cache.get_seq_length()
        positions = (list(range(length)) if first else []) + [
            length - 1 + self._depths[n] for n in order if n != ROOT
        ]
        self._check_context(max(positions) + 1)
        for row, node in enumerate(n for n in order if n != ROOT):
            self._columns[node] = past + (length if first else 0) + row
        mask = self._mask(order, len(tokens), past)
        device = self._model.device
        with torch.inference_mode():
            output = self._model(
                input_ids=torch.tensor([tokens], device=device),
                position_ids=torch.tensor([positions], device=device),
                attention_mask=mask[None, None].to(device),
                past_key_values=self._cache,
                use_cache=True,
                logits_to_keep=len(order),
            )
        rows = output.logits[0].float().cpu()
        for node, row in zip(order, rows, strict=True):
            self._logits[node] = row
        self.forward_passes += 1
        self.tokens += len(tokens)

    def _mask(self, order: list[int], width: int, past: int) -> torch.Tensor:
        """The additive mask of new tokens (rows) over everything cached and new (columns)."""
        length = len(self._prompt)
        mask = torch.full((width, past + width), self._least, dtype=self._model.dtype)
        if past == 0:
            mask[:length, :length].masked_fill_(
                torch.ones(length, length, dtype=torch.bool).tril(), 0.0
            )
        row = length if past == 0 else 0
        for node in order:
            if node == ROOT:
                continue
            mask[row, :length] = 0.0
            mask[row, [self._columns[above] for above in self.ancestry(node)]] = 0.0
            row += 1
        return mask

    def _check_context(self, needed: int) -> None:
        config = self._model.config
        window = getattr(config, "sliding_window", None)
        if window and getattr(config, "use_sliding_window", True) and needed > window:
            raise ConstraintError(
                f"the prompt and its walk need {needed} tokens, more than the model's sliding "
                f"window of {window}",
                "use a model with full attention, or a shorter question",
            )
        context = getattr(config, "max_position_embeddings", None)
        if context and needed > context:
            raise ConstraintError(
                f"the prompt and its walk need {needed} tokens, more than the model's {context}",
                "use a model with a longer context, fewer hops, or a shorter question",
            )
