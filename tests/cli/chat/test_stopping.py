"""Ctrl-C while a chat LLM does not reply: the turn ends at once, and the next one works."""

import os
import signal
import time
from collections.abc import Iterator
from threading import Timer
from typing import Any

import pytest
from groundwalk.agent.kg import KnowledgeGraph
from groundwalk.agent.options import Options
from groundwalk.cli.session import Session, run
from langgraph.checkpoint.memory import InMemorySaver

from ...graphs.scripted import Scripted
from ...whole import build_graph

QUESTION = "What is the capital of Peru?"
_HANGS = 90.0
"""Seconds that the LLM takes; who waits for it has not been stopped."""


@pytest.fixture
def ctrl_c() -> Iterator[None]:
    """The signal of Ctrl-C is heard, though the tests may have been told not to."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("ctrl_c")
@pytest.mark.parametrize("method", ["gcr", "tog", "tot"])
def test_an_llm_that_hangs_is_not_waited_for(kg: KnowledgeGraph, method: str) -> None:
    pressed = list[float]()

    def press() -> None:
        pressed.append(time.monotonic())
        os.kill(os.getpid(), signal.SIGINT)

    def reply(prompt: str) -> str:
        if not pressed:
            Timer(0.2, press).start()
            time.sleep(_HANGS)
        raise ConnectionError

    llm = Scripted(reply)
    graph: Any = build_graph(method, kg=kg, llm=llm, checkpointer=InMemorySaver())
    session = Session(kg, graph, Options())
    with pytest.raises(KeyboardInterrupt):
        list(run(session, QUESTION, "chat", lambda _: "1"))
    assert time.monotonic() - pressed[0] < _HANGS / 3
    state: Any = list(run(session, QUESTION, "chat", lambda _: "1"))[-1]
    assert state["question"] == QUESTION and state["usage"]["llm_calls"] > 0
    assert len(state["turns"]) == 1
