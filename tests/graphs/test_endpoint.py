"""The same questions over a file and over an endpoint that serves it: real HTTP, real model."""

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from threading import Lock
from types import SimpleNamespace
from typing import Any

import pytest
from groundwalk.agent.errors import ServiceError
from groundwalk.agent.kg import KnowledgeGraph, open_kg
from groundwalk.agent.kg.walking.view import GraphView, ViewLimits
from groundwalk.agent.linking import LabelLinker
from groundwalk.agent.nodes.link import link
from groundwalk.agent.nodes.verify import verify
from groundwalk.agent.options import Options
from groundwalk.agent.state import State
from groundwalk.graphs import METHODS, ground
from langgraph.checkpoint.memory import InMemorySaver

from ..agent.kg.sparql.endpoint import Endpoint, Handler
from ..faults.servers import world_endpoint
from ..whole import build_graph

QUESTIONS = (
    "What is the capital of France?",
    "Which countries border Portugal?",
    "Which countries border the country whose capital is Vienna?",
    "What is the currency of the country whose capital is Nairobi?",
    (UNKNOWN := "Who painted the Mona Lisa?"),
)
WALKED = Options(queries=False)
"""With these the method walks, whatever a query could say."""
CAPITAL = "<https://groundwalk.example/world/vocab#capital>"


@pytest.fixture(scope="module")
def endpoint() -> Iterator[Endpoint]:
    with world_endpoint() as served:
        yield served


@pytest.fixture(scope="module")
def remote(endpoint: Endpoint) -> Iterator[KnowledgeGraph]:
    kg = open_kg(endpoint.url)
    yield kg
    kg.close()


def outcome(state: Any) -> tuple[Any, ...]:
    answers = sorted((a["label"], a["term"]) for a in state["answers"])
    return state["status"], answers, [c["text"] for c in state["candidates"]]


@pytest.mark.parametrize(("options", "most"), [(WALKED, 60), (Options(), 250)])
@pytest.mark.parametrize("question", QUESTIONS)
def test_an_endpoint_gives_the_answers_of_its_file(
    endpoint: Endpoint, remote: KnowledgeGraph, question: str, options: Options, most: int
) -> None:
    """By walks, and read as a query, for which more is looked at; in so many requests."""
    here: Any = build_graph(kg="world").invoke({"question": question}, context=options)
    asked = len(endpoint.asked)
    there: Any = build_graph(kg=remote).invoke({"question": question}, context=options)
    assert outcome(there) == outcome(here)
    assert bool(there["answers"]) == (question != UNKNOWN)
    assert bool(there["readings"]) == (options.queries and question != UNKNOWN)
    assert len(endpoint.asked) - asked < most
    steps = [step for a in there["answers"] for chain in a["chains"] for step in chain]
    assert {step["verdict"] for step in steps} <= {"supported"}


