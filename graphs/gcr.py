"""gcr: graph-constrained reasoning (Luo et al., ICML 2025).

The local model writes K reasoning paths along the graph by beam search (section 4.2); a general
LLM, or a vote where there is none, reasons over them (section 4.3).
"""

from collections.abc import Callable
from pathlib import Path

from ..agent.decoding.wire import PATH
from ..agent.kg import KnowledgeGraph
from ..agent.llm.local import LocalModel
from ..agent.nodes import Node
from ..agent.nodes.decode import decode
from ..agent.nodes.ground import ground


def gcr(
    kg: KnowledgeGraph, generator: Callable[[], LocalModel], prompts: Path | None = None
) -> Node:
    """The middle of the state machine for GCR."""
    return decode(kg, generator, ground(kg, generator, PATH), prompts)
