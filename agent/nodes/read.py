"""read: the question is read as a query, which is executed in full and proved.

The query is the likeliest that the schema of the graph allows; that it comes to nothing is an
answer. One that cannot be executed gives way to the next likeliest, and is told. Where the reader
is not sure enough, it is said what was read, and nothing is answered.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from time import perf_counter
from typing import Any, TypeAlias

from langgraph.runtime import Runtime

from ..answers.class_words import ClassWord, left_out
from ..answers.computed import Computed
from ..answers.judging import (
    NO_READING,
    READ,
    SURE,
    Judged,
    left_out_of,
    too_low,
    unsure,
    with_account,
    withheld,
)
from ..answers.outcomes import alike, narrowed, of_others, weighed
from ..answers.queries import Executed, executed, in_words
from ..answers.topics import best_topics, linked
from ..conversation.alone import FOLLOWS, pointing_word, stands_alone
from ..conversation.alone import SURE as SURE_ALONE
from ..conversation.before import before_of
from ..decoding.plan import BeamPlan, of_model
from ..errors import NoPathError, QuestionError, ShortageError
from ..kg import KnowledgeGraph
from ..kg.store import metered
from ..linking import Linker
from ..options import Options
from ..query.account import WordReader, count_apart, read_as_classes, share_read, unread
from ..query.actions import pointed_at
from ..query.binding import Bound
from ..query.question import Asked, Before, mentions_of
from ..query.reader import Reader, ReadQueries, ReadQuery, explained
from ..query.tree import Last, Query, nested, write_query
from ..query.words import classes_walked
from ..records import (
    NO_FACTS,
    NOT_SURE_OF_READING,
    POINTS_NOWHERE,
    READER,
    Entity,
    MentionRecord,
    Operation,
    Part,
    Reading,
    Status,
    Word,
    spent,
)
from ..state import State
from . import Node
from .link import current_part, unanswered

BEAMS = 5
_SHOWN = 3
"""Readings that are told."""
_NEGLIGIBLE = 0.001
"""The probability of further readings that are not looked for."""
_NOTHING = 0.95
"""The least confidence with which it is told that the graph has none of what was asked.

