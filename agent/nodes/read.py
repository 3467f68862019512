"""read: the question is read as a query, which is executed in full and proved.

The query is the likeliest that the schema of the graph allows; that it comes to nothing is an
answer. One that cannot be executed gives way to the next likeliest, and is told. Where the reader
is not sure enough, it is said what was read, and nothing is answered.
"""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Any, TypeAlias

from langgraph.runtime import Runtime

from ..decoding.plan import BeamPlan
from ..errors import GroundwalkError, NoPathError, QuestionError, ShortageError
from ..kg import KnowledgeGraph
from ..kg.metering import metered
from ..linking import Linker
from ..options import Options
from ..query.account import WordReader
from ..query.before import Before
from ..query.binding import Bound
from ..query.execute import execute
from ..query.facts import Facts
from ..query.mentions import mentions_of
from ..query.reader import Asked, Reader, ReadQuery, explained
from ..query.tree import Last, Query, nested, write_query
from ..state import READER, MentionRecord, Reading, State, Status
from . import Node
from .before import before_of
from .judged import SURE, Judged, unsure, with_account, withheld
from .link import best_topics, current_part, linked, unanswered
from .run_query import answered_query, in_words
from .usage import of_model, spent

BEAMS = 5
_SHOWN = 3
"""Readings that are told."""
_NEGLIGIBLE = 0.001
"""The probability of further readings that are not looked for."""
_LEAST = 0.02
"""The least probability of another reading that is executed, to see whether it says the same."""
_SECONDS = 2.0
"""How long that may take."""
CUT = "the last answers were cut: there may be more"
"""The note of what begins at them."""


@dataclass(frozen=True)
class ReadWith:
    """What questions are read with."""

    kg: KnowledgeGraph
    linker: Linker
    reader: Reader
    account: Callable[[], WordReader]
    least: float
    """The least confidence of an answer that is shown."""
    is_general: bool = False
    """Whether it reads any graph: it may know less of this one than the method that answers."""


Answering: TypeAlias = Callable[[ReadWith, Asked, Sequence[ReadQuery], Options], dict[str, Any]]
"""Changes of the state that say what comes of the queries that a question may be."""


def read(tools: ReadWith, method: str) -> Node:
    """Answer the question in full by the query that it is read as."""
    return reading_node(tools, method, answered, plan_of)


def reading_node(
    tools: ReadWith, method: str, answering: Answering, plan: Callable[[Options], BeamPlan]
) -> Node:
    """Read the question as queries, and answer as `answering` does.

    A question of multiple choice or with topics that are given, and one about the conversation
    itself, is left to others; so is one with a name that a user must choose. The node raises
    ServiceError where the graph does not answer.
    """
    kg = tools.kg

    def run(state: State, runtime: Runtime[Options]) -> dict[str, Any]:
        since, options = perf_counter(), runtime.context or Options()
        if not reads_whole(state, options) or state.get("operation") is not None:
            return {}
        question = state.get("asked", "")
        with metered() as meter:
            records, notes = _mentions(tools, state)
            if options.on_ambiguous != "best" and any(own["ambiguous"] for own in records):
                return {}
            usage: dict[str, int] = {}
            changes: dict[str, Any]
            try:
                before = before_of(kg, state.get("turns", []) if options.conversation else [])
                asked = Asked(question, mentions_of(question, records), before)
                found = tools.reader.read(asked, plan(options))
                notes = [*notes, *found.notes]
                usage = of_model(found.cost)
                queries = explained(asked, found.queries, tools.account())
                changes = answering(tools, asked, queries, options)
            except NoPathError as error:
                changes = {"status": "abstained", "notes": [error.message]}
        changes.setdefault("topics", best_topics(records))
        runtime.stream_writer({"event": "linked", "topics": changes["topics"]})
        if changes.get("result") is not None:
            runtime.stream_writer({"event": "computed", "result": changes["result"]})
        if (operation := changes.get("operation")) is not None:
            told = [*notes, *operation["notes"]]
            changes["operation"] = operation = {**operation, "mentions": records, "notes": told}
        if operation is not None or "asked" in changes:
            said = {"asked": changes.get("asked", question), "operation": operation}
            runtime.stream_writer({"event": "understood", **said})
        return {
            **unanswered(method),
            "reasoner": READER,
            "question": question,
            "mentions": records,
            **changes,
            "notes": [*notes, *changes["notes"]],
            "usage": spent(state, since, kg_requests=meter.requests or 1, **usage),
        }

    return run


def reads_whole(state: State, options: Options) -> bool:
    """Whether a question is read as a query, where the model can."""
    return options.queries and not state.get("choices") and state.get("given") is None


def _mentions(tools: ReadWith, state: State) -> tuple[list[MentionRecord], list[str]]:
    """The names of the question, and notes on them."""
    if settled := state.get("mentions"):
        return settled, []
    if part := current_part(state):
        return part["mentions"], part.get("notes", [])
    found = linked(tools.linker, tools.kg, state.get("asked", ""))
    return found.mentions, found.notes


