"""Methods that loop: a compiled graph inside a node of the skeleton, with a bound of its own."""

from collections.abc import Callable
from contextvars import ContextVar
from typing import Any, NamedTuple

from langgraph.config import get_config
from langgraph.graph.state import CompiledStateGraph
from langgraph.runtime import Runtime
from langgraph.types import StreamWriter
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


_writer: ContextVar[StreamWriter] = ContextVar("writer")


def tell(event: dict[str, Any]) -> None:
    """Write a custom event from a node of a loop into the stream of the graph around it."""
    _writer.get()(event)


def looping(
    compiled: "CompiledStateGraph[Any, Options, Any, Any]", most: Callable[[Options], int]
) -> Node:
    """A node that runs a graph for at most as many of its steps as `most` says.

    A graph that is itself a node would be held to the bound of the graph around it. Its nodes run
    in the thread of the caller, so that an interrupt stops the one that is at work: LangGraph gives
    them threads, and waits for these, where custom events are streamed. Hence `tell`.
    """

    def run(state: State, runtime: Runtime[Options]) -> dict[str, Any]:
        options = runtime.context or Options()
        bounded: Any = {**get_config(), "recursion_limit": most(options)}
        token = _writer.set(runtime.stream_writer)
        try:
            return compiled.invoke(state, bounded, context=options)
        finally:
            _writer.reset(token)

    return run