A question that was misread comes to nothing more often than one that was not.
"""
_LIKELY_ALONE = 0.6
"""The least probability with which a question stands alone where reading it so is as sure."""
_PLAIN = 0.9
"""The probability of a reading by itself that needs no other beside it."""
_MAY_BE_ALONE = 0.3
"""The least probability with which a question may stand alone, where it is not sure with others."""
_LEAST_TOLD = 0.05
"""The least confidence of a reading that is told."""
_NO_HALF_TRUTH = "a yes or no to that would be none to the whole question"
_NONE_OF = "there are no"
_COUNT = Query(start=Last(last="answers"), answer="count")
"""How many the last answers are."""
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


@dataclass(frozen=True)
class ForMethod:
    """What the method answers: the question as it was put, another one, or parts of it."""

    question: str | None = None
    """The question in full, where that is not as it was put."""
    mentions: list[MentionRecord] = field(default_factory=list[MentionRecord])
    """Those of the question in full."""
    operation: Operation | None = None
    """What is computed over the parts."""
    parts: list[Part] = field(default_factory=list[Part])


@dataclass(frozen=True)
class Read:
    """What comes of the queries that a question may be."""

    executed: Executed
    """The likeliest that could be executed; else the likeliest, and the notes."""
    topics: list[Entity] | None = None
    """Those of the query; None where they are what the question names."""
    readings: list[Reading] = field(default_factory=list[Reading])
    account: list[Word] = field(default_factory=list[Word])
    for_method: ForMethod | None = None
    """Where the question goes on to the method; then nothing was executed."""

    @property
    def computed(self) -> Computed:
        """What the query came to."""
        return self.executed.computed

    def with_notes(self, notes: Sequence[str]) -> "Read":
        """The same with other notes."""
        return self.with_computed(replace(self.computed, notes=list(notes)))

    def with_computed(self, computed: Computed) -> "Read":
        """The same where the query comes to something else."""
        return replace(self, executed=replace(self.executed, computed=computed))


Answering: TypeAlias = Callable[[ReadWith, Asked, Sequence[ReadQuery], Options], Read]
"""What comes of the queries that a question may be, the likeliest first."""


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

    def run(state: State, runtime: Runtime[Options]) -> State:
        since, options = perf_counter(), runtime.context or Options()
        if not reads_whole(state, options) or state.get("operation") is not None:
            return {}
        question, cost = state.get("asked", ""), dict[str, int]()
        with metered() as meter:
            mentions, notes = _mentions(tools, state)
            if options.on_ambiguous != "best" and any(mention["ambiguous"] for mention in mentions):
                return {}
            try:
                turns = state.get("turns", []) if options.conversation else []
                asked = Asked(question, mentions_of(question, mentions), before_of(tools.kg, turns))
                _check_context(asked)
                asked, queries = _read_in_context(tools.reader, asked, plan(options), tools.least)
                notes, cost = [*notes, *queries.notes], of_model(queries.cost)
                likely = explained(asked, queries.queries, tools.account())
                if tools.is_general:
                    with tools.reader.facts() as facts:
                        likely = narrowed(facts, weighed(facts, likely, asked), asked)
                outcome = answering(tools, asked, likely, options)
            except NoPathError as error:
                outcome = Read(Executed(Computed("abstained", notes=[error.message])))
        if outcome.for_method is None:
            changes = _answered(outcome, mentions)
        else:
            changes = _handed_on(outcome.for_method, mentions, notes)
        _emit(runtime, changes, question)
        return {
            **unanswered(method),
            "question": question,
            **changes,
            "readings": outcome.readings,
            "account": outcome.account,
            "notes": _left_out_first([*notes, *outcome.computed.notes], outcome.account),
            "usage": spent(state.get("usage"), since, kg_requests=meter.requests or 1, **cost),
        }

    return run


def _left_out_first(notes: Sequence[str], account: Sequence[Word]) -> list[str]:
    """The notes, the one on words that were left out before all others."""
    left_out = left_out_of(account)
    return sorted(notes, key=lambda note: note not in left_out)


def _check_context(asked: Asked) -> None:
    """Raise NoPathError for a question that points at what came before, where nothing did."""
    if asked.before != Before():
        return
    mentions = asked.mentions.numbered
    word = pointing_word(asked.question, mentions)
    if word and stands_alone(asked.question, mentions) < FOLLOWS:
        raise NoPathError(f'{POINTS_NOWHERE} "{word}" is: nothing that was answered says so')


def _read_in_context(
    reader: Reader, asked: Asked, plan: BeamPlan, least: float
) -> tuple[Asked, ReadQueries]:
    """The queries of a question, read with what came before it or, where it stands alone, without.

    Read with it, a question that is complete may take a condition of the one before. One that
    likely stands alone by its words is read so where that is as sure as reading it with them. One
    that may do so, or points at what came before, is read so only where it is less sure than
    `least` with them.
    """
    if asked.before == Before():
        return asked, reader.read(asked, plan)
    mentions = asked.mentions.numbered
    chance = stands_alone(asked.question, mentions)
    if chance < _MAY_BE_ALONE:
        return asked, reader.read(asked, plan)
    by_itself = replace(asked, before=Before())
    points = chance < SURE_ALONE and pointing_word(asked.question, mentions) != ""
    if chance < _LIKELY_ALONE or points:
        queries = reader.read(asked, plan)
        if _surest(queries) >= least:
            return asked, queries
        alone = reader.read(by_itself, plan)
        is_alone = _surest(alone) >= _PLAIN
    else:
        alone = reader.read(by_itself, plan)
        if _surest(alone) >= _PLAIN:
            return by_itself, alone
        queries = reader.read(asked, plan)
        is_alone = _surest(alone) >= _surest(queries)
    cost = alone.cost + queries.cost
    if is_alone:
        return by_itself, replace(alone, cost=cost)
    return asked, replace(queries, cost=cost)


def _surest(queries: ReadQueries) -> float:
    return max((query.probability for query in queries.queries), default=0.0)


def _answered(outcome: Read, mentions: list[MentionRecord]) -> State:
    """Changes of the state where the query was answered, or could not be."""
    silent = outcome.computed.status == "abstained"
    topics = outcome.topics
    if topics is None or silent:  # of what is not answered only the names are sure
        topics = best_topics(mentions)
    return {**outcome.executed.changes, "reasoner": READER, "mentions": mentions, "topics": topics}


def _handed_on(method: ForMethod, mentions: list[MentionRecord], notes: Sequence[str]) -> State:
    """Changes of the state with which the question goes on to the method."""
    named = mentions if method.question is None else method.mentions
    changes: State = {"reasoner": "", "mentions": named, "topics": best_topics(named)}
    if method.question is not None:
        changes |= {"question": method.question, "asked": method.question}
    if (operation := method.operation) is not None:
        all_notes = [*notes, *operation["notes"]]
        changes["operation"] = {**operation, "mentions": mentions, "notes": all_notes}
        changes |= {"parts": method.parts, "part": -1}
    return changes


def _emit(runtime: Runtime[Options], changes: State, question: str) -> None:
    """Stream what was linked, computed and understood."""
    runtime.stream_writer({"event": "linked", "topics": changes.get("topics", [])})
    if (result := changes.get("result")) is not None:
        runtime.stream_writer({"event": "computed", "result": result})
    operation = changes.get("operation")
    if operation is not None or "asked" in changes:
        understood = {"asked": changes.get("asked", question), "operation": operation}
        runtime.stream_writer({"event": "understood", **understood})


def reads_whole(state: State, options: Options) -> bool:
    """Whether a question is read as a query, where the model can."""
    return options.queries and not state.get("choices") and state.get("given") is None


def _mentions(tools: ReadWith, state: State) -> tuple[list[MentionRecord], list[str]]:
    """The names of the question, and notes on them."""
    if settled := state.get("mentions"):
        return settled, []
    if part := current_part(state):
        return part["mentions"], part.get("notes", [])
    linking = linked(tools.linker, tools.kg, state.get("asked", ""))
    return linking.mentions, linking.notes


def plan_of(options: Options) -> BeamPlan:
    """The search for queries, as the options say."""
    width = options.beams or BEAMS
    groups = options.groups or width
    return BeamPlan(
        width, options.scores, groups, options.diversity, enough=_SHOWN, least=_NEGLIGIBLE
    )


def answered(tools: ReadWith, asked: Asked, queries: Sequence[ReadQuery], options: Options) -> Read:
    """What the likeliest query that can be executed came to, if it is likely enough."""
    before, notes = asked.before, list[str]()
    if repeated := _repeated(tools, asked, queries[0]):
        return repeated
    with tools.reader.facts() as facts:
        for query in queries:
            if asks_nothing(query.bound.query) or _counts_one(query.bound.query, before):
                continue
            try:
                done = executed(tools.kg, facts, query.bound, earlier=before.answered)
            except (QuestionError, ShortageError) as error:
                notes.append(f"{READ}{in_words(tools.kg, query.bound)}; {error.message}")
                continue
            same = alike(facts, query, queries, before)
            not_met = of_others(facts, query, asked) if tools.is_general else []
            confidence = query.probability + sum(other.probability for other in same)
            break
        else:
            return only_read(tools, queries, Computed("abstained", notes=notes))
    if before.cut and is_of_answers(query.bound.query):
        notes.append(CUT)
    account = account_of(tools, asked, query)
    if not_met and options.confidence is None:
        others = [other for other in queries if other is not query]
        account = left_out(account, not_met)
        return _of_others(tools, [query, *others], confidence, account, not_met)
    computed = replace(
        done.computed,
        confidence=no_surer(confidence, account),
        notes=[*notes, *done.computed.notes],
    )
    others = [other for other in queries if other is not query]
    if computed.status != "unchecked":
        computed = _judged(tools, computed, done.words, account, options, notes)
    readings = readings_of(tools.kg, [query, *others], share_read(account))
    return Read(replace(done, computed=computed), computed.topics, readings, account)


def _of_others(
    tools: ReadWith,
    queries: Sequence[ReadQuery],
    confidence: float,
    account: list[Word],
    not_met: Sequence[ClassWord],
) -> Read:
    """What comes of a query for other things than the classes that its question names."""
    words = in_words(tools.kg, queries[0].bound)
    named = ", ".join(f'"{word.text}"' for word in not_met)
    notes = [*left_out_of(account), f"{READ}{words}; {_NONE_OF} {named} in that"]
    most = no_surer(confidence, account)
    silent = Computed("unsure", confidence=most, notes=notes)
    return replace(only_read(tools, queries, silent, most), account=account)


def account_of(tools: ReadWith, asked: Asked, query: ReadQuery) -> list[Word]:
    """What of a query each word of its question made."""
    account = tools.account().account(asked.question, asked.mentions.numbered, query.actions)
    if tools.is_general and query.bound.query == _COUNT:
        account = count_apart(account, asked.before.asked.answers)
    return read_as_classes(account, classes_walked(tools.kg, query.bound).values())


def no_surer(confidence: float, account: Sequence[Word]) -> float:
    """A confidence, no more than the share of the question's words of meaning that were read."""
    return round(min(confidence, share_read(account)), 6)


