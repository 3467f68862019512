"""Methods that loop: a compiled graph inside a node of the skeleton, with a bound of its own."""

from collections.abc import Callable
from typing import Any, NamedTuple, cast

from langgraph.config import get_config
from langgraph.graph.state import CompiledStateGraph
from langgraph.runtime import Runtime
from typing_extensions import TypedDict

from ..agent.nodes import Node
from ..agent.options import Options
from ..agent.state import Answer, Candidate, State, Usage


class Outcome(TypedDict, total=False):
    """What a loop changes in the state of the skeleton."""

    candidates: list[Candidate]
    answers: list[Answer]
    unsupported: list[str]
    reasoner: str
    confidence: float
    usage: Usage
    notes: list[str]


class Bill(NamedTuple):
    """What deciding cost, and how many replies were not whole."""

    forward_passes: int = 0
    prompt_tokens: int = 0
    tokens: int = 0
    forced_tokens: int = 0
    llm_calls: int = 0
    llm_failed: int = 0
    llm_uncounted: int = 0
    unread: int = 0
    shortened: int = 0

    @property
    def cost(self) -> dict[str, int]:
        """What it cost, as `spent` names it."""
        cost = self._asdict()
        del cost["shortened"]
        return cost


def looping(
    compiled: "CompiledStateGraph[Any, Options, Any, Any]", most: Callable[[Options], int]
) -> Node:
    """A node that runs a graph for at most as many of its steps as `most` says.

    A graph that is itself a node would be held to the bound of the graph around it, and its custom
    events would be heard only by who streams subgraphs.
    """

    def run(state: State, runtime: Runtime[Options]) -> dict[str, Any]:
        options, outcome = runtime.context or Options(), dict[str, Any]()
        bounded: Any = {**get_config(), "recursion_limit": most(options)}
        modes: Any = ["custom", "values"]
        for mode, chunk in compiled.stream(state, bounded, context=options, stream_mode=modes):
            if mode == "custom":
                runtime.stream_writer(chunk)
            else:
                outcome = cast("dict[str, Any]", chunk)
        return outcome

    return run
