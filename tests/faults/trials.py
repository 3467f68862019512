"""What a fault is tried on: a question while it lasts, and another one when it is gone."""

import os
import re
import time
from collections.abc import Callable, Generator, Mapping
from concurrent.futures import ThreadPoolExecutor
from concurrent.futures import TimeoutError as Endless
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple, Protocol, Self

import pyoxigraph as ox
from groundwalk.agent.errors import GroundwalkError
from groundwalk.agent.kg import KnowledgeGraph, open_kg
from groundwalk.agent.kg.nodes import to_any_node, to_node
from groundwalk.agent.llm.local import LocalModel, load_model

from ..agent.kg.sparql.endpoint import Endpoint
from ..whole import build_graph
from .servers import Proxy, chat_server, world_endpoint
from .wrongs import TIMEOUT

QUESTION = "What is the capital of France?"
NEXT = "Which countries border Portugal?"
ATTEMPTS = 2
PAUSE = 0.05
_ENDLESS = 90
"""Seconds after which a question counts as one that does not end, however busy the machine is."""

SETTINGS = {
    f"GROUNDWALK_{part}_{name}": str(value)
    for part in ("SPARQL", "LLM")
    for name, value in (("TIMEOUT", TIMEOUT), ("ATTEMPTS", ATTEMPTS), ("PAUSE", PAUSE))
} | {"GROUNDWALK_SPARQL_MAX_BYTES": str(2**24)}


class Seen(NamedTuple):
    """What a user sees of a question: a status, or `error` and its code; and one line."""

    status: str
    line: str
    state: Mapping[str, Any] = {}


@dataclass
class Outcome:
    """What came of a fault; it was survived where nothing is `wrong`."""

    status: str
    line: str
    wrong: list[str] = field(default_factory=list[str])

    def expect(self, held: bool, problem: str) -> None:
        """Add a problem where something does not hold."""
        if not held:
            self.wrong.append(problem)


class Bench:
    """The healthy parts that all trials share, opened when they are first needed."""

    def __init__(self) -> None:
        self._stack = ExitStack()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    @cached_property
    def endpoint(self) -> Endpoint:
        return self._stack.enter_context(world_endpoint())

    @cached_property
    def llm_address(self) -> str:
        return self._stack.enter_context(chat_server())

    @cached_property
    def kg(self) -> KnowledgeGraph:
        kg = open_kg("world")
        self._stack.callback(kg.close)
        return kg

    @cached_property
    def local(self) -> LocalModel:
        return load_model()

    def right(self, question: str, method: str = "gcr") -> frozenset[str]:
        """The answers where nothing fails."""
        if (question, method) not in self._right:
            graph = build_graph(method, kg=self.kg, generator=self.local)
            found = answers(ask(graph, question))
            assert found, f"{method} answers the question where nothing fails: {question}"
            self._right[question, method] = found
        return self._right[question, method]

    @cached_property
    def _right(self) -> dict[tuple[str, str], frozenset[str]]:
        return {}

    def judge(self, out: Outcome, seen: Seen) -> None:
        """What holds of every question, whatever failed: one line, and no triple made up."""
        out.expect("\n" not in seen.line and "Traceback" not in seen.line, "more than a line")
        out.expect(bool(seen.line), "nothing was said")
        for words in ("internal error", "Errno", r"\b0x"):
            out.expect(not re.search(words, seen.line), f"it says {words!r}")
        for step in steps(seen.state):
            if step["verdict"] == "supported":
                quad = _quad(*(step[key]["term"] for key in ("head", "relation", "tail")))
                held = quad in self.endpoint.store
                out.expect(held, f"supported, and not in the graph: {quad}")
        if seen.status != "answered":
            out.expect(not seen.state.get("answers"), "answers under another status")

    def next_is_right(self, out: Outcome, graph: "Asked", method: str = "gcr") -> None:
        """The same process, with the fault gone."""
        time.sleep(2 * PAUSE)
        seen = ask(graph, NEXT)
        self.judge(out, seen)
        out.expect(
            answers(seen) == self.right(NEXT, method), f"then: {seen.status}: {seen.line[:200]}"
        )


Trial = Callable[[Bench], Outcome]


class Asked(Protocol):
    """What takes a question: a compiled graph, or what stands for one."""

    def invoke(self, turn: Any, /) -> Any: ...


def ask(graph: Asked, question: str) -> Seen:
    """Ask in a thread, so that a question without end is one that failed."""
    pool = ThreadPoolExecutor(1)
    try:
        state: Any = pool.submit(graph.invoke, {"question": question}).result(_ENDLESS)
    except GroundwalkError as error:
        hint = f" ({error.hint})" if error.hint else ""
        return Seen(f"error: {error.code}", f"{error.message}{hint}")
    except Endless:
        return Seen("endless", f"no end within {_ENDLESS} s")
    except Exception as error:
        return Seen("error: internal", f"internal error: {type(error).__name__}: {error}")
    finally:
        pool.shutdown(wait=False)
    said = [state["messages"][-1].text, *state["notes"]]
    return Seen(state["status"], "; ".join(filter(None, said)), state)


def answers(seen: Seen) -> frozenset[str]:
    """The terms of what was answered."""
    return frozenset(answer["term"] for answer in seen.state.get("answers", []))


def steps(state: Mapping[str, Any]) -> list[Any]:
    """Every triple that a state shows, with its verdict."""
    chains = [chain for answer in state.get("answers", []) for chain in answer["chains"]]
    chains += [candidate["steps"] for candidate in state.get("candidates", [])]
    return [step for chain in chains for step in chain if "verdict" in step]


def _quad(head: str, relation: str, tail: str) -> ox.Quad:
    subject: Any = to_node(head)
    predicate: Any = to_node(relation)
    return ox.Quad(subject, predicate, to_any_node(tail), ox.DefaultGraph())


@contextmanager
def variables(values: Mapping[str, str]) -> Generator[None]:
    """These variables of the environment, for a while."""
    before = {name: os.environ.get(name) for name in values}
    os.environ.update(values)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


@contextmanager
def opened(url: str, settings: Mapping[str, str] = SETTINGS) -> Generator[KnowledgeGraph]:
    """An endpoint as a KG, asked impatiently."""
    with variables(settings):
        kg = open_kg(url)
    try:
        yield kg
    finally:
        kg.close()


@contextmanager
def proxied(upstream: str) -> Generator[Proxy]:
    """A proxy that begins healthy."""
    with Proxy(upstream) as proxy:
        yield proxy
