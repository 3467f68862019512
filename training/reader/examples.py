"""Questions as the general reader learns them: each action among all that the grammar allows."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from ...agent.query.actions import LITERAL, Action
from ...agent.query.automaton import Partial
from ...agent.query.named_values import values_in
from ...agent.query.prompt import Numbered
from ...agent.query.schema import EarlierSet, Reading
from ...agent.query.schema_tables import ValueType
from ...agent.query.tree import Query
from ...agent.reader.inputs import kind_of
from ...agent.reader.lexicon import MOST_WORDS, QuestionWord, words_of
from ..queries.typed import TypedQuestion
from .sources import Mention, SourceQuestion

MOST_ACTIONS = 24
_OF_THINGS = ("freebase", "wikidata", "kqapro")
"""Schemas in which what is named is a thing and no value."""


@dataclass(frozen=True)
class Example:
    """A question and its actions; `legal` has the kinds that the grammar allows at each.

    Without actions no query is right.
    """

    source: str
    schema: str
    words: tuple[QuestionWord, ...]
    actions: tuple[Action, ...]
    legal: tuple[frozenset[str], ...]
    may_end: tuple[bool, ...]
    """Whether the query might end in place of each action."""
    candidates: tuple[str, ...] = ()
    unread: frozenset[int] | None = None
    """The words that the query leaves out; None where that is not known."""

    @property
    def names(self) -> list[tuple[str, bool, bool]]:
        """The labels of its actions: each with its direction, and whether it is a class."""
        return list(
            dict.fromkeys(
                (one.name, one.inverse, one.kind == "class") for one in self.actions if one.name
            )
        )


def examples_of(questions: Iterable[SourceQuestion]) -> list[Example]:
    """The questions that are short enough and whose actions point at words that are read."""
    return [made for question in questions if (made := _example(question)) is not None]


def _example(question: SourceQuestion) -> Example | None:
    actions = question.actions
    if len(actions) > MOST_ACTIONS:
        return None
    kinds = _value_kinds(question)
    mentions = [
        Numbered(m.start, m.end, _kind(m) or kinds.get(number, ""))
        for number, m in enumerate(question.mentions)
    ]
    for value in values_in(question.question):
        if not any(m.start < value.end and value.start < m.end for m in mentions):
            mentions.append(Numbered(value.start, value.end, value.kind))
    words = words_of(question.question, mentions)
    readable = {word.mention for word in words}
    for index, action in enumerate(actions):
        is_literal = index and actions[index - 1].kind in LITERAL
        if action.number is not None and not is_literal and action.number not in readable:
            return None
    legal, ends = _legal(tuple(map(_bare, actions)), len(mentions))
    known = question.unread if actions else None
    unread = None if known is None else _words_in(words, known)
    return Example(
        question.source, question.schema, words, actions, legal, ends, question.candidates, unread
    )


def made_example(
    asked: TypedQuestion, source: str, schema: str, named: Callable[[str], str]
) -> Example | None:
    """A question that was made over a graph; `named` names its terms.

    None where it is too long.
    """
    actions = tuple(action._replace(name=named(action.name)) for action in asked.actions or ())
    if len(actions) > MOST_ACTIONS:
        return None
    before = asked.earlier
    words = words_of(asked.question, asked.mentions, before)
    if len(words) >= MOST_WORDS:
        return None
    earlier = frozenset[EarlierSet]()
    if before is not None:
        earlier |= frozenset(("topics",) if before.topics else ())
        earlier |= frozenset(("answers",) if before.answers else ())
    count = sum(word.mention is not None for word in words)
    legal, ends = _legal(tuple(map(_bare, actions)), count, earlier)
    left_out = [(span.start, span.end) for span in asked.spans if span.use == "unread"]
    unread = _words_in(words, left_out) if actions else None
    return Example(source, schema, words, actions, legal, ends, unread=unread)


def _words_in(
    words: Sequence[QuestionWord], stretches: Iterable[tuple[int, int]]
) -> frozenset[int]:
    """The numbers of the words of a question that are in some stretches of it."""
    return frozenset(
        index
        for start, end in stretches
        for index, word in enumerate(words)
        if not word.is_earlier and start < word.end and word.start < end
    )


def with_words(
    schema: str, source: str, words: Sequence[QuestionWord], actions: Sequence[Action]
) -> Example:
    """A question over a schema that is made of words, none of them known to be left out."""
    count = sum(word.mention is not None for word in words)
    legal, ends = _legal(tuple(map(_bare, actions)), count)
    return Example(source, schema, tuple(words), tuple(actions), legal, ends)


def _value_kinds(question: SourceQuestion) -> dict[int, str]:
    """What values of tables are: the column that leads to each, known for every other question."""
    if question.schema in _OF_THINGS or len(question.question) % 2:
        return {}
    return {
        pointer.number: hop.name
        for pointer, hop in pairwise(question.actions)
        if pointer.kind == "pointer" and pointer.number is not None and hop.inverse
    }


def _kind(mention: Mention) -> str:
    """The class of a mention, or the kind of value that its text is: of a bare year, a number."""
    whole = (0, len(mention.text))
    kinds = (it.kind for it in values_in(mention.text) if (it.start, it.end) == whole)
    return next(kinds, mention.kind)


def _bare(action: Action) -> Action:
    """An action without its own label."""
    return Action(action.kind, "x" if action.name else "", action.inverse, action.number)


@lru_cache(maxsize=100_000)
def _legal(
    actions: tuple[Action, ...], mentions: int, earlier: frozenset[EarlierSet] = frozenset()
) -> tuple[tuple[frozenset[str], ...], tuple[bool, ...]]:
    """What the grammar allows at each action, whatever the schema is; without any at the first.

    That is the kinds, and whether the query may end there.
    """
    readings: list[frozenset[Reading]] = [frozenset(("thing", "number", "date"))] * mentions
    schema, partial = _Anything(readings, earlier), Partial()
    legal, ends = list[frozenset[str]](), list[bool]()
    for action in actions or (None,):
        following = partial.following(schema)
        legal.append(frozenset(map(kind_of, following.actions)))
        ends.append(following.may_end)
        if action is not None and len(legal) < len(actions):
            partial = partial.after(action)
    return tuple(legal), tuple(ends)


@dataclass(frozen=True)
class _Anything:
    """A schema in which everything leads everywhere."""

    mentions: Sequence[frozenset[Reading]]
    earlier: frozenset[EarlierSet]
    parts: int = 0

    def relations(self) -> Sequence[str]:
        return ("x",)

    def classes(self, members: Query | None) -> Sequence[str]:
        return ("x",)

    def hops(self, members: Query) -> Sequence[tuple[str, bool]]:
        return (("x", False), ("x", True))

    def measures(self, members: Query) -> frozenset[ValueType]:
        return frozenset(("number", "date"))
