"""Methods that loop: a compiled graph inside a node of the skeleton, with a bound of its own."""

from collections.abc import Callable
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.graph.state import CompiledStateGraph
from langgraph.runtime import Runtime

from ..agent.nodes import Node
from ..agent.state import Options, State


def looping(
    compiled: "CompiledStateGraph[Any, Options, Any, Any]", most: Callable[[Options], int]
) -> Node:
    """A node that runs a graph for at most as many of its steps as `most` says.

    A graph that is itself a node would be held to the bound of the graph around it.
    """

    def run(state: State, runtime: Runtime[Options], config: RunnableConfig) -> dict[str, Any]:
        options = runtime.context or Options()
        bounded: RunnableConfig = {**config, "recursion_limit": most(options)}
        return compiled.invoke(state, bounded, context=options)

    return run
