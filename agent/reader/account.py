"""Which words of a question a query leaves out, as the general reader sees it.

What the network says of each word is not all: `suspects.py` knows more words that may ask for
something else. With the account goes what the judge is told of whole readings.
"""

from collections.abc import Collection, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..caching import Pool
from ..linking.words import COMMON_WORDS, FUNCTION_WORDS, is_everyday
from ..operations import NUMPY
from ..query.account import FILLER, UNREAD
from ..query.actions import Action
from ..query.prompt import Numbered
from ..query.question import Asked
from ..query.word_reader import Weighed, by_unread
from ..records import Word
from .graph import ReadingTools
from .inputs import ActionNumbers, Label, label_way, number_actions
from .judge import WholeReading, chances, features_of
from .lexicon import QuestionWord, label_words, words_of
from .matching import FEATURES
from .network import Scores
from .suspects import PLAIN_SETS, SETS, forms_of, is_called, suspected

_EVERYDAY = FUNCTION_WORDS | COMMON_WORDS
_UNREAD_ALONE = 0.02
"""The least likelihood of being left out of a word that no label can have used, as there is none;
of the *rivers* in *how many rivers are there?*, where the answers before are counted."""
_MET = 0.5
"""The least share of a word's meeting with labels for one of them to have used it."""
_SUSPECTED = 0.6
"""How likely a word is left out at least that may ask for something else: no reading is sure then,
and the likeliest mostly stays so."""
_LIKENESS = {"exact": 1.0, "alias": 1.0, "begins": 1.0, "related": 0.5}
"""How much a word is like a label by each feature; by the others not at all."""
_WORTH = np.array([_LIKENESS.get(name, 0.0) for name in FEATURES], np.float32)


class _Scored(NamedTuple):
    """A question with a whole query, and what the network says of them."""

    words: Sequence[QuestionWord]
    labels: Sequence[Label]
    """All with which it was read."""
    named: Sequence[int]
    """The indices of those of the query."""
    numbers: Sequence[ActionNumbers]
    ways: npt.NDArray[np.int64]
    scores: Scores


class _Account(NamedTuple):
    """What is known of each word after a whole query."""

    words: Sequence[QuestionWord]
    labels: Sequence[Label]
    """Those of the query."""
    unread: Sequence[float]
    """How likely each word is left out."""
    word_label_scores: Sequence[Sequence[float]]
    """For each word, how far each label of the query explains it."""
    pointed: Collection[int | None]
    """The mentions that the query points at."""
    filler: str
    """What words are used by that no label explains: in a query without labels they ask what it
    computes, as in *how many are there?*"""


