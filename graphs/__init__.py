"""The state machine: the shared skeleton and one file per method."""

from .build import METHODS, build_graph

__all__ = ["METHODS", "build_graph"]
