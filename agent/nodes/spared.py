"""A node that may run out of memory: the question ends in one line, the next one is answered."""

from collections.abc import Collection
from functools import wraps
from inspect import unwrap
from typing import Any

from langgraph.runtime import Runtime

from ..errors import ShortageError
from ..options import Options
from ..shortage import is_shortage
from ..state import State
from . import Node

_SMALLER = {"beams": "--beams", "hops": "--hops", "max_triples": "--set max_triples"}
"""The options of which less takes less memory."""


def spared(node: Node, options: Collection[str]) -> Node:
    """The node; it raises ShortageError where memory runs out, and holds on to none of it.

    `options` are those that the method uses: the hint names no other.
    """
    ways = [said for name, said in _SMALLER.items() if name in options]
    hint = "ask a shorter question" + (f", or with a lower {' or '.join(ways)}" if ways else "")

    @wraps(unwrap(node))  # LangGraph looks there for the graph of a loop
    def run(state: State, runtime: Runtime[Options]) -> dict[str, Any]:
        try:
            return node(state, runtime)
        except (MemoryError, RuntimeError) as error:
            if not is_shortage(error):
                raise
        # Not within the handler: the first error would keep what its frames hold in memory.
        raise ShortageError("the question needs more memory than there is", hint)

    return run
