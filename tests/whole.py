"""Graphs whose runs return the whole state, for tests of what callers do not see."""

from typing import Any

from groundwalk.graphs import build_graph as build_public_graph
from groundwalk.graphs.nesting import CompiledGraph


def build_graph(*args: Any, **settings: Any) -> CompiledGraph:
    """As `groundwalk.build_graph`; see there."""
    return build_public_graph(*args, **settings).with_state()


def labels(state: Any) -> list[str]:
    """The names of the answers of a state, in their order."""
    return [answer["label"] for answer in state["answers"]]
