"""Questions as the general reader learns them: each action among all that the grammar allows."""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from ...agent.query.actions import LITERAL, Action
from ...agent.query.automaton import Partial
from ...agent.query.schema import Earlier, Reading
from ...agent.query.tables import Measure
from ...agent.query.tree import Query
from ...agent.reader.network import kind_of
from ...agent.reader.question_words import MOST_WORDS, Mentioned, QuestionWord, words_of
from ..query_encode import Asked
from ..skeletons import VALUES
from .sources import SourceQuestion

MOST_ACTIONS = 24
_NUMBER = re.compile(r"[+-]?\d[\d,]*(?:\.\d+)?%?")
_DATE = re.compile(r"(?:1[0-9]|20)\d{2}(?:-\d{2}){0,2}|\d{1,2}/\d{1,2}/\d{2,4}")


@dataclass(frozen=True)
class Example:
    """A question and its actions; `legal` has the kinds that the grammar allows at each.

    Without actions no query is right.
    """

    source: str
    schema: str
    words: tuple[QuestionWord, ...]
    mentions: tuple[Mentioned, ...]
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
                (own.name, own.inverse, own.kind == "class") for own in self.actions if own.name
            )
        )


def examples_of(questions: Iterable[SourceQuestion]) -> list[Example]:
    """The questions that are short enough and whose actions point at words that are read."""
    return [made for own in questions if (made := _example(own)) is not None]


def _example(own: SourceQuestion) -> Example | None:
    if len(own.actions) > MOST_ACTIONS:
        return None
    mentions = tuple(Mentioned(m.start, m.end, kind_of_text(m.text), m.kind) for m in own.mentions)
    words = tuple(words_of(own.question, mentions))
    readable = {word.mention for word in words}
    for place, action in enumerate(own.actions):
        literal = place and own.actions[place - 1].kind in LITERAL
        if action.number is not None and not literal and action.number not in readable:
            return None
    return Example(
        own.source,
        own.schema,
        words,
        mentions,
        own.actions,
        *_legal(tuple(_bare(action) for action in own.actions), len(mentions)),
        own.candidates,
    )


def made_example(
    own: Asked, source: str, schema: str, named: Callable[[str], str]
) -> Example | None:
    """A question that was made over a graph; `named` names its terms.

    None where it is too long, or follows another one.
    """
    actions = tuple(replace(action, name=named(action.name)) for action in own.actions or ())
    if own.earlier is not None or len(actions) > MOST_ACTIONS:
        return None
    mentions = tuple(
        Mentioned(m.start, m.end, m.kind)
        if m.kind in VALUES
        else Mentioned(m.start, m.end, "thing", m.kind)
        for m in own.mentions
    )
    words = tuple(words_of(own.question, mentions))
    if len(words) == MOST_WORDS:
        return None
    left_out = [(span.start, span.end) for span in own.spans if span.use == "unread"]
    unread = frozenset(
        place
        for place, word in enumerate(words)
        if any(start < word.end and word.start < end for start, end in left_out)
    )
    bare = tuple(map(_bare, actions))
    legal, ends = _legal(bare, len(mentions))
    left = unread if bare else None
    return Example(source, schema, words, mentions, actions, legal, ends, (), left)


def kind_of_text(text: str) -> str:
    """What a mention can be, told by its text alone."""
    if _DATE.fullmatch(text):
        return "date"
    return "number" if _NUMBER.fullmatch(text) else "thing"


def _bare(action: Action) -> Action:
    """An action without its own label."""
    return Action(action.kind, "x" if action.name else "", action.inverse, action.number)


@lru_cache(maxsize=100_000)
def _legal(
    actions: tuple[Action, ...], mentions: int
) -> tuple[tuple[frozenset[str], ...], tuple[bool, ...]]:
    """What the grammar allows at each action, whatever the schema is; without any at the first.

    That is the kinds, and whether the query may end there.
    """
    schema, partial = _Anything(mentions), Partial()
    legal, ends = list[frozenset[str]](), list[bool]()
    for place in range(max(1, len(actions))):
        following = partial.following(schema)
        legal.append(frozenset(map(kind_of, following.actions)))
        ends.append(following.may_end)
        if place + 1 < len(actions):
            partial = partial.after(actions[place])
    return tuple(legal), tuple(ends)


class _Anything:
    """A schema in which everything leads everywhere."""

    def __init__(self, mentions: int) -> None:
        self._mentions: Sequence[frozenset[Reading]] = [frozenset(("thing", "number", "date"))]
        self._mentions = [*self._mentions] * mentions

    @property
    def mentions(self) -> Sequence[frozenset[Reading]]:
        return self._mentions

    @property
    def earlier(self) -> frozenset[Earlier]:
        return frozenset()

    @property
    def parts(self) -> int:
        return 0

    def relations(self) -> Sequence[str]:
        return ("x",)

    def classes(self, members: Query | None) -> Sequence[str]:
        return ("x",)

    def hops(self, members: Query) -> Sequence[tuple[str, bool]]:
        return (("x", False), ("x", True))

    def measures(self, members: Query) -> frozenset[Measure]:
        return frozenset(("number", "date"))
