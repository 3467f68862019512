"""read_parts: the question is read as a query, whose plain parts a method answers.

A question that is one walk goes to the method as it is. Another one is taken apart: the method
answers each walk from a thing that is named, as far as it goes, and `combine` computes the rest
over what was verified of them; in that rest `{"part": n}` stands in the place of the walk. What has
no such walk is executed over the whole graph, and that is told.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Literal, NamedTuple, TypeVar

from ..answers.candidates import entity_record, name_terms
from ..answers.computed import KINDS, Computed
from ..answers.judging import left_out_of
from ..answers.outcomes import same_result
from ..answers.queries import Executed, in_words
from ..answers.readings import (
    CUT,
    ForMethod,
    Read,
    ReadWith,
    account_of,
    answered,
    given_form,
    is_of_answers,
    not_sure,
    only_read,
    readings_of,
)
from ..decoding.plan import BeamPlan
from ..kg import KnowledgeGraph
from ..kg.terms import Term, is_literal
from ..options import Options
from ..query.account import share_read
from ..query.binding import Bound, Mention
from ..query.question import Asked, Before
from ..query.reader import ReadQuery
from ..query.tree import OF_VALUES, AnyOf, Extreme, Filter, Last, Query, Start, Step
from ..query.tree import Part as PartOfQuery
from ..records import Kind, MentionRecord, Operation, Part, Reading, Word
from . import Node
from .read import plan_of, reading_node

_KINDS: Mapping[str, Kind] = {**KINDS, "yesno": "truth", "connection": "connection"}


def read_parts(tools: ReadWith, method: str, notes: Sequence[str] = ()) -> Node:
    """Take the question apart as it is read, for a method that answers walks.

    The beams are the reader's, since those of the options are the method's. `notes` are those of
    every question.
    """

    def plan(_: Options) -> BeamPlan:
        return plan_of(Options())

    return reading_node(tools, method, partial(_answering, method, notes), plan)


_M = TypeVar("_M", Filter, Extreme)


@dataclass(frozen=True)
class PlainParts:
    """The walks of a query, each from one mention, and what is left of the query over them."""

    walks: tuple[Query, ...]
    rest: Query

    @property
    def is_walk(self) -> bool:
        """Whether the query is one walk and nothing else, but perhaps its class."""
        without_class = self.rest.model_copy(update={"of_class": "", "class_id": ""})
        return without_class == Query(start=PartOfQuery(part=0))


def plain_parts(
    query: Query,
    entity_mentions: frozenset[int],
    last: Mapping[Literal["answers", "topics"], tuple[int, ...]],
) -> PlainParts:
    """Take a query apart, the same walk once.

    `entity_mentions` are the numbers of mentions that are entities, and `last` those of mentions
    that are the same as the last answers or topics. A class at the end of a walk is in both, so
    that what is left keeps only such members.
    """
    taking = _Taking(entity_mentions, last)
    rest = taking.rest(query)
    return PlainParts(tuple(taking.walks), rest)


class _TakenApart(NamedTuple):
    """A query that the question may be, and what it is made of."""

    query: ReadQuery
    bound: Bound
    """The same, with what came before among its mentions."""
    made_of: PlainParts


def _answering(
    method: str,
    notes: Sequence[str],
    tools: ReadWith,
    asked: Asked,
    queries: Sequence[ReadQuery],
    options: Options,
) -> Read:
    taken_apart = [_taken_apart(tools.kg, asked.before, query) for query in queries]
    first = taken_apart[0]
    if not first.made_of.walks:
        whole = answered(tools, asked, queries, options)
        over = [] if is_of_answers(first.query.bound.query) else _over_the_graph(method, whole)
        return whole.with_notes([*notes, *whole.computed.notes, *over])
    sure = _probability(tools, asked, queries, taken_apart)
    words = in_words(tools.kg, first.query.bound)
    account = account_of(tools, asked, first.query)
    most = 1.0 if _is_of_method(tools, first) else share_read(account)
    sure = round(min(sure, most), 6)
    least = tools.least_likely
    if unsure_reading := not_sure(tools, sure, words, options, account, at_least=least):
        status, note = unsure_reading
        reasons = [*left_out_of(account), note]
        return only_read(tools, queries, Computed(status, confidence=sure, notes=reasons), most)
    if first.made_of.is_walk:
        goes_on = _walk(tools.kg, asked, first, account)
    else:
        rest = given_form(replace(first.bound, query=first.made_of.rest))
        reading = Reading(query=rest, words=words, probability=sure)
        goes_on = _computed(tools.kg, asked, first, reading)
    return Read(
        Executed(Computed("abstained", notes=list(notes))),
        readings=readings_of(tools.kg, queries, most),
        account=[] if _is_of_method(tools, first) else account,
        for_method=goes_on,
    )


def _is_of_method(tools: ReadWith, first: _TakenApart) -> bool:
    """Whether the method knows better than the reader which walk is meant."""
    return tools.is_general and first.made_of.is_walk


def _probability(
    tools: ReadWith, asked: Asked, queries: Sequence[ReadQuery], taken_apart: Sequence[_TakenApart]
) -> float:
    """How likely the first query is meant, with others that come to the same."""
    first = taken_apart[0]
    if first.made_of.is_walk:
        begins = _begins_at(first)
        walks = (read for read in taken_apart if read.made_of.is_walk)
        likely = [read.query for read in walks if _begins_at(read) == begins]
    else:
        with tools.reader.facts() as facts:
            likely = [first.query, *same_result(facts, first.query, queries, asked.before)]
    probability = sum(query.probability for query in likely)
    if _is_of_method(tools, first):
        probability /= sum(query.probability for query in queries)
    return round(min(probability, 1.0), 6)


def _over_the_graph(method: str, read_whole: Read) -> list[str]:
    """A note where something was answered that the method had no part in."""
    if read_whole.computed.status not in ("answered", "partial"):
        return []
    return [f"computed over the whole graph, not over what {method} verified"]


def _taken_apart(kg: KnowledgeGraph, before: Before, query: ReadQuery) -> _TakenApart:
    """A query in its plain parts; the last topics, and a last answer, are things like others."""
    mentions, last = (
        list(query.bound.mentions),
        dict[Literal["answers", "topics"], tuple[int, ...]](),
    )
    answers = [term for term in before.answers if not is_literal(term)]
    if before.topics:
        last["topics"] = _numbered(kg, before.topics, mentions)
    if len(answers) == len(before.answers) == 1 and not before.cut:
        last["answers"] = _numbered(kg, answers, mentions)
    things = frozenset(n for n, mention in enumerate(mentions) if mention.term is not None)
    bound = replace(query.bound, mentions=tuple(mentions))
    return _TakenApart(query, bound, plain_parts(query.bound.query, things, last))


def _numbered(
    kg: KnowledgeGraph, terms: Sequence[Term], mentions: list[Mention]
) -> tuple[int, ...]:
    """The numbers of entities that are among the mentions from now on."""
    first, names = len(mentions), name_terms(kg.walk_labels, terms)
    mentions += [Mention(names[term]["label"], term) for term in terms]
    return tuple(range(first, len(mentions)))


def _walk(
    kg: KnowledgeGraph, asked: Asked, read: _TakenApart, account: Sequence[Word]
) -> ForMethod:
    """The question for the method: as it is, or in full."""
    if _is_full(kg, asked, read, account):
        return ForMethod()
    (part,) = _plain_questions(kg, read)
    return ForMethod(part["question"], part["mentions"])


def _is_full(kg: KnowledgeGraph, asked: Asked, read: _TakenApart, account: Sequence[Word]) -> bool:
    """Whether the question says its walk without those before it.

    After others that is certain where it names the thing, and words of it the relations.
    """
    if asked.before == Before():
        return True
    (walk,) = read.made_of.walks
    named = all(number < len(asked.mentions.numbered) for number in _start(walk))
    relations = [relation for relation, _ in read.bound.hops(walk.steps)]
    return named and {*kg.walk_labels.names(relations)} <= {word["used_by"] for word in account}


def _computed(kg: KnowledgeGraph, asked: Asked, read: _TakenApart, reading: Reading) -> ForMethod:
    """The parts for the method, and what is computed over them."""
    cut = asked.before.cut and is_of_answers(read.made_of.rest)
    operation = Operation(
        kind=_KINDS.get(read.made_of.rest.answer, "list"),
        mentions=[],
        notes=[CUT] if cut else [],
        read=reading,
    )
    return ForMethod(operation=operation, parts=_plain_questions(kg, read))


def _plain_questions(kg: KnowledgeGraph, read: _TakenApart) -> list[Part]:
    """The walks as plain questions, each in words that end in the name of its thing."""
    parts = list[Part]()
    for walk in read.made_of.walks:
        words = in_words(kg, replace(read.bound, query=walk))
        (number,) = _start(walk)
        term = read.bound.mentioned(number).term
        assert term is not None
        parts.append(Part(question=words, mentions=[_mention(kg, words, term)]))
    return parts


def _begins_at(read: _TakenApart) -> Term | None:
    """The thing that a question which is one walk begins at."""
    (walk,) = read.made_of.walks
    (number,) = _start(walk)
    return read.bound.mentioned(number).term


def _start(walk: Query) -> tuple[int, ...]:
    """The number of the mention that a walk begins at."""
    assert isinstance(walk.start, tuple)
    return walk.start


def _mention(kg: KnowledgeGraph, words: str, term: Term) -> MentionRecord:
    """The entity in whose name some words end."""
    name = name_terms(kg.walk_labels, [term])[term]["label"]
    entities = [entity_record(info, 1.0) for info in kg.labels.describe([term])]
    start = words.rindex(name)
    return MentionRecord(
        text=name, start=start, end=start + len(name), ambiguous=False, candidates=entities
    )


class _Taking:
    def __init__(
        self,
        entity_mentions: frozenset[int],
        last: Mapping[Literal["answers", "topics"], tuple[int, ...]],
    ) -> None:
        self._entity_mentions = entity_mentions
        self._last = last
        self.walks: dict[Query, int] = {}

    def rest(self, query: Query) -> Query:
        """The query with a part in the place of every walk, its start's before those inside."""
        if isinstance(query.start, Last) and (numbers := self._last.get(query.start.last)):
            query = query.model_copy(update={"start": numbers})
        query = self._without_walk(query)
        return query.model_copy(
            update={
                "start": self._start(query.start),
                "filters": tuple(map(self._measure, query.filters)),
                "extreme": None if query.extreme is None else self._measure(query.extreme),
                "also": tuple(map(self.rest, query.also)),
                "without": tuple(map(self.rest, query.without)),
                "every": tuple(map(self.rest, query.every)),
                "to": None if query.to is None else self.rest(query.to),
            }
        )

    def _without_walk(self, query: Query) -> Query:
        """The query over what its walk leads to, where it begins at things and goes on."""
        steps, left = _steps_of_walk(query)
        numbers = query.start
        if (
            not isinstance(numbers, tuple)
            or not steps
            or not all(n in self._entity_mentions for n in numbers)
        ):
            return query
        ends = {} if left else {"of_class": query.of_class, "class_id": query.class_id}
        walks = [Query(start=(number,), steps=steps).model_copy(update=ends) for number in numbers]
        numbered = (self.walks.setdefault(walk, len(self.walks)) for walk in walks)
        parts = tuple(Query(start=PartOfQuery(part=number)) for number in numbered)
        start = parts[0].start if len(parts) == 1 else AnyOf(any=parts)
        return query.model_copy(update={"start": start, "steps": left})

    def _start(self, start: Start) -> Start:
        match start:
            case Query():
                return self.rest(start)
            case AnyOf(any=queries):
                return AnyOf(any=tuple(map(self.rest, queries)))
            case _:
                return start

    def _measure(self, measure: _M) -> _M:
        changes: dict[str, Query] = {}
        if measure.among is not None:
            changes["among"] = self.rest(measure.among)
        if isinstance(measure, Filter) and isinstance(measure.value, Query):
            changes["value"] = self.rest(measure.value)
        return measure.model_copy(update=changes)


def _steps_of_walk(query: Query) -> tuple[tuple[Step, ...], tuple[Step, ...]]:
    """The steps of a walk, and those that are left; a sum and the like are of the last step."""
    if query.answer in OF_VALUES:
        return query.steps[:-1], query.steps[-1:]
    return query.steps, ()
