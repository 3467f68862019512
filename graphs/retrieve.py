"""retrieve: the paths that are nearest to the question in words, then reasoned over.

GCR's retrieval baselines (Table 2): of up to 2,000 paths within the view's hops, each relation path
in turn, the best `beams` by BM25, or by the model that `embeddings` names. Their shares are no
confidences of the local model, so its threshold does not hold for them.
"""

from ..agent.nodes import Node
from ..agent.nodes.retrieve import retrieve
from .method import REASONING, VIEW, Method, Parts


def _retrieve(parts: Parts) -> Node:
    return retrieve(parts.kg)


RETRIEVE = Method(
    _retrieve,
    "paths ranked by words or embeddings, then reasoned over (lexical and dense retrieval)",
    prompts="paths",
    threshold=lambda _: 0.0,
    paper={"beams": 10, "hops": 2},
    uses=VIEW | REASONING | {"beams", "revisits", "examples", "embeddings"},
)
