"""paths: what any external retriever found, reasoned over (GNN-RAG's interface).

The option `retrieved` names a file of JSON lines, joined by the question's id, else by its text.
Candidate entities become all shortest paths from the topic entities (GNN-RAG's way: the likeliest
candidates, until they have 0.95 of the probability), relation paths are executed, paths and triples
are looked up. Which question the retriever cannot answer, and what it found that the KG does not
hold, is told and counted. The shares of paths are no confidences of the model, so its threshold
does not hold for them. Retrieved paths and triples are those of the KG as it is stored.
"""

from ..method import REASONING, VIEW, Method
from .search import check_retrieved, search_retrieved

PATHS = Method(
    search_retrieved,
    "entities, paths or triples of an external retriever, then reasoned over (GNN-RAG's interface)",
    prompts="paths",
    threshold=lambda _: 0.0,
    check=check_retrieved,
    reasons=True,
    uses=VIEW | REASONING | {"revisits", "examples", "retrieved"},
)
