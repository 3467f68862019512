"""run_query: a query that was given as a tree is executed and proved; no model is asked."""

from dataclasses import replace
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
            before = before_of(kg, _turns_before(state))
            earlier = before.answered if before.terms() else None
            bound = replace(bound, earlier=before.terms())
            executed_query = executed(kg, lent, bound, earlier=earlier)
        words = executed_query.words
        question = state.get("question") or words
        if executed_query.computed.result is not None:
            runtime.stream_writer({"event": "computed", "result": executed_query.computed.result})
        return {
            **unanswered(method),
            **executed_query.changes,
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


def _turns_before(state: State) -> list[Turn]:
    """The turns that a query may speak of; in the place of the last question, those before it.

    Other queries in its place, and requests to see its proof, may have come in between.
    """
    turns, question = state.get("turns", []), state.get("question", "")
    last = len(turns) - 1
    while last > 0 and (turns[last].get("given") or not turns[last]["alone"]):
        last -= 1
    is_in_place = last >= 0 and question in (turns[last]["question"], turns[last]["asked"])
    return turns[:last] if is_in_place else turns