def _repeated(tools: ReadWith, asked: Asked, query: ReadQuery) -> Read | None:
    """What comes of a question that is read as the one before it, and names nothing of its own.

    It has no words for that, so it was about something else. None for any other question.
    """
    of_question = range(len(asked.mentions.numbered))
    if not asked.before.reading or not pointed_at(query.actions).isdisjoint(of_question):
        return None
    words = in_words(tools.kg, query.bound)
    is_count = query.bound.query == _COUNT
    if words != asked.before.reading and not (is_count and asked.before.is_counted):
        return None
    account = account_of(tools, asked, query)
    notes = [*left_out_of(account), f"{READ}{words}; that was asked before"]
    confidence, most = no_surer(query.probability, account), share_read(account)
    silent = Computed("unsure", confidence=confidence, notes=notes)
    return replace(only_read(tools, [query], silent, most), account=account)


def asks_nothing(query: Query) -> bool:
    """Whether a query only names what the question names, which is no answer to it."""
    return isinstance(query.start, tuple) and query == Query(start=query.start)


def _counts_one(query: Query, before: Before) -> bool:
    """Whether a query counts one thing that is named, or was: that is no question."""
    if query != Query(start=query.start, answer="count"):
        return False
    match query.start:
        case Last(last="answers"):
            return len(before.answers) == 1
        case Last():
            return len(before.topics) == 1
        case tuple(numbers):
            return len(numbers) == 1
        case _:
            return False


