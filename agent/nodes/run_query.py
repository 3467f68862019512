"""run_query: a query that was given as a tree is executed and proved; no model is asked."""

from collections.abc import Callable
from time import perf_counter
from typing import Any, cast

from langgraph.runtime import Runtime

from ..errors import QuestionError, ServiceError
from ..kg import KnowledgeGraph
from ..kg.metering import metered
from ..kg.sparql.store import SparqlStore
from ..kg.terms import Term
from ..options import Options
from ..query.binding import Bound, Mention, bind
from ..query.endpoint import execute_anywhere
from ..query.execute import Earlier
from ..query.facts import Facts
from ..query.sparql import NotSaidError, compile_query
from ..query.tree import Query, nested, read_query, write_query
from ..query.vocabulary import classes_of_heads
from ..query.words import reading
from ..state import MentionRecord, State, no_usage
from . import Node
from .computed import Computed
from .link import unanswered
from .query_answers import told_outcome
from .records import name_terms
from .usage import spent

_HINT = "docs/queries.md has the form of a query"


def run_query(kg: KnowledgeGraph, facts: Callable[[], Facts], method: str) -> Node:
    """Execute the query of the state over the whole graph, and verify what it rests on.

    The node raises QuestionError for a tree that is malformed or that names what the graph does not
    have, and ServiceError where the graph does not answer.
    """

    def run(state: State, runtime: Runtime[Options]) -> dict[str, Any]:
        since, fresh = perf_counter(), State(usage=no_usage())
        with metered() as meter:
            bound, mentions = given_query(kg, state.get("query"))
            answered = answered_query(kg, facts(), bound)
        words = answered["reading"]
        question = state.get("question") or words
        if answered["result"] is not None:
            runtime.stream_writer({"event": "computed", "result": answered["result"]})
        return {
            **unanswered(method),
            **answered,
            "said": question,
            "question": question,
            "asked": words,
            "query": None,
            "readings": [],
            "account": [],
            "mentions": mentions,
            "messages": [],
            "usage": spent(fresh, since, kg_requests=meter.requests or 1),
        }

    return run


def answered_query(
    kg: KnowledgeGraph, facts: Facts, bound: Bound, *, earlier: Earlier | None = None
) -> dict[str, Any]:
    """Changes of the state that say what a query came to; all that it rests on is verified.

    `earlier` knows the answers of the conversation. Where nothing can be verified, the status is
    `unchecked`. Raises QuestionError for what cannot be compared, ShortageError for what is too
    large, and ServiceError where the graph does not answer.
    """
    outcome = execute_anywhere(facts, bound, earlier=earlier)
    try:
        computed = told_outcome(kg, bound, outcome)
    except ServiceError as error:
        computed = Computed("unchecked", notes=[error.message])
    return {
        "query_tree": write_query(bound.query),
        "reading": in_words(kg, bound),
        "sparql": shown_sparql(kg, facts, bound),
        "topics": computed.topics,
        "answers": computed.answers,
        "confidence": computed.confidence,
        "status": computed.status,
        "result": computed.result,
        "operation": None,
        "parts": [],
        "part": -1,
        "notes": computed.notes,
    }


def in_words(kg: KnowledgeGraph, bound: Bound) -> str:
    """A query in words, with the display names of the graph."""
    inverse = (step for node in _nodes(bound) for step in node.steps if step.inverse)
    relations = {bound.relation(step) for step in inverse}
    return reading(bound, _names(kg, bound), classes_of_heads(kg, relations))


def _nodes(bound: Bound) -> list[Query]:
    return [bound.query, *nested(bound.query)]


def shown_sparql(kg: KnowledgeGraph, facts: Facts, bound: Bound) -> str:
    """The query in SPARQL 1.1; empty where that cannot say it, or the graph is read otherwise."""
    if not kg.reading.plain:
        return ""
    graphs = kg.store.graphs if isinstance(kg.store, SparqlStore) else _named(kg)
    try:
        return compile_query(bound, kg.profile, graphs, numeric=facts.is_numeric).text
    except (NotSaidError, ServiceError):
        return ""


def _named(kg: KnowledgeGraph) -> list[Term]:
    return [f"<{iri}>" for iri in kg.graphs]


def given_query(kg: KnowledgeGraph, record: object) -> tuple[Bound, list[MentionRecord]]:
    """A query as a user gives it: a tree, or an object with a `query` and its `mentions`.

    Raises QuestionError for what is malformed or not in the graph, and ServiceError.
    """
    mentions: object = []
    if isinstance(record, dict) and "query" in record:
        fields = cast("dict[str, object]", record)
        unknown = set(fields) - {"query", "mentions", "question"}
        if unknown:
            raise QuestionError(f"beside the query there is {sorted(unknown)[0]!r}", _HINT)
        record, mentions = fields["query"], fields.get("mentions", [])
    bound = bind(kg, read_query(record), [_mention(own) for own in _listed(mentions)])
    infos = kg.labels.describe([own.term for own in bound.mentions if own.term is not None])
    named = {info.term: info for info in infos}
    records = [
        MentionRecord(text=own.text, start=0, end=0, ambiguous=False, candidates=[])
        for own in bound.mentions
        if own.term in named
    ]
    return bound, records


def _listed(mentions: object) -> list[object]:
    if not isinstance(mentions, list):
        raise QuestionError("the mentions of a query are a list", _HINT)
    return cast("list[object]", mentions)


def _mention(record: object) -> Mention:
    if isinstance(record, str):
        return Mention(record)
    if isinstance(record, dict):
        fields = cast("dict[str, object]", record)
        text, term = fields.get("text"), fields.get("term")
        known = set(fields) <= {"text", "term"}
        if known and isinstance(text, str) and (term is None or isinstance(term, str)):
            return Mention(text, term)
    raise QuestionError('a mention is a text, or {"text": ..., "term": ...}', _HINT)


def _names(kg: KnowledgeGraph, bound: Bound) -> dict[str, str]:
    """Display names of the terms that the query itself names."""
    terms = [*bound.relations.values(), *bound.entities.values()]
    terms += [own.term for own in bound.mentions if own.term is not None]
    named = name_terms(kg.walk_labels, terms)
    names = {term: own["label"] for term, own in named.items()}
    return names | {
        name: names[term]
        for name, term in (*bound.relations.items(), *bound.entities.items())
        if term in names
    }
