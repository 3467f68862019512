"""run_query: a query that was given as a tree is executed and proved; no model is asked."""

from time import perf_counter

from langgraph.runtime import Runtime

from ..answers.queries import executed, given_query
from ..conversation.before import before_of
from ..kg import KnowledgeGraph
from ..kg.store import metered
from ..options import Options
from ..query.facts import FactsLender
from ..records import Turn, spent
from ..state import State
from . import Node
from .link import unanswered


def run_query(kg: KnowledgeGraph, facts: FactsLender, method: str) -> Node:
    """Execute the query of the state over the whole graph, and verify what it rests on.

    The node raises QuestionError for a tree that is malformed or that names what the graph does not
    have, and ServiceError where the graph does not answer.
    """

    def run(state: State, runtime: Runtime[Options]) -> State:
        since = perf_counter()
        with metered() as meter, facts() as lent:
            given = state.get("query")
            bound, mentions = given_query(kg, given)
            before = before_of(kg, _turns_before(state, given))
            earlier = before.answered if before.terms() else None
            answered = executed(kg, lent, bound, earlier=earlier)
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


def _turns_before(state: State, given: object) -> list[Turn]:
    """The turns that a query may speak of; a reading of the last question, of those before it."""
    turns = state.get("turns", [])
    offered = [own["query"] for own in state.get("readings", [])]
    return turns[:-1] if given in offered else turns
