"""Questions with queries as token ids: what the agent reads of a question, and the right query."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from ...agent.query.actions import LITERAL, Action
from ...agent.query.normal import MentionValue
from ...agent.query.prompt import EarlierQuestion, Numbered
from ...agent.query.question import mentions_of
from ...agent.records import Entity, MentionRecord
from .question import QueryQuestion, Use, Words, numbered
from .skeletons import VALUES


class Span(NamedTuple):
    """A word of a question, where it stands, and what it is for."""

    start: int
    end: int
    use: Use


class TypedQuestion(NamedTuple):
    """A question as somebody would type it, its mentions in their order, and its query.

    The pointers of `actions` are indexes of `mentions`, and after these of those of what was
    `earlier`.
    """

    question: str
    mentions: tuple[Numbered, ...]
    actions: tuple[Action, ...] | None
    earlier: EarlierQuestion | None
    spans: tuple[Span, ...]
    values: Mapping[int, MentionValue]
    """What mentions compare as, by their indexes."""


def typed_question(question: QueryQuestion) -> TypedQuestion | None:
    """A question with its mentions as the agent finds them; None where it would miss one."""
    text, signs, spans = _written(question.words, question)
    linked = _linked(text, signs, question)
    if linked is None:
        return None
    index_of, values, earlier = linked.index_of, linked.values, None
    if (before := question.earlier) is not None:
        asked, earlier_signs, _ = _written(before.question, question)
        other = _linked(asked, earlier_signs, question)
        if other is None:
            return None
        count = len(linked.mentions)
        index_of |= {number: count + index for number, index in other.index_of.items()}
        values = {**values, **{count + index: value for index, value in other.values.items()}}
        earlier = EarlierQuestion(before.topics, before.answers, before.many, asked, other.mentions)
    actions = question.actions
    if actions is not None:
        actions = _pointing(actions, index_of)
        if actions is None:
            return None
    return TypedQuestion(text, linked.mentions, actions, earlier, tuple(spans), values)


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


class _Linked(NamedTuple):
    """The mentions that the agent finds in a text, and their values."""

    mentions: tuple[Numbered, ...]
    values: Mapping[int, MentionValue]
    index_of: dict[int, int]
    """By the number of a sign, which of the mentions it is."""


def _linked(
    text: str, names: Sequence[tuple[int, int, int]], question: QueryQuestion
) -> _Linked | None:
    """What the agent finds in a text; None where it misses one of the names."""
    records = [
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
    mentioned = mentions_of(text, records)
    mentions, index_of = mentioned.numbered, dict[int, int]()
    for start, end, number in names:
        covering = (n for n, one in enumerate(mentions) if one.start <= start and end <= one.end)
        index = next(covering, None)
        if index is None:
            return None
        index_of[number] = index
    return _Linked(mentions, mentioned.values, index_of)


def _entity(kind: str) -> Entity:
    return Entity(term="", label="", kind=kind, description="", score=1.0)


def _pointing(actions: Sequence[Action], index_of: Mapping[int, int]) -> tuple[Action, ...] | None:
    """The same query whose pointers are indexes of mentions; None where one of them is missing."""
    moved, before = list[Action](), ""
    for action in actions:
        number, is_literal, before = action.number, before in LITERAL, action.kind
        if number is None or is_literal:
            moved.append(action)
            continue
        if number not in index_of:
            return None
        pointer = action._replace(number=index_of[number])
        at = len(moved)
        while at and _comes_after(moved[at - 1], pointer):
            at -= 1
        moved.insert(at, pointer)
    return tuple(moved)


def _comes_after(before: Action, pointer: Action) -> bool:
    """Whether a pointer before another stands for a later mention: a set begins in their order."""
    return (
        before.kind == "pointer"
        and before.number is not None
        and pointer.number is not None
        and before.number > pointer.number
    )
