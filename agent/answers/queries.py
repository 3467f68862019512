"""Queries as they are given, executed and told."""

from dataclasses import dataclass
from functools import partial
from typing import Any, cast

from ..errors import QuestionError, ServiceError
from ..kg import KnowledgeGraph
from ..kg.stores.sparql.store import SparqlStore
from ..kg.terms import Term
from ..query.binding import Bound, Mention, bind, check_terms
from ..query.comparison import are_in_currency
from ..query.endpoint import execute_anywhere
from ..query.execute import EarlierAnswers
from ..query.facts import Facts
from ..query.sparql import compile_query
from ..query.sparql_patterns import InexpressibleError
from ..query.tree import FORM, AnyOf, Entity, Last, Query, nested, read_query, write_query
from ..query.words import in_words
from ..records import MentionRecord
from ..state import State
from .computed import Computed, computed_from
from .units import with_units


@dataclass(frozen=True)
class Executed:
    """A query that was executed: what it came to, and how it is told."""

    computed: Computed
    tree: dict[str, Any] | None = None
    """The query as plain JSON."""
    words: str = ""
    sparql: str = ""

    @property
    def changes(self) -> State:
        """The changes of the state that say this."""
        computed = self.computed
        return {
            "query_tree": self.tree,
            "reading": self.words,
            "sparql": self.sparql,
            "topics": computed.topics,
            "answers": computed.answers,
            "confidence": computed.confidence,
            "status": computed.status,
            "result": computed.result,
            "operation": None,
            "parts": [],
            "part": -1,
            "notes": computed.notes,
            "cut": computed.cut,
        }


def executed(
    kg: KnowledgeGraph, facts: Facts, bound: Bound, *, earlier: EarlierAnswers | None = None
) -> Executed:
    """What a query comes to; all that it rests on is verified.

    `earlier` knows the answers of the conversation. Where nothing can be verified, the status is
    `unchecked`. Raises QuestionError for what asks nothing or cannot be compared, ShortageError for
    what is too large, and ServiceError where the graph does not answer.
    """
    if asks_nothing(bound, earlier):
        raise QuestionError("the query asks nothing", "add steps, a class or a filter")
    outcome = execute_anywhere(facts, bound, earlier=earlier)
    try:
        computed = with_units(facts, computed_from(kg, bound, outcome))
    except ServiceError as error:
        computed = Computed("unchecked", notes=[error.message])
    words, sparql = in_words(kg, bound), shown_sparql(kg, facts, bound)
    return Executed(computed, write_query(bound.query), words, sparql)


def asks_nothing(bound: Bound, earlier: EarlierAnswers | None = None) -> bool:
    """Whether a query only speaks of things that are named or known before: no triple proves it."""
    if bound.relations or bound.classes or bound.query.answer == "connection":
        return False
    nodes = (bound.query, *nested(bound.query))
    return all(_only_names(node, earlier) and not node.filters for node in nodes)


def _only_names(node: Query, earlier: EarlierAnswers | None) -> bool:
    """Whether a set begins at things for which there is no proof."""
    if isinstance(node.start, Last):
        return earlier is not None and not any(proof for _, proof in earlier(node.start))
    return isinstance(node.start, (tuple, Entity, AnyOf, Query))


def shown_sparql(kg: KnowledgeGraph, facts: Facts, bound: Bound) -> str:
    """The query in SPARQL 1.1; empty where that cannot say it, or the graph is read otherwise."""
    if not kg.reading.plain:
        return ""
    graphs = kg.store.graphs if isinstance(kg.store, SparqlStore) else _graph_terms(kg)
    try:
        return compile_query(
            bound,
            kg.profile,
            graphs,
            numeric=facts.is_numeric,
            below=kg.membership.below,
            must_read=facts.must_read,
            priced=partial(are_in_currency, facts),
        ).text
    except (InexpressibleError, ServiceError):
        return ""


def _graph_terms(kg: KnowledgeGraph) -> list[Term]:
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
            raise QuestionError(f"beside the query there is {sorted(unknown)[0]!r}", FORM)
        record, mentions = fields["query"], fields.get("mentions", [])
    bound = bind(kg, read_query(record), [_mention(mention) for mention in _listed(mentions)])
    check_terms(kg, bound)
    infos = kg.labels.describe(
        [mention.term for mention in bound.mentions if mention.term is not None]
    )
    named = {info.term: info for info in infos}
    records = [
        MentionRecord(text=mention.text, start=0, end=0, ambiguous=False, candidates=[])
        for mention in bound.mentions
        if mention.term in named
    ]
    return bound, records


def _listed(mentions: object) -> list[object]:
    if not isinstance(mentions, list):
        raise QuestionError("the mentions of a query are a list", FORM)
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
    raise QuestionError('a mention is a text, or {"text": ..., "term": ...}', FORM)