class LabelAccount:
    """A `WordReader` that comes with the general reader, for any graph."""

    def __init__(self, tools: Pool[ReadingTools]) -> None:
        self._tools = tools

    def account(
        self, question: str, mentions: Sequence[Numbered], actions: Sequence[Action]
    ) -> list[Word]:
        """The words in the order of the question; none where an action has no word of it."""
        with self._tools.lent() as tools:
            read = _account(tools, words_of(question, mentions), actions)
            threshold = tools.unread
        if read is None:
            return []
        uses = [_used_by(index, read, threshold) for index, _ in enumerate(read.words)]
        computes = not SETS.issuperset(action.kind for action in actions)
        if computes and {*uses} == {FILLER}:  # as in *which is the largest?*
            uses = [FILLER if word.text in FUNCTION_WORDS else "operator" for word in read.words]
        return [
            Word(text=question[word.start : word.end], start=word.start, end=word.end, used_by=use)
            for word, use in zip(read.words, uses, strict=True)
        ]

    def most_unread(
        self, question: str, mentions: Sequence[Numbered], readings: Sequence[Sequence[Action]]
    ) -> list[float]:
        """Of each query, the largest share of being unread of a word that it does not point at."""
        words = words_of(question, mentions)
        with self._tools.lent() as tools:
            return [_most_unread(_account(tools, words, actions)) for actions in readings]

    def weighed(
        self,
        asked: Asked,
        readings: Sequence[Sequence[Action]],
        probabilities: Sequence[float],
    ) -> list[Weighed]:
        """The readings as the judge of the reader weighs them, or where it has none, by `unread`.

        Their sum is the judge's probability that one of them is right. The share of each is by the
        geometric mean of what the judge and the rule say: over graphs apart that told right answers
        from wrong ones better than either alone. Of a tuned reader it is by the rule, for the judge
        was fitted on how the reader scored before.
        """
        known = self._known(asked, readings)
        by_rule = by_unread(probabilities, [unread for unread, _ in known])
        with self._tools.lent() as tools:
            judge, is_tuned = tools.judge, tools.is_tuned
        features = None if judge is None else _features(known, probabilities)
        if judge is None or features is None:
            return by_rule
        judged = chances(judge, features)
        shares = np.array([weighed.probability for weighed in by_rule])
        if not is_tuned:
            shares = np.sqrt(judged * shares)
        if not shares.any():
            return by_rule
        weights = (shares * (judged.sum() / shares.sum())).tolist()
        return [Weighed(weight, unread) for weight, (unread, _) in zip(weights, known, strict=True)]

    def features(
        self,
        asked: Asked,
        readings: Sequence[Sequence[Action]],
        probabilities: Sequence[float],
    ) -> npt.NDArray[np.float32] | None:
        """What the judge is told of readings; None where one has no word of the question."""
        return _features(self._known(asked, readings), probabilities)

    def _known(
        self, asked: Asked, readings: Sequence[Sequence[Action]]
    ) -> list[tuple[float, WholeReading | None]]:
        """How surely each reading leaves a word out, and what the network says of it.

        The question before has words of a follow-up. The words that are left out are its own.
        """
        of_question = words_of(asked.question, asked.mentions.numbered)
        every = words_of(asked.question, asked.mentions.numbered, asked.before.asked)
        known = list[tuple[float, WholeReading | None]]()
        with self._tools.lent() as tools:
            for actions in readings:
                scored = _scored(tools, of_question, actions)
                unread = _most_unread(scored and _account_of(tools, scored, actions))
                if every != of_question:
                    scored = _scored(tools, every, actions)
                whole = None
                if scored is not None:
                    likeness = _likeness(tools, every, actions)
                    numbers, ways, scores = scored.numbers, scored.ways, scored.scores
                    whole = WholeReading(every, numbers, ways, scores, unread, likeness)
                known.append((unread, whole))
        return known

    def likeness(self, asked: Asked, actions: Sequence[Action]) -> float:
        """How much labels of a query are like words of its question, or of the one before it.

        The mean over the labels, each by the word that is most like it; 1 where none is named.
        """
        words = words_of(asked.question, asked.mentions.numbered, asked.before.asked)
        with self._tools.lent() as tools:
            return _likeness(tools, words, actions)


def _likeness(
    tools: ReadingTools, words: Sequence[QuestionWord], actions: Sequence[Action]
) -> float:
    words = [word for word in words if word.what == "word"]
    named_labels = dict.fromkeys(
        (action.name, label_way(action)) for action in actions if action.name
    )
    if not named_labels:
        return 1.0
    if not words:
        return 0.0
    tools.start_clock()
    matches = tools.inputs.matches(words, [tools.labels.label(*key) for key in named_labels])
    return float((matches * _WORTH).max((0, 2)).mean())


def _features(
    known: Sequence[tuple[float, WholeReading | None]], probabilities: Sequence[float]
) -> npt.NDArray[np.float32] | None:
    readings = [whole for _, whole in known if whole is not None]
    if not readings or len(readings) < len(known):
        return None
    return features_of(readings, probabilities)


def _most_unread(read: _Account | None) -> float:
    if read is None:
        return 0.0
    shares = zip(read.words, read.unread, strict=True)
    return max((s for word, s in shares if word.mention not in read.pointed), default=0.0)


