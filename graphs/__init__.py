"""The state machine: the shared skeleton and one file per method; the graph as a tool."""

from .build import build_graph
from .methods import METHODS
from .tool import AskResult, ask_tool

__all__ = ["METHODS", "AskResult", "ask_tool", "build_graph"]
