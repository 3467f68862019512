"""How likely each of some whole readings of a question is right, by all that is known of it.

A search weighs one action after the other. Of a whole reading more is known: which words none of
its labels explains though another label would, and by how much each label was preferred to others.
A small network weighs that, beside how likely the search found the reading, and against none of
them being right.
"""

from collections.abc import Mapping, Sequence
from math import log
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..linking.words import FUNCTION_WORDS
from ..operations import NUMPY, Array, linear
from .inputs import CLASS, KIND_NUMBERS, KINDS, NONE, ActionNumbers
from .lexicon import QuestionWord
from .network import Scores

_LEAST = 1e-6
"""The least probability that is told from another."""
_WHOLE = 0.02
"""The least share of a word that is told from none."""
_CLEAR = 8.0
"""A score that is as good as any higher one."""
_SCALE = 3.0
"""By this scores are divided, as other numbers are about 1."""
NUMBERS = (
    # of the search
    *("log of the probability", "the same beside the best", "share", "probability", "readings"),
    # of the words that ask for something, and of all
    *("most surely unread", "log of the rest", "likeness", "unread", "all unread"),
    *("unread of all words", "all unread of all words"),
    *("least explained", "mean explained", "not explained", "least score"),
    *("lost to any label", "all that is lost", "least share", "all other shares"),
    *("explained by others", "most explained by others"),
    *("mentions without use", "words", "words that ask"),
    # of the labels
    *("actions", "labels", "log of none", "least preferred", "mean preferred"),
    *("least met", "mean met"),
)
"""What is said of a reading beside how many actions of each kind it has."""
FEATURES = len(NUMBERS) + len(KINDS)
"""How many numbers say what is known of a reading."""
HIDDEN = 96
"""How wide the network is."""
SHAPES: Mapping[str, tuple[int, ...]] = {
    "judge.inner.weight": (HIDDEN, FEATURES),
    "judge.inner.bias": (HIDDEN,),
    "judge.outer.weight": (1, HIDDEN),
    "judge.plain.weight": (1, FEATURES),
    "judge.plain.bias": (1,),
}
"""The names of its weights, and their shapes."""


class WholeReading(NamedTuple):
    """A whole reading, and what the network of the reader says of it.

    Shapes are those of `network.py` for one question: `N` words and `L` labels.
    """

    words: Sequence[QuestionWord]
    actions: Sequence[ActionNumbers]
    ways: Array
    """`(L,)`: of all labels with which the question was read."""
    scores: Scores
    """Those at each position of the actions."""
    unread: float
    """How surely it leaves out the word that it leaves out most surely."""
    likeness: float
    """How much its labels are like words of the question."""


def features_of(
    readings: Sequence[WholeReading], probabilities: Sequence[float]
) -> npt.NDArray[np.float32]:
    """What is known of the readings that a question may have: `(readings, FEATURES)`.

    `probabilities` are those by which the search found them.
    """
    return np.array(
        [
            [
                *_of_search(probabilities, index),
                *_of_words(reading),
                *_of_labels(reading),
                *_of_kinds(reading),
            ]
            for index, reading in enumerate(readings)
        ],
        np.float32,
    ).reshape(len(readings), FEATURES)


def chances(
    weights: Mapping[str, Array], features: npt.NDArray[np.float32]
) -> npt.NDArray[np.float32]:
    """The probability that each of some readings is right; with that of none they are 1."""
    inner = NUMPY.gelu(linear(weights, "judge.inner", features))
    scores = linear(weights, "judge.plain", features) + inner @ weights["judge.outer.weight"].T
    return NUMPY.softmax(np.append(scores[:, 0], np.float32(0.0)), 0)[:-1]


def _of_search(probabilities: Sequence[float], index: int) -> list[float]:
    probability, best = probabilities[index], max(probabilities)
    chance = log(max(probability, _LEAST))
    return [
        chance,
        chance - log(max(best, _LEAST)),
        probability / max(sum(probabilities), _LEAST),
        probability,
        len(probabilities) / 4,
    ]


