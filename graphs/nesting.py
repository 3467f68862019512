"""A compiled graph that may be a node of another graph, whose checkpointer keeps its turns."""

import gc
from asyncio import to_thread
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from functools import partial
from sys import maxsize
from typing import Any, Generic, Literal, Self, TypeAlias, cast, overload
from uuid import uuid4

from langchain_core.messages import AnyMessage, HumanMessage, convert_to_messages
from langchain_core.runnables import RunnableConfig
from langchain_core.runnables.config import get_config_list, merge_configs
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.config import get_config
from langgraph.constants import CONF, CONFIG_KEY_CHECKPOINTER
from langgraph.graph.state import CompiledStateGraph
from langgraph.runtime import get_runtime
from langgraph.types import Command, StreamMode
from typing_extensions import TypeVar

from ..agent.errors import InputError
from ..agent.events import Event
from ..agent.options import Options
from ..agent.state import GraphInput, GraphOutput, Output, State
from .inputs import check_asked, check_context, check_input, check_thread, is_reply
from .line import Line

Out = TypeVar("Out", default=Any)
"""What `invoke` returns."""

Input: TypeAlias = GraphInput | Command[Any] | None
"""What a run takes: a question, what resumes an earlier run, or nothing to go on with one."""
Config: TypeAlias = RunnableConfig | None

_ADDRESS = ("thread_id", "checkpoint_ns", "checkpoint_id", "checkpoint_map")
"""What names a history of its own: LangGraph then takes nothing from the run around."""
_TURN = "__groundwalk_turn"
"""In the configuration of a run, and of all runs within it, once it is its turn in the line."""
_PUSH = "__pregel_push"
"""Where the path of a task begins that a `Send` made, and that may run beside its like."""


