"""What a run is given, looked at before it begins: its input, its thread, a reply to a question."""

from collections.abc import Mapping
from difflib import get_close_matches
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.constants import CONF
from langgraph.types import Command, StateSnapshot

from ..agent.conversation.messages import readable
from ..agent.errors import InputError, QuestionError
from ..agent.options import Options
from ..agent.state import GraphInput, State

_THREAD = 'give config={"configurable": {"thread_id": "..."}}'


def check_input(given: Any) -> None:
    """Raise QuestionError for what is no `GraphInput`, or no question that can be read.

    A whole `State` may go in again.
    """
    if given is None or isinstance(given, Command):
        return
    if not isinstance(given, Mapping):
        kind = type(given).__name__
        raise QuestionError(
            f"the input is no mapping: {kind}", 'give a question: {"question": "..."}'
        )
    for key in given:
        if key not in State.__annotations__:
            known = list(GraphInput.__annotations__)
            close = get_close_matches(str(key), known, 1, 0.75)
            hint = f"did you mean {close[0]}?" if close else "give a question, messages or a query"
            raise QuestionError(f"there is no input {key!r}", hint)
    if not given.get("messages") and given.get("query") is None:
        readable(given.get("question"))


def check_context(given: object) -> None:
    """Raise InputError for what is neither `Options` nor a mapping of them."""
    if not isinstance(given, Options | Mapping):
        kind = type(given).__name__
        raise InputError(f"the context is no Options: {kind}", "give Options(...)")


def check_thread(checkpointer: Any, config: RunnableConfig | None) -> None:
    """Raise QuestionError where a checkpointer is there and no thread is named."""
    if not isinstance(checkpointer, BaseCheckpointSaver):
        return
    if (config or {}).get(CONF, {}).get("thread_id") is None:
        raise QuestionError("the graph has a checkpointer, and no thread is named", _THREAD)


def is_reply(given: Any) -> bool:
    """Whether it goes on with a run that was interrupted."""
    return given is None or (isinstance(given, Command) and given.resume is not None)


def check_asked(thread: StateSnapshot | None) -> None:
    """Raise QuestionError where a reply goes to a thread in which nothing is open."""
    if thread is None or not thread.next:
        raise QuestionError("nothing is asked in this thread", "ask a question first")
