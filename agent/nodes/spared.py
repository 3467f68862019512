"""A node that may run out of memory: the question ends in one line, the next one is answered."""

from functools import wraps
from inspect import unwrap
from typing import Any

from langgraph.runtime import Runtime

from ..errors import ShortageError
from ..options import Options
from ..shortage import is_shortage
from ..state import State
from . import Node

_HINT = "ask a shorter question, or with fewer --beams, --hops or a smaller --set max_triples"


def spared(node: Node) -> Node:
    """The node; it raises ShortageError where memory runs out, and holds on to none of it."""

    @wraps(unwrap(node))  # LangGraph looks there for the graph of a loop
    def run(state: State, runtime: Runtime[Options]) -> dict[str, Any]:
        try:
            return node(state, runtime)
        except (MemoryError, RuntimeError) as error:
            if not is_shortage(error):
                raise
        # Not within the handler: the first error would keep what its frames hold in memory.
        raise ShortageError("the question needs more memory than there is", _HINT)

    return run
