"""Questions with queries as token ids: what the agent reads of a question, and the right query."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from ...agent.query.actions import LITERAL, Action
from ...agent.query.asked import mentions_of
from ...agent.query.normal import MentionValue
from ...agent.query.prompt import EarlierQuestion, Numbered
from ...agent.records import Entity, MentionRecord
from .question import QueryQuestion, Use, Words, numbered
from .skeletons import VALUES

if TYPE_CHECKING:
    pass


class Span(NamedTuple):
    """A word of a question, where it stands, and what it is for."""

    start: int
    end: int
    use: Use


class TypedQuestion(NamedTuple):
    """A question as somebody would type it, its mentions in their order, and its query.

    The pointers of `actions` are places in `mentions`, and after these in those of what was
    `earlier`.
    """

    question: str
    mentions: tuple[Numbered, ...]
    actions: tuple[Action, ...] | None
    earlier: EarlierQuestion | None
    spans: tuple[Span, ...]
    values: Mapping[int, MentionValue]
    """What mentions compare as, by their places."""


def typed_question(question: QueryQuestion) -> TypedQuestion | None:
    """A question with its mentions as the agent finds them; None where it would miss one."""
    text, signs, spans = _written(question.words, question)
    found = _mentioned(text, signs, question)
    if found is None:
        return None
    (mentions, values), places = found
    earlier = None
    if (before := question.earlier) is not None:
        asked, earlier_signs, _ = _written(before.question, question)
        other = _mentioned(asked, earlier_signs, question)
        if other is None:
            return None
        (others, more), moved = other
        places |= {number: len(mentions) + place for number, place in moved.items()}
        values = {**values, **{len(mentions) + place: own for place, own in more.items()}}
        earlier = EarlierQuestion(before.topics, before.answers, before.many, asked, others)
    actions = question.actions
    if actions is not None:
        actions = _pointing(actions, places)
        if actions is None:
            return None
    return TypedQuestion(text, mentions, actions, earlier, tuple(spans), values)


def _written(
    words: Words, question: QueryQuestion
) -> tuple[str, list[tuple[int, int, int]], list[Span]]:
    """The text of words, where the names of which numbers stand, and what each word is for."""
    text, names, spans = "", list[tuple[int, int, int]](), list[Span]()
    for word in words:
        text += " " if text else ""
        start, end = len(text), 0
        for number, sign in numbered(word.text):
            text += word.text[end : sign.start()]
            name = question.named[number].text
            names.append((len(text), len(text) + len(name), number))
            text, end = text + name, sign.end()
        text += word.text[end:]
        spans.append(Span(start, len(text), word.use))
    return text, names, spans


def _mentioned(
    text: str, names: Sequence[tuple[int, int, int]], question: QueryQuestion
) -> tuple[tuple[tuple[Numbered, ...], Mapping[int, MentionValue]], dict[int, int]] | None:
    """The mentions that the agent finds with their values, and the place of each number."""
    linked = [
        MentionRecord(
            text=text[start:end],
            start=start,
            end=end,
            ambiguous=False,
            candidates=[_entity(question.named[number].kind)],
        )
        for start, end, number in names
        if question.named[number].kind not in VALUES
    ]
    mentioned = mentions_of(text, linked)
    mentions = mentioned.numbered
    places = dict[int, int]()
    for start, end, number in names:
        at = (n for n, own in enumerate(mentions) if own.start <= start and end <= own.end)
        place = next(at, None)
        if place is None:
            return None
        places[number] = place
    return (mentions, mentioned.values), places


def _entity(kind: str) -> Entity:
    return Entity(term="", label="", kind=kind, description="", score=1.0)


def _pointing(actions: Sequence[Action], places: Mapping[int, int]) -> tuple[Action, ...] | None:
    """The same query with the places of mentions; None where one of them is not found."""
    moved = list[Action]()
    for place, action in enumerate(actions):
        number = action.number
        if number is not None and not (place and actions[place - 1].kind in LITERAL):
            if number not in places:
                return None
            action = replace(action, number=places[number])
            at = len(moved)
            while at and _comes_after(moved[at - 1], action):
                at -= 1
            moved.insert(at, action)
        else:
            moved.append(action)
    return tuple(moved)


def _comes_after(before: Action, pointer: Action) -> bool:
    """Whether a pointer before another stands for a later mention: a set begins in their order."""
    return (
        before.kind == "pointer"
        and before.number is not None
        and pointer.number is not None
        and before.number > pointer.number
    )
