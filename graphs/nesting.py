"""A compiled graph that may be a node of another graph, whose checkpointer keeps its turns."""

import gc
from asyncio import to_thread
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from sys import maxsize
from typing import Any, Self, cast

from langchain_core.messages import HumanMessage, convert_to_messages
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.config import get_config
from langgraph.constants import CONF, CONFIG_KEY_CHECKPOINTER
from langgraph.graph.state import CompiledStateGraph
from langgraph.runtime import get_runtime

from ..agent.errors import InputError
from ..agent.options import Options
from ..agent.state import GraphInput, GraphOutput, State
from .line import Line

_ADDRESS = ("thread_id", "checkpoint_ns", "checkpoint_id", "checkpoint_map")
"""What names a history of its own: LangGraph then takes nothing from the run around."""
_TURN = "__groundwalk_turn"
"""In the configuration of a run, and of all runs within it, once it is its turn in the line."""
_SENT = "__pregel_push"
"""Where the path of a task begins that a `Send` made, and that may run beside its like."""


class Compiled(CompiledStateGraph[State, Options, GraphInput, GraphOutput]):
    """The agent as a compiled graph, which may run by itself or be a node of another graph.

    With `checkpointer=True` it also runs by itself, without a checkpointer. LangGraph takes `True`
    in a node of another graph only. There one history is kept for a thread, so what a `Send`
    starts, which may run beside its like, has one for its run alone. The context of the graph
    around is not for this one, unless it is `Options`.

    Callers of `invoke` and `ainvoke` wait in `line`, first come first served. Those that stream do
    not: a slow reader would keep the others waiting. `prepare` loads what answers.
    """

    def __init__(self, *, line: Line, prepare: Callable[[], object], **settings: Any) -> None:
        super().__init__(**settings)
        self.line = line
        self.prepare = prepare

    def with_state(self) -> Self:
        """The same graph, of which `invoke` returns the whole `State`."""
        return self.copy({"output_channels": list(State.__annotations__)})

    def with_output(self) -> Self:
        """The same graph, of which `invoke` returns a `GraphOutput`."""
        return self.copy({"output_channels": list(GraphOutput.__annotations__)})

    def without_line(self) -> Self:
        """The same graph for callers that see to it themselves how many questions run at once."""
        return self.copy({"line": Line(maxsize)})

    def warm(self) -> Self:
        """Load the model and the graph's indexes now, so that the first question does not wait.

        What is loaded then stays out of Python's garbage collection: walking through all of it
        would stop a service for a fifth of a second now and then.

        >>> graph = build_graph().warm()
        """
        self.prepare()
        gc.collect()
        gc.freeze()
        return self

    def stream(self, input: Any, config: Any = None, **settings: Any) -> Iterator[Any]:
        """As LangGraph's own."""
        graph, config = self._within(config)
        return super(Compiled, graph).stream(input, config, **_with_options(settings))

    def astream(self, input: Any, config: Any = None, **settings: Any) -> AsyncIterator[Any]:
        """As LangGraph's own."""
        graph, config = self._within(config)
        return super(Compiled, graph).astream(input, config, **_with_options(settings))

    def invoke(self, input: Any, config: Any = None, **settings: Any) -> Any:
        """As LangGraph's own; raises InputError for the history of another question."""
        if _is_within(config):
            return _same_question(input, super().invoke(input, config, **settings))
        with self.line.turn():
            return _same_question(input, super().invoke(input, _in_turn(config), **settings))

    async def ainvoke(self, input: Any, config: Any = None, **settings: Any) -> Any:
        """As LangGraph's own; raises InputError for the history of another question."""
        if _is_within(config):
            return _same_question(input, await super().ainvoke(input, config, **settings))
        async with self.line.turn_async():
            if _is_part(config) or not _is_sync(self.checkpointer):
                state = await super().ainvoke(input, _in_turn(config), **settings)
            else:  # LangGraph's own work between the nodes would keep the event loop from its own
                state = await to_thread(super().invoke, input, _in_turn(config), **settings)
            return _same_question(input, state)

    def _within(self, config: RunnableConfig | None) -> tuple["Compiled", RunnableConfig | None]:
        """The graph and the config for a run, with the checkpointer of the run around, if any."""
        given = (config or {}).get(CONF, {})
        if self.checkpointer is not True:
            return self, config
        if CONFIG_KEY_CHECKPOINTER in given:
            around: RunnableConfig = config or {}
        else:
            around = {} if any(given.get(key) for key in _ADDRESS) else _around()
            lent = {**given, CONFIG_KEY_CHECKPOINTER: lent_checkpointer(around)}
            config = {**(config or {}), CONF: lent}
        path = around.get("metadata", {}).get("langgraph_path") or ("",)
        return self.copy({"checkpointer": None}) if path[0] == _SENT else self, config


def lent_checkpointer(config: RunnableConfig) -> Any:
    """The checkpointer of the run that a node or an edge is in; None where it has none."""
    return config.get(CONF, {}).get(CONFIG_KEY_CHECKPOINTER)


def _is_within(config: RunnableConfig | None) -> bool:
    """Whether a run is part of one whose turn it is."""
    return bool({**_around().get(CONF, {}), **(config or {}).get(CONF, {})}.get(_TURN))


def _is_part(config: RunnableConfig | None) -> bool:
    """Whether a run is part of another graph's."""
    return bool(_around()) or CONFIG_KEY_CHECKPOINTER in (config or {}).get(CONF, {})


def _is_sync(checkpointer: Any) -> bool:
    """Whether a checkpointer, if there is one, can be used in any thread."""
    if not isinstance(checkpointer, BaseCheckpointSaver):
        return True
    saver: Any = cast("Any", checkpointer)
    return type(saver).put is not BaseCheckpointSaver.put


def _in_turn(config: RunnableConfig | None) -> RunnableConfig:
    """The configuration of a run whose turn it is."""
    return {**(config or {}), CONF: {**(config or {}).get(CONF, {}), _TURN: True}}


def _around() -> RunnableConfig:
    try:
        return get_config()
    except RuntimeError:
        return {}


def _with_options(settings: dict[str, Any]) -> dict[str, Any]:
    """The settings of a run, which has the context of the run around where that is `Options`."""
    if settings.get("context") is not None:
        return settings
    try:
        around: Any = get_runtime()
    except (RuntimeError, KeyError):
        around = None
    if around is None or isinstance(around.context, Options):
        return settings
    return {**settings, "context": Options()}


def _same_question(input: Any, state: Any) -> Any:
    """The state, where it is about the question that went in.

    Runs beside one another in a thread may be resumed with each other's histories.
    """
    answered = state.get("question") if isinstance(state, Mapping) else None
    if answered is None or not isinstance(input, Mapping) or "__interrupt__" in state:
        return state
    questions = {str(input.get("question", "")).strip()}
    given = input.get("messages") or []
    messages = convert_to_messages(given if isinstance(given, list) else [given])
    questions.update([m.text.strip() for m in messages if isinstance(m, HumanMessage)][-1:])
    if any(questions) and answered not in questions:
        raise InputError(
            "questions that ran beside one another in a thread cannot be resumed",
            "ask one at a time, or set on_ambiguous to best or error",
        )
    return state
