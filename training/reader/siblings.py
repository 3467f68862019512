"""Questions and labels that are easily mistaken for each other: they differ in one word.

The *death date* is not the *birth date*, and a *population density* is no *population*. A reader
learns it from questions of which one word is changed, and from labels of which one is.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from random import Random
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from ...agent.reader.lexicon import MOST_LABEL_WORDS, MOST_WORDS, QuestionWord, label_words
from .naming import meaningless_words

_MOST_ALIKE = 0.35
"""The cosine of the vectors of two words, at most, that say different things."""
_ALIKE = 0.6
"""That of words that may be said for each other, at least."""
_SHORTEST = 4
"""Letters of a word that is added to a question: shorter ones are often signs."""
_TRIED = 4
"""Words that are tried for one word of a label."""
_GENERAL = 40
"""Labels of which a last word is too general to change what they say, as in *director name*."""

Words: TypeAlias = tuple[str, ...]
Vector: TypeAlias = npt.NDArray[np.float32]


class Sibling(NamedTuple):
    """A label that says something else by a `word`, which it has for one of the other label."""

    label: str
    word: str
    instead_of: str


class Mistaken(NamedTuple):
    """A question that a label does not fit; and the word for which it does not."""

    words: tuple[QuestionWord, ...]
    label: str
    word: str


@dataclass(frozen=True)
class Siblings:
    """By a label without one of its words, the words that others have there; and what follows it.

    `vectors` of length 1 say what words mean; words `apart` are never said for each other.
    """

    others: Mapping[Words, Sequence[str]] = field(default_factory=dict[Words, Sequence[str]])
    after: Mapping[Words, Sequence[str]] = field(default_factory=dict[Words, Sequence[str]])
    vectors: Mapping[str, Vector] = field(default_factory=dict[str, Vector])
    apart: Mapping[str, Collection[str]] = field(default_factory=dict[str, Collection[str]])

    def sibling(self, label: str, rng: Random) -> Sibling | None:
        """A label that says something else by one word; None where none is known."""
        words = label_words(label)
        telling = [at for at, word in enumerate(words) if word not in meaningless_words()]
        for at in rng.sample(telling, len(telling)):
            apart = sorted(self.apart.get(words[at], ()))
            others = self.others.get(_without(words, at), ()) if len(words) > 1 else ()
            for other in _some(apart, rng) + _some(others, rng):
                if other in apart or self._differ(words[at], other):
                    changed = " ".join((*words[:at], other, *words[at + 1 :]))
                    return Sibling(changed, other, words[at])
        return None

    def mistaken(self, words: Sequence[QuestionWord], label: str, rng: Random) -> Mistaken | None:
        """A question and a label that do not fit, made of two that do; None where nothing is known.

        Where the question asks for a word of the label, the label has another one in its place, or,
        of a word that the question has once, in half of the draws the question. Else a question
        that has the whole label gets a word more after it.
        """
        asked = {part for word in words for part in word.parts}
        sibling = self.sibling(label, rng)
        if not sibling or sibling.word in asked or not self._is_asked(sibling.instead_of, asked):
            return self._with_word_after(words, label, asked, rng)
        at = [index for index, word in enumerate(words) if word.parts == (sibling.instead_of,)]
        if len(at) == 1 and rng.random() < 0.5:
            question = list(words)
            question[at[0]] = replace(words[at[0]], text=sibling.word)
            return Mistaken(tuple(question), label, sibling.word)
        return Mistaken(tuple(words), sibling.label, sibling.instead_of)

    def _with_word_after(
        self, words: Sequence[QuestionWord], label: str, asked: Collection[str], rng: Random
    ) -> Mistaken | None:
        """The question with a word after the whole label that it has; None where none is known."""
        known = label_words(label)
        ends = [
            end
            for end in range(len(known), len(words) + 1)
            if [word.parts for word in words[end - len(known) : end]] == [(w,) for w in known]
        ]
        added = [word for word in _some(self.after.get(known, ()), rng) if word not in asked]
        if len(ends) != 1 or not added or len(words) >= MOST_WORDS:
            return None
        before, after = words[: ends[0]], words[ends[0] :]
        new_word = QuestionWord(before[-1].start, before[-1].end, added[0])
        return Mistaken((*before, new_word, *after), label, added[0])

    def _is_asked(self, word: str, asked: Collection[str]) -> bool:
        """Whether a question of these words has a word, or one that says the same."""
        if word in asked:
            return True
        known = [self.vectors[other] for other in asked if other in self.vectors]
        if word not in self.vectors or not known:
            return False
        return float(np.max(np.stack(known) @ self.vectors[word])) >= _ALIKE

    def _differ(self, word: str, other: str) -> bool:
        """Whether two words are known to say different things."""
        if word not in self.vectors or other not in self.vectors:
            return False
        return float(self.vectors[word] @ self.vectors[other]) < _MOST_ALIKE


def siblings_of(
    labels: Iterable[str],
    vectors: Mapping[str, Vector],
    apart: Mapping[str, Collection[str]],
) -> Siblings:
    """What other labels have for the words of labels, and after them."""
    every = {words for label in labels if 0 < len(words := label_words(label)) < MOST_LABEL_WORDS}
    others, after = defaultdict[Words, list[str]](list), defaultdict[Words, list[str]](list)
    lasts = Counter(words[-1] for words in every if len(words) > 1)
    for words in sorted(every):
        if len(words) == 1:
            continue
        for at, word in enumerate(words):
            if word not in meaningless_words():
                others[_without(words, at)].append(word)
        is_word = len(words[-1]) >= _SHORTEST and words[-1] in vectors
        if is_word and lasts[words[-1]] < _GENERAL:
            after[words[:-1]].append(words[-1])
    return Siblings(others, after, vectors, apart)


def _without(words: Words, at: int) -> Words:
    return (*words[:at], "", *words[at + 1 :])


def _some(words: Sequence[str], rng: Random) -> list[str]:
    return rng.sample(words, min(len(words), _TRIED))
