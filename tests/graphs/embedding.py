"""A sentence-transformers folder of one vector a word: words of the same axis sound alike."""

from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers


def save_embedding(folder: Path, axes: Mapping[str, int]) -> str:
    """Write the model, and give what `embeddings` takes; skips where the package is missing."""
    sentence_transformers = pytest.importorskip("sentence_transformers")
    static: Any = import_module(
        "sentence_transformers.sentence_transformer.modules"
    ).StaticEmbedding
    places = {"[UNK]": 0, **{word: place for place, word in enumerate(axes, 1)}}
    words = Tokenizer(models.WordLevel(places, unk_token="[UNK]"))
    words.normalizer = normalizers.Lowercase()
    words.pre_tokenizer = pre_tokenizers.Whitespace()
    vectors = np.zeros((len(axes) + 1, max(axes.values()) + 1), dtype=np.float32)
    for place, axis in enumerate(axes.values(), 1):
        vectors[place, axis] = 1.0
    made = sentence_transformers.SentenceTransformer(
        modules=[static(words, embedding_weights=vectors)], device="cpu"
    )
    made.save(str(folder))
    return str(folder)