def plan_of(options: Options) -> BeamPlan:
    """The search for queries, as the options say."""
    width = options.beams or BEAMS
    groups = options.groups or width
    return BeamPlan(
        width, options.scores, groups, options.diversity, enough=_SHOWN, least=_NEGLIGIBLE
    )


def answered(
    tools: ReadWith, asked: Asked, queries: Sequence[ReadQuery], options: Options
) -> dict[str, Any]:
    """What the likeliest query that can be executed came to, if it is likely enough."""
    before, notes = asked.before, list[str]()
    with tools.reader.facts() as facts:
        for own in queries:
            if asks_nothing(own.bound.query):
                continue
            words = in_words(tools.kg, own.bound)
            try:
                changes = answered_query(tools.kg, facts, own.bound, earlier=before.answered)
            except (QuestionError, ShortageError) as error:
                notes.append(f"I read: {words}; {error.message}")
                continue
            confidence = own.probability + sum(
                other.probability for other in alike(facts, own, queries, before)
            )
            break
        else:
            return {**only_read(tools, queries), "notes": notes}
    others = [other for other in queries if other is not own]
    if before.cut and is_of_answers(own.bound.query):
        notes.append(CUT)
    account = tools.account().account(asked.question, asked.mentions.numbered, own.actions)
    changes |= {
        "confidence": round(min(confidence, 1.0), 6),
        "readings": readings_of(tools.kg, [own, *others]),
        "account": account,
        "notes": [*notes, *changes["notes"]],
    }
    return changes if changes["status"] == "unchecked" else _judged(tools, changes, options)


def asks_nothing(query: Query) -> bool:
    """Whether a query only names what the question names, which is no answer to it."""
    return isinstance(query.start, tuple) and query == Query(start=query.start)


def is_of_answers(query: Query) -> bool:
    """Whether a query begins anywhere at the last answers."""
    starts = [node.start for node in (query, *nested(query))]
    return any(isinstance(own, Last) and own.last == "answers" for own in starts)


def _judged(tools: ReadWith, changes: dict[str, Any], options: Options) -> dict[str, Any]:
    """The changes with the status that they deserve; what is withheld leaves no answers."""
    confidence, notes = changes["confidence"], list(changes["notes"])
    if unsure_reading := not_sure(tools, confidence, changes["reading"], options):
        status, note = unsure_reading
        nothing = {"status": status, "answers": [], "result": None}
        return {**changes, **nothing, "notes": [*notes, note]}
    if confidence < SURE:
        notes.append(unsure(confidence))
    own = Judged(changes["status"], changes["answers"], notes)
    own = with_account(own, changes["account"], options)
    result = None if own.status == "abstained" else changes["result"]
    return {**changes, **own._asdict(), "result": result}


def not_sure(
    tools: ReadWith, confidence: float, words: str, options: Options
) -> tuple[Status, str] | None:
    """The status and the note of a reading that is not sure enough to be answered."""
    least = tools.least if options.confidence is None else options.confidence
    if confidence >= least:
        return None
    note = f"I read: {words}; not sure enough ({confidence:.2f}, at least {least:.2f})"
    return withheld(confidence, least), note


def alike(
    facts: Facts, chosen: ReadQuery, queries: Sequence[ReadQuery], before: Before
) -> list[ReadQuery]:
    """The other likely queries that come to the same; where the graph is at hand."""
    others = [own for own in queries if own is not chosen and own.probability >= _LEAST]
    if not others or not facts.kg.pinned:
        return []
    result = _result(facts, chosen, before)
    return [own for own in others if result and _result(facts, own, before) == result]


def _result(facts: Facts, own: ReadQuery, before: Before) -> Hashable:
    """What a query comes to; None where it cannot be executed soon."""
    try:
        outcome = execute(facts, own.bound, earlier=before.answered, seconds=_SECONDS)
    except GroundwalkError:
        return None
    value = outcome.form, outcome.value, outcome.unit, outcome.size, outcome.rows
    return (*value, frozenset(outcome.members))


def readings_of(kg: KnowledgeGraph, queries: Sequence[ReadQuery]) -> list[Reading]:
    """The likeliest of some queries, as they are told."""
    return [
        Reading(
            query=given_form(own.bound),
            words=in_words(kg, own.bound),
            probability=round(own.probability, 6),
        )
        for own in queries[:_SHOWN]
    ]


def given_form(bound: Bound) -> dict[str, Any]:
    """A query as it can be given instead of a question."""
    mentions = [
        {"text": mention.text} | ({"term": mention.term} if mention.term else {})
        for mention in bound.mentions
    ]
    return {"query": write_query(bound.query), "mentions": mentions}


def only_read(tools: ReadWith, queries: Sequence[ReadQuery]) -> dict[str, Any]:
    """Where no query can be executed: the likeliest, and no answer."""
    first = queries[0]
    return {
        "status": "abstained",
        "query_tree": write_query(first.bound.query),
        "reading": in_words(tools.kg, first.bound),
        "readings": readings_of(tools.kg, queries),
    }