class CompiledGraph(CompiledStateGraph[State, Options, GraphInput, Any], Generic[Out]):
    """What `build_graph` returns: the agent as a compiled graph of LangGraph.

    It runs by itself or is a node of another graph. `Out` is what `invoke` returns: a
    `GraphOutput`, or a `State` of the graph that `with_state()` returns.

    >>> graph: CompiledGraph[GraphOutput] = build_graph(options=Options(max_answers=3))
    >>> output = graph.warm().invoke({"question": "Which countries border Austria?"})
    >>> [answer["label"] for answer in output["answers"]], output["notes"]
    (['Czechia', 'Germany', 'Hungary'], ['5 more answers are not shown'])

    With `checkpointer=True` it also runs by itself, without a checkpointer. LangGraph takes `True`
    in a node of another graph only. There one history is kept for a thread, so what a `Send`
    starts, which may run beside its like, has one for its run alone. The context of the graph
    around is not for this one, unless it is `Options`: without one, `options` are in its place.
    Of the messages it returns to the graph around only those that are new.

    Callers of `invoke` and `ainvoke` wait in `line`, first come first served. Those that stream do
    not: a slow reader would keep the others waiting. `prepare` loads what answers.
    """

    def __init__(
        self,
        *,
        line: Line,
        prepare: Callable[[], object],
        options: Options,
        **settings: Any,
    ) -> None:
        super().__init__(**settings)
        self.line = line
        self.prepare = prepare
        self.options = options

    def with_state(self) -> "CompiledGraph[State]":
        """The same graph, of which `invoke` returns the whole `State`."""
        whole: Any = self.copy({"output_channels": list(State.__annotations__)})
        return whole

    def with_output(self) -> "CompiledGraph[GraphOutput]":
        """The same graph, of which `invoke` returns a `GraphOutput`."""
        public: Any = self.copy({"output_channels": list(Output.__annotations__)})
        return public

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

    @overload
    def stream(
        self, input: Input, config: Config = None, *, version: Literal["v2"], **settings: Any
    ) -> Iterator[Any]: ...

    @overload
    def stream(
        self,
        input: Input,
        config: Config = None,
        *,
        stream_mode: Literal["custom"],
        subgraphs: Literal[False] = False,
        **settings: Any,
    ) -> Iterator[Event]: ...

    @overload
    def stream(self, input: Input, config: Config = None, **settings: Any) -> Iterator[Any]: ...

    def stream(  # pyright: ignore[reportIncompatibleMethodOverride] # one overload more
        self, input: Any, config: Any = None, **settings: Any
    ) -> Iterator[Any]:
        """As LangGraph's own; with `stream_mode="custom"` an `Event` for each step."""
        self._check(input, config)
        graph, config = self._within(config)
        input = _anew(input)
        return super(CompiledGraph, graph).stream(input, config, **self._with_options(settings))

    @overload
    def astream(
        self, input: Input, config: Config = None, *, version: Literal["v2"], **settings: Any
    ) -> AsyncIterator[Any]: ...

    @overload
    def astream(
        self,
        input: Input,
        config: Config = None,
        *,
        stream_mode: Literal["custom"],
        subgraphs: Literal[False] = False,
        **settings: Any,
    ) -> AsyncIterator[Event]: ...

    @overload
    def astream(
        self, input: Input, config: Config = None, **settings: Any
    ) -> AsyncIterator[Any]: ...

    def astream(  # pyright: ignore[reportIncompatibleMethodOverride] # one overload more
        self, input: Any, config: Any = None, **settings: Any
    ) -> AsyncIterator[Any]:
        """As LangGraph's own; with `stream_mode="custom"` an `Event` for each step."""
        graph, inner_config = self._within(config)
        settings = self._with_options(settings)
        events = super(CompiledGraph, graph).astream(_anew(input), inner_config, **settings)
        if _is_within(config) or _is_part(config):
            return events
        return self._checked(input, config, events)

    @overload
    def invoke(
        self, input: Input, config: Config = None, *, version: Literal["v2"], **settings: Any
    ) -> Any: ...

    @overload
    def invoke(
        self, input: Input, config: Config = None, *, stream_mode: StreamMode, **settings: Any
    ) -> Any: ...

    @overload
    def invoke(self, input: Input, config: Config = None, **settings: Any) -> Out: ...

    def invoke(self, input: Any, config: Any = None, **settings: Any) -> Any:
        """As LangGraph's own; raises InputError for the history of another question.

        Raises BusyError where too many wait, and QuestionError for what is no question.
        """
        self._check(input, config)
        input = _identified(input, config)
        if _is_within(config):
            return _handed_back(input, config, super().invoke(input, config, **settings))
        with self.line.turn():
            state = super().invoke(input, _in_turn(config), **settings)
            return _handed_back(input, config, state)

    @overload
    async def ainvoke(
        self, input: Input, config: Config = None, *, version: Literal["v2"], **settings: Any
    ) -> Any: ...

    @overload
    async def ainvoke(
        self, input: Input, config: Config = None, *, stream_mode: StreamMode, **settings: Any
    ) -> Any: ...

    @overload
    async def ainvoke(self, input: Input, config: Config = None, **settings: Any) -> Out: ...

    async def ainvoke(self, input: Any, config: Any = None, **settings: Any) -> Any:
        """As LangGraph's own; raises as `invoke` does. Who is cancelled ends it after this step."""
        await self._check_async(input, config)
        input = _identified(input, config)
        if _is_within(config):
            return _handed_back(input, config, await super().ainvoke(input, config, **settings))
        if _is_part(config) or not _is_sync(self.checkpointer):
            async with self.line.turn_async():
                state = await super().ainvoke(input, _in_turn(config), **settings)
        else:  # LangGraph's own work between the nodes would keep the event loop from its own
            run = partial(super().invoke, input, _in_turn(config), **settings)
            state = await self.line.in_thread(run)
        return _handed_back(input, config, state)

    async def abatch(self, inputs: Any, config: Any = None, **settings: Any) -> list[Out]:
        """As LangGraph's own; without a `max_concurrency` no more run at once than gain by it."""
        configs = get_config_list(config, len(inputs))
        for run_config in configs:
            run_config.setdefault("max_concurrency", self.line.at_once)
        return await super().abatch(inputs, configs, **settings)

    def _check(self, input: Any, config: RunnableConfig | None) -> None:
        """Raise QuestionError for what cannot be run; a graph around gives what it has."""
        if _is_within(config) or _is_part(config):
            return
        check_input(input)
        check_thread(self.checkpointer, merge_configs(self.config, config))
        if is_reply(input):
            is_kept = isinstance(self.checkpointer, BaseCheckpointSaver)
            check_asked(self.get_state(config or {}) if is_kept else None)

    async def _check_async(self, input: Any, config: RunnableConfig | None) -> None:
        if not is_reply(input):
            self._check(input, config)
        elif _is_sync(self.checkpointer):
            await to_thread(self._check, input, config)
        elif not (_is_within(config) or _is_part(config)):
            check_thread(self.checkpointer, merge_configs(self.config, config))
            check_asked(await self.aget_state(config or {}))

    async def _checked(
        self, input: Any, config: RunnableConfig | None, events: AsyncIterator[Any]
    ) -> AsyncIterator[Any]:
        await self._check_async(input, config)
        async for event in events:
            yield event

    def _with_options(self, settings: dict[str, Any]) -> dict[str, Any]:
        """The settings of a run: of the context of the run around `Options` only."""
        if settings.get("context") is not None:
            check_context(settings["context"])
            return settings
        try:
            around: Any = get_runtime()
        except (RuntimeError, KeyError):
            around = None
        if around is not None and isinstance(around.context, Options):
            return settings
        return {**settings, "context": self.options}

    def _within(self, config: RunnableConfig | None) -> tuple[Self, RunnableConfig | None]:
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
        return self.copy({"checkpointer": None}) if path[0] == _PUSH else self, config


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


