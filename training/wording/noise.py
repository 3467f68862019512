"""Noise on question texts: what hurried, clumsy or foreign writers do to them.

Words that name a topic entity are kept as they are.
"""

import re
from collections.abc import Mapping, Sequence
from random import Random

from ..questions.clauses import OTHER, TOPIC
from .english import English, Texts

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
    text = swap_words(text, synonyms, 0.12, rng)
    words = text.split(" ")
    if rng.random() < 0.45:
        dropped = frozenset(english.frames["dropped"])
        rate = rng.choice((0.1, 0.2, 0.5))
        words = [w for w in words if w.strip(",;:.") not in dropped or rng.random() > rate] or words
    if rng.random() < 0.12 and len(words) > 5:
        words = _without_one(words, rng)
    if rng.random() < 0.15:
        place = rng.randint(0, len(words))
        words[place:place] = [rng.choice(english.frames["filler"])]
    if rng.random() < 0.06:
        place = rng.randrange(len(words))
        words[place:place] = [words[place]] if not _is_topic(words[place]) else []
    if rng.random() < 0.08 and len(words) > 2:
        place = rng.randrange(len(words) - 1)
        words[place : place + 2] = reversed(words[place : place + 2])
    if rng.random() < 0.3:
        for _ in range(rng.choice((1, 1, 2))):
            place = rng.randrange(len(words))
            if len(words[place]) > 3 and not _is_topic(words[place]):
                words[place] = misspell(words[place], rng)
    words = [_soften(word, rng) if _is_topic(word) else word for word in words]
    if rng.random() < 0.1:
        words = [word if _is_topic(word) else re.sub(r"[,;:.'()-]", "", word) for word in words]
    return " ".join(word for word in words if word)


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
    keys = [place + reach * rng.random() for place in range(len(words))]
    return " ".join(word for _, word in sorted(zip(keys, words, strict=True)))


def swap_words(text: str, options: Mapping[str, Texts], rate: float, rng: Random) -> str:
    """Replace words or pairs of words by others that may stand for them, each at a rate."""
    words, swapped, place = text.split(" "), list[str](), 0
    while place < len(words):
        for length in (2, 1):
            found = options.get(" ".join(words[place : place + length]))
            if found and rng.random() < rate:
                swapped.append(rng.choice(found))
                place += length
                break
        else:
            swapped.append(words[place])
            place += 1
    return " ".join(swapped)


def misspell(word: str, rng: Random) -> str:
    """A word with one slip of the hand: a letter lost, doubled, swapped, wrong or added."""
    place = rng.randrange(len(word) - 1)
    letter = word[place]
    slip = rng.randrange(5)
    if slip == 0:
        return word[:place] + word[place + 1 :]
    if slip == 1:
        return word[:place] + letter + word[place:]
    if slip == 2:
        return word[:place] + word[place + 1] + letter + word[place + 2 :]
    if slip == 3:
        return word[:place] + rng.choice(_NEAR.get(letter, _LETTERS)) + word[place + 1 :]
    return word[:place] + rng.choice(_LETTERS) + word[place:]


def _without_one(words: Sequence[str], rng: Random) -> list[str]:
    place = rng.randrange(len(words))
    return [w for at, w in enumerate(words) if at != place or _is_topic(w)]


def _is_topic(word: str) -> bool:
    return TOPIC in word or OTHER in word


def _soften(word: str, rng: Random) -> str:
    """Endings that names take: a genitive without its apostrophe, a plural."""
    if word.endswith("'s") and rng.random() < 0.3:
        return word[:-2] + rng.choice(("s", "'", "", " s", "´s", "’s"))
    if word in (TOPIC, OTHER) and rng.random() < 0.04:
        return word + rng.choice(("s", "'s", "n", "'", "?", ","))
    return word
