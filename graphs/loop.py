"""Methods that loop: a small graph within the state machine that steps a search on to its end."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple, Protocol

from langgraph.config import get_config
from langgraph.constants import CONF, CONFIG_KEY_CHECKPOINTER
from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from typing_extensions import TypedDict

from ..agent.answers.question import Outcome, Question
from ..agent.options import Options
from .ground import Ground


class LoopState(TypedDict):
    """What flows through a loop: how far its search has come, a frozen dataclass of the method."""

    search: Any


class _Node(Protocol):
    def __call__(self, state: LoopState) -> LoopState: ...


class Loop(NamedTuple):
    """A loop, compiled; `begin` makes the search of a question, which has an `outcome` in the end.

    `steps` are the most nodes that a question may pass.
    """

    graph: CompiledStateGraph[LoopState, Options, LoopState, LoopState]
    begin: Callable[[Question, Ground], Any]
    steps: Callable[[Options], int]


def loop_graph(
    name: str,
    nodes: Mapping[str, Callable[[Any], Any]],
    routes: Mapping[str, tuple[Callable[[Any], str], Sequence[str]]],
) -> CompiledStateGraph[LoopState, Options, LoopState, LoopState]:
    """The graph of a loop that begins at the first of its nodes.

    A node takes a search and returns it further on. `routes` say after a node which one is next,
    and which may be; without one the node that is listed next follows, and the last ends the loop.
    """
    graph = StateGraph(LoopState, context_schema=Options)
    names = list(nodes)
    graph.add_edge(START, names[0])
    for node, following in zip(names, [*names[1:], END], strict=True):
        graph.add_node(node, _node(nodes[node]))
        if node in routes:
            route, ends = routes[node]
            graph.add_conditional_edges(node, partial(_next, route), list(ends))
        else:
            graph.add_edge(node, following)
    return graph.compile(name=name)


def run_loop(loop: Loop, question: Question, ground: Ground) -> Outcome:
    """The outcome of a loop, held to a bound of its own and not to that of the graph around it.

    Its nodes run in the thread of the caller, so that an interrupt stops the one that is at work.
    No checkpointer keeps what flows here, which is no JSON.
    """
    config = get_config()
    settings = {**config.get(CONF, {}), CONFIG_KEY_CHECKPOINTER: None}
    steps = loop.steps(question.options)
    bounded: Any = {**config, CONF: settings, "recursion_limit": steps}
    begun: LoopState = {"search": loop.begin(question, ground)}
    return loop.graph.invoke(begun, bounded, context=question.options)["search"].outcome


def _node(step: Callable[[Any], Any]) -> _Node:
    def run(state: LoopState) -> LoopState:
        return {"search": step(state["search"])}

    return run


def _next(route: Callable[[Any], str], state: LoopState) -> str:
    return route(state["search"])