def _scored(
    tools: ReadingTools, words: Sequence[QuestionWord], actions: Sequence[Action]
) -> _Scored | None:
    """What the network says of a whole query; None where an action has no word of the question."""
    tools.start_clock()
    named_labels = dict.fromkeys(
        (action.name, label_way(action)) for action in actions if action.name
    )
    label_keys = dict.fromkeys([*tools.labels.near(words, tools.inputs), *named_labels])
    labels = [tools.labels.label(*key) for key in label_keys]
    try:
        numbers = number_actions(actions, words, labels)
    except KeyError:
        return None
    batch, read = tools.read(words, labels)
    scores = tools.network.scored(batch.of_actions([numbers]), read)
    named = [index for index, key in enumerate(label_keys) if key in named_labels]
    return _Scored(words, labels, named, numbers, batch.ways[0], scores)


def _account(
    tools: ReadingTools, words: Sequence[QuestionWord], actions: Sequence[Action]
) -> _Account | None:
    """What is known of each word; None where an action has no word of the question."""
    scored = _scored(tools, words, actions)
    return scored and _account_of(tools, scored, actions)


def _account_of(tools: ReadingTools, scored: _Scored, actions: Sequence[Action]) -> _Account:
    words, scores = scored.words, scored.scores
    named = [scored.labels[index] for index in scored.named]
    pointed = {action.number for action in actions if action.number is not None}
    unread = NUMPY.sigmoid(scores.unread[0, -1]).tolist()
    word_label_scores = scores.word_label_scores[0][:, scored.named].tolist()
    said_parts = {part for label in named for part in label_words(label.called)}
    met = [max(row, default=0.0) for row in word_label_scores]
    suspects = suspected(tools, words, actions, named, word_label_scores)
    for index, word in enumerate(words):
        if _is_in_vain(word, pointed, said_parts):
            unread[index] = 1.0
        elif said_parts.isdisjoint(forms_of(word)) and _may_ask(word):
            is_name = met[index] < _MET and is_called(tools.tables.kg, word)
            least = _SUSPECTED if index in suspects or is_name else 0.0
            unread[index] = max(unread[index], least)
    return _Account(
        words,
        named,
        unread,
        word_label_scores,
        pointed,
        FILLER if named or PLAIN_SETS.issuperset(action.kind for action in actions) else "operator",
    )


def _may_ask(word: QuestionWord) -> bool:
    """Whether a word is none that may stand in any question."""
    return word.what == "word" and word.text.isalpha() and not is_everyday([word.text], _EVERYDAY)


def _is_in_vain(
    word: QuestionWord, pointed: Collection[int | None], label_words_: Collection[str]
) -> bool:
    """Whether a date, or a number in digits, is none that a query uses: nobody names one in vain.

    A query for the first three points at the number 3 itself.
    """
    if word.what != "date" and not (word.what == "number" and word.text[:1].isdigit()):
        return False
    is_literal = word.text.isdecimal() and int(word.text) in pointed
    return word.mention not in pointed and not is_literal and word.text not in label_words_


def _used_by(index: int, read: _Account, threshold: float) -> str:
    """What a word is used by: its mention, a label of the query, or nothing."""
    word, scores = read.words[index], read.word_label_scores[index]
    if word.mention is not None and word.mention in read.pointed:
        return "mention" if word.what == "thing" else "value"
    if _may_ask(word) and read.filler != FILLER:
        threshold = min(threshold, _UNREAD_ALONE)
    if read.unread[index] >= threshold:
        return UNREAD
    parts = set(word.parts)
    for label in read.labels:
        if not parts.isdisjoint((*label_words(label.called), *label_words(label.tail))):
            return label.called
    best = max(range(len(scores)), key=scores.__getitem__, default=None)
    return read.filler if best is None or scores[best] < _MET else read.labels[best].called
