"""What a run streams is what `groundwalk.Event` says."""

from typing import Any

import pytest
from groundwalk.agent.events import Event
from groundwalk.agent.options import Options
from groundwalk.graphs import build_graph
from pydantic import TypeAdapter

QUESTIONS = ["Which countries border Austria?", "How many countries border Austria?", "hello"]


@pytest.mark.parametrize("method", ["query", "gcr", "plan", "dog", "rog", "tog", "tot", "retrieve"])
def test_every_event_has_its_type(method: str) -> None:
    graph, events = build_graph(method), TypeAdapter[Any](Event)
    for question in QUESTIONS:
        streamed = list(
            graph.stream(
                {"question": question}, stream_mode="custom", context=Options(on_ambiguous="best")
            )
        )
        assert [events.validate_python(own) for own in streamed] == streamed
        assert streamed[-1]["event"] == "responded"
