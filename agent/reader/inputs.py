"""Questions, labels and actions as the numbers that the network reads.

The letters of shapes are those of `network.py`; `C` are the words of a class.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, get_args

import numpy as np
import numpy.typing as npt

from ..operations import Array
from ..query.account import MOST_PIECES, letter_rows
from ..query.actions import LITERAL, Action, Kind
from ..query.tree import AGGREGATES
from .lexicon import BUCKETS, MOST_LABEL_WORDS, READ, WHATS, Lexicon, QuestionWord, label_words
from .matching import FEATURES, Entry, entry_of, matches

NONE = "none"
_NAMED: tuple[Kind, ...] = (
    *("class", "has", "step", "then", "where", "group", "most", "least", "column"),
    *AGGREGATES,
)
KINDS: tuple[str, ...] = (*get_args(Kind), *(f"{kind}*" for kind in _NAMED), NONE)
"""Kinds of actions, those with a name apart; and that nothing which is legal fits."""
MOST_STEPS = 32
LITERALS = 32
"""Numbers that an action may name itself."""


@dataclass(frozen=True)
class Size:
    """How large a reader is."""

    width: int = 192
    table: int = 64
    layers: int = 4
    heads: int = 4
    meanings: int = 0
    """Words whose meaning is known beforehand; none where an encoder says what words mean."""
    meaning: int = 64
    """Numbers that a meaning has."""
    joint: int = 0
    """After how many of the layers words and labels see each other."""


class Batch(NamedTuple):
    """Questions with labels and actions, padded; 0 pads rows, and -1 numbers of things.

    Arrays of NumPy, or of torch where it trains on them.

    `pieces (U, P)` are the rows of all distinct words, the first without any; others are numbers
    of these.
    """

    pieces: Array
    meant: Array
    """`(U,)`: the row of each distinct word in the table of meanings; 0 where it has none.

    Or `(U, meaning)`: the meanings themselves, by an encoder.
    """
    words: Array
    """`(B, N)`: words of the question; 0 for a mention, and where there is none."""
    whats: Array
    """`(B, N)`: what each word is, by its number in `WHATS`; -1 where there is none."""
    earlier: Array
    """`(B, N)`: 1 for a word of the question before, else 0."""
    classes: Array
    """`(B, N, C)`: the words of the class of a mention."""
    labels: Array
    """`(B, L, W)`: the words of each label."""
    tails: Array
    """`(B, L, C)`: the words of the class that a label leads to."""
    ways: Array
    """`(B, L)`: 0 forward, 1 inverse, 2 a class; -1 where there is no label."""
    matches: Array
    """`(B, N, L, F)`: what `matching` says of each word and label."""
    kinds: Array
    """`(B, T)`: the kind of each action; -1 where there is none."""
    chosen: Array
    """`(B, T)`: the label of each action, or -1."""
    pointed: Array
    """`(B, T)`: the word that each action points at, or -1."""
    literal: Array
    """`(B, T)`: the number that each action is, or -1."""

    def of_actions(self, queries: "Sequence[Sequence[ActionNumbers]]") -> "Batch":
        """The same one question before each of some equally long sequences of actions."""
        kinds, chosen, pointed, literal = in_arrays(queries, len(queries[0]))
        return self._replace(kinds=kinds, chosen=chosen, pointed=pointed, literal=literal)


def kind_of(action: Action) -> str:
    """The kind of an action, as `KINDS` has it."""
    return f"{action.kind}*" if action.name else action.kind


FORWARD, INVERSE, CLASS = 0, 1, 2
"""The ways of a label: a relation from head to tail, from tail to head, or a class."""
KIND_NUMBERS = {name: number for number, name in enumerate(KINDS)}
_CLASS_WORDS = 4


class Label(NamedTuple):
    """A name that an action may have, what it is called here, and the class that it leads to."""

    name: str
    way: int
    called: str
    tail: str = ""

    @property
    def key(self) -> tuple[str, int]:
        """By what an action has it."""
        return self.name, self.way


class ActionNumbers(NamedTuple):
    """An action in numbers; -1 for what it does not have."""

    kind: int
    label: int = -1
    word: int = -1
    literal: int = -1


@dataclass(frozen=True)
class PartialReading:
    """A question with the labels that may be chosen, and the actions so far."""

    words: Sequence[QuestionWord]
    labels: Sequence[Label]
    actions: Sequence[ActionNumbers] = ()
    knows_classes: bool = True
    """Whether the classes of mentions are known."""
    unknown: Collection[str] = frozenset()
    """Words whose meaning is not known, though the lexicon may have them."""
    matches: npt.NDArray[np.float32] | None = None
    """What `matches` says of the words and labels, where that is known already."""


def number_actions(
    actions: Sequence[Action], words: Sequence[QuestionWord], labels: Sequence[Label]
) -> list[ActionNumbers]:
    """Actions in numbers. Raises KeyError for one whose label or word is not there."""
    label_at = {label.key: index for index, label in enumerate(labels)}
    word_at = {word.mention: index for index, word in enumerate(words) if word.mention is not None}
    numbers = list[ActionNumbers]()
    for index, action in enumerate(actions):
        kind = KIND_NUMBERS[kind_of(action)]
        if action.name:
            numbers.append(ActionNumbers(kind, label=label_at[action.name, label_way(action)]))
        elif action.number is None:
            numbers.append(ActionNumbers(kind))
        elif index and actions[index - 1].kind in LITERAL:
            numbers.append(ActionNumbers(kind, literal=min(action.number, LITERALS - 1)))
        else:
            numbers.append(ActionNumbers(kind, word=word_at[action.number]))
    return numbers


def in_arrays(queries: Sequence[Sequence[ActionNumbers]], steps: int) -> npt.NDArray[np.int64]:
    """The actions of some queries, as `Batch` has them one after another: `(4, B, T)`."""
    arrays = np.full((len(ActionNumbers._fields), len(queries), steps), -1, np.int64)
    for row, actions in enumerate(queries):
        for index, numbers in enumerate(actions):
            arrays[:, row, index] = numbers
    return arrays


def label_way(action: Action) -> int:
    """The way of the label of an action."""
    return CLASS if action.kind == "class" else int(action.inverse)


class _BatchWord(NamedTuple):
    """A word of a batch, and by what it is read."""

    text: str
    by_letters: bool
    by_meaning: bool


class _BatchWords:
    """The distinct words of a batch by number; 0 stands for none."""

    def __init__(self) -> None:
        self._numbers = {_BatchWord("", by_letters=False, by_meaning=True): 0}
        self._named = set[str]()
        self._unknown: Collection[str] = ()

    def start_question(self, reading: PartialReading) -> None:
        """Number the words of another question from now on."""
        names = [name for label in reading.labels for name in (label.called, label.tail)]
        if reading.knows_classes:
            names += [word.kind for word in reading.words]
        self._named = {word for name in names for word in label_words(name)}
        self._unknown = reading.unknown

    def number(self, text: str) -> int:
        word = _BatchWord(text, text not in self._named, text not in self._unknown)
        return self._numbers.setdefault(word, len(self._numbers))

    def fill(self, row: npt.NDArray[np.int64], name: str) -> None:
        """Write the words of a label or class into a row, as many as it has columns."""
        numbers = [self.number(word) for word in label_words(name)[: len(row)]]
        row[: len(numbers)] = numbers

    def pieces(self) -> npt.NDArray[np.int64]:
        """The rows of each word that is read by its letters."""
        pieces = np.zeros((len(self._numbers), MOST_PIECES), np.int64)
        for word, number in self._numbers.items():
            rows = letter_rows(word.text, BUCKETS) if word.by_letters else ()
            pieces[number, : len(rows)] = rows
        return pieces

    def meanings(self, lexicon: Lexicon) -> npt.NDArray[Any]:
        """The meaning of each word, as `Batch` has it; of the empty one nothing."""
        words = [word.text if word.by_meaning else "" for word in self._numbers]
        if lexicon.encoder is not None:
            return lexicon.encoder.vectors(words)
        return np.array([lexicon.meaning(word) for word in words], np.int64)


@dataclass
class Inputs:
    """Makes batches; what labels are like is kept."""

    lexicon: Lexicon
    _entries: dict[str, Entry] = field(default_factory=dict[str, Entry])

    def entry(self, label: str) -> Entry:
        """A label as words are held against it."""
        if label not in self._entries:
            self._entries[label] = entry_of(label, self.lexicon)
        return self._entries[label]

    def matches(
        self,
        words: Sequence[QuestionWord],
        labels: Sequence[Label],
        *,
        knows_classes: bool = True,
    ) -> npt.NDArray[np.float32]:
        """What `matching` says of each word and label; of classes only where they are known."""
        entries = [self.entry(label.called) for label in labels]
        tails = [self.entry(label.tail) if label.tail else None for label in labels]
        kinds = [label_words(word.kind) if knows_classes else () for word in words]
        return matches([word.parts for word in words], entries, tails, kinds)

    def batch(self, readings: Sequence[PartialReading]) -> Batch:
        """Questions side by side.

        The words of labels are read by their meaning alone, also where the question has them: what
        was learnt of the letters of some labels says nothing of others.
        """
        size, distinct = len(readings), _BatchWords()
        count = max(len(reading.words) for reading in readings)
        wide = max(1, *(len(reading.labels) for reading in readings))
        steps = max(len(reading.actions) for reading in readings)
        words = np.zeros((size, count), np.int64)
        whats = np.full((size, count), -1, np.int64)
        earlier = np.zeros((size, count), np.int64)
        classes = np.zeros((size, count, _CLASS_WORDS), np.int64)
        labels = np.zeros((size, wide, MOST_LABEL_WORDS), np.int64)
        tails = np.zeros((size, wide, _CLASS_WORDS), np.int64)
        ways = np.full((size, wide), -1, np.int64)
        likeness = np.zeros((size, count, wide, len(FEATURES)), np.float32)
        actions = in_arrays([reading.actions for reading in readings], steps)
        for row, reading in enumerate(readings):
            distinct.start_question(reading)
            for index, word in enumerate(reading.words):
                whats[row, index] = WHATS.index(word.what)
                earlier[row, index] = word.is_earlier
                if word.what in READ:
                    words[row, index] = distinct.number(word.text)
                elif reading.knows_classes:
                    distinct.fill(classes[row, index], word.kind)
            for index, label in enumerate(reading.labels):
                ways[row, index] = label.way
                distinct.fill(labels[row, index], label.called)
                distinct.fill(tails[row, index], label.tail)
            features = reading.matches
            if features is None:
                features = self.matches(
                    reading.words, reading.labels, knows_classes=reading.knows_classes
                )
            likeness[row, : len(reading.words), : len(reading.labels)] = features
        meant = distinct.meanings(self.lexicon)
        classes, labels, tails = map(_without_empty_columns, (classes, labels, tails))
        arrays = (distinct.pieces(), meant, words, whats, earlier)
        arrays = (*arrays, classes, labels, tails, ways, likeness, *actions)
        return Batch(*arrays)


def _without_empty_columns(numbers: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Without the last columns that are empty everywhere; one is left."""
    used = np.flatnonzero(numbers.any(axis=(0, 1)))
    return np.ascontiguousarray(numbers[..., : used[-1] + 1 if len(used) else 1])
