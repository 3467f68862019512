"""The nodes of the state machine, one file each, in the order in which a question meets them."""

from collections.abc import Callable
from typing import Any, TypeAlias

from langgraph.runtime import Runtime

from ..state import Options, State

Node: TypeAlias = Callable[[State, Runtime[Options]], dict[str, Any]]
"""What a node is: the state and the run's options in, changes of the state out."""