def is_of_answers(query: Query) -> bool:
    """Whether a query begins anywhere at the last answers."""
    starts = [node.start for node in (query, *nested(query))]
    return any(isinstance(start, Last) and start.last == "answers" for start in starts)


def _judged(
    tools: ReadWith,
    computed: Computed,
    words: str,
    account: list[Word],
    options: Options,
    earlier: Sequence[str],
) -> Computed:
    """The same with the status that it deserves.

    What is withheld leaves no answers and none of their notes, but those of `earlier` readings.
    """
    confidence = computed.confidence
    at_least = _NOTHING if _has_nothing(computed) else 0.0
    if unsure_reading := not_sure(tools, confidence, words, options, account, at_least):
        status, note = unsure_reading
        notes = [*left_out_of(account), *earlier, note]
        return replace(computed, status=status, answers=[], result=None, notes=notes)
    result = computed.result
    if result is not None and result["kind"] == "truth" and unread(account):
        notes = [*left_out_of(account), *earlier, f"{READ}{words}; {_NO_HALF_TRUTH}"]
        return replace(computed, status="unsure", answers=[], result=None, notes=notes)
    doubt = [unsure(confidence)] if confidence < SURE else []
    judged = Judged(computed.status, computed.answers, [*computed.notes, *doubt])
    judged = with_account(judged, account, options)
    result = None if judged.status == "abstained" else computed.result
    return replace(computed, **judged._asdict(), result=result)


def _has_nothing(computed: Computed) -> bool:
    """Whether a query for things came to none."""
    result = computed.result
    return not computed.answers and result is not None and result["kind"] == "list"


def not_sure(
    tools: ReadWith,
    confidence: float,
    words: str,
    options: Options,
    account: Sequence[Word],
    at_least: float = 0.0,
) -> tuple[Status, str] | None:
    """The status and the note of a reading that is not sure enough to be answered.

    One that makes something of every word of meaning was perhaps meant, however unsure: that the
    graph does not say it would be no reason, unless it has no facts at all. `at_least` is a bound
    beside that of the reader, where the user sets none.
    """
    least = max(tools.least, at_least) if options.confidence is None else options.confidence
    if confidence >= least:
        return None
    if tools.kg.pinned and not tools.kg.counts.facts:
        return "abstained", NO_FACTS
    shown = too_low(confidence, least)
    if confidence < _LEAST_TOLD:
        return withheld(confidence, least), f"{NO_READING} ({shown})"
    is_whole = bool(account) and share_read(account) == 1.0
    status = "unsure" if is_whole else withheld(confidence, least)
    return status, f"{READ}{words}; {NOT_SURE_OF_READING} ({shown})"


def readings_of(
    kg: KnowledgeGraph, queries: Sequence[ReadQuery], most: float = 1.0
) -> list[Reading]:
    """The likeliest of some queries, as they are told; none is likelier than `most`."""
    return [
        Reading(
            query=given_form(query.bound),
            words=in_words(kg, query.bound),
            probability=round(min(query.probability, most), 6),
        )
        for query in queries[:_SHOWN]
    ]


def given_form(bound: Bound) -> dict[str, Any]:
    """A query as it can be given instead of a question."""
    mentions = [
        {"text": mention.text} | ({"term": mention.term} if mention.term else {})
        for mention in bound.mentions
    ]
    return {"query": write_query(bound.query), "mentions": mentions}


def only_read(
    tools: ReadWith, queries: Sequence[ReadQuery], computed: Computed, most: float = 1.0
) -> Read:
    """Where no query is executed: the likeliest in words, and no answer; `most` is its bound."""
    first = queries[0].bound
    done = Executed(computed, write_query(first.query), in_words(tools.kg, first))
    return Read(done, readings=readings_of(tools.kg, queries, most))
