"""What the nodes ask of an endpoint, counted as it is sent."""

from functools import wraps
from inspect import unwrap
from typing import Any

from langgraph.runtime import Runtime

from ..kg import KnowledgeGraph
from ..kg.metering import metered
from ..options import Options
from ..state import State, no_usage
from . import Node


def as_sent(kg: KnowledgeGraph, node: Node, *, first: bool = False) -> Node:
    """The node; its `kg_requests` are the HTTP requests that it sends where the KG is an endpoint.

    Of a KG at hand they are the look-ups that the node itself counts. The usage begins anew with
    the `first` node of a question.
    """
    if kg.pinned:
        return node

    @wraps(unwrap(node))
    def run(state: State, runtime: Runtime[Options]) -> dict[str, Any]:
        before = no_usage() if first else state.get("usage", no_usage())
        with metered() as meter:
            changes = node(state, runtime)
        requests = before["kg_requests"] + meter.requests
        return {**changes, "usage": {**changes.get("usage", before), "kg_requests": requests}}

    return run
