"""How the words of a question are like the labels of a graph, before anything is learnt.

Each word is held against each label: is it a word of the label, of an alias of it, related to one,
or does it begin as one? Nothing of this depends on the language but the lexicon.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from .lexicon import Lexicon
from .words import label_words

FEATURES = ("exact", "alias", "related", "begins", "pair", "rare", "covered", "class", "kind")
"""What is said of a word and a label: numbers from 0 to 1, in this order."""
_LEAST_LETTERS = 4
_LEAST_SHARE = 0.6
"""Of the longer of two words, what must be their common beginning."""


@dataclass(frozen=True)
class Entry:
    """A label, or the name of a class, as question words are held against it."""

    words: tuple[str, ...]
    alike: Mapping[str, tuple[float, float, float]]
    """By word: whether it is one of the label, of an alias, and related to one."""
    beginnings: Mapping[str, tuple[str, ...]]
    """The words of the label by their first letters."""
    pairs: frozenset[tuple[str, str]]
    """Neighbours in the label or in an alias."""

    @property
    def known(self) -> Iterable[str]:
        """What a question word has in common with it, as `beginnings` has it."""
        return (*self.alike, *(f"{start}-" for start in self.beginnings))


def beginnings(word: str) -> tuple[str, str]:
    """A word, and its first letters, by which labels are looked up."""
    return word, f"{word[:_LEAST_LETTERS]}-"


def entry_of(label: str, lexicon: Lexicon) -> Entry:
    """A label with all that its words are like."""
    words = label_words(label)
    exact = dict.fromkeys(words, 1.0)
    names = lexicon.aliases.get(words, ())
    alias = dict[str, float]()
    for name in names:
        for word in name:
            alias[word] = max(alias.get(word, 0.0), 1.0 / len(name))
    related = {other: 1.0 for word in words for other in lexicon.related.get(word, ())}
    known = {*exact, *alias, *related}
    beginnings = dict[str, tuple[str, ...]]()
    for word in words:
        if len(word) >= _LEAST_LETTERS:
            start = word[:_LEAST_LETTERS]
            beginnings[start] = (*beginnings.get(start, ()), word)
    return Entry(
        words,
        {w: (exact.get(w, 0.0), alias.get(w, 0.0), related.get(w, 0.0)) for w in known},
        beginnings,
        frozenset(pair for name in (words, *names) for pair in zip(name, name[1:], strict=False)),
    )


def matches(
    words: Sequence[tuple[str, ...]],
    labels: Sequence[Entry],
    classes: Sequence[Entry | None],
    kinds: Sequence[tuple[str, ...]] = (),
) -> npt.NDArray[np.float32]:
    """What `FEATURES` say of each word and label: an array `(words, labels, features)`.

    A word is a sequence of parts, none where it is a mention. `classes` are the classes that the
    labels lead to, where they are known; `kinds` has the words of what each mention is, and none
    for another word.
    """
    made = np.zeros((len(words), len(labels), len(FEATURES)), np.float32)
    asked = [(place, part) for place, parts in enumerate(words) for part in parts]
    following = {
        (one, other)
        for (place, one), (after, other) in zip(asked, asked[1:], strict=False)
        if after - place <= 1
    }
    for number, label in enumerate(labels):
        covered = set[str]()
        for place, part in asked:
            cell = made[place, number]
            if values := label.alike.get(part):
                cell[:3] = np.maximum(cell[:3], values)
                covered.update([part] if values[0] else [])
            if (begun := _beginning(label, part)) is not None:
                cell[3] = max(cell[3], begun[1])
                covered.add(begun[0])
        if covered:
            share = len(covered) / len(label.words)
            made[:, number, 6] = share * (made[:, number, (0, 3)].max(-1) > 0)
        for (place, one), (after, other) in zip(asked, asked[1:], strict=False):
            if (one, other) in following and (one, other) in label.pairs:
                made[place, number, 4] = made[after, number, 4] = 1.0
        if (kind := classes[number]) is not None:
            for place, part in asked:
                values = kind.alike.get(part)
                begun = _beginning(kind, part)
                best = max(values[0], 0.5 * values[1]) if values else 0.0
                made[place, number, 7] = max(
                    made[place, number, 7], best, 0.9 * begun[1] if begun else 0.0
                )
    for place, kind in enumerate(kinds):
        if kind:
            made[place, :, 8] = [label.words == kind for label in labels]
    like = made[:, :, (0, 3)].max(-1)
    held = np.maximum((like > 0).sum(1, keepdims=True), 1)
    made[:, :, 5] = like / held
    return made


def _beginning(label: Entry, part: str) -> tuple[str, float] | None:
    """The word of a label that begins most as a word does, and how much of them is alike."""
    if len(part) < _LEAST_LETTERS:
        return None
    best: tuple[str, float] | None = None
    for word in label.beginnings.get(part[:_LEAST_LETTERS], ()):
        share = _shared(word, part) / max(len(word), len(part))
        if share >= _LEAST_SHARE and (best is None or share > best[1]):
            best = word, share
    return best


def _shared(one: str, other: str) -> int:
    """How many letters two words begin with in common."""
    for place, (first, second) in enumerate(zip(one, other, strict=False)):
        if first != second:
            return place
    return min(len(one), len(other))
