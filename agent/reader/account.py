"""The account that comes with the reader: which words of a question a query leaves out."""

from collections.abc import Callable, Collection, Sequence
from typing import NamedTuple

from ..query.account import FILLER, UNREAD
from ..query.actions import Action
from ..query.prompt import Numbered
from ..state import Word
from .inputs import Inputs, Label, Posed, acted, way_of
from .weights import ReaderWeights
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

    def __init__(self, reader: ReaderWeights, named: Callable[[str], str]) -> None:
        """`named` gives the display names of terms."""
        self._reader = reader
        self._named = named
        self._inputs = Inputs(reader.lexicon)

    def account(
        self, question: str, mentions: Sequence[Numbered], actions: Sequence[Action]
    ) -> list[Word]:
        """The words in the order of the question; none where an action has no word of it."""
        read = self._read(question, mentions, actions)
        pointed = {own.number for own in actions if own.number is not None}
        return (
            []
            if read is None
            else [
                Word(
                    text=question[own.start : own.end],
                    start=own.start,
                    end=own.end,
                    used_by=self._used_by(place, own, read, pointed),
                )
                for place, own in enumerate(read.words)
            ]
        )

    def most_unread(
        self, question: str, mentions: Sequence[Numbered], actions: Sequence[Action]
    ) -> float:
        """The largest share of a word that the query does not point at of being unread."""
        read = self._read(question, mentions, actions)
        if read is None:
            return 0.0
        pointed = {own.number for own in actions if own.number is not None}
        several = zip(read.words, read.unread, strict=True)
        return max((share for own, share in several if own.mention not in pointed), default=0.0)

    def _read(
        self, question: str, mentions: Sequence[Numbered], actions: Sequence[Action]
    ) -> _Read | None:
        import torch

        words = words_of(question, mentions)
        named = dict.fromkeys((own.name, way_of(own)) for own in actions if own.name)
        labels = [Label(name, way, self._named(name)) for name, way in named]
        try:
            posed = Posed(words, labels, acted(actions, words, labels))
        except KeyError:
            return None
        with torch.inference_mode():
            scores = self._reader.network(self._inputs.batch([posed]))
        return _Read(words, labels, scores.unread[0, -1].sigmoid().tolist(), scores.met[0].tolist())

    def _used_by(
        self, place: int, word: QuestionWord, read: _Read, pointed: Collection[int | None]
    ) -> str:
        if word.mention is not None and word.mention in pointed:
            return "mention" if word.what == "thing" else "value"
        if read.unread[place] >= self._reader.settings.unread:
            return UNREAD
        best = max(
            range(len(read.labels)), key=lambda number: read.used[place][number], default=None
        )
        if best is None or read.used[place][best] < _MET:
            return FILLER
        return read.labels[best].called
