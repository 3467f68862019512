"""The nodes of the state machine, one file each, in the order in which a question meets them."""

from typing import Protocol

from langgraph.runtime import Runtime

from ..options import Options
from ..state import State


class Node(Protocol):
    """What a node is: the state and the run's options in, changes of the state out."""

    def __call__(self, state: State, runtime: Runtime[Options]) -> State:
        """Do the node's work; raises GroundwalkError."""
        ...
