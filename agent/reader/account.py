"""The account that comes with the reader: which words of a question a query leaves out."""

from collections.abc import Collection, Sequence
from typing import NamedTuple

from ..pool import Pool
from ..query.account import FILLER, UNREAD
from ..query.actions import Action
from ..query.prompt import Numbered
from ..state import Word
from .inputs import Label, Posed, acted, way_of
from .tools import ReadingTools
from .words import QuestionWord, words_of

_MET = 0.5
"""The least share of a word's meeting with labels for one of them to have used it."""


class _Read(NamedTuple):
    """What is known of each word after a whole query."""

    words: Sequence[QuestionWord]
    labels: Sequence[Label]
    unread: Sequence[float]
    used: Sequence[Sequence[float]]
    """For each word, how far each label explains it."""


class LabelAccount:
    """A `WordReader` that comes with the general reader, for any graph."""

    def __init__(self, tools: Pool[ReadingTools]) -> None:
        self._tools = tools

    def account(
        self, question: str, mentions: Sequence[Numbered], actions: Sequence[Action]
    ) -> list[Word]:
        """The words in the order of the question; none where an action has no word of it."""
        with self._tools.lent() as tools:
            read = _read(tools, question, mentions, actions)
            unread = tools.unread
        if read is None:
            return []
        pointed = {own.number for own in actions if own.number is not None}
        return [
            Word(
                text=question[own.start : own.end],
                start=own.start,
                end=own.end,
                used_by=_used_by(place, own, read, pointed, unread),
            )
            for place, own in enumerate(read.words)
        ]

    def most_unread(
        self, question: str, mentions: Sequence[Numbered], actions: Sequence[Action]
    ) -> float:
        """The largest share of a word that the query does not point at of being unread."""
        with self._tools.lent() as tools:
            read = _read(tools, question, mentions, actions)
        if read is None:
            return 0.0
        pointed = {own.number for own in actions if own.number is not None}
        several = zip(read.words, read.unread, strict=True)
        return max((share for own, share in several if own.mention not in pointed), default=0.0)


def _read(
    tools: ReadingTools, question: str, mentions: Sequence[Numbered], actions: Sequence[Action]
) -> _Read | None:
    import torch

    tools.begin()
    words = words_of(question, mentions)
    named = dict.fromkeys((own.name, way_of(own)) for own in actions if own.name)
    every = dict.fromkeys([*named, *tools.labels.near(words, tools.inputs)])
    labels = [tools.labels.label(*own) for own in every]
    try:
        posed = Posed(words, labels, acted(actions, words, labels))
    except KeyError:
        return None
    with torch.inference_mode():
        scores = tools.network(tools.inputs.batch([posed]))
    used = scores.met[0, :, : len(named)].tolist()
    return _Read(words, labels[: len(named)], scores.unread[0, -1].sigmoid().tolist(), used)


def _used_by(
    place: int, word: QuestionWord, read: _Read, pointed: Collection[int | None], unread: float
) -> str:
    if word.mention is not None and word.mention in pointed:
        return "mention" if word.what == "thing" else "value"
    if read.unread[place] >= unread:
        return UNREAD
    best = max(range(len(read.labels)), key=lambda number: read.used[place][number], default=None)
    if best is None or read.used[place][best] < _MET:
        return FILLER
    return read.labels[best].called
