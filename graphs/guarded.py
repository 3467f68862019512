"""Guards around every node: requests to an endpoint are counted, lack of memory is one line."""

from collections.abc import Collection
from functools import wraps
from inspect import unwrap

from langgraph.runtime import Runtime

from ..agent.errors import ShortageError, is_shortage
from ..agent.kg import KnowledgeGraph
from ..agent.kg.store import metered
from ..agent.nodes import Node
from ..agent.options import Options
from ..agent.state import State
from ..agent.usage import no_usage

_SMALLER = {"beams": "--beams", "hops": "--hops", "max_triples": "--set max_triples"}
"""The options of which less takes less memory."""


def guarded(kg: KnowledgeGraph, node: Node, options: Collection[str], *, is_first: bool) -> Node:
    """The node with its requests counted; it raises ShortageError where memory runs out.

    Where the KG is an endpoint, `kg_requests` are the HTTP requests that the node sends; of a KG at
    hand they are the look-ups that the node itself counts. The usage begins anew with the first
    node of a question. `options` are those that the method uses: a hint names no other.
    """
    flags = [flag for name, flag in _SMALLER.items() if name in options]
    hint = "ask a shorter question" + (f", or with a lower {' or '.join(flags)}" if flags else "")

    @wraps(unwrap(node))  # LangGraph looks there for the graph of a loop
    def run(state: State, runtime: Runtime[Options]) -> State:
        try:
            if kg.pinned:
                return node(state, runtime)
            before = no_usage() if is_first else state.get("usage", no_usage())
            with metered() as meter:
                changes = node(state, runtime)
            requests = before["kg_requests"] + meter.requests
            return {**changes, "usage": {**changes.get("usage", before), "kg_requests": requests}}
        except (MemoryError, RuntimeError) as error:
            if not is_shortage(error):
                raise
        # Not within the handler: the first error would keep what its frames hold in memory.
        raise ShortageError("the question needs more memory than there is", hint)

    return run
