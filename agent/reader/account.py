"""The account that comes with the reader: which words of a question a query leaves out."""

from collections.abc import Collection, Sequence
from typing import NamedTuple

from ..caching import Pool
from ..query.account import FILLER, UNREAD
from ..query.actions import Action
from ..query.prompt import Numbered
from ..records import Word
from .graph import ReadingTools
from .inputs import Label, PartialReading, label_way, number_actions
from .words import QuestionWord, words_of

_MET = 0.5
"""The least share of a word's meeting with labels for one of them to have used it."""


class _Account(NamedTuple):
    """What is known of each word after a whole query."""

    words: Sequence[QuestionWord]
    labels: Sequence[Label]
    """Those of the query."""
    unread: Sequence[float]
    """How likely each word is left out."""
    met: Sequence[Sequence[float]]
    """For each word, how far each label of the query explains it."""
    pointed: Collection[int | None]
    """The mentions that the query points at."""


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
            threshold = tools.unread
        if read is None:
            return []
        return [
            Word(
                text=question[word.start : word.end],
                start=word.start,
                end=word.end,
                used_by=_used_by(index, read, threshold),
            )
            for index, word in enumerate(read.words)
        ]

    def most_unread(
        self, question: str, mentions: Sequence[Numbered], actions: Sequence[Action]
    ) -> float:
        """The largest share of a word that the query does not point at of being unread."""
        with self._tools.lent() as tools:
            read = _read(tools, question, mentions, actions)
        if read is None:
            return 0.0
        shares = zip(read.words, read.unread, strict=True)
        return max((s for word, s in shares if word.mention not in read.pointed), default=0.0)


def _read(
    tools: ReadingTools, question: str, mentions: Sequence[Numbered], actions: Sequence[Action]
) -> _Account | None:
    import torch

    tools.begin()
    words = words_of(question, mentions)
    named = dict.fromkeys((action.name, label_way(action)) for action in actions if action.name)
    every = dict.fromkeys([*named, *tools.labels.near(words, tools.inputs)])
    labels = [tools.labels.label(*key) for key in every]
    try:
        reading = PartialReading(words, labels, number_actions(actions, words, labels))
    except KeyError:
        return None
    with torch.inference_mode():
        scores = tools.network(tools.inputs.batch([reading]))
    return _Account(
        words,
        labels[: len(named)],
        scores.unread[0, -1].sigmoid().tolist(),
        scores.met[0, :, : len(named)].tolist(),
        {action.number for action in actions if action.number is not None},
    )


def _used_by(index: int, read: _Account, threshold: float) -> str:
    """What a word is used by: its mention, a label of the query, or nothing."""
    word, met = read.words[index], read.met[index]
    if word.mention is not None and word.mention in read.pointed:
        return "mention" if word.what == "thing" else "value"
    if read.unread[index] >= threshold:
        return UNREAD
    best = max(range(len(met)), key=met.__getitem__, default=None)
    return FILLER if best is None or met[best] < _MET else read.labels[best].called
