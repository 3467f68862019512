"""How the words of a question are like the labels of a graph, before anything is learnt.

Each word is held against each label: is it a word of the label, of an alias of it, related to one,
or does it begin as one? Nothing of this depends on the language but the lexicon.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from os.path import commonprefix

import numpy as np
import numpy.typing as npt

from ..linking.words import singular
from .lexicon import Lexicon, label_words

FEATURES = (
    *("exact", "alias", "related", "begins", "pair", "rare", "covered"),
    *("class", "kind", "class_related"),
)
"""What is said of a word and a label: numbers from 0 to 1, in this order."""
EXACT, ALIAS, RELATED, BEGINS, PAIR, RARE, COVERED, CLASS, KIND, CLASS_RELATED = range(
    len(FEATURES)
)
_LEAST_LETTERS = 4
_SHORT = 3
"""Letters of a word of a label that a word of one letter more may begin with: `hut` and `huts`."""
_LEAST_SHARE = 0.6
"""Of the longer of two words, what must be their common beginning."""
_PLURAL = 0.75
"""How much a plural begins as its word does, at least: as *huts*, however it ends."""
_FORM_LETTERS = 6
"""The fewest letters of the longer of two forms of one word."""
_ENDING = 2
"""The most letters in which they may differ."""


@dataclass(frozen=True)
class Entry:
    """A label, or the name of a class, as question words are held against it."""

    words: tuple[str, ...]
    alike: Mapping[str, tuple[float, float, float]]
    """By word: whether it is one of the label, of an alias, and related to one."""
    beginnings: Mapping[str, tuple[str, ...]]
    """The words of the label by their first letters."""
    forms: Mapping[str, tuple[str, ...]]
    """The words of aliases and the related words, by their first letters."""
    pairs: frozenset[tuple[str, str]]
    """Neighbours in the label or in an alias."""

    @property
    def match_keys(self) -> Iterable[str]:
        """What a question word has in common with it, as `beginnings` has it."""
        return (*self.alike, *(f"{start}-" for start in self.beginnings))


def beginnings(word: str) -> tuple[str, ...]:
    """A word, its first letters, and forms that it may be one of, by which labels are looked up."""
    forms = (word[:-count] for count in range(1, _ENDING + 1) if len(word) >= _FORM_LETTERS)
    return word, f"{word[:_SHORT]}-", f"{word[:_LEAST_LETTERS]}-", *forms


def entry_of(label: str, lexicon: Lexicon) -> Entry:
    """A label with all that its words are like."""
    words = label_words(label)
    exact = dict.fromkeys((*words, "".join(words)), 1.0)
    names = lexicon.aliases.get(words, ())
    alias = dict[str, float]()
    for name in names:
        for word in name:
            alias[word] = max(alias.get(word, 0.0), 1.0 / len(name))
    related = {other: 1.0 for word in words for other in lexicon.related.get(word, ())}
    known = {*exact, *alias, *related}
    return Entry(
        words,
        {w: (exact.get(w, 0.0), alias.get(w, 0.0), related.get(w, 0.0)) for w in known},
        _words_by_start(words, _SHORT),
        _words_by_start(sorted(alias.keys() | related.keys()), _FORM_LETTERS - _ENDING),
        frozenset(pair for name in (words, *names) for pair in pairwise(name)),
    )


def _words_by_start(words: Iterable[str], least: int) -> dict[str, tuple[str, ...]]:
    """Words of at least so many letters, by their first four letters."""
    words_by_start = dict[str, tuple[str, ...]]()
    for word in words:
        if len(word) >= least:
            start = word[:_LEAST_LETTERS]
            words_by_start[start] = (*words_by_start.get(start, ()), word)
    return words_by_start


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
    features = np.zeros((len(words), len(labels), len(FEATURES)), np.float32)
    parts = [(index, part) for index, word in enumerate(words) for part in word]
    pairs = list(pairwise(parts))
    neighbours = {
        (part_, next_part) for (index, part_), (after, next_part) in pairs if after - index <= 1
    }
    pairs = [pair for pair in pairs if (pair[0][1], pair[1][1]) in neighbours]
    for number, (label, tail) in enumerate(zip(labels, classes, strict=True)):
        cells = features[:, number]
        _match_label(cells, label, parts)
        for (index, part_), (after, next_part) in pairs:
            if (part_, next_part) in label.pairs:
                cells[[index, after], PAIR] = 1.0
        if tail is not None:
            _match_tail(cells, tail, parts)
    for index, kind in enumerate(kinds):
        if kind:
            features[index, :, KIND] = [label.words == kind for label in labels]
    like = features[:, :, (EXACT, BEGINS)].max(-1)
    features[:, :, RARE] = like / np.maximum((like > 0).sum(1, keepdims=True), 1)
    return features


def _match_label(
    cells: npt.NDArray[np.float32], label: Entry, parts: Sequence[tuple[int, str]]
) -> None:
    """Write how each word, by its parts, is like a label: `cells` are `(words, features)`."""
    covered = set[str]()
    for index, word_part in parts:
        if values := label.alike.get(word_part):
            cells[index, :BEGINS] = np.maximum(cells[index, :BEGINS], values)
            if values[EXACT]:
                covered.add(word_part)
        elif word_part[:_LEAST_LETTERS] in label.forms:
            for word, share in _forms(label, word_part):
                _, *others = label.alike[word]
                cells[index, ALIAS:BEGINS] = np.maximum(
                    cells[index, ALIAS:BEGINS], np.multiply(others, share)
                )
        if begun := _beginning(label, word_part):
            word, share = begun
            cells[index, BEGINS] = max(cells[index, BEGINS], share)
            covered.add(word)
    if covered:
        share = min(1.0, len(covered) / len(label.words))
        cells[:, COVERED] = share * (cells[:, (EXACT, BEGINS)].max(-1) > 0)


def _match_tail(
    cells: npt.NDArray[np.float32], tail: Entry, parts: Sequence[tuple[int, str]]
) -> None:
    for index, word_part in parts:
        exact, alias, related = tail.alike.get(word_part, (0.0, 0.0, 0.0))
        cells[index, CLASS_RELATED] = max(cells[index, CLASS_RELATED], related)
        begun = _beginning(tail, word_part)
        cells[index, CLASS] = max(
            cells[index, CLASS], max(exact, 0.5 * alias), 0.9 * begun[1] if begun else 0.0
        )


def _beginning(label: Entry, word_part: str) -> tuple[str, float] | None:
    """The word of a label that begins most as a word does, and how much of them is alike."""
    if len(word_part) < _LEAST_LETTERS:
        return None
    words = label.beginnings.get(word_part[:_LEAST_LETTERS], ())
    if len(word_part) == _SHORT + 1:
        words += label.beginnings.get(word_part[:_SHORT], ())
    shares = [
        (_shared_start(word, word_part) / max(len(word), len(word_part)), word) for word in words
    ]
    one = singular(word_part)
    if one != word_part and label.alike.get(one, (0.0,))[EXACT]:
        shares.append((_PLURAL, one))
    share, word = max(shares, default=(0.0, ""))
    return (word, share) if share >= _LEAST_SHARE else None


def _forms(label: Entry, word_: str) -> Iterable[tuple[str, float]]:
    """The words like a label's of which a word may be another form, and how much is alike."""
    for word in label.forms[word_[:_LEAST_LETTERS]]:
        alike, longer = _shared_start(word, word_), max(len(word), len(word_))
        if longer >= _FORM_LETTERS and longer - alike <= _ENDING:
            yield word, alike / longer


def _shared_start(word: str, other: str) -> int:
    """The letters that two words begin with alike."""
    return len(commonprefix((word, other)))
