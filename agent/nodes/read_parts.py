"""read_parts: the question is read as a query, whose plain parts a method answers.

A question that is one walk goes to the method as it is. Of another one the method answers each walk
from a thing that is named, and `combine` computes the rest over what was verified of them. What has
no such walk is executed over the whole graph, and that is told.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Literal, NamedTuple

from ..decoding.plan import BeamPlan
from ..kg import KnowledgeGraph
from ..kg.terms import Term, is_literal
from ..options import Options
from ..query.before import Before
from ..query.binding import Bound, Mention
from ..query.plain_parts import PlainParts, plain_parts
from ..query.reader import Asked, ReadQuery
from ..query.tree import Query
from ..state import Kind, MentionRecord, Operation, Part, Reading, Word
from . import Node
from .query_answers import KINDS
from .read import (
    CUT,
    ReadWith,
    alike,
    answered,
    given_form,
    is_of_answers,
    not_sure,
    only_read,
    plan_of,
    reading_node,
    readings_of,
)
from .records import entity_record, name_terms
from .run_query import in_words

_KINDS: Mapping[str, Kind] = {**KINDS, "yesno": "truth", "connection": "connection"}


def read_parts(tools: ReadWith, method: str, told: Sequence[str] = ()) -> Node:
    """Take the question apart as it is read, for a method that answers walks.

    The beams are the reader's, since those of the options are the method's. `told` are notes of
    every question.
    """

    def plan(_: Options) -> BeamPlan:
        return plan_of(Options())

    return reading_node(tools, method, partial(_answering, method, told), plan)


class _Read(NamedTuple):
    """A query that the question may be, and what it is made of."""

    query: ReadQuery
    bound: Bound
    """The same, with what came before among its mentions."""
    made_of: PlainParts


def _answering(
    method: str,
    told: Sequence[str],
    tools: ReadWith,
    asked: Asked,
    queries: Sequence[ReadQuery],
    options: Options,
) -> dict[str, Any]:
    several = [_taken_apart(tools.kg, asked.before, own) for own in queries]
    first = several[0]
    if not first.made_of.walks:
        changes = answered(tools, asked, queries, options)
        over = [] if is_of_answers(first.query.bound.query) else _over_the_graph(method, changes)
        return {**changes, "notes": [*told, *changes["notes"], *over]}
    if first.made_of.is_walk:
        begins = _begins_at(first)
        walks = (own for own in several if own.made_of.is_walk)
        likely = [own.query for own in walks if _begins_at(own) == begins]
    else:
        with tools.reader.facts() as facts:
            likely = [first.query, *alike(facts, first.query, queries, asked.before)]
    of_method = tools.is_general and first.made_of.is_walk
    """Whether the method knows better than the reader which walk it is."""
    sure = sum(own.probability for own in likely)
    if of_method:
        sure /= sum(own.query.probability for own in several)
    sure = round(min(sure, 1.0), 6)
    words = in_words(tools.kg, first.query.bound)
    if unsure_reading := not_sure(tools, sure, words, options):
        status, note = unsure_reading
        read = {**only_read(tools, queries), "status": status}
        return {**read, "confidence": sure, "notes": [note]}
    account = tools.account().account(asked.question, asked.mentions.numbered, first.query.actions)
    changes = {
        "reasoner": "",
        "readings": readings_of(tools.kg, queries),
        "account": [] if of_method else account,
        "notes": list(told),
    }
    if first.made_of.is_walk:
        return {**changes, **_walk(tools.kg, asked, first, account)}
    rest = given_form(replace(first.bound, query=first.made_of.rest))
    reading = Reading(query=rest, words=words, probability=sure)
    return {**changes, **_computed(tools.kg, asked, first, reading)}


def _over_the_graph(method: str, changes: dict[str, Any]) -> list[str]:
    """A note where something was answered that the method had no part in."""
    if changes["status"] not in ("answered", "partial"):
        return []
    return [f"computed over the whole graph, not over what {method} verified"]


def _taken_apart(kg: KnowledgeGraph, before: Before, own: ReadQuery) -> _Read:
    """A query in its plain parts; the last topics, and a last answer, are things like others."""
    mentions, last = list(own.bound.mentions), dict[Literal["answers", "topics"], tuple[int, ...]]()
    answers = [term for term in before.answers if not is_literal(term)]
    if before.topics:
        last["topics"] = _numbered(kg, before.topics, mentions)
    if len(answers) == len(before.answers) == 1 and not before.cut:
        last["answers"] = _numbered(kg, answers, mentions)
    things = frozenset(n for n, mention in enumerate(mentions) if mention.term is not None)
    bound = replace(own.bound, mentions=tuple(mentions))
    return _Read(own, bound, plain_parts(own.bound.query, things, last))


def _numbered(
    kg: KnowledgeGraph, terms: Sequence[Term], mentions: list[Mention]
) -> tuple[int, ...]:
    """The numbers of entities that are among the mentions from now on."""
    first, names = len(mentions), name_terms(kg.walk_labels, terms)
    mentions += [Mention(names[term]["label"], term) for term in terms]
    return tuple(range(first, len(mentions)))


def _walk(kg: KnowledgeGraph, asked: Asked, own: _Read, account: Sequence[Word]) -> dict[str, Any]:
    """Changes with which the method answers the question: as it is, or in full."""
    if _is_full(kg, asked, own, account):
        return {}
    (part,) = _parts(kg, own)
    full, mentions = part["question"], part["mentions"]
    topics = [mention["candidates"][0] for mention in mentions]
    return {"question": full, "asked": full, "mentions": mentions, "topics": topics}


def _is_full(kg: KnowledgeGraph, asked: Asked, own: _Read, account: Sequence[Word]) -> bool:
    """Whether the question says its walk without those before it.

    After others that is certain where it names the thing, and words of it the relations.
    """
    if asked.before == Before():
        return True
    (walk,) = own.made_of.walks
    named = all(number < len(asked.mentions.numbered) for number in _start(walk))
    relations = [relation for relation, _ in own.bound.hops(walk.steps)]
    return named and {*kg.walk_labels.names(relations)} <= {word["used_by"] for word in account}


def _computed(kg: KnowledgeGraph, asked: Asked, own: _Read, reading: Reading) -> dict[str, Any]:
    """Changes with which the parts are answered, and the rest computed over them."""
    cut = asked.before.cut and is_of_answers(own.made_of.rest)
    operation = Operation(
        kind=_KINDS.get(own.made_of.rest.answer, "list"),
        mentions=[],
        notes=[CUT] if cut else [],
        read=reading,
    )
    return {"operation": operation, "parts": _parts(kg, own), "part": -1}


def _parts(kg: KnowledgeGraph, own: _Read) -> list[Part]:
    """The walks as plain questions, each in words that end in the name of its thing."""
    parts = list[Part]()
    for walk in own.made_of.walks:
        words = in_words(kg, replace(own.bound, query=walk))
        (number,) = _start(walk)
        term = own.bound.mentioned(number).term
        assert term is not None
        parts.append(Part(question=words, mentions=[_mention(kg, words, term)]))
    return parts


def _begins_at(own: _Read) -> Term | None:
    """The thing that a question which is one walk begins at."""
    (walk,) = own.made_of.walks
    (number,) = _start(walk)
    return own.bound.mentioned(number).term


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