def _of_words(reading: WholeReading) -> list[float]:
    """How far the labels explain the words that ask for something, and what else would.

    Words of the question before ask for nothing here.
    """
    asking = np.array([_asks(word) for word in reading.words], bool)
    of_question = np.array([not word.is_earlier for word in reading.words], bool)
    plain = np.array([word.what == "word" for word in reading.words], bool) & of_question
    unread = NUMPY.sigmoid(reading.scores.unread[0, -1])
    chosen = list(dict.fromkeys(action.label for action in reading.actions if action.label >= 0))
    scores = reading.scores.word_label_scores[0]
    best = scores[:, chosen].max(1)[asking] if chosen else np.full(asking.sum(), -_CLEAR)
    explained, by_any = NUMPY.sigmoid(best), NUMPY.sigmoid(scores.max(1))[asking]
    shares = NUMPY.softmax(scores, 1)[:, chosen].sum(1)[asking]
    lost, by_others = by_any - explained, (1 - shares) * by_any
    return [
        reading.unread,
        log(max(1 - reading.unread, _WHOLE)),
        reading.likeness,
        unread[asking].max(initial=0.0),
        unread[asking].sum(),
        unread[plain].max(initial=0.0),
        unread[of_question].sum(),
        explained.min(initial=1.0),
        explained.mean() if len(explained) else 1.0,
        (1 - explained).sum(),
        best.min(initial=_SCALE) / _SCALE,
        lost.max(initial=0.0),
        lost.sum(),
        shares.min(initial=1.0),
        (1 - shares).sum(),
        by_others.sum(),
        by_others.max(initial=0.0),
        _without_use(reading),
        of_question.sum() / 10,
        asking.sum() / 5,
    ]


def _asks(word: QuestionWord) -> bool:
    return word.what == "word" and not word.is_earlier and word.text not in FUNCTION_WORDS


def _without_use(reading: WholeReading) -> float:
    """How many mentions no action points at; an action that is a number itself uses one."""
    pointed = {action.word for action in reading.actions}
    unused = [
        word
        for index, word in enumerate(reading.words)
        if word.what != "word" and not word.is_earlier and index not in pointed
    ]
    literals = sum(action.literal >= 0 for action in reading.actions)
    return max(0, len(unused) - literals)


def _of_labels(reading: WholeReading) -> list[float]:
    """How far each label of the reading was preferred to others, and meets the words."""
    chosen = [
        (position, action.label)
        for position, action in enumerate(reading.actions)
        if action.label >= 0
    ]
    none = float(NUMPY.softmax(reading.scores.kinds[0, 0], 0)[KIND_NUMBERS[NONE]])
    numbers = [len(reading.actions) / 5, len(chosen) / 3, log(max(none, _LEAST))]
    if not chosen:
        return [*numbers, *(_CLEAR / 4,) * 2, 1.0, 1.0]
    gaps = [_gap(reading, position, label) for position, label in chosen]
    met = reading.scores.word_label_scores[0][:, [label for _, label in chosen]].max(0)
    preferred = min(gaps) / 4, sum(gaps) / len(gaps) / 4
    return [*numbers, *preferred, met.min() / _SCALE, met.mean() / _SCALE]


def _gap(reading: WholeReading, position: int, label: int) -> float:
    """By how much a label scores higher than the best other one of its kind, within bounds."""
    scores = reading.scores.labels[0, position]
    others = (reading.ways == CLASS) == (reading.ways[label] == CLASS)
    others[label] = False
    gap = float(scores[label] - scores[others].max()) if others.any() else _CLEAR
    return min(max(gap, -_CLEAR), _CLEAR)


def _of_kinds(reading: WholeReading) -> list[float]:
    """How many actions of each kind it has."""
    counts = np.bincount([action.kind for action in reading.actions], minlength=len(KINDS))
    return counts.tolist()
