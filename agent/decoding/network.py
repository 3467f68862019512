"""What decoding asks of a model, whatever library computes it.

Hidden states and caches stay in the arrays of that library; tokens, masks, logits and
log-probabilities are NumPy's.
"""

from collections.abc import Sequence, Sized
from itertools import accumulate
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ..caching import Recent

Vector = NDArray[np.float64]
Layers = Sequence[tuple[Any, Any]]
"""Keys and values of each layer, shape (rows, heads, tokens, head_dim)."""
Beginnings = Recent[tuple[int, ...], Layers]
MOST_BEGINNINGS = 4
"""Beginnings kept for a model; the one that was not used for longest goes first."""


class Network(Protocol):
    """A causal model on which token trees grow.

    States are one for each token, with shape (width,); where the head is more than a matrix they
    are logits already.
    """

    @property
    def context(self) -> int | None:
        """The most tokens of a prompt and its walk; None where it does not say."""
        ...

    @property
    def ahead(self) -> int:
        """How many more nodes a pass may take that save a later one, if any beam comes there."""
        ...

    @property
    def unseen(self) -> np.floating:
        """What a mask has where a token is not seen, in the number format of masks; seen is 0."""
        ...

    @property
    def beginnings(self) -> Beginnings:
        """What is kept for prompts that begin alike, as long as the weights do not change."""
        ...

    def cache(self, layers: Layers = (), rows: int = 1) -> Any:
        """A cache that holds the layers of one row in each of its rows, or nothing.

        Its `get_seq_length` is how many tokens it holds.
        """
        ...

    def layers(self, tokens: Sequence[int]) -> Layers:
        """The layers after a beginning, for one row."""
        ...

    def states(
        self,
        tokens: NDArray[np.int64],
        positions: NDArray[np.int64],
        mask: NDArray[np.floating],
        cache: Any,
    ) -> Any:
        """A state for each token, shape (rows, tokens, width); keys and values go into the cache.

        The mask, (rows, 1, tokens, cached and new tokens), is added to the attention.
        """
        ...

    def logits(self, states: Sequence[Any]) -> Vector:
        """The logits after each state, shape (states, vocabulary)."""
        ...

    def logits_of(self, states: Sequence[Any], tokens: Sequence[Sequence[int]]) -> list[Vector]:
        """For each state the logits of its tokens, and no others."""
        ...

    def logprobs(self, states: Sequence[Any], tokens: Sequence[Sequence[int]]) -> list[Vector]:
        """For each state the log-probabilities of its tokens, over the whole vocabulary."""
        ...


def split(values: NDArray[Any], rows: Sequence[Sized]) -> list[Vector]:
    """Values that belong to all the rows one after another, by row."""
    values = values.astype(np.float64)
    ends = accumulate(map(len, rows))
    return [values[end - len(row) : end] for row, end in zip(rows, ends, strict=True)]