def _is_inside(config: RunnableConfig | None) -> bool:
    """Whether a run is a part of the thread of a graph around, which has messages of its own."""
    given = (config or {}).get(CONF, {})
    if CONFIG_KEY_CHECKPOINTER in given:
        return True
    is_apart = any(given.get(key) for key in _ADDRESS)
    return not is_apart and CONFIG_KEY_CHECKPOINTER in _around().get(CONF, {})


def _anew(input: Any) -> Any:
    """The input of a run, in which no query is left of an earlier one that failed."""
    if isinstance(input, Mapping) and input and "query" not in input:
        return {**input, "query": None}
    return input


def _identified(input: Any, config: RunnableConfig | None) -> Any:
    """The input of a run; messages of a graph around get ids, by which new ones are known."""
    if not (isinstance(input, Mapping) and input.get("messages") and _is_inside(config)):
        return input
    messages = _messages_of(input)
    for message in messages:
        message.id = message.id or str(uuid4())
    return {**input, "messages": messages}


def _messages_of(input: Mapping[str, Any]) -> list[AnyMessage]:
    given = input.get("messages") or []
    return cast(
        "list[AnyMessage]",
        convert_to_messages(given if isinstance(given, list) else [given]),
    )


def _handed_back(input: Any, config: RunnableConfig | None, state: Any) -> Any:
    """What a run returns; a graph around gets the messages that are new, as it may delete others.

    Raises InputError for the history of another question.
    """
    state = _same_question(input, state)
    if not (isinstance(state, Mapping) and state.get("messages") and _is_inside(config)):
        return state
    *_, before, reply = [None, *state["messages"]]
    given = (
        {message.id for message in _messages_of(input)}
        if isinstance(input, Mapping)
        else set[str]()
    )
    is_new = (
        isinstance(before, HumanMessage)
        and before.id not in given
        and before.text == state.get("question")
    )
    return {**state, "messages": [before, reply] if is_new else [reply]}


def _same_question(input: Any, state: Any) -> Any:
    """The state, where it is about the question that went in.

    Runs beside one another in a thread may be resumed with each other's histories.
    """
    answered = state.get("question") if isinstance(state, Mapping) else None
    if answered is None or not isinstance(input, Mapping) or "__interrupt__" in state:
        return state
    questions = {str(input.get("question", "")).strip()}
    spoken = [
        message.text.strip() for message in _messages_of(input) if isinstance(message, HumanMessage)
    ]
    questions.update(spoken[-1:])
    if any(questions) and answered not in questions:
        raise InputError(
            "questions that ran beside one another in a thread cannot be resumed",
            "ask one at a time, or set on_ambiguous to best or error",
        )
    return state
