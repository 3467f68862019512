"""Questions as words of which each says what it is for, so that a model can learn to tell.

A mention is a word that holds the sign of its number, `sign(0)`, with whatever stands around it.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from random import Random
from typing import Literal, NamedTuple, TypeAlias

from ..wording.english import Texts
from ..wording.noise import misspell

Use: TypeAlias = Literal["used", "mention", "filler", "unread"]
"""What a word is for: it makes part of the query, names something, asks nothing, or is left out."""

_FIRST_SIGN = 0xE000
_SIGN = re.compile("[\ue000-\ue0ff]")


class Word(NamedTuple):
    """A word and what it is for."""

    text: str
    use: Use = "used"

    @property
    def names(self) -> bool:
        """Whether a mention is in it."""
        return _SIGN.search(self.text) is not None


Words: TypeAlias = tuple[Word, ...]


def sign(number: int) -> str:
    """The character that stands for the mention of a number."""
    return chr(_FIRST_SIGN + number)


def numbered(text: str) -> list[tuple[int, re.Match[str]]]:
    """The signs in a text, each with its number."""
    return [(ord(found[0]) - _FIRST_SIGN, found) for found in _SIGN.finditer(text)]


def words_of(text: str, use: Use = "used") -> Words:
    """The words of a text; those with a sign are mentions."""
    return tuple(Word(own, "mention" if _SIGN.search(own) else use) for own in text.split())


def text_of(words: Iterable[Word]) -> str:
    """The words as one text."""
    return " ".join(own.text for own in words)


def disturbed(
    words: Words,
    dropped: frozenset[str],
    swaps: Sequence[tuple[Mapping[str, Texts], float]],
    rng: Random,
) -> Words:
    """What hurried or foreign writers make of the words; none goes that changes what is asked.

    Of each of `swaps`, words are replaced at a rate by others that may stand for them. Only words
    among `dropped` are left out.
    """
    for options, rate in swaps:
        words = _swapped(words, options, rate, rng)
    if rng.random() < 0.35:
        rate = rng.choice((0.1, 0.2, 0.5))
        kept = tuple(own for own in words if own.text not in dropped or rng.random() > rate)
        words = kept or words
    changed = list(words)
    if rng.random() < 0.3:
        for _ in range(rng.choice((1, 1, 2))):
            place = rng.randrange(len(changed))
            if len(changed[place].text) > 3 and not changed[place].names:
                changed[place] = changed[place]._replace(text=misspell(changed[place].text, rng))
    if rng.random() < 0.05 and len(changed) > 2:
        place = rng.randrange(len(changed) - 1)
        if not any(own.names for own in changed[place : place + 2]):
            changed[place : place + 2] = reversed(changed[place : place + 2])
    if rng.random() < 0.1:
        bare = (own._replace(text=re.sub(r"[,;:.'()-]", "", own.text)) for own in changed)
        changed = [own for own in bare if own.text]
    return tuple(changed)


def _swapped(words: Words, options: Mapping[str, Texts], rate: float, rng: Random) -> Words:
    result, place = list[Word](), 0
    while place < len(words):
        for length in (2, 1):
            window = words[place : place + length]
            choices = options.get(text_of(window))
            if choices and len({own.use for own in window}) == 1 and rng.random() < rate:
                result += words_of(rng.choice(choices), window[0].use)
                place += length
                break
        else:
            result.append(words[place])
            place += 1
    return tuple(result)
