"""What comes of the queries that a question may be: one is executed, and answered or withheld.

The likeliest that can be executed counts. Where it is not sure enough, or comes to things of other
classes than the question names, it is told what was read, and nothing is answered.
"""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

from ..errors import QuestionError, ShortageError
from ..kg import KnowledgeGraph
from ..kg.labels.names import normalise
from ..linking import Linker
from ..linking.spans import Span
from ..linking.words import FUNCTION_WORDS, singular
from ..options import Options
from ..query.account import FILLER, count_apart, read_as_classes, share_read, unread
from ..query.actions import pointed_at
from ..query.binding import Bound
from ..query.question import Asked, Before
from ..query.reader import Reader, ReadQuery
from ..query.tree import Last, Query, nested, write_query
from ..query.word_reader import WordReader
from ..query.words import classes_walked
from ..reader.lexicon import label_words
from ..records import (
    DOUBTED,
    NO_FACTS,
    NOT_SURE_OF_READING,
    Entity,
    MentionRecord,
    Operation,
    Part,
    Reading,
    Status,
    Word,
)
from .class_words import ClassWord, left_out
from .computed import Computed
from .judging import (
    NO_READING,
    READ,
    SURE,
    Judged,
    has_named,
    left_out_of,
    too_low,
    unsure,
    with_account,
    withheld,
)
from .outcomes import same_result, words_of_other_classes
from .queries import Executed, asks_nothing, executed, in_words
from .sureness import Evidence, Likeness, evidence_of, sureness, unlike
from .units import converted

SHOWN = 3
"""Readings that are told."""
_NOTHING = 0.95
"""The least confidence with which it is told that the graph has none of what was asked.

A question that was misread comes to nothing more often than one that was not.
"""
_LIKELY = 0.75
"""The least probability of a reading by which it is judged alone, though weights are known."""
_LEAST_TOLD = 0.05
"""The least confidence of a reading that is told."""
_NO_HALF_TRUTH = "a yes or no to that would be none to the whole question"
_NONE_OF = "there are no"
_ASKED_BEFORE = "the question before asked that, so this one asks something else"
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
    likeness: Likeness = unlike
    """How much the labels of a query are like words of its question."""
    weights: Sequence[float] = ()
    """What the evidence of a reading weighs, as `sureness` has it."""

    @property
    def least_likely(self) -> float:
        """The least probability of a reading that is judged by that alone."""
        return max(self.least, _LIKELY) if self.weights else self.least


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
    evidence: Evidence | None = None
    """What is known of the reading that was executed."""

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


def answered(tools: ReadWith, asked: Asked, queries: Sequence[ReadQuery], options: Options) -> Read:
    """What the likeliest query that can be executed came to, if it is likely enough."""
    before, notes, failures = asked.before, list[str](), set[str]()
    if repeated := _repeated(tools, asked, queries[0]):
        return repeated
    with tools.reader.facts() as facts:
        for query in queries:
            if asks_nothing(query.bound, before.answered) or _counts_one(query.bound.query, before):
                continue
            try:
                executed_query = executed(tools.kg, facts, query.bound, earlier=before.answered)
            except (QuestionError, ShortageError) as error:
                if error.message not in failures:
                    failures.add(error.message)
                    notes.append(f"{READ}{in_words(tools.kg, query.bound)}; {error.message}")
                continue
            same = same_result(facts, query, queries, before)
            not_met = words_of_other_classes(facts, query, asked) if tools.is_general else []
            break
        else:
            return only_read(tools, queries, Computed("abstained", notes=notes))
    evidence = evidence_of(asked, query, same, queries, tools.likeness)
    is_empty = has_nothing(executed_query.computed)
    confidence = evidence.probability
    if not is_empty:
        confidence = max(sureness(evidence, tools.weights), query.sure)
    if before.cut and is_of_answers(query.bound.query):
        notes.append(CUT)
    account = account_of(tools, asked, query)
    if not_met and options.confidence is None:
        other_queries = [other for other in queries if other is not query]
        account = left_out(account, not_met)
        return _misnamed(tools, [query, *other_queries], confidence, account, not_met)
    computed = replace(
        executed_query.computed,
        confidence=no_surer(confidence, account),
        notes=[
            *notes,
            *executed_query.computed.notes,
            *converted(asked, executed_query.computed, tools.kg.profile),
        ],
    )
    other_queries = [other for other in queries if other is not query]
    if computed.status != "unchecked":
        computed = _judged(tools, computed, executed_query.words, account, options, notes)
    readings = readings_of(tools.kg, [query, *other_queries], share_read(account))
    executed_query = replace(executed_query, computed=computed)
    return Read(executed_query, computed.topics, readings, account, evidence=evidence)


