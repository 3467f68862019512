"""What ranks by the question: its words, or the embedding model that the options name."""

from collections.abc import Callable
from functools import lru_cache
from importlib.util import find_spec

from ..errors import InputError, ModelError
from ..kg.ranking import BM25Ranker, EmbeddingRanker, Ranker
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
    if find_spec("sentence_transformers") is None:
        raise InputError(
            "embeddings need the package sentence-transformers",
            "pip install 'groundwalk[embeddings]'",
        )
    from langchain_huggingface import HuggingFaceEmbeddings

    try:
        return EmbeddingRanker(
            HuggingFaceEmbeddings(model_name=name, model_kwargs={"trust_remote_code": False})
        )
    except Exception as error:  # the libraries raise many kinds for a bad folder
        reason = " ".join(str(error).split())[:300]
        raise ModelError(
            f"{name}: the embedding model does not load ({reason})",
            "give a folder or hub id of a sentence-transformers model",
        ) from error
