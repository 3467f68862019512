"""One compiled graph and many callers at once: threads, coroutines, an endpoint, a KG rebuilt."""

import asyncio
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from importlib import resources
from pathlib import Path
from threading import Barrier
from typing import Any, NamedTuple

import pyoxigraph as ox
import pytest
from groundwalk.agent.kg import KnowledgeGraph, build, open_kg
from groundwalk.agent.options import Options
from groundwalk.graphs.nesting import CompiledGraph
from langgraph.checkpoint.memory import InMemorySaver

from ..agent.kg.sparql.endpoint import Endpoint
from ..whole import build_graph

THREADS = 32
OPTIONS = Options(hops=1, on_ambiguous="best")
VOCAB = "<https://groundwalk.example/world/vocab#{}>"


class Talk(NamedTuple):
    """Two questions of a thread, the second about the answers to the first."""

    country: str
    questions: tuple[str, str]


@pytest.fixture(scope="module")
def talks(kg: KnowledgeGraph) -> list[Talk]:
    """One for each of as many countries as there are threads, all with several neighbours."""
    borders = [fact.head for fact in kg.store.facts() if fact.relation == VOCAB.format("borders")]
    several = [country for country, size in Counter(borders).items() if size > 1]
    names = kg.labels.names(sorted(several))
    step = len(names) // THREADS
    return [
        Talk(name, (f"Which countries border {name}?", "How many are there?"))
        for name in names[: step * THREADS : step]
    ]


def outcome(state: Any) -> dict[str, Any]:
    """What the caller sees, but for what it took."""
    seen = ("said", "asked", "status", "answers", "confidence", "candidates", "notes", "result")
    return {name: state.get(name) for name in seen} | {
        "turns": [(turn["number"], turn["question"], turn["text"]) for turn in state["turns"]],
        "messages": [message.content for message in state["messages"]],
    }


def asks(graph: CompiledGraph, talk: Talk) -> list[dict[str, Any]]:
    """What comes of each question of a conversation in a thread of its own."""
    config: Any = {"configurable": {"thread_id": talk.country}}
    return [
        outcome(graph.invoke({"question": question}, config, context=OPTIONS))
        for question in talk.questions
    ]


async def asks_beside_others(graph: CompiledGraph, talk: Talk) -> list[dict[str, Any]]:
    """The same, awaited; the second question is streamed."""
    config: Any = {"configurable": {"thread_id": talk.country}}
    first, second = talk.questions
    found = [outcome(await graph.ainvoke({"question": first}, config, context=OPTIONS))]
    streamed = graph.astream({"question": second}, config, context=OPTIONS, stream_mode="values")
    states = [state async for state in streamed]
    return [*found, outcome(states[-1])]


def at_once(ask: Callable[[Talk], Any], talks: Sequence[Talk]) -> list[Any]:
    """What each thread is told, where all begin together."""
    together = Barrier(len(talks))

    def begin(talk: Talk) -> Any:
        together.wait()
        return ask(talk)

    with ThreadPoolExecutor(len(talks)) as threads:
        return list(threads.map(begin, talks))


@pytest.fixture(scope="module")
def alone(kg: KnowledgeGraph, talks: list[Talk]) -> list[list[dict[str, Any]]]:
    """What comes of each conversation where one follows the other."""
    graph = build_graph(kg=kg, checkpointer=InMemorySaver())
    found = [asks(graph, talk) for talk in talks]
    borders = {fact for fact in kg.store.facts() if fact.relation == VOCAB.format("borders")}
    terms = {name: kg.labels.named(name)[0] for name in (talk.country for talk in talks)}
    answered = 0
    for talk, (listed, counted) in zip(talks, found, strict=True):
        own = {fact.tail for fact in borders if fact.head == terms[talk.country]}
        assert {answer["term"] for answer in listed["answers"]} <= own | {
            fact.head for fact in borders if fact.tail == terms[talk.country]
        }
        answered += listed["status"] == "answered"
        if listed["status"] == "answered":
            assert counted["result"]["value"] == len(listed["answers"])
    assert answered > THREADS // 2
    return found


