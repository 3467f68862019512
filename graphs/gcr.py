"""gcr: graph-constrained reasoning (Luo et al., ICML 2025).

The local model writes K reasoning paths along the graph by beam search (section 4.2); a general
LLM, or a vote where there is none, reasons over them (section 4.3).
"""

from collections.abc import Callable
from functools import cache
from pathlib import Path

from ..agent.decoding.index import TokenIndex, open_index
from ..agent.decoding.units import wire_tokens
from ..agent.decoding.wire import PATH
from ..agent.kg import KnowledgeGraph
from ..agent.llm.local import LocalModel
from ..agent.nodes import Node
from ..agent.nodes.decode import decode


def gcr(
    kg: KnowledgeGraph, generator: Callable[[], LocalModel], prompts: Path | None = None
) -> Node:
    """The middle of the state machine for GCR."""

    @cache
    def index() -> TokenIndex:
        tokenizer = generator().tokenizer
        wire_tokens(tokenizer, PATH)  # refused before an index is made for it
        return open_index(kg, tokenizer)

    return decode(kg, generator, index, prompts)
