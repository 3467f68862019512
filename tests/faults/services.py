"""Faults of services: the SPARQL endpoint and the server of the chat LLM."""

import time

from groundwalk.agent.llm.chat import chat_model
from groundwalk.graphs.nesting import CompiledGraph

from ..whole import build_graph
from .servers import Begins, Fault, at_once
from .trials import (
    ATTEMPTS,
    NEXT,
    PAUSE,
    QUESTION,
    SETTINGS,
    Bench,
    Outcome,
    Trial,
    answers,
    ask,
    opened,
    proxied,
    steps,
    variables,
)

STORM = 8
"""Questions that are asked of a service that is down."""
_EXCHANGES = 3
"""Failures in a row after which a circuit opens."""
_AT_ONCE = 3
"""Requests that a question begins with at an endpoint, side by side."""


def endpoint_fails(fault: Fault, begins: Begins = at_once, *, lasts: int = 1_000_000) -> Trial:
    """The endpoint fails a question."""

    def trial(bench: Bench) -> Outcome:
        with proxied(bench.endpoint.url) as proxy, opened(proxy.url) as kg:
            graph = build_graph(kg=kg, generator=bench.local)
            proxy.fail(fault, begins, lasts=lasts)
            seen = ask(graph, QUESTION)
            out = Outcome(seen.status, seen.line)
            bench.judge(out, seen)
            if lasts > ATTEMPTS:
                most = 2 * _AT_ONCE * ATTEMPTS
                out.expect(proxy.failed <= most, f"{proxy.failed} requests")
                supported = [s for s in steps(seen.state) if s["verdict"] == "supported"]
                out.expect(not supported, "supported, and could not be checked")
            proxy.heal()
            bench.next_is_right(out, graph)
        return out

    return trial


def endpoint_is_down(fault: Fault) -> Trial:
    """The endpoint fails one question after the other."""

    def trial(bench: Bench) -> Outcome:
        patient = {**SETTINGS, "GROUNDWALK_SPARQL_PAUSE": "600"}
        with proxied(bench.endpoint.url) as proxy, opened(proxy.url, patient) as kg:
            graph = build_graph(kg=kg, generator=bench.local)
            proxy.fail(fault, at_once)
            seen = [ask(graph, QUESTION) for _ in range(STORM)]
            out = Outcome(seen[-1].status, seen[-1].line)
            for own in seen:
                bench.judge(out, own)
            _bounded(out, proxy.failed, _AT_ONCE)
        return out

    return trial


def llm_fails(
    fault: Fault, begins: Begins = at_once, *, lasts: int = 1_000_000, method: str = "gcr"
) -> Trial:
    """The server of the chat LLM fails a question."""

    def trial(bench: Bench) -> Outcome:
        with proxied(bench.llm_address) as proxy, variables(SETTINGS):
            llm = chat_model(f"{proxy.url}#reader")
            graph = build_graph(method, kg=bench.kg, generator=bench.local, llm=llm)
            proxy.fail(fault, begins, lasts=lasts)
            seen = ask(graph, QUESTION)
            out = Outcome(seen.status, seen.line)
            bench.judge(out, seen)
            if lasts > ATTEMPTS:
                out.expect(proxy.failed <= ATTEMPTS, f"{proxy.failed} requests")
            if "did not answer" in seen.line and method == "gcr":
                out.expect(seen.state["reasoner"] == "vote", "answered, and not by the vote")
                out.expect("the vote did" in seen.line, "no word of the vote")
            proxy.heal()
            if method == "gcr":
                _llm_is_back(bench, out, graph)
        return out

    return trial


def llm_is_down(fault: Fault) -> Trial:
    """The server of the chat LLM fails one question after the other."""

    def trial(bench: Bench) -> Outcome:
        patient = {**SETTINGS, "GROUNDWALK_LLM_PAUSE": "600"}
        with proxied(bench.llm_address) as proxy, variables(patient):
            llm = chat_model(f"{proxy.url}#reader")
            graph = build_graph(kg=bench.kg, generator=bench.local, llm=llm)
            proxy.fail(fault, at_once)
            seen = [ask(graph, QUESTION) for _ in range(STORM)]
            out = Outcome(seen[-1].status, seen[-1].line)
            for own in seen:
                bench.judge(out, own)
            _bounded(out, proxy.failed)
        return out

    return trial


def _llm_is_back(bench: Bench, out: Outcome, graph: CompiledGraph) -> None:
    """The next question is reasoned over by the LLM again, and its answers are true."""
    time.sleep(2 * PAUSE)
    seen = ask(graph, NEXT)
    bench.judge(out, seen)
    right = answers(seen) and answers(seen) <= bench.right(NEXT)
    out.expect(bool(right) and seen.state["reasoner"] == "llm", f"then: {seen.line[:200]}")


def _bounded(out: Outcome, sent: int, at_once: int = 1) -> None:
    most = _EXCHANGES * ATTEMPTS * at_once
    out.expect(0 < sent <= most, f"{sent} requests for {STORM} questions")
    out.expect("is not asked for" in out.line, "no word of the open circuit")
