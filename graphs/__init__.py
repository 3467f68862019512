"""The state machine: the shared skeleton and one file per method; the graph as a tool.

Each name is loaded when it is first used: the names of the methods are needed before any of them.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .about import GraphPage, describe_graph
    from .build import build_graph
    from .methods import METHODS
    from .nesting import CompiledGraph
    from .retriever import KGRetriever
    from .tool import AskResult, ask_tool

__all__ = [
    "METHODS",
    "AskResult",
    "CompiledGraph",
    "GraphPage",
    "KGRetriever",
    "ask_tool",
    "build_graph",
    "describe_graph",
]

_MODULES = {
    "METHODS": "methods",
    "AskResult": "tool",
    "CompiledGraph": "nesting",
    "GraphPage": "about",
    "KGRetriever": "retriever",
    "ask_tool": "tool",
    "build_graph": "build",
    "describe_graph": "about",
}


def __getattr__(name: str) -> Any:
    """A name of `__all__`, loaded. Raises AttributeError for any other."""
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f".{_MODULES[name]}", __name__), name)
