"""What ranks by the question: its words, or the embedding model that the options name."""

from collections.abc import Callable
from functools import lru_cache

from ..kg.ranking import BM25Ranker, EmbeddingRanker, Ranker
from ..llm.embeddings import load_embeddings
from ..options import Options

OpenDense = Callable[[str], Ranker]
"""Opens an embedding model by its name."""


def ranker_of(options: Options, dense: OpenDense | None = None) -> Ranker:
    """BM25, or the model of `Options.embeddings`. Raises InputError (ModelError)."""
    if not options.embeddings:
        return BM25Ranker()
    return (dense or embedding_ranker)(options.embeddings)


@lru_cache(maxsize=2)
def embedding_ranker(name: str) -> Ranker:
    """A sentence-transformers model, from a folder or the hub. Raises InputError, ModelError."""
    return EmbeddingRanker(load_embeddings(name))
