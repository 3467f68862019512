"""Noise on question texts: what hurried, clumsy or foreign writers do to them.

Words that name a topic entity are kept as they are.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import TypeVar

from .english import OTHER, TOPIC, English, Texts

_Word = TypeVar("_Word")
_PUNCTUATION = re.compile(r"[,;:.'()-]")
_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_NEAR = {
    "a": "qsz", "b": "vn", "c": "xv", "d": "sfe", "e": "wrd", "f": "dgr", "g": "fht", "h": "gju",
    "i": "uok", "j": "hk", "k": "jl", "l": "kp", "m": "n", "n": "bm", "o": "ipl", "p": "ol",
    "q": "wa", "r": "et", "s": "adw", "t": "ryg", "u": "yi", "v": "cb", "w": "qe", "x": "zc",
    "y": "tu", "z": "xs",
}  # fmt: skip


def disturb(text: str, english: English, synonyms: Mapping[str, Texts], rng: Random) -> str:
    """A noisy copy of a question text."""
    text = swap_words(text, english.contractions, 0.06, rng)
    words = swap_words(text, synonyms, 0.12, rng).split(" ")
    for chance, edit in _EDITS:
        if rng.random() < chance:
            words = edit(words, english, rng)
    words = [_soften(word, rng) if _is_topic(word) else word for word in words]
    if rng.random() < 0.1:
        words = [word if _is_topic(word) else without_punctuation(word) for word in words]
    return " ".join(word for word in words if word)


def _drop_little_words(words: list[str], english: English, rng: Random) -> list[str]:
    dropped = frozenset(english.frames["dropped"])
    rate = rng.choice((0.1, 0.2, 0.5))
    return [w for w in words if w.strip(",;:.") not in dropped or rng.random() > rate] or words


def _lose_a_word(words: list[str], english: English, rng: Random) -> list[str]:
    if len(words) < 6:
        return words
    lost = rng.randrange(len(words))
    return [word for index, word in enumerate(words) if index != lost or _is_topic(word)]


def _add_filler(words: list[str], english: English, rng: Random) -> list[str]:
    index = rng.randint(0, len(words))
    return [*words[:index], rng.choice(english.frames["filler"]), *words[index:]]


def _repeat_a_word(words: list[str], english: English, rng: Random) -> list[str]:
    index = rng.randrange(len(words))
    word = words[index]
    return words if _is_topic(word) else [*words[:index], word, *words[index:]]


def _transpose(words: list[str], english: English, rng: Random) -> list[str]:
    if len(words) < 3:
        return words
    index = rng.randrange(len(words) - 1)
    return [*words[:index], words[index + 1], words[index], *words[index + 2 :]]


def _misspell_some(words: list[str], english: English, rng: Random) -> list[str]:
    changed = list(words)
    for _ in range(rng.choice((1, 1, 2))):
        index = rng.randrange(len(words))
        if len(changed[index]) > 3 and not _is_topic(changed[index]):
            changed[index] = misspell(changed[index], rng)
    return changed


_EDITS = (
    (0.45, _drop_little_words),
    (0.12, _lose_a_word),
    (0.15, _add_filler),
    (0.06, _repeat_a_word),
    (0.08, _transpose),
    (0.3, _misspell_some),
)
"""How many of the texts get each change, in this order."""


def scramble(text: str, others: Sequence[str], rng: Random) -> str:
    """A text of which words are lost, replaced by `others`, added, and moved by a few places.

    A model that learns from these too goes by all the words, not by turns of phrase; where common
    words are common among the others, not by these.
    """
    lost = rng.choice((0.0, 0.1, 0.25, 0.4))
    reach = rng.choice((0.0, 1.5, 3.0, 6.0))
    words = list[str]()
    for word in text.split(" "):
        if not _is_topic(word):
            if rng.random() < lost:
                continue
            if rng.random() < 0.05:
                word = rng.choice(others)
        words.append(word)
        if rng.random() < 0.05:
            words.append(rng.choice(others))
    keys = [index + reach * rng.random() for index in range(len(words))]
    return " ".join(word for _, word in sorted(zip(keys, words, strict=True)))


def swap_words(text: str, options: Mapping[str, Texts], rate: float, rng: Random) -> str:
    """Replace words or pairs of words by others that may stand for them, each at a rate."""

    def others(window: Sequence[str]) -> list[tuple[str]]:
        return [(other,) for other in options.get(" ".join(window), ())]

    return " ".join(swap_windows(tuple(text.split(" ")), others, rate, rng))


def swap_windows(
    words: tuple[_Word, ...],
    others: Callable[[tuple[_Word, ...]], Sequence[tuple[_Word, ...]]],
    rate: float,
    rng: Random,
) -> tuple[_Word, ...]:
    """Replace pairs of words, else single ones, by one of their `others`, each at a rate."""
    swapped, index = list[_Word](), 0
    while index < len(words):
        for length in (2, 1):
            choices = others(words[index : index + length])
            if choices and rng.random() < rate:
                swapped += rng.choice(choices)
                index += length
                break
        else:
            swapped.append(words[index])
            index += 1
    return tuple(swapped)


def without_punctuation(word: str) -> str:
    """A word without the signs between words and around them."""
    return _PUNCTUATION.sub("", word)


def misspell(word: str, rng: Random) -> str:
    """A word with one slip of the hand: a letter lost, doubled, swapped, wrong or added."""
    index = rng.randrange(len(word) - 1)
    before, letter, after = word[:index], word[index], word[index + 1 :]
    slip = rng.randrange(5)
    if slip == 0:
        return before + after
    if slip == 1:
        return before + letter + letter + after
    if slip == 2:
        return before + after[0] + letter + after[1:]
    if slip == 3:
        return before + rng.choice(_NEAR.get(letter, _LETTERS)) + after
    return before + rng.choice(_LETTERS) + letter + after


def _is_topic(word: str) -> bool:
    return TOPIC in word or OTHER in word


def _soften(word: str, rng: Random) -> str:
    """Endings that names take: a genitive without its apostrophe, a plural."""
    if word.endswith("'s") and rng.random() < 0.3:
        return word[:-2] + rng.choice(("s", "'", "", " s", "´s", "’s"))
    if word in (TOPIC, OTHER) and rng.random() < 0.04:
        return word + rng.choice(("s", "'s", "n", "'", "?", ","))
    return word