def test_threads_get_the_answers_that_each_gets_alone(
    kg: KnowledgeGraph, talks: list[Talk], alone: list[Any]
) -> None:
    graph = build_graph(kg=kg, checkpointer=InMemorySaver())  # its model and index are made by all
    assert at_once(lambda talk: asks(graph, talk), talks) == alone


def test_coroutines_get_the_answers_that_each_gets_alone(
    kg: KnowledgeGraph, talks: list[Talk], alone: list[Any]
) -> None:
    graph = build_graph(kg=kg, checkpointer=InMemorySaver())

    async def all_at_once() -> list[Any]:
        return await asyncio.gather(*(asks_beside_others(graph, talk) for talk in talks))

    assert asyncio.run(all_at_once()) == alone


def test_threads_over_an_endpoint_get_the_answers_of_the_file(
    talks: list[Talk], alone: list[Any]
) -> None:
    store = ox.Store()
    with resources.as_file(resources.files("groundwalk.data.world") / "world.ttl") as file:
        store.load(path=str(file), format=ox.RdfFormat.TURTLE)
    some, wanted = talks[::4], alone[::4]
    with Endpoint(store) as served:
        kg = open_kg(served.url)
        graph = build_graph(kg=kg, checkpointer=InMemorySaver())
        found = at_once(lambda talk: asks(graph, talk), some)
        kg.close()
    for own, other in zip(found, wanted, strict=True):
        for here, there in zip(own, other, strict=True):
            assert here["status"] == there["status"]
            assert labels(here) == labels(there) and here["turns"][0][:2] == there["turns"][0][:2]


def labels(seen: dict[str, Any]) -> list[str]:
    return sorted(answer["label"] for answer in seen["answers"])


REBUILDS = """
import sys
from pathlib import Path
from groundwalk.agent.kg import build
for number in range(6):
    build(sys.argv[2 + number % 2], Path(sys.argv[1]), replace=True)
"""


@pytest.mark.slow
def test_answers_over_a_kg_that_is_rebuilt_are_of_the_old_or_of_the_new(tmp_path: Path) -> None:
    world = resources.files("groundwalk.data.world").joinpath("world.ttl").read_text("utf-8")
    sources, capitals = list[str](), {"Paris": "Lyon", "Lyon": "Paris"}
    for capital in capitals:
        moved = world.replace('rdfs:label "Paris"@en', 'rdfs:label "PARIS"@en')
        moved = moved.replace('"Lyon"@en', '"Paris"@en').replace('"PARIS"@en', '"Lyon"@en')
        file = tmp_path / f"{capital}.ttl"
        file.write_text(world if capital == "Paris" else moved, encoding="utf-8")
        sources.append(str(file))
    out = tmp_path / "kg"
    build(sources[0], out)
    held = build_graph(kg=str(out))
    question: Any = {"question": "What is the capital of France?"}

    def capital_of(graph: CompiledGraph) -> str:
        state: Any = graph.invoke(question, context=OPTIONS)
        (answer,) = state["answers"]
        steps = [step for chain in answer["chains"] for step in chain]
        assert {step["tail"]["label"] for step in steps} == {answer["label"]}
        assert {step["verdict"] for step in steps} == {"supported"}
        return answer["label"]

    assert capital_of(held) == "Paris"
    environment = os.environ | {"OMP_NUM_THREADS": "1"}
    command = [sys.executable, "-c", REBUILDS, str(out), *reversed(sources)]
    rebuilding = subprocess.Popen(command, env=environment)
    found = list[str]()
    while rebuilding.poll() is None:
        kg = open_kg(str(out))
        found.append(capital_of(build_graph(kg=kg)))
        kg.close()
        assert capital_of(held) == "Paris"
    assert rebuilding.returncode == 0
    assert set(found) <= set(capitals)
    last = open_kg(str(out))
    assert capital_of(build_graph(kg=last)) == "Paris"
    last.close()
