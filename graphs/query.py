"""query: what the question asks, as a query that is executed in full and proved.

A chat LLM proposes it, where there is one: it writes the tree of `docs/queries.md` as structured
output, and what is refused twice is answered as `gcr` answers it. Without one, a reader points at
its actions, or a local model that was trained to write queries decodes it along the graph. Every
question where there is none of these, and questions of multiple choice or with given topics, are
answered as `gcr` answers them.
"""

from collections.abc import Callable

from ..agent.nodes import Node
from ..agent.nodes.propose import propose
from ..agent.query.facts import Facts
from .gcr import GCR
from .method import Method, Parts
from .reading import read_with, reads_queries


def _whole(parts: Parts, facts: Callable[[], Facts]) -> Node | None:
    if parts.llm is not None:
        return propose(parts.kg, parts.linker, parts.llm, facts, "query", parts.prompts)
    return _read(parts) if _reads(parts) else None


def _reads(parts: Parts) -> bool:
    """Whether the local model or a reader reads questions as queries."""
    return parts.llm is None and reads_queries(parts)


def _read(parts: Parts) -> Node:
    from ..agent.nodes.read import read

    return read(read_with(parts), "query")


QUERY = Method(
    GCR.build,
    "a query that the model reads or a chat LLM proposes, executed in full; else as gcr",
    common=GCR.common,
    whole=_whole,
    reading=_reads,
    values=True,
    paper=GCR.paper,
    uses=GCR.uses,
)
