"""Questions, labels and actions as the numbers that the network reads."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ..query.actions import LITERAL, Action
from ..query.letters import MOST_PIECES
from .lexicon import Lexicon
from .matching import FEATURES, Entry, entry_of, matches
from .network import KINDS, LITERALS, Batch, kind_of
from .words import MOST_LABEL_WORDS, READ, WHATS, QuestionWord, label_words, rows_of

FORWARD, INVERSE, CLASS = 0, 1, 2
KIND_NUMBERS = {name: number for number, name in enumerate(KINDS)}
_CLASS_WORDS = 4


class Label(NamedTuple):
    """A name that an action may have, as it is called here, and the class that it leads to."""

    name: str
    way: int
    called: str
    tail: str = ""

    @property
    def key(self) -> tuple[str, int]:
        """By what an action has it."""
        return self.name, self.way


class Acted(NamedTuple):
    """An action in numbers; -1 for what it does not have."""

    kind: int
    label: int = -1
    word: int = -1
    literal: int = -1


@dataclass(frozen=True)
class Posed:
    """A question with the labels that may be chosen, and the actions so far."""

    words: Sequence[QuestionWord]
    labels: Sequence[Label]
    actions: Sequence[Acted] = ()
    told: bool = True
    """Whether the classes of mentions are known."""
    unknown: Collection[str] = frozenset()
    """Words whose meaning is not known, though the lexicon may have them."""
    met: npt.NDArray[np.float32] | None = None
    """What `matches` says of the words and labels, where that is known already."""


def acted(
    actions: Sequence[Action], words: Sequence[QuestionWord], labels: Sequence[Label]
) -> list[Acted]:
    """Actions in numbers. Raises KeyError for one whose label or word is not there."""
    at_label = {label.key: place for place, label in enumerate(labels)}
    at_word = {word.mention: place for place, word in enumerate(words) if word.mention is not None}
    made = list[Acted]()
    for place, own in enumerate(actions):
        kind = KIND_NUMBERS[kind_of(own)]
        if own.name:
            made.append(Acted(kind, label=at_label[own.name, way_of(own)]))
        elif own.number is None:
            made.append(Acted(kind))
        elif place and actions[place - 1].kind in LITERAL:
            made.append(Acted(kind, literal=min(own.number, LITERALS - 1)))
        else:
            made.append(Acted(kind, word=at_word[own.number]))
    return made


def way_of(action: Action) -> int:
    """The way of the label of an action."""
    return CLASS if action.kind == "class" else int(action.inverse)


@dataclass
class Inputs:
    """Makes batches; what labels are like is kept."""

    lexicon: Lexicon
    _entries: dict[str, Entry] = field(default_factory=dict[str, Entry])

    def entry(self, label: str) -> Entry:
        """A label as words are held against it."""
        found = self._entries.get(label)
        if found is None:
            found = self._entries[label] = entry_of(label, self.lexicon)
        return found

    def matches(
        self, words: Sequence[QuestionWord], labels: Sequence[Label], told: bool = True
    ) -> npt.NDArray[np.float32]:
        """What `matching` says of each word and label; of classes only where they are `told`."""
        entries = [self.entry(own.called) for own in labels]
        tails = [self.entry(own.tail) if own.tail else None for own in labels]
        kinds = [label_words(word.kind) if told else () for word in words]
        return matches([word.parts for word in words], entries, tails, kinds)

    def batch(self, posed: Sequence[Posed]) -> Batch:
        """Questions side by side.

        The words of labels are read by their meaning alone, also where the question has them: what
        was learnt of the letters of some labels says nothing of others.
        """
        import torch

        known: dict[_Read, int] = {_Read("", False, True): 0}

        def numbers(own: Posed, words: Sequence[str], named: set[str], most: int) -> list[int]:
            read = (_Read(w, w not in named, w not in own.unknown) for w in words[:most])
            several = [known.setdefault(word, len(known)) for word in read]
            return several + [0] * (most - len(several))

        size = len(posed)
        count = max(len(own.words) for own in posed)
        wide = max(1, *(len(own.labels) for own in posed))
        steps = max(len(own.actions) for own in posed)
        words = np.zeros((size, count), np.int64)
        whats = np.full((size, count), -1, np.int64)
        earlier = np.zeros((size, count), np.int64)
        classes = np.zeros((size, count, _CLASS_WORDS), np.int64)
        labels = np.zeros((size, wide, MOST_LABEL_WORDS), np.int64)
        tails = np.zeros((size, wide, _CLASS_WORDS), np.int64)
        ways = np.full((size, wide), -1, np.int64)
        met = np.zeros((size, count, wide, len(FEATURES)), np.float32)
        acts = np.full((4, size, steps), -1, np.int64)
        for row, own in enumerate(posed):
            named = _named_by(own)
            for place, word in enumerate(own.words):
                whats[row, place] = WHATS.index(word.what)
                earlier[row, place] = word.is_earlier
                if word.what in READ:
                    words[row, place] = numbers(own, [word.text], named, 1)[0]
                elif own.told:
                    kind = label_words(word.kind)
                    classes[row, place] = numbers(own, kind, named, _CLASS_WORDS)
            for place, label in enumerate(own.labels):
                ways[row, place] = label.way
                called, tail = label_words(label.called), label_words(label.tail)
                labels[row, place] = numbers(own, called, named, MOST_LABEL_WORDS)
                tails[row, place] = numbers(own, tail, named, _CLASS_WORDS)
            likeness = own.met
            if likeness is None:
                likeness = self.matches(own.words, own.labels, own.told)
            met[row, : len(own.words), : len(own.labels)] = likeness
            for place, action in enumerate(own.actions):
                acts[:, row, place] = action
        pieces = np.zeros((len(known), MOST_PIECES), np.int64)
        for word, at in known.items():
            rows = rows_of(word.text) if word.by_letters else ()
            pieces[at, : len(rows)] = rows
        meant = self._meant([own.text if own.by_meaning else "" for own in known])
        classes, labels, tails = map(_narrow, (classes, labels, tails))
        arrays = (pieces, meant, words, whats, earlier, classes, labels, tails, ways, met, *acts)
        return Batch(*map(torch.from_numpy, arrays))

    def _meant(self, words: Sequence[str]) -> npt.NDArray[Any]:
        """The meaning of each word, as `Batch` has it; of the empty one nothing."""
        encoder = self.lexicon.encoder
        if encoder is None:
            return np.array([self.lexicon.meanings.get(word, 0) for word in words], np.int64)
        return encoder.vectors(words)


class _Read(NamedTuple):
    """A word, and by what it is read."""

    text: str
    by_letters: bool
    by_meaning: bool


def _named_by(own: Posed) -> set[str]:
    """The words of the labels and classes that a question is read with."""
    named = {word for label in own.labels for word in label_words(label.called)}
    named.update(word for label in own.labels for word in label_words(label.tail))
    if own.told:
        named.update(part for word in own.words for part in label_words(word.kind))
    return named


def _narrow(numbers: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Without the last columns that are empty everywhere; one is left."""
    used = np.flatnonzero(numbers.any(axis=(0, 1)))
    return np.ascontiguousarray(numbers[..., : used[-1] + 1 if len(used) else 1])
