"""English words compared without their endings, and plurals."""

import re

from ..kg.names import normalise
from ..linking.words import FUNCTION_WORDS, singular

_ENDINGS = ("ing", "ed", "er", "es", "s", "e")
_SHORTEST = 3
"""Letters that a word keeps at least when its ending is taken off."""


def stem(word: str) -> str:
    """A word without its endings, for comparing `border`, `borders` and `bordering`."""
    while ending := next((e for e in _ENDINGS if word.endswith(e) and _is_long(word, e)), ""):
        word = word.removesuffix(ending)
    return word[:-1] + "i" if word.endswith("y") else word


def _is_long(word: str, ending: str) -> bool:
    return len(word) - len(ending) >= _SHORTEST


def stems(text: str) -> frozenset[str]:
    """The stems of the words of a text that are no function words."""
    return frozenset(stem(word) for word in normalise(text).split() if word not in FUNCTION_WORDS)


def same_noun(one: str, other: str) -> bool:
    """Whether two nouns are the same but for number and case; of phrases, the last words count."""
    first, second = normalise(one).split(), normalise(other).split()
    if not first or not second:
        return False
    shared = min(len(first), len(second))
    last = [[*own[:-1], singular(own[-1])][-shared:] for own in (first, second)]
    return last[0] == last[1]


def plural(noun: str) -> str:
    """The plural of an English noun phrase."""
    if re.search(r"[^aeiou]y$", noun):
        return noun[:-1] + "ies"
    return noun + ("es" if re.search(r"(s|x|z|ch|sh)$", noun) else "s")
