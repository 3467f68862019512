"""What words mean by a sentence encoder, in the place of a table of the words that are known."""

from collections.abc import Mapping, Sequence
from threading import Lock
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from ..kg.recent import Recent
from ..llm.embeddings import encoder_folder, load_embeddings

if TYPE_CHECKING:
    from langchain_core.embeddings import Embeddings

_MOST = 50_000
_AT_ONCE = 1_000
"""Words that are given to the encoder in one call."""


class Encoder:
    """Gives any word a vector of length 1, and keeps those of the words used last."""

    def __init__(self, embeddings: "Embeddings", most: int = _MOST) -> None:
        self.embeddings = embeddings
        self._kept = Recent[str, npt.NDArray[np.float32]](most)
        self._lock = Lock()
        self.width = len(embeddings.embed_documents(["word"])[0])

    def vectors(self, words: Sequence[str]) -> npt.NDArray[np.float32]:
        """The vector of each word, `(words, width)`; zeros for the empty word."""
        kept = self._kept.take(filter(None, words), self._encoded)
        made = np.zeros((len(words), self.width), np.float32)
        for row, word in enumerate(words):
            if word:
                made[row] = kept[word]
        return made

    def _encoded(self, words: Sequence[str]) -> Mapping[str, npt.NDArray[np.float32]]:
        """Words that are not kept; what is like nothing stays zeros."""
        found = dict[str, npt.NDArray[np.float32]]()
        for first in range(0, len(words), _AT_ONCE):
            some = list(words[first : first + _AT_ONCE])
            with self._lock:  # tokenizers are not safe to share
                vectors = np.asarray(self.embeddings.embed_documents(some), np.float32)
            lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
            found |= zip(some, map(np.copy, vectors / np.maximum(lengths, 1e-9)), strict=True)
        return found


def check_encoder(name: str) -> None:
    """Raise InputError (ModelError) where a reader's encoder cannot be had; it is not loaded."""
    encoder_folder(name, asks_hub=False)


def open_encoder(name: str, *, asks_hub: bool = False, most: int = _MOST) -> Encoder:
    """The encoder of that name, which keeps the vectors of so many words.

    The hub is asked only where the user named the encoder. Raises InputError (ModelError).
    """
    return Encoder(load_embeddings(name, asks_hub=asks_hub, device="cpu"), most)
