"""run_query: a query that was given as a tree is executed and proved; no model is asked."""

from collections.abc import Callable
from time import perf_counter

from langgraph.runtime import Runtime

from ..answers.queries import executed, given_query
from ..kg import KnowledgeGraph
from ..kg.store import metered
from ..options import Options
from ..query.facts import Facts
from ..records import spent
from ..state import State
from . import Node
from .link import unanswered


def run_query(kg: KnowledgeGraph, facts: Callable[[], Facts], method: str) -> Node:
    """Execute the query of the state over the whole graph, and verify what it rests on.

    The node raises QuestionError for a tree that is malformed or that names what the graph does not
    have, and ServiceError where the graph does not answer.
    """

    def run(state: State, runtime: Runtime[Options]) -> State:
        since = perf_counter()
        with metered() as meter:
            bound, mentions = given_query(kg, state.get("query"))
            answered = executed(kg, facts(), bound)
        words = answered.words
        question = state.get("question") or words
        if answered.computed.result is not None:
            runtime.stream_writer({"event": "computed", "result": answered.computed.result})
        return {
            **unanswered(method),
            **answered.changes,
            "said": question,
            "question": question,
            "asked": words,
            "query": None,
            "readings": [],
            "account": [],
            "mentions": mentions,
            "messages": [],
            "usage": spent(None, since, kg_requests=meter.requests or 1),
        }

    return run