@pytest.mark.parametrize("options", [WALKED, Options()])
def test_a_graph_too_large_to_be_indexed_whole_gives_the_same_answers(
    options: Options, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By walks that are decoded along it; also after the question was read as one."""
    for question in QUESTIONS:
        asked: State = {"question": question}
        here: Any = build_graph("gcr", kg="world").invoke(asked, context=options)
        with monkeypatch.context() as patch:
            patch.setattr(ground, "MOST_WHOLE", 100)
            grown: Any = build_graph("gcr", kg="world").invoke(asked, context=options)
        assert outcome(grown) == outcome(here)
        assert grown["candidates"] or question == UNKNOWN


class Rounds:
    """Holds requests until no other comes, and lets all go at once: so a round is what one thing
    waits for, however slow the machine is.
    """

    _QUIET = 0.06

    def __init__(self) -> None:
        self.over = 0
        self._came = 0.0
        self._lock = Lock()

    def __call__(self, handler: Handler) -> bool:
        with self._lock:
            mine, self._came = self.over, time.monotonic()
        while True:
            time.sleep(0.01)
            with self._lock:
                if self.over == mine and time.monotonic() - self._came > self._QUIET:
                    self.over += 1
                if self.over > mine:
                    return False


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("What is the capital of Austria?", "Vienna"),
        ("Which river flows through Vienna?", "Danube"),
    ],
)
def test_a_question_asks_side_by_side(
    endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch, question: str, answer: str
) -> None:
    """From opening the endpoint to the answer at most eight requests wait for one another."""
    rounds = Rounds()
    monkeypatch.setattr(endpoint, "misbehaviour", rounds)
    kg = open_kg(endpoint.url)
    state: Any = build_graph(kg=kg).invoke({"question": question})
    kg.close()
    assert [a["label"] for a in state["answers"]] == [answer]
    assert rounds.over <= 8


def test_what_a_view_leaves_out_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ground, "MOST_WHOLE", 100)
    options = replace(WALKED, max_degree=5)
    asked: State = {"question": "Which countries border Germany?"}
    state: Any = build_graph(kg="world").invoke(asked, context=options)
    assert any("walks could use 5 of the" in note for note in state["notes"]), state["notes"]


def test_an_endpoint_that_stops_answering_leaves_nothing_as_an_answer(
    endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GROUNDWALK_SPARQL_ATTEMPTS", "1")
    kg = open_kg(endpoint.url)
    graph = build_graph(kg=kg)

    def refuse(handler: Handler) -> bool:
        handler.reply(503, b"", "text/plain")
        return True

    with monkeypatch.context() as patch:
        patch.setattr(endpoint, "misbehaviour", refuse)
        with pytest.raises(ServiceError):
            graph.invoke({"question": QUESTIONS[0]})
    state: Any = graph.invoke({"question": QUESTIONS[0]})
    assert [a["label"] for a in state["answers"]] == ["Paris"]
    kg.close()


def test_a_graph_is_made_without_counting_the_facts_of_an_endpoint(endpoint: Endpoint) -> None:
    kg = open_kg(endpoint.url)
    endpoint.asked.clear()
    build_graph(kg=kg)
    counting = "(COUNT(*) AS ?count) WHERE"
    asked = len(endpoint.asked)
    assert asked, "what the relations are called"
    assert not any(counting in own.query for own in endpoint.asked)
    kg.labels.relations()
    assert any(counting in own.query for own in endpoint.asked[asked:])
    kg.close()


def test_nobody_there_is_one_error(tmp_path: Path) -> None:
    with pytest.raises(ServiceError):
        open_kg("http://127.0.0.1:9/sparql")


def test_requests_are_counted_as_they_are_sent(endpoint: Endpoint) -> None:
    """Of two questions at once, each has its own; a request that is tried again counts twice."""
    kg = open_kg(endpoint.url)
    linking, verifying = link(LabelLinker(kg.labels), "gcr"), verify(kg)
    runtime: Any = SimpleNamespace(context=None, stream_writer=print)

    def spent(question: str) -> tuple[Any, int]:
        state: Any = linking({"question": question}, runtime)
        return state, state["usage"]["kg_requests"]

    before = len(endpoint.asked)
    with ThreadPoolExecutor(2) as pool:
        (state, first), (_, second) = pool.map(spent, QUESTIONS[:2])
    assert first > 1 and second > 1
    assert first + second == len(endpoint.asked) - before
    (france,) = kg.store.follow([state["topics"][0]["term"]], CAPITAL, False)
    names = [{"term": term, "label": ""} for term in france[0].triple]
    steps = [dict(zip(("head", "relation", "tail"), names, strict=True)) | {"inverse": False}]
    state["candidates"] = [{"steps": steps, "answer": names[2]}]
    before = len(endpoint.asked)
    refused = iter([True, False])

    def busy_once(handler: Handler) -> bool:
        busy = next(refused)
        if busy:
            handler.reply(503, b"", "text/plain")
        return busy

    endpoint.misbehaviour = busy_once
    try:
        checked: Any = verifying(state, runtime)
    finally:
        endpoint.misbehaviour = None
    assert checked["candidates"][0]["steps"][0]["verdict"] == "supported"
    assert checked["usage"]["kg_requests"] == first + 2 == first + len(endpoint.asked) - before
    kg.close()


@pytest.mark.parametrize("method", [name for name in METHODS if name not in ("paths", "structlm")])
def test_every_method_counts_what_an_endpoint_is_sent(endpoint: Endpoint, method: str) -> None:
    """Also where what was asked before is remembered, so that less is sent."""
    kg = open_kg(endpoint.url)
    graph: Any = build_graph(method, kg=kg)
    for question in (QUESTIONS[0], QUESTIONS[0], QUESTIONS[2]):
        before = len(endpoint.asked)
        state: Any = graph.invoke({"question": question}, context=Options(on_ambiguous="best"))
        assert state["usage"]["kg_requests"] == len(endpoint.asked) - before > 0
    kg.close()


def test_a_conversation_counts_what_an_endpoint_is_sent(endpoint: Endpoint) -> None:
    """Each turn for itself, those of its parts included."""
    kg = open_kg(endpoint.url)
    graph: Any = build_graph(kg=kg, checkpointer=InMemorySaver())
    thread: Any = {"configurable": {"thread_id": "one"}}
    for question in (QUESTIONS[1], "How many are there?", "And France?"):
        before = len(endpoint.asked)
        state: Any = graph.invoke({"question": question}, thread)
        assert state["usage"]["kg_requests"] == len(endpoint.asked) - before > 0
    kg.close()


def test_a_view_counts_what_an_endpoint_is_sent(endpoint: Endpoint) -> None:
    kg = open_kg(endpoint.url)
    (vienna,) = kg.labels.named("Vienna")
    view = GraphView(kg.store, kg.labels, ViewLimits(max_degree=2), "Which country?")
    before = len(endpoint.asked)
    (steps,) = view.neighbours([vienna])
    view.names([step.target for step in steps])
    assert view.requests == len(endpoint.asked) - before > 1
    kg.close()


def test_slow_linking_at_an_endpoint_is_told(
    endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    def slow(handler: Handler) -> bool:
        time.sleep(0.05)
        return False

    monkeypatch.setattr("groundwalk.agent.nodes.link._LONG", 0.05)
    monkeypatch.setattr(endpoint, "misbehaviour", slow)
    runtime: Any = SimpleNamespace(context=None, stream_writer=print)
    kg = open_kg(endpoint.url)
    state: Any = link(LabelLinker(kg.labels), "gcr")({"question": QUESTIONS[0]}, runtime)
    (note,) = state["notes"]
    assert "names were looked up at the endpoint in 0." in note and "groundwalk kg build" in note
    kg.close()
    world = open_kg("world")
    monkeypatch.setattr("groundwalk.agent.nodes.link._LONG", 0.0)
    state = link(LabelLinker(world.labels), "gcr")({"question": QUESTIONS[0]}, runtime)
    assert state["notes"] == [] and state["usage"]["kg_requests"] == 1