def _misnamed(
    tools: ReadWith,
    queries: Sequence[ReadQuery],
    confidence: float,
    account: list[Word],
    not_met: Sequence[ClassWord],
) -> Read:
    """What comes of a query for other things than the classes that its question names."""
    words = in_words(tools.kg, queries[0].bound)
    quoted_words = ", ".join(f'"{word.text}"' for word in not_met)
    notes = [*left_out_of(account), f"{READ}{words}; {_NONE_OF} {quoted_words} in that"]
    most = no_surer(confidence, account)
    silent = Computed("unsure", confidence=most, notes=notes)
    return replace(only_read(tools, queries, silent, most), account=account)


def account_of(tools: ReadWith, asked: Asked, query: ReadQuery) -> list[Word]:
    """What of a query each word of its question made; where it made nothing, what is in labels."""
    account = tools.account().account(asked.question, asked.mentions.numbered, query.actions)
    if tools.is_general and query.bound.query == _COUNT:
        account = count_apart(account, asked.before.asked.answers)
    account = read_as_classes(account, classes_walked(tools.kg, query.bound).values())
    if account and tools.is_general and tools.kg.counts.facts:
        account = left_out(account, lacking_names(tools.kg, asked, account, (FILLER,)))
    return account if has_named(account) else _with_labels(tools.kg, account)


def lacking_names(
    kg: KnowledgeGraph, asked: Asked, account: Sequence[Word], uses: Collection[str]
) -> list[Span]:
    """The names of a question that the graph lacks, and of which a query made nothing.

    A query makes nothing of a word that is used as one of `uses`.
    """
    unused = [word for word in account if word["used_by"] in uses]
    lacking = list[Span]()
    for span in asked.unlinked:
        norm = normalise(asked.question[span.start : span.end])
        is_unused = any(w["start"] < span.end and span.start < w["end"] for w in unused)
        if (is_unused or not account) and not kg.labels.known((norm, *norm.split())):
            lacking.append(span)
    return lacking


def _with_labels(kg: KnowledgeGraph, account: Sequence[Word]) -> list[Word]:
    """The account, where words are marked that relations and classes have in their labels."""
    names = [normalise(" ".join(label_words(word.text))) for word in kg.labels.vocabulary()]
    label_stems = {singular(word) for name in names for word in name.split()} - FUNCTION_WORDS
    return [
        {**word, "in_label": True} if singular(normalise(word["text"])) in label_stems else word
        for word in account
    ]


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
    notes = [*left_out_of(account), f"{READ}{words}; {_ASKED_BEFORE}"]
    confidence, most = no_surer(query.probability, account), share_read(account)
    silent = Computed("unsure", confidence=confidence, notes=notes)
    return replace(only_read(tools, [query], silent, most), account=account)


def _counts_one(query: Query, before: Before) -> bool:
    """Whether a query counts the one answer that there was: that is no question."""
    return query == _COUNT and len(before.answers) == 1


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

    What is withheld leaves no answers and none of their notes, but those of `earlier` readings. So
    does what was compared in a unit that its values may not have, or without values that may be
    numbers, unless the user says how sure is enough: whether the answers are right, nobody knows.
    """
    confidence = computed.confidence
    at_least = _NOTHING if has_nothing(computed) else 0.0
    if unsure_reading := not_sure(tools, confidence, words, options, account, at_least):
        status, note = unsure_reading
        notes = [*left_out_of(account), *earlier, note]
        return replace(computed, status=status, answers=[], result=None, notes=notes)
    doubted = next((note for note in computed.notes if note.endswith(DOUBTED)), None)
    if doubted is not None and options.confidence is None:
        notes = [*left_out_of(account), *earlier, f"{READ}{words}; {doubted}"]
        return replace(computed, status="unsure", answers=[], result=None, notes=notes)
    result = computed.result
    if result is not None and result["kind"] == "truth" and unread(account):
        notes = [*left_out_of(account), *earlier, f"{READ}{words}; {_NO_HALF_TRUTH}"]
        return replace(computed, status="unsure", answers=[], result=None, notes=notes)
    doubt = [unsure(confidence)] if confidence < SURE else []
    judged = Judged(computed.status, computed.answers, [*computed.notes, *doubt])
    judged = with_account(judged, account, options)
    result = None if judged.status == "abstained" else computed.result
    return replace(computed, **judged._asdict(), result=result)


def has_nothing(computed: Computed) -> bool:
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
    comparison = too_low(confidence, least)
    if confidence < _LEAST_TOLD:
        return withheld(confidence, least), f"{NO_READING} ({comparison})"
    is_whole = bool(account) and share_read(account) == 1.0
    status = "unsure" if is_whole else withheld(confidence, least)
    return status, f"{READ}{words}; {NOT_SURE_OF_READING} ({comparison})"


def readings_of(
    kg: KnowledgeGraph, queries: Sequence[ReadQuery], most: float = 1.0
) -> list[Reading]:
    """The likeliest of some queries, as they are told; none is likelier than `most`."""
    askable = [query for query in queries if not asks_nothing(query.bound)]
    return [
        Reading(
            query=given_form(query.bound),
            words=in_words(kg, query.bound),
            probability=round(min(query.probability, most), 6),
        )
        for query in askable[:SHOWN]
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
