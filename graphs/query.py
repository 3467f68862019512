"""query: what the question asks, as a query that a chat LLM proposes.

The LLM writes the tree of `docs/queries.md` as structured output. What it names must be in the
graph; it is executed in full, and all that the answer rests on is verified. What is refused twice,
and every question where there is no LLM, is answered as `gcr` answers it.
"""

from collections.abc import Callable

from ..agent.nodes import Node
from ..agent.nodes.propose import propose
from ..agent.query.facts import Facts
from .gcr import GCR
from .method import Method, Parts


def _propose(parts: Parts, facts: Callable[[], Facts]) -> Node | None:
    if parts.llm is None:
        return None
    return propose(parts.kg, parts.linker, parts.llm, facts, "query", parts.prompts)


QUERY = Method(
    GCR.build,
    "a query that a chat LLM proposes, executed in full; else as gcr",
    common=GCR.common,
    whole=_propose,
    paper={**GCR.paper, "queries": False},
    uses=GCR.uses | {"queries"},
)
